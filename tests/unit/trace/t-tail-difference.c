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

/* Requests in clusters of one to twenty that take nearly the same, 40 slow and 200 other clusters
 * of one law: the interval that knows of them holds as often as it says, the other far less often.
 */
static void test_clusters_are_observations(void **state) {
  (void)state;
  enum { TABLES = 1000, SLOW = 40, CLUSTERS = 240, MOST = CLUSTERS * 20 };
  struct random random = {9};
  int64_t *values = mem_alloc(MOST, sizeof *values);
  uint32_t *cluster = mem_alloc(MOST, sizeof *cluster);
  size_t covered = 0, without = 0;
  for (size_t table = 0; table < TABLES; table++) {
    struct tail_split split;
    size_t count = 0;
    tail_split_init(&split, MOST);
    for (uint32_t c = 0; c < CLUSTERS; c++) {
      int64_t common = tables_time(&random, 1000);
      for (size_t size = 1 + random_below(&random, 20); size > 0; size--, count++) {
        values[count] = common + (int64_t)random_below(&random, 50000);
        cluster[count] = 1000 - c;
        split.sides[count] = c < SLOW ? TAIL_SLOW : TAIL_REST;
        split.slow += c < SLOW;
        split.rest += c >= SLOW;
      }
    }
    split.requests = count;
    struct tail_difference d = tail_difference_of(values, &split, 0.05);
    without += d.least <= 0 && d.most >= 0;
    tail_split_cluster(&split, cluster);
    assert_int_equal(split.clusters, CLUSTERS);
    d = tail_difference_of(values, &split, 0.05);
    covered += d.least <= 0 && d.most >= 0;
    struct tail_split collapsed;
    mem_free(tail_split_collapse(&collapsed, &split, values));
    assert_int_equal(collapsed.slow, SLOW);
    assert_int_equal(collapsed.rest, CLUSTERS - SLOW);
    tail_split_clear(&collapsed);
    tail_split_clear(&split);
  }
  mem_free(values);
  mem_free(cluster);
  if (covered < TABLES * 93 / 100 || without > TABLES * 70 / 100)
    fail_msg("%zu of %d intervals hold the truth, %zu without clusters", covered, TABLES, without);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clusters_are_observations), cmocka_unit_test(test_known_interval),
      cmocka_unit_test(test_one_value_says_nothing),    cmocka_unit_test(test_no_spread),
      cmocka_unit_test(test_skewed_values_are_covered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
