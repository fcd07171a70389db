/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Differences of which the truth is known: planted series are named, the largest first; nothing is
 * named where nothing was planted, however large, similar in size or drifting the series are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "dist/statistics/missing.h"

enum { ROWS = 2000, SERIES = 5 };

static double difference[ROWS], columns[SERIES][ROWS];
static const double *series[SERIES] = {columns[0], columns[1], columns[2], columns[3], columns[4]};
static struct random generator;

static double uniform(void) {
  return (double)(random_bits(&generator) >> 11) / (double)(UINT64_C(1) << 53);
}

/* Skewed latencies with bursts in which all are ten times as large. */
static void draw(uint64_t seed) {
  generator = (struct random){seed};
  bool burst = false;
  for (size_t i = 0; i < ROWS; i++) {
    burst = uniform() < 0.02 ? !burst : burst;
    for (size_t k = 0; k < SERIES; k++)
      columns[k][i] = (1000 + 5000 * uniform() * uniform()) * (burst ? 10 : 1);
  }
}

/* noise, of which nothing is in the series */
static void start(double level, double noise) {
  for (size_t i = 0; i < ROWS; i++)
    difference[i] = level + noise * uniform();
}

static void plant(size_t which) {
  for (size_t i = 0; i < ROWS; i++)
    difference[i] += columns[which][i];
}

static size_t find(struct missing_part *parts, size_t rows) {
  return missing_find(parts, difference, series, SERIES, rows);
}

static void one_that_was_planted(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct missing_part parts[MISSING_PARTS];
    draw(seed);
    start(-20000, 500); /* a slack that hides it on average */
    plant(seed % SERIES);
    assert_true(find(parts, ROWS) >= 1);
    assert_int_equal(parts[0].series, seed % SERIES);
    assert_true(parts[0].is_cause);
    assert_true(parts[0].share_lower > 0.7 && parts[0].share_lower < parts[0].share_upper);
  }
}

static void two_that_were_planted(void **unused) {
  (void)unused;
  struct missing_part parts[MISSING_PARTS];
  draw(7);
  for (size_t i = 0; i < ROWS; i++)
    columns[1][i] *= 3;
  start(0, 500);
  plant(1);
  plant(4);
  assert_int_equal(find(parts, ROWS), 2);
  assert_int_equal(parts[0].series, 1);
  assert_int_equal(parts[1].series, 4);
  assert_true(parts[0].is_cause && parts[1].is_cause);
  for (size_t i = 0; i < ROWS; i++)
    assert_true(difference[i] > -1 && difference[i] < 501);
}

/* A rare retry: absent, 0, in 97 of 100 requests. */
static void a_rare_one(void **unused) {
  (void)unused;
  struct missing_part parts[MISSING_PARTS];
  draw(3);
  for (size_t i = 0; i < ROWS; i++)
    columns[2][i] = uniform() < 0.03 ? 50000 + 50000 * uniform() : 0;
  start(0, 100);
  plant(2);
  assert_true(find(parts, ROWS) >= 1);
  assert_int_equal(parts[0].series, 2);
  assert_true(parts[0].is_cause);
}

/* Of 100 differences that have nothing to do with the series, but drift as they do, no more than
 * the chance of error allows are given a part, and none a cause. */
static void nothing_that_was_planted(void **unused) {
  (void)unused;
  size_t named = 0;
  const char *all = getenv("TEST_ALL");
  uint64_t runs = all != NULL && *all != '\0' ? 1000 : 100;
  for (uint64_t seed = 1; seed <= runs; seed++) {
    struct missing_part parts[MISSING_PARTS];
    draw(seed);
    for (size_t i = 0; i < ROWS; i++)
      for (size_t k = 0; k < SERIES; k++)
        columns[k][i] = 1000 + 2000 * uniform() + 3 * (double)i;
    for (size_t i = 0; i < ROWS; i++)
      difference[i] = 1000 + 2000 * uniform() + 3 * (double)i; /* as large, as noisy */
    size_t found = find(parts, ROWS);
    named += found != 0;
    for (size_t p = 0; p < found; p++)
      assert_false(parts[p].is_cause);
  }
  assert_true(named <= runs / 25);
}

/* In bursts everything is slow at once: that is in common, but no part. */
static void what_is_slow_together(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct missing_part parts[MISSING_PARTS];
    draw(seed);
    memcpy(difference, columns[0], sizeof difference);
    size_t found = missing_find(parts, difference, series + 1, SERIES - 1, ROWS);
    for (size_t p = 0; p < found; p++)
      assert_false(parts[p].is_cause);
  }
}

static void too_few_rows(void **unused) {
  (void)unused;
  struct missing_part parts[MISSING_PARTS];
  draw(1);
  start(0, 100);
  plant(0);
  assert_int_equal(find(parts, MISSING_ROWS_LEAST - 1), 0);
  assert_int_equal(find(parts, 0), 0);
  assert_true(find(parts, MISSING_ROWS_LEAST) >= 1);
  assert_int_equal(parts[0].series, 0);
}

/* Nothing changes: nothing can be told. */
static void constants(void **unused) {
  (void)unused;
  struct missing_part parts[MISSING_PARTS];
  for (size_t i = 0; i < ROWS; i++)
    difference[i] = columns[0][i] = columns[1][i] = columns[2][i] = columns[3][i] = columns[4][i] =
        5000;
  assert_int_equal(find(parts, ROWS), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_that_was_planted),
                                     cmocka_unit_test(two_that_were_planted),
                                     cmocka_unit_test(a_rare_one),
                                     cmocka_unit_test(nothing_that_was_planted),
                                     cmocka_unit_test(what_is_slow_together),
                                     cmocka_unit_test(too_few_rows),
                                     cmocka_unit_test(constants)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
