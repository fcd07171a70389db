/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/tables.h"
#include "trace/tail/difference.h"

/* Means 14 and 10.5 with variances 8/3 and 5/12: 3.91516 degrees of freedom, of which Student's t
 * at 0.025 is 2.80034. The values are symmetric, so nothing is widened. */
static void test_known_interval(void **state) {
  (void)state;
  static const int64_t values[] = {10, 14, 18, 9, 10, 11, 12, 14};
  struct tail_split split;
  tail_split_init(&split, 8);
  split.sides[0] = split.sides[1] = split.sides[2] = split.sides[7] = TAIL_SLOW;
  struct tail_difference d = tail_difference_of(values, &split, 0.05);
  assert_true(fabs(d.slow - 14) < 1e-9 && fabs(d.rest - 10.5) < 1e-9);
  assert_true(fabs(d.difference - 3.5) < 1e-9);
  assert_true(fabs((d.most - d.least) / 2 - 4.917227) < 1e-3);
  assert_true(fabs(d.most + d.least - 7) < 1e-6);
  tail_split_clear(&split);
}

static void test_one_value_says_nothing(void **state) {
  (void)state;
  static const int64_t values[] = {10, 3, 4};
  struct tail_split split;
  tail_split_init(&split, 3);
  split.sides[0] = TAIL_SLOW;
  struct tail_difference d = tail_difference_of(values, &split, 0.05);
  assert_true(d.difference == 6.5 && isinf(d.least) && isinf(d.most));
  tail_split_clear(&split);
}

/* Equal values have a difference that is known. */
static void test_no_spread(void **state) {
  (void)state;
  static const int64_t values[] = {7, 7, 5, 5};
  struct tail_split split;
  tail_split_init(&split, 4);
  split.sides[0] = split.sides[1] = TAIL_SLOW;
  struct tail_difference d = tail_difference_of(values, &split, 0.05);
  assert_true(d.difference == 2 && d.least == 2 && d.most == 2);
  tail_split_clear(&split);
}

/* 20 slow requests and 400 others of one exponential law: no difference. Welch's interval alone
 * holds 0 in 92 % of such tables, and asks for 95 %. */
static void test_skewed_values_are_covered(void **state) {
  (void)state;
  enum { TABLES = 2000, SLOW = 20, ALL = 420 };
  struct random random = {8};
  struct tail_split split;
  int64_t values[ALL];
  size_t covered = 0;
  tail_split_init(&split, ALL);
  for (size_t i = 0; i < SLOW; i++)
    split.sides[i] = TAIL_SLOW;
  for (size_t table = 0; table < TABLES; table++) {
    for (size_t i = 0; i < ALL; i++)
      values[i] = tables_time(&random, 1000);
    struct tail_difference d = tail_difference_of(values, &split, 0.05);
    covered += d.least <= 0 && d.most >= 0;
  }
  if (covered < TABLES * 94 / 100)
    fail_msg("%zu of %d intervals hold the truth", covered, TABLES);
  tail_split_clear(&split);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_interval),
      cmocka_unit_test(test_one_value_says_nothing),
      cmocka_unit_test(test_no_spread),
      cmocka_unit_test(test_skewed_values_are_covered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
