/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/core/predict.h"
#include "proofs/logic/predict_lemmas.acsl"

/* requests * saved in whole nanoseconds and picoseconds more; 0 when it is more than the window.
 * With saved = 1000 * whole + part and requests = 1000 * thousands + more, the product is
 * 1000 * (requests * whole + thousands * part) + more * part. */
/*@ requires storage: \valid_read(run) && \valid(saved_ns) && \valid(more_ps);
    requires distinct: \separated(run, saved_ns, more_ps);
    requires range: run->window_ns <= PREDICT_WINDOW_MAX;
    assigns *saved_ns, *more_ps;
    ensures refused: \result == 0 ==>
      run->requests * run->saved_ps >= 1000 * (run->window_ns + 1);
    ensures exact: \result == 1 ==>
      run->requests * run->saved_ps == 1000 * *saved_ns + *more_ps && *more_ps < 1000;
    ensures truth: \result == 0 || \result == 1;
*/
static int predict_saved(const struct predict_run *run, uint64_t *saved_ns, uint64_t *more_ps) {
  uint64_t whole = run->saved_ps / 1000, part = run->saved_ps % 1000;
  uint64_t thousands = run->requests / 1000, more = run->requests % 1000;
  uint64_t parts_ns = thousands * part, parts_ps = more * part;
  //@ ghost predict_split(run->requests, run->saved_ps, whole, part);
  //@ ghost predict_split(part, run->requests, thousands, more);
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

/* The mean of y[from .. to - 1], rounded, halves up. */
/*@ requires places: from < to <= PREDICT_LEVELS;
    requires storage: \valid_read(y + (0 .. to - 1));
    requires values: predict_within(y, 0, to, 0, PREDICT_VALUE_MAX);
    assigns \nothing;
    ensures mean: \result == predict_mean_of(y, from, to);
*/
static uint64_t predict_mean(const uint64_t y[], uint32_t from, uint32_t to) {
  uint64_t sum = 0, length = to - from;
  /*@ loop invariant range: from <= i <= to;
      loop invariant sum: sum == predict_sum(y, from, i);
      loop invariant small: sum <= PREDICT_VALUE_MAX * (i - from);
      loop assigns i, sum;
      loop variant to - i;
  */
  for (uint32_t i = from; i < to; i++)
    sum += y[i];
  //@ assert small: length <= PREDICT_LEVELS && sum <= PREDICT_VALUE_MAX * PREDICT_LEVELS;
  return (sum + length / 2) / length;
}

/* The least of the means of y[from .. k], at <= k < count. */
/*@ requires places: from <= at < count <= PREDICT_LEVELS;
    requires storage: \valid_read(y + (0 .. count - 1));
    requires values: predict_within(y, 0, count, 0, PREDICT_VALUE_MAX);
    assigns \nothing;
    ensures least: \result == predict_least_of(y, from, at, count);
*/
static uint64_t predict_least(const uint64_t y[], uint32_t from, uint32_t at, uint32_t count) {
  uint64_t least = predict_mean(y, from, at + 1);
  /*@ loop invariant range: at + 1 <= k <= count;
      loop invariant least: least == predict_least_of(y, from, at, k);
      loop assigns k, least;
      loop variant count - k;
  */
  for (uint32_t k = at + 1; k < count; k++) {
    uint64_t mean = predict_mean(y, from, k + 1);
    if (mean < least)
      least = mean;
  }
  return least;
}

/* What y[at] becomes: the greatest of the least means from each place up to it. */
/*@ requires places: at < count <= PREDICT_LEVELS;
    requires storage: \valid_read(y + (0 .. count - 1));
    requires values: predict_within(y, 0, count, 0, PREDICT_VALUE_MAX);
    assigns \nothing;
    ensures level: \result == predict_level_of(y, at, count);
*/
static uint64_t predict_level(const uint64_t y[], uint32_t at, uint32_t count) {
  uint64_t level = predict_least(y, 0, at, count);
  /*@ loop invariant range: 0 <= j <= at;
      loop invariant greatest: level == predict_greatest_of(y, j, at, count);
      loop assigns j, level;
      loop variant at - j;
  */
  for (uint32_t j = 0; j < at; j++) {
    uint64_t least = predict_least(y, j + 1, at, count);
    if (least > level)
      level = least;
  }
  return level;
}

void predict_isotonic(uint64_t y[], uint32_t count) {
  uint64_t levels[PREDICT_LEVELS];
  //@ ghost uint32_t lowest = 0, highest = 0;
  //@ ghost int in_order = 0;
  //@ ghost if (count > 0) lowest = predict_lowest(y, count);
  //@ ghost if (count > 0) highest = predict_highest(y, count);
  //@ ghost if (count > 0) in_order = predict_is_sorted(y, count);
  /*@ loop invariant range: 0 <= i <= count;
      loop invariant level: \forall integer j; 0 <= j < i ==>
        levels[j] == predict_level_of(y, j, count);
      loop invariant sorted: \forall integer j, k; 0 <= j <= k < i ==> levels[j] <= levels[k];
      loop invariant same: in_order != 0 ==> \forall integer j; 0 <= j < i ==> levels[j] == y[j];
      loop invariant within: \forall integer j; 0 <= j < i ==>
        y[lowest] <= levels[j] <= y[highest];
      loop assigns i, levels[0 .. PREDICT_LEVELS - 1];
      loop variant count - i;
  */
  for (uint32_t i = 0; i < count; i++) {
    levels[i] = predict_level(y, i, count);
    //@ ghost if (i > 0) predict_level_grows(y, i - 1, count);
    //@ ghost predict_level_within(y, i, count, y[lowest], y[highest]);
    //@ ghost if (in_order != 0) predict_level_same(y, i, count);
  }
  /*@ loop invariant range: 0 <= i <= count;
      loop invariant copied: \forall integer j; 0 <= j < i ==> y[j] == levels[j];
      loop assigns i, y[0 .. count - 1];
      loop variant count - i;
  */
  for (uint32_t i = 0; i < count; i++)
    y[i] = levels[i];
}
