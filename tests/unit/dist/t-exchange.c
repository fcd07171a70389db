/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/exchange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/dist/random.h"

static double uniform(struct random *random) {
  return ((double)(random_next(random) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct random *random) {
  double radius = sqrt(-2 * log(uniform(random)));
  return radius * cos(2 * acos(-1) * uniform(random));
}

/* n values exp(z) with z an autoregression, plus a drift over the whole. */
static void draw(struct sample *sample, uint64_t seed, size_t n, double memory, double drift) {
  struct random random = {seed * 48271 + 11};
  sample_init(sample);
  double z = normal(&random);
  for (size_t i = 0; i < n; i++) {
    uint64_t x = (uint64_t)(1e6 * exp(z + drift * (double)i / (double)n));
    assert_true(sample_add_range(sample, x, x, 1));
    sample_add_to_series(sample, x);
    z = memory * z + sqrt(1 - memory * memory) * normal(&random);
  }
  sample_finish(sample);
}

static size_t warnings_of(const struct sample *sample, const char *expected) {
  struct source_notes notes;
  source_notes_init(&notes);
  exchange_warn(&notes, sample, "d.csv");
  bool found = false;
  for (size_t i = 0; i < notes.count; i++) {
    assert_non_null(strstr(notes.lines[i], "d.csv"));
    found = found || (expected != NULL && strstr(notes.lines[i], expected) != NULL);
  }
  if (expected != NULL && !found)
    fail_msg("no warning that says \"%s\"", expected);
  size_t count = notes.count;
  source_notes_clear(&notes);
  return count;
}

/* 6000 samples of independent draws, of several sizes: 6 may warn, 15 would come about once
 * in 1000. */
static void test_independent_draws_seldom_warn(void **state) {
  (void)state;
  const size_t sizes[] = {64, 100, 300, 1000};
  size_t warned = 0;
  for (uint64_t run = 0; run < 6000; run++) {
    struct sample sample;
    draw(&sample, run, sizes[run % 4], 0, 0);
    struct exchange e = exchange_judge(&sample);
    assert_true(e.judged);
    warned += e.correlated || e.clustered || e.drifting;
    sample_clear(&sample);
  }
  print_message("# of 6000: %zu warned\n", warned);
  assert_true(warned < 15);
}

/* The level of each of the three is not far from what it should be: at most that, and with power.
 */
static void test_statistics_have_their_laws(void **state) {
  (void)state;
  double correlation = 0, drift = 0, runs = 0;
  size_t large = 0;
  enum { RUNS = 1500 };
  for (uint64_t run = 0; run < RUNS; run++) {
    struct sample sample;
    draw(&sample, 100000 + run, 200, 0, 0);
    struct exchange e = exchange_judge(&sample);
    correlation += e.correlation * e.correlation * 200 / RUNS;
    drift += e.drift / RUNS;
    runs += e.runs / e.runs_expected / RUNS;
    large += e.drift > 0.4614; /* 5 % of the limiting law */
    sample_clear(&sample);
  }
  assert_true(fabs(correlation - 1) < 0.15);
  assert_true(fabs(drift - 1.0 / 6) < 0.02);
  assert_true(fabs(runs - 1) < 0.02);
  assert_in_range(large, 40, 115); /* of 75 */
}

static void test_correlation_is_found(void **state) {
  (void)state;
  for (uint64_t run = 0; run < 20; run++) {
    struct sample sample;
    draw(&sample, run, 2000, 0.5, 0);
    struct exchange e = exchange_judge(&sample);
    assert_true(e.correlated && e.clustered);
    assert_true(e.correlation > 0.3 && e.correlation < 0.65);
    assert_true(e.runs < e.runs_expected);
    warnings_of(&sample, "not independent");
    sample_clear(&sample);
    draw(&sample, run, 2000, -0.5, 0); /* overshooting: as little independent */
    e = exchange_judge(&sample);
    assert_true(e.correlated && e.clustered && e.runs > e.runs_expected);
    warnings_of(&sample, "alternation");
    sample_clear(&sample);
  }
}

static void test_drift_is_found(void **state) {
  (void)state;
  for (uint64_t run = 0; run < 20; run++) {
    struct sample sample;
    draw(&sample, run, 2000, 0, 0.5); /* half a standard deviation */
    assert_true(exchange_judge(&sample).drifting);
    warnings_of(&sample, "drift");
    sample_clear(&sample);
  }
}

/* Monotone changes of the values change nothing: ranks count. Ties and infinite values neither
 * raise an alarm nor hide one. */
static void test_ranks_count(void **state) {
  (void)state;
  struct sample plain, odd;
  draw(&plain, 3, 3000, 0.4, 0);
  sample_init(&odd);
  for (size_t i = 0; i < plain.series_count; i++) {
    uint64_t x = plain.series[i] > 8000000 ? SAMPLE_NS_MAX : plain.series[i];
    sample_add_to_series(&odd, 5000000000 + (x == SAMPLE_NS_MAX ? x - 5000000000 : x));
    assert_true(sample_add(&odd, 1000, 1));
  }
  sample_finish(&odd);
  struct exchange a = exchange_judge(&plain), b = exchange_judge(&odd);
  assert_true(fabs(a.correlation - b.correlation) < 0.01 && b.correlated);
  sample_clear(&odd);
  sample_clear(&plain);
  sample_init(&odd); /* all alike: nothing to judge */
  for (size_t i = 0; i < 500; i++) {
    sample_add_to_series(&odd, 77);
    assert_true(sample_add(&odd, 77, 1));
  }
  sample_finish(&odd);
  assert_false(exchange_judge(&odd).judged);
  assert_int_equal(warnings_of(&odd, NULL), 0);
  assert_int_equal(exchange_effective_size(&odd), 500);
  sample_clear(&odd);
  draw(&plain, 1, EXCHANGE_LEAST - 1, 0.9, 0); /* too short but for a test by orders */
  assert_false(exchange_judge(&plain).judged);
  assert_int_equal(warnings_of(&plain, "63 observations in d.csv do not look independent"), 1);
  sample_clear(&plain);
  draw(&plain, 1, 7, 0.9, 0);
  assert_int_equal(warnings_of(&plain, NULL), 0);
  sample_clear(&plain);
}

static void test_effective_size(void **state) {
  (void)state;
  size_t reduced = 0;
  for (uint64_t run = 0; run < 50; run++) {
    struct sample sample;
    draw(&sample, run, 10000, 0, 0);
    reduced += exchange_effective_size(&sample) < 10000;
    sample_clear(&sample);
    /* a memory of 0.8 divides by (1 + 0.8) / (1 - 0.8) = 9 */
    draw(&sample, run, 10000, 0.8, 0);
    uint64_t size = exchange_effective_size(&sample);
    if (size < 250 || size > 1900)
      fail_msg("run %lu: %lu", (unsigned long)run, (unsigned long)size);
    sample.real = 5000; /* half of them filled in */
    uint64_t half = exchange_effective_size(&sample);
    assert_true(half + 1 >= size / 2 && half <= size / 2 + 1);
    sample_clear(&sample);
  }
  assert_true(reduced <= 8);
}

/* The number that is said is the one that is used; of a series that drifts none is said. */
static void test_warning_says_the_number(void **state) {
  (void)state;
  struct sample sample;
  draw(&sample, 5, 5000, 0.7, 0);
  struct serial serial = serial_overall(sample.series, sample.series_count);
  assert_true(serial.dependent && serial.settled && serial.inflation > 3);
  assert_int_equal(exchange_effective_size(&sample), serial_worth(&serial, 5000));
  char expected[100];
  snprintf(expected, sizeof expected, "all 5000 are worth about %lu independent ones",
           (unsigned long)exchange_effective_size(&sample));
  warnings_of(&sample, expected);
  sample_clear(&sample);
  draw(&sample, 5, 5000, 0, 2);
  warnings_of(&sample, "cannot be told: measure for longer");
  sample_clear(&sample);
}

/* A few stalls in a quiet series: its ranks are as good as independent, its extremes are not. */
static void test_stalls_are_found(void **state) {
  (void)state;
  struct random random = {99};
  struct sample sample;
  sample_init(&sample);
  for (uint64_t i = 0; i < 4000; i++) {
    uint64_t x = (uint64_t)(1e6 * exp(0.5 * normal(&random))) * (i % 1000 < 6 ? 50 : 1);
    assert_true(sample_add_range(&sample, x, x, 1));
    sample_add_to_series(&sample, x);
  }
  sample_finish(&sample);
  struct exchange e = exchange_judge(&sample);
  assert_false(e.correlated || e.clustered || e.drifting);
  assert_true(exchange_serial(&sample).dependent);
  warnings_of(&sample, "their extremes come together");
  sample_clear(&sample);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_independent_draws_seldom_warn),
      cmocka_unit_test(test_statistics_have_their_laws),
      cmocka_unit_test(test_correlation_is_found),
      cmocka_unit_test(test_drift_is_found),
      cmocka_unit_test(test_ranks_count),
      cmocka_unit_test(test_effective_size),
      cmocka_unit_test(test_warning_says_the_number),
      cmocka_unit_test(test_stalls_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
