/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/predict.h"

/* requests * saved in whole nanoseconds and picoseconds more; 0 when it is more than the window.
 * With saved = 1000 * whole + part and requests = 1000 * thousands + more, the product is
 * 1000 * (requests * whole + thousands * part) + more * part. */
static int predict_saved(const struct predict_run *run, uint64_t *saved_ns, uint64_t *more_ps) {
  uint64_t whole = run->saved_ps / 1000, part = run->saved_ps % 1000;
  uint64_t parts_ps = run->requests % 1000 * part;
  uint64_t parts_ns = run->requests / 1000 * part;
  if (whole != 0 && run->requests > run->window_ns / whole)
    return 0;
  if (parts_ns > run->window_ns)
    return 0;
  *saved_ns = run->requests * whole + parts_ns + parts_ps / 1000;
  *more_ps = parts_ps % 1000;
  return 1;
}

int predict_window(const struct predict_run *run, uint64_t *low_ns, uint64_t *high_ns) {
  uint64_t saved_ns, more_ps;
  if (run->window_ns > PREDICT_WINDOW_MAX || run->requests == 0)
    return 0;
  if (!predict_saved(run, &saved_ns, &more_ps) || saved_ns >= run->window_ns)
    return 0;
  uint64_t high = run->window_ns - saved_ns;
  uint64_t low = more_ps == 0 ? high : high - 1;
  if (low <= run->noise_ns || low <= run->window_ns / 64)
    return 0;
  *low_ns = low;
  *high_ns = high;
  return 1;
}

/* The mean of y[from .. to], rounded, halves up. */
static uint64_t predict_mean(const uint64_t y[], uint32_t from, uint32_t to) {
  uint64_t sum = 0, length = to - from + 1;
  for (uint32_t i = from; i <= to; i++)
    sum += y[i];
  return (2 * sum + length) / (2 * length);
}

/* The least of the means of y[from .. k], at <= k < count. */
static uint64_t predict_least(const uint64_t y[], uint32_t count, uint32_t from, uint32_t at) {
  uint64_t least = predict_mean(y, from, at);
  for (uint32_t k = at + 1; k < count; k++) {
    uint64_t mean = predict_mean(y, from, k);
    if (mean < least)
      least = mean;
  }
  return least;
}

/* What y[at] becomes: the greatest of the least means from each place up to it. */
static uint64_t predict_level(const uint64_t y[], uint32_t count, uint32_t at) {
  uint64_t level = predict_least(y, count, 0, at);
  for (uint32_t j = 1; j <= at; j++) {
    uint64_t least = predict_least(y, count, j, at);
    if (least > level)
      level = least;
  }
  return level;
}

void predict_isotonic(uint64_t y[], uint32_t count) {
  uint64_t levels[PREDICT_LEVELS];
  for (uint32_t i = 0; i < count; i++)
    levels[i] = predict_level(y, count, i);
  for (uint32_t i = 0; i < count; i++)
    y[i] = levels[i];
}
