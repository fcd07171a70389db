/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/rank_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/unit/dist/worlds.h"

static const struct world independent = {"independent", WORLD_INDEPENDENT, 0};
static const struct world ties = {"ties", WORLD_TIES, 0};
static const struct world regression = {"ar 0.9", WORLD_REGRESSION, 0.9};

struct counts {
  unsigned a, b, undecided, unsettled, outside;
};

/* Comparisons at 99 % of series of one world, b times `factor`; outside: the interval misses
 * `truth`. */
static struct counts compare_many(const struct world *world, size_t na, size_t nb, double factor,
                                  double truth, unsigned runs) {
  uint64_t *a = mem_alloc(na, sizeof *a), *b = mem_alloc(nb, sizeof *b);
  struct random random = {na * 7 + nb + (uint64_t)world->kind};
  struct counts counts = {0};
  for (unsigned run = 0; run < runs; run++) {
    worlds_draw(a, NULL, na, world, &random);
    worlds_draw(b, NULL, nb, world, &random);
    for (size_t i = 0; i < nb; i++)
      b[i] = (uint64_t)((double)b[i] * factor);
    struct rank_test r = rank_test(a, na, b, nb, 0.01);
    assert_true(r.least <= r.b_greater && r.b_greater <= r.most);
    counts.a += r.verdict == RANK_A_SLOWER;
    counts.b += r.verdict == RANK_B_SLOWER;
    counts.undecided += r.verdict == RANK_UNDECIDED;
    counts.unsettled += r.verdict == RANK_CANNOT_TELL;
    counts.outside += r.verdict != RANK_CANNOT_TELL && (truth < r.least || truth > r.most);
  }
  print_message("# %s %zu, %zu, times %.2f: of %u a slower %u, b slower %u, undecided %u, "
                "cannot tell %u\n",
                world->name, na, nb, factor, runs, counts.a, counts.b, counts.undecided,
                counts.unsettled);
  mem_free(a);
  mem_free(b);
  return counts;
}

/* At 1 %: of 1000 about 10, more than 21 once in 1000. */
static void test_equal_laws(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{20, 20}, {20, 60}, {25, 500}, {100, 100}, {500, 300}};
  for (size_t i = 0; i < 5; i++) {
    struct counts c = compare_many(&independent, sizes[i][0], sizes[i][1], 1, 0.5, 1000);
    assert_in_range(c.a + c.b, 0, 21);
    assert_int_equal(c.outside, c.a + c.b);
    c = compare_many(&ties, sizes[i][0], sizes[i][1], 1, 0.5, 1000);
    assert_in_range(c.a + c.b, 0, 21);
  }
  struct counts c = compare_many(&independent, 2000, 2000, 1, 0.5, 200);
  assert_in_range(c.a + c.b, 0, 4);
}

/* Also of series that depend on their neighbours, most of which are told apart from drift. */
static void test_equal_laws_of_dependent_series(void **state) {
  (void)state;
  struct counts c = compare_many(&regression, 2000, 2000, 1, 0.5, 200);
  assert_in_range(c.a + c.b, 0, 4);
  assert_in_range(c.undecided, 140, 200);
}

/* Of two lognormal values with sigma 0.5, one of them 1.1 times as large, the larger exceeds the
 * other with chance Phi(ln 1.1 / (0.5 sqrt 2)). */
static void test_difference_is_found(void **state) {
  (void)state;
  double truth = erfc(-log(1.1) / (0.5 * sqrt(2)) / sqrt(2)) / 2;
  struct counts c = compare_many(&independent, 2000, 2000, 1.1, truth, 200);
  assert_in_range(c.b, 180, 200);
  assert_int_equal(c.a, 0);
  assert_in_range(c.outside, 0, 8);
  double back = erfc(log(1.1) / (0.5 * sqrt(2)) / sqrt(2)) / 2;
  c = compare_many(&independent, 2000, 2000, 1 / 1.1, back, 200);
  assert_in_range(c.a, 180, 200);
  truth = erfc(-log(2) / (0.5 * sqrt(2)) / sqrt(2)) / 2;
  c = compare_many(&regression, 2000, 2000, 2, truth, 100);
  assert_true(c.b + c.unsettled >= 99 && c.b >= 60);
}

