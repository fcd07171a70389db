/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The throughput that an application would have if one of its services were faster, from a run in
 * which all the others were paused instead (SLOWPOKE, NSDI'26, its equation 9): each user request
 * took `saved` longer everywhere else than it would, so that n requests in a window of W would have
 * taken W - n * saved.
 *
 * Whole numbers, rounded so that [low, high] holds the true quotient.
 */
#ifndef MEASURE_CORE_PREDICT_H
#define MEASURE_CORE_PREDICT_H

#include <stdint.h>

#define PREDICT_WINDOW_MAX 1152921504606846975u /* 2^60 - 1 ns, 36 years */

/* What was measured in a paused run. */
struct predict_run {
  uint64_t window_ns; /* <= PREDICT_WINDOW_MAX */
  uint64_t requests;  /* user requests that were served in it */
  uint64_t saved_ps;  /* picoseconds that one user request saves at the bottleneck: delta * c / q */
  uint64_t noise_ns;  /* what the window cannot be told apart from: its own uncertainty */
};

/* The window that the same requests would have taken: window - requests * saved, within
 * [*low_ns, *high_ns]. 1, or 0 when it is not clearly positive: not more than noise_ns, or than
 * 1/64 of the window (the prediction would be that many times as uncertain as the measurement), or
 * when the window is out of range or without requests. */
int predict_window(const struct predict_run *run, uint64_t *low_ns, uint64_t *high_ns);

/* Makes y[0 .. count-1] non-decreasing with the least change in the sense of least squares, all
 * weights equal (pool adjacent violators). Of nanoseconds or any whole numbers up to 2^40; `count`
 * at most PREDICT_LEVELS. The result is rounded to whole numbers. */
#define PREDICT_LEVELS 64
#define PREDICT_VALUE_MAX 1099511627776u
void predict_isotonic(uint64_t y[], uint32_t count);

#endif
