/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sampler whose rate follows what it sees (adapt.h): once a window it counts the innermost
 * functions of the samples, by name, and sets the rate of the next.
 *
 * What a sample costs is what this thread's processor clock says for each, and what the interrupt
 * takes of the program's time (interrupt.h).
 */
#ifndef MEASURE_PROFILE_ADAPTIVE_H
#define MEASURE_PROFILE_ADAPTIVE_H

#include "measure/profile/phases.h"
#include "measure/profile/sampler.h"

struct adaptive {
  struct adapt adapt;
  VECTOR(uint64_t) functions; /* hashes of their names, by number */
  VECTOR(uint32_t) of_frame;  /* by frame of the sampler's file */
  adapt_counts counts;        /* of the window, by function */
  uint32_t interrupt_ns;      /* that each sample costs the program */
  uint64_t worked_ns;         /* of the thread's clock, when the window began */
  unsigned changes;
  struct phases phases; /* windows, by the samples in the sampler's file */
};

/* The sampler's options say `adaptive`, and its rate is that of the limits' ceiling. */
void adaptive_init(struct adaptive *adaptive, const struct adapt_options *options,
                   uint32_t interrupt_ns);
void adaptive_clear(struct adaptive *adaptive);

/* A window of so many ns has ended, and the sampler is drained. As sampler_set_rate. */
enum status adaptive_window(struct adaptive *adaptive, struct sampler *sampler, uint64_t window_ns,
                            struct text *message);

#endif