static void test_corners(void **state) {
  (void)state;
  uint64_t low[40], high[40], same[40];
  for (uint64_t i = 0; i < 40; i++) {
    low[i] = i * 7 % 40;
    high[i] = 100 + i * 11 % 40;
    same[i] = 5;
  }
  struct rank_test r = rank_test(low, 40, high, 40, 0.01); /* apart */
  assert_true(r.verdict == RANK_B_SLOWER && r.b_greater >= 1 && r.least > 0.9 && r.least < 1);
  r = rank_test(high, 40, low, 40, 0.01);
  assert_true(r.verdict == RANK_A_SLOWER && r.b_greater <= 0);
  r = rank_test(low, 19, high, 40, 0.01); /* too few */
  assert_int_equal(r.verdict, RANK_UNDECIDED);
  r = rank_test(same, 40, same, 40, 0.01); /* all ties */
  assert_true(r.verdict == RANK_UNDECIDED && fabs(r.b_greater - 0.5) < 1e-12);
  r = rank_test(same, 1, same, 1, 0.01);
  assert_int_equal(r.verdict, RANK_UNDECIDED);
  uint64_t pair_a[] = {1, 2, 3}, pair_b[] = {2, 3}; /* 4 of 6 pairs, two of them ties by half */
  r = rank_test(pair_a, 3, pair_b, 2, 0.01);
  assert_true(fabs(r.b_greater - 4.0 / 6) < 1e-12);
  uint64_t rising[2000], level[2000]; /* one that drifts is no law to compare with */
  for (uint64_t i = 0; i < 2000; i++) {
    rising[i] = i + i * 7919 % 500;
    level[i] = i * 7919 % 2000;
  }
  assert_int_equal(rank_test(rising, 2000, level, 2000, 0.01).verdict, RANK_CANNOT_TELL);
}

/* A histogram of the same observations says what they say, where they are independent; worth a
 * fourth, its interval is twice as wide. */
static void test_counts(void **state) {
  (void)state;
  uint64_t a[3000], b[2000], values[40], counts[40] = {0};
  struct random random = {5};
  for (size_t i = 0; i < 3000; i++)
    a[i] = random_below(&random, 50);
  for (size_t i = 0; i < 2000; i++) {
    b[i] = 5 + random_below(&random, 40);
    counts[b[i] - 5]++;
  }
  for (uint64_t i = 0; i < 40; i++)
    values[i] = 5 + i;
  struct rank_series x = {.values = a, .count = 3000};
  struct rank_series y = {.values = values, .counts = counts, .count = 40, .worth = 2000};
  struct rank_test series = rank_test(a, 3000, b, 2000, 0.01);
  struct rank_test histogram = rank_test_of(&x, &y, 0.01);
  assert_true(fabs(series.b_greater - histogram.b_greater) < 1e-12);
  assert_true(fabs(series.least - histogram.least) < 1e-9);
  assert_true(fabs(series.most - histogram.most) < 1e-9);
  x = (struct rank_series){.values = values, .counts = counts, .count = 40, .worth = 2000};
  struct rank_test all = rank_test_of(&x, &y, 0.01);
  x.worth = y.worth = 500;
  struct rank_test fourth = rank_test_of(&x, &y, 0.01);
  double ratio = (fourth.most - fourth.least) / (all.most - all.least);
  assert_true(ratio > 1.99 && ratio < 2.02);
  assert_int_equal(fourth.verdict, RANK_UNDECIDED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_corners),
      cmocka_unit_test(test_counts),
      cmocka_unit_test(test_equal_laws),
      cmocka_unit_test(test_equal_laws_of_dependent_series),
      cmocka_unit_test(test_difference_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
