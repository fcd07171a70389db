/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The predicted window against integers of 128 bits; levels against pool adjacent violators in
 * exact fractions, and against every non-decreasing sequence of a small range.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/core/predict.h"
#include "tests/unit/measure/core_random.h"

static void window_is(const struct predict_run *run) {
  uint64_t low = 77, high = 77;
  int accepted = predict_window(run, &low, &high);
  signed_wide left = -1; /* picoseconds; requests * saved may need all 128 bits */
  wide window = (wide)run->window_ns * 1000, saved = (wide)run->requests * run->saved_ps;
  if (saved <= window)
    left = (signed_wide)(window - saved);
  int clear = run->requests > 0 && run->window_ns <= PREDICT_WINDOW_MAX && left > 0 &&
              left / 1000 > run->noise_ns && left / 1000 > run->window_ns / 64;
  assert_int_equal(accepted, clear);
  if (!accepted) {
    assert_true(low == 77 && high == 77);
    return;
  }
  assert_true(low == (uint64_t)(left / 1000) && high == (uint64_t)((left + 999) / 1000));
  assert_true(low > 0 && high - low <= 1);
}

static void windows(void **state) {
  (void)state;
  uint64_t accepted = 0;
  for (int i = 0; i < 300000; i++) {
    struct predict_run run = {.window_ns = core_random_word() >> (core_random() % 8),
                              .requests = core_random_word() >> (core_random() % 64),
                              .saved_ps = core_random_word() >> (core_random() % 64),
                              .noise_ns = core_random_word() >> (core_random() % 64)};
    uint64_t low, high;
    window_is(&run);
    accepted += (uint64_t)predict_window(&run, &low, &high);
  }
  assert_true(accepted > 10000 && accepted < 290000);
}

/* Near the end of the domain, where one picosecond decides. */
static void windows_at_the_end(void **state) {
  (void)state;
  for (int i = 0; i < 200000; i++) {
    struct predict_run run = {.window_ns = 1 + (core_random_word() & PREDICT_WINDOW_MAX) %
                                                   PREDICT_WINDOW_MAX,
                              .requests = 1 + core_random() % 100000};
    wide left = (wide)(run.window_ns / 64 + core_random() % 3) * 1000 + core_random() % 1000;
    wide saved = (wide)run.window_ns * 1000 > left ? (wide)run.window_ns * 1000 - left : 0;
    if (saved / run.requests > UINT64_MAX)
      continue;
    run.saved_ps = (uint64_t)(saved / run.requests) + core_random() % 2;
    run.noise_ns = core_random() % 2 ? (uint64_t)(left / 1000) - core_random() % 2 : 0;
    window_is(&run);
  }
}

static void windows_in_numbers(void **state) {
  (void)state;
  /* 1 s, 1000 requests that save 0.5 ms each: 0.5 s */
  struct predict_run run = {1000000000, 1000, 500000000, 0};
  uint64_t low, high;
  assert_int_equal(predict_window(&run, &low, &high), 1);
  assert_true(low == 500000000 && high == 500000000);
  run.noise_ns = 500000000;
  assert_int_equal(predict_window(&run, &low, &high), 0);
  run.noise_ns = 0;
  run.saved_ps = 984375000; /* leaves 1/64 exactly */
  assert_int_equal(predict_window(&run, &low, &high), 0);
  run.saved_ps = 984374000;
  assert_int_equal(predict_window(&run, &low, &high), 1);
  run.saved_ps = 1000000001;
  assert_int_equal(predict_window(&run, &low, &high), 0);
  run.saved_ps = 1;
  run.requests = 1;
  assert_int_equal(predict_window(&run, &low, &high), 1);
  assert_true(low == 999999999 && high == 1000000000);
}

/* Pool adjacent violators: blocks of sums and lengths, whose means are compared crosswise. */
static void pooled(const uint64_t y[], uint32_t count, uint64_t fit[]) {
  uint64_t sums[PREDICT_LEVELS], lengths[PREDICT_LEVELS];
  uint32_t blocks = 0;
  for (uint32_t i = 0; i < count; i++) {
    sums[blocks] = y[i];
    lengths[blocks++] = 1;
    while (blocks > 1 &&
           sums[blocks - 2] * lengths[blocks - 1] > sums[blocks - 1] * lengths[blocks - 2]) {
      sums[blocks - 2] += sums[blocks - 1];
      lengths[blocks - 2] += lengths[blocks - 1];
      blocks--;
    }
  }
  for (uint32_t b = 0, at = 0; b < blocks; b++)
    for (uint64_t i = 0; i < lengths[b]; i++)
      fit[at++] = (2 * sums[b] + lengths[b]) / (2 * lengths[b]);
}

static void isotonic_is_pooled(void **state) {
  (void)state;
  for (int run = 0; run < 1500; run++) {
    uint32_t count = (uint32_t)(run % 50 == 0 ? PREDICT_LEVELS : core_random() % 16);
    uint64_t y[PREDICT_LEVELS + 1], fit[PREDICT_LEVELS];
    uint64_t range = core_random() % 2 ? PREDICT_VALUE_MAX : 10;
    for (uint32_t i = 0; i < count; i++)
      y[i] = core_random() % (range + 1);
    y[count] = 99;
    pooled(y, count, fit);
    predict_isotonic(y, count);
    assert_memory_equal(y, fit, count * sizeof *y);
    assert_true(y[count] == 99);
    predict_isotonic(y, count); /* in order already */
    assert_memory_equal(y, fit, count * sizeof *y);
  }
}

static uint64_t distance(const uint64_t a[], const uint64_t b[], uint32_t count) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += a[i] < b[i] ? (b[i] - a[i]) * (b[i] - a[i]) : (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/* No non-decreasing sequence of whole numbers is nearer. */
static void isotonic_is_nearest(void **state) {
  (void)state;
  for (uint32_t code = 0; code < 5 * 5 * 5 * 5; code++) {
    uint64_t y[4] = {code % 5, code / 5 % 5, code / 25 % 5, code / 125}, fit[4];
    memcpy(fit, y, sizeof y);
    predict_isotonic(fit, 4);
    uint64_t nearest = distance(fit, y, 4);
    uint64_t other[4];
    for (other[0] = 0; other[0] < 5; other[0]++)
      for (other[1] = other[0]; other[1] < 5; other[1]++)
        for (other[2] = other[1]; other[2] < 5; other[2]++)
          for (other[3] = other[2]; other[3] < 5; other[3]++)
            assert_true(nearest <= distance(other, y, 4));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(windows),
      cmocka_unit_test(windows_at_the_end),
      cmocka_unit_test(windows_in_numbers),
      cmocka_unit_test(isotonic_is_pooled),
      cmocka_unit_test(isotonic_is_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
