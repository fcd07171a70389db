/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The throughput that an application would have if one of its services were faster, from a run in
 * which all the others were paused instead (SLOWPOKE, NSDI'26, its equation 9): each user request
 * took `saved` longer everywhere else than it would, so that n requests in a window of W would have
 * taken W - n * saved.
 *
 * Whole numbers, rounded so that [low, high] holds the true window. Proved
 * (proofs/logic/predict.acsl).
 */
#ifndef MEASURE_THROUGHPUT_CORE_PREDICT_H
#define MEASURE_THROUGHPUT_CORE_PREDICT_H

#include <stdint.h>

#define PREDICT_WINDOW_MAX 1152921504606846975u /* 2^60 - 1 ns, 36 years */
#define PREDICT_LEVELS 64
#define PREDICT_VALUE_MAX 1099511627776u /* 2^40: 18 minutes in ns */

/* What was measured in a paused run. */
struct predict_run {
  uint64_t window_ns; /* <= PREDICT_WINDOW_MAX */
  uint64_t requests;  /* user requests that were served in it */
  uint64_t saved_ps;  /* picoseconds that one user request saves at the bottleneck: delta * c / q */
  uint64_t noise_ns;  /* what the window cannot be told apart from: its own uncertainty */
};

#include "proofs/logic/predict.acsl"

/* The window that the same requests would have taken: window - requests * saved, rounded down and
 * up to whole nanoseconds. 1, or 0 when it is not clearly positive: *low_ns would be not more than
 * noise_ns, or not more than 1/64 of the window (the prediction would be that many times as
 * uncertain as the measurement), or when the window is out of range or without requests; then
 * nothing changes. What is accepted is so for everything that saves less. */
/*@ requires storage: \valid_read(run) && \valid(low_ns) && \valid(high_ns);
    requires distinct: \separated(run, low_ns, high_ns);
    assigns *low_ns, *high_ns;
    behavior clear:
      assumes predict_clear(run);
      ensures accepted: \result == 1;
      ensures low: 1000 * *low_ns <= predict_true_ps(run) < 1000 * (*low_ns + 1);
      ensures high: 1000 * (*high_ns - 1) < predict_true_ps(run) <= 1000 * *high_ns;
      ensures positive: run->noise_ns < *low_ns && *high_ns <= run->window_ns;
    behavior refused:
      assumes !predict_clear(run);
      assigns \nothing;
      ensures refused: \result == 0;
    complete behaviors;
    disjoint behaviors;
*/
int predict_window(const struct predict_run *run, uint64_t *low_ns, uint64_t *high_ns);

/* Makes y[0 .. count-1] non-decreasing with the least change in the sense of least squares, all
 * weights equal, and rounds that to whole numbers (halves up): y[i] becomes the greatest over j <=
 * i of the least over k >= i of the means of y[j .. k] (the min-max formula of isotonic regression:
 * Barlow, Bartholomew, Bremner, Brunk, Statistical Inference under Order Restrictions, 1972). Of
 * nanoseconds or any whole numbers up to PREDICT_VALUE_MAX; `count` at most PREDICT_LEVELS. */
/*@ requires storage: \valid(y + (0 .. count - 1));
    requires count: count <= PREDICT_LEVELS;
    requires values: predict_within(y, 0, count, 0, PREDICT_VALUE_MAX);
    assigns y[0 .. count - 1];
    ensures level: \forall integer i; 0 <= i < count ==>
      y[i] == \old(predict_level_of(y, i, count));
    ensures sorted: predict_sorted(y, count);
    ensures untouched: \old(predict_sorted(y, count)) ==>
      \forall integer i; 0 <= i < count ==> y[i] == \old(y[i]);
    ensures range: \forall integer low, high;
      \old(predict_within(y, 0, count, low, high)) ==> predict_within(y, 0, count, low, high);
*/
void predict_isotonic(uint64_t y[], uint32_t count);

#endif
