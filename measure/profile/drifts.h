/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far the samples of a phase speak for its windows (phases.h). Within a phase shares may drift:
 * from one window to the next the share p of a function moves at random, with a variance of d p (1
 * - p), where a window of n samples tells it with one of p (1 - p) / n. The most likely d of each
 * phase is taken; of d = 0 all samples of the phase say the same of each window. What is most
 * likely of a window is then a sum of parts, of the shares in it and in those before and behind it,
 * the fewer the farther (Kalman, J. Basic Eng. 82, 1960; of both sides: Fraser and Potter, IEEE
 * Trans. Autom. Control 14, 1969). All functions have the same parts, since p (1 - p) is a factor
 * of both variances.
 *
 * Example. Windows of 25 samples and d = 0.0016: 1 / sqrt(25 * 0.0016) = 5 windows on each side
 * speak for the one in the middle, and the tenth on either side has an eighth of its part.
 */
#ifndef MEASURE_PROFILE_DRIFTS_H
#define MEASURE_PROFILE_DRIFTS_H

#include "measure/profile/phases.h"

struct drifts {
  const struct phases *phases;
  double *of; /* d of each window's phase */
  double *before,
      *behind; /* what windows on that side tell of each window, in samples of its own */
};

/* `phases` must outlive it. function_of[i] is that of sample i, below `functions`. */
void drifts_find(struct drifts *drifts, const struct phases *phases, const uint32_t *function_of,
                 size_t functions);
void drifts_clear(struct drifts *drifts);

/* Calls `add` for each window with samples that speaks for this one, which is at no border, with
 * its part; parts add up to 1. False if its phase has no samples. */
bool drifts_parts(const struct drifts *drifts, size_t window,
                  void (*add)(void *context, size_t window, double part), void *context);

#endif
