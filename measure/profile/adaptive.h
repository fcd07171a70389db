/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sampler whose rate follows what it sees (adapt.h): once a window it counts the innermost
 * functions of the samples, by name, and sets the rate of the next.
 *
 * What a sample costs is what this thread's processor clock says for each, and
 * ADAPTIVE_INTERRUPT_NS for the interrupt, which is the program's time and cannot be seen from
 * here.
 */
#ifndef MEASURE_PROFILE_ADAPTIVE_H
#define MEASURE_PROFILE_ADAPTIVE_H

#include "measure/profile/phases.h"
#include "measure/profile/sampler.h"

enum { ADAPTIVE_INTERRUPT_NS = 30000 };

struct adaptive {
  struct adapt adapt;
  VECTOR(uint64_t) functions; /* hashes of their names, by number */
  VECTOR(uint32_t) of_frame;  /* by frame of the sampler's file */
  adapt_counts counts;        /* of the window, by function */
  uint64_t worked_ns;         /* of the thread's clock, when the window began */
  unsigned changes;
  struct phases phases; /* windows, by the samples in the sampler's file */
};

/* The sampler's options say `adaptive`, and its rate is that of the limits' ceiling. */
void adaptive_init(struct adaptive *adaptive, const struct adapt_options *options);
void adaptive_clear(struct adaptive *adaptive);

/* A window of so many ns has ended, and the sampler is drained. As sampler_set_rate. */
enum status adaptive_window(struct adaptive *adaptive, struct sampler *sampler, uint64_t window_ns,
                            struct text *message);

#endif
