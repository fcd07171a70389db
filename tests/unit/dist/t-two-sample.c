/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/two_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>

#include <cmocka.h>

#include "tests/unit/dist/random.h"

static uint64_t units(double x) {
  return (uint64_t)(x * (double)SURVIVAL_ONE);
}

/* floor(1000 / (1 - u)^(1/4)) * percent / 100, to whole buckets: P(X > x) is known. */
static void draw(struct sample *sample, uint64_t seed, size_t n, uint64_t percent,
                 uint64_t bucket) {
  struct random random = {seed * 104729 + 1};
  sample_init(sample);
  for (size_t i = 0; i < n; i++) {
    double u = (double)(random_next(&random) >> 11) * 0x1p-53;
    uint64_t x = (uint64_t)(1000 / sqrt(sqrt(1 - u))) * percent / 100;
    uint64_t lower = x / bucket * bucket;
    assert_true(sample_add_range(sample, lower, lower + bucket - 1, 1));
  }
  sample_finish(sample);
}

static uint64_t true_quantile(double tail) {
  return (uint64_t)(1000 / sqrt(sqrt(tail)));
}

/* Samples of one law: no difference is found, and the ranges hold the true quantiles. */
static void test_alike(void **state) {
  (void)state;
  size_t alarms = 0, misses = 0;
  const double tails[] = {0.9, 0.5, 0.1, 0.01, 0.001};
  for (uint64_t run = 0; run < 100; run++) {
    struct sample a, b;
    draw(&a, 2 * run, 1500, 100, 1 + run % 7);
    draw(&b, 2 * run + 1, 700, 100, 1);
    struct two_sample two;
    compare_samples(&two, &a, a.real, &b, b.real, units(0.05));
    bool missed = false;
    for (size_t i = 0; i < 5; i++) {
      struct two_sample_quantile q = compare_quantile(&two, units(tails[i]));
      uint64_t truth = true_quantile(tails[i]);
      missed = missed || truth < q.a.lower_ns || truth > q.a.upper_ns || truth < q.b.lower_ns ||
               truth > q.b.upper_ns;
      assert_true(q.ratio_least <= q.ratio_most);
      alarms += q.verdict != TWO_SAMPLE_UNDECIDED;
    }
    misses += missed;
    alarms += two.a_slower.found || two.b_slower.found;
    assert_true(compare_worst(&two) > 0);
    sample_clear(&a);
    sample_clear(&b);
  }
  assert_true(alarms == 0); /* far below 5 % of 100: all bands would have to fail one way */
  assert_true(misses <= 10);
}

static void test_slower(void **state) {
  (void)state;
  for (uint64_t run = 0; run < 30; run++) {
    struct sample a, b;
    draw(&a, 2 * run, 4000, 100, 1);
    draw(&b, 2 * run + 1, 4000, 110, 1);
    struct two_sample two;
    compare_samples(&two, &a, a.real, &b, b.real, units(0.01));
    assert_true(two.b_slower.found && !two.a_slower.found);
    assert_true(two.b_slower.slower_least > two.b_slower.faster_most);
    /* at that place the true chances differ: P(X >= x) = (1000 s / x)^4 */
    double x = (double)two.b_slower.at_ns;
    assert_true(x >= 1000 && x < 1400);
    struct two_sample_quantile q = compare_quantile(&two, units(0.5));
    assert_int_equal(q.verdict, TWO_SAMPLE_B_SLOWER);
    assert_true(q.ratio_least > 1 && q.ratio_least <= 1.1 && q.ratio_most >= 1.1);
    /* the other way round the answer is the other */
    struct two_sample swapped;
    compare_samples(&swapped, &b, b.real, &a, a.real, units(0.01));
    assert_true(swapped.a_slower.found && !swapped.b_slower.found);
    assert_true(swapped.a_slower.at_ns == two.b_slower.at_ns);
    assert_int_equal(compare_quantile(&swapped, units(0.5)).verdict, TWO_SAMPLE_A_SLOWER);
    /* b may be much worse than a, a only little worse than b */
    assert_true(compare_worst(&two) > 2 * compare_worst(&swapped));
    sample_clear(&a);
    sample_clear(&b);
  }
}

