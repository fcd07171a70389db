/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fast rate adaption: a sampler that samples fast only while the hot functions change. Each window
 * the shares of the top functions are held against those of the phase so far, by the
 * Jensen-Shannon divergence in nats, 0 .. ln 2 (Lin, IEEE Trans. Inf. Theory 37, 1991). What is not
 * at the top counts together as one function. Nothing is judged by noise: of k functions two
 * samples of n and m of the *same* program differ by (k - 1) / 8 (1 / n + 1 / m) on average, and
 * the threshold is at least `noise` times that. A window with too few samples for that is judged
 * together with those behind it.
 *
 * All windows since the last change are one phase, and what was sampled in it speaks for all of it:
 * this is what slow sampling saves. A drift that makes no window differ by so much is no change:
 * what is far then speaks the less (drifts.h).
 *
 * Example. At 20 Hz and 10 s a window has 200 samples, and the threshold is 2 * 10 / 8 * (1 / 200 +
 * 1 / 2000) = 0.014 when the phase has 2000. A function that goes from nothing to 10 % of the time
 * makes a divergence of 0.035, and is seen.
 */
#ifndef MEASURE_PROFILE_ADAPT_H
#define MEASURE_PROFILE_ADAPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "measure/core/rate.h"

struct adapt_options {
  double theta; /* nats: no change below it */
  double noise; /* times the divergence that chance alone makes */
  unsigned top; /* functions of each side that are held against each other */
  struct rate_limits limits;
};

enum adapt_verdict {
  ADAPT_SAME, /* also the first window of a phase */
  ADAPT_CHANGED,
  ADAPT_UNSURE, /* too few samples so far: to be judged with the next windows */
};

typedef VECTOR(double) adapt_counts; /* samples by function */

/* Owns its vectors. */
struct adapt {
  struct adapt_options options;
  struct rate_state rate;
  adapt_counts phase, recent; /* since the last change; since the last verdict */
  double phase_total, recent_total;
  enum adapt_verdict verdict; /* of the last window, and how it came: */
  double divergence, threshold;
  size_t functions; /* that were held against each other */
};

/* theta 0.05, noise 3, the top 10; 20 .. 999 samples a second, 1 % of a processor; a fifth of the
 * rate after each window without a change. */
struct adapt_options adapt_defaults(void);

/* Starts at the ceiling, of a cost of 0. */
void adapt_init(struct adapt *adapt, const struct adapt_options *options);
void adapt_clear(struct adapt *adapt);

/* A window has ended: `counts` of each of `functions` functions, numbered the same in all windows;
 * functions may be added. Counts are numbers of samples, not weights. Sets adapt->rate.rate for the
 * next window, given what a sample costs and how much of a processor the program used (rate.h). */
enum adapt_verdict adapt_window(struct adapt *adapt, const double *counts, size_t functions,
                                uint32_t cost, uint32_t load);

/* The Jensen-Shannon divergence of two vectors of counts with positive totals, with what is not
 * among the `top` functions of either as one; *kinds, how many that are. */
double adapt_divergence(const double *a, const double *b, size_t functions, unsigned top,
                        size_t *kinds);

#endif