/* Faster in the body, slower in the tail: both are found. */
static void test_crossing(void **state) {
  (void)state;
  struct sample a, b;
  sample_init(&a);
  sample_init(&b);
  assert_true(sample_add_range(&a, 100, 100, 9900) && sample_add_range(&a, 200, 200, 100));
  assert_true(sample_add_range(&b, 50, 50, 9000) && sample_add_range(&b, 900, 900, 1000));
  sample_finish(&a);
  sample_finish(&b);
  struct two_sample two;
  compare_samples(&two, &a, a.real, &b, b.real, units(0.001));
  assert_true(two.a_slower.found && two.a_slower.at_ns == 100);
  assert_true(two.b_slower.found && two.b_slower.at_ns == 900);
  struct two_sample_quantile q = compare_quantile(&two, units(0.05));
  assert_int_equal(q.verdict, TWO_SAMPLE_B_SLOWER);
  assert_true(q.b.lower_ns == 900 && q.b.upper_ns == 900 && q.a.upper_ns == 100);
  assert_int_equal(compare_quantile(&two, units(0.5)).verdict, TWO_SAMPLE_A_SLOWER);
  sample_clear(&a);
  sample_clear(&b);
}

/* Values known to a bucket only, and what is beyond: always on the safe side. */
static void test_edges_count_on_the_safe_side(void **state) {
  (void)state;
  struct sample a, b;
  sample_init(&a);
  sample_init(&b);
  assert_true(sample_add_range(&a, 0, 1000, 100000));
  assert_true(sample_add_range(&b, 1000, 2000, 100000));
  sample_finish(&a);
  sample_finish(&b);
  struct two_sample two;
  compare_samples(&two, &a, a.real, &b, b.real, units(0.01));
  assert_false(two.b_slower.found); /* all of both may be 1000 */
  sample_clear(&b);
  sample_init(&b);
  assert_true(sample_add_range(&b, 1001, 2000, 50000));
  assert_true(sample_add_beyond(&b, 50000));
  sample_finish(&b);
  compare_samples(&two, &a, a.real, &b, b.real, units(0.01));
  assert_true(two.b_slower.found && two.b_slower.at_ns == 1001);
  struct two_sample_quantile q = compare_quantile(&two, units(0.1));
  assert_true(q.b.upper_ns == SAMPLE_NS_MAX && q.b.lower_ns == 1001);
  assert_true(isinf(q.ratio_most) && q.ratio_least > 1 && q.ratio_least < 1.0011);
  sample_clear(&a);
  sample_clear(&b);
  sample_init(&a); /* one observation each says next to nothing */
  sample_init(&b);
  assert_true(sample_add_range(&a, 1, 1, 1) && sample_add_range(&b, 1000000, 1000000, 1));
  sample_finish(&a);
  sample_finish(&b);
  compare_samples(&two, &a, a.real, &b, b.real, units(0.01));
  assert_false(two.b_slower.found || two.a_slower.found);
  assert_int_equal(compare_quantile(&two, units(0.5)).verdict, TWO_SAMPLE_UNDECIDED);
  sample_clear(&a);
  sample_clear(&b);
}

/* The same sample twice: how much worse the second can be at most is small. */
static void test_worst(void **state) {
  (void)state;
  struct sample a;
  draw(&a, 3, 200000, 100, 1);
  struct two_sample two;
  compare_samples(&two, &a, a.real, &a, a.real, units(0.01));
  uint64_t worst = compare_worst(&two);
  double margins = 2 * sqrt(log(1600) / (2 * 200000.0)); /* of DKW, both */
  assert_true((double)worst / (double)SURVIVAL_ONE <= margins * 1.01 &&
              (double)worst / (double)SURVIVAL_ONE > margins / 2);
  sample_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_alike),    cmocka_unit_test(test_slower),
      cmocka_unit_test(test_crossing), cmocka_unit_test(test_edges_count_on_the_safe_side),
      cmocka_unit_test(test_worst),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
