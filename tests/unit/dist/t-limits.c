/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>

#include <cmocka.h>

#include "dist/survival/survival.h"
#include "tests/unit/dist/worlds.h"

static uint64_t units(double x) {
  return (uint64_t)(x * (double)SURVIVAL_ONE);
}

/* 1 to n, each once. */
static void count_up(struct sample *sample, uint64_t n) {
  sample_init(sample);
  for (uint64_t i = 1; i <= n; i++)
    assert_true(sample_add_range(sample, i, i, 1));
  sample_finish(sample);
}

static void share(struct rational *p, int64_t n, int64_t d) {
  rational_init(p);
  rational_set_fraction(p, n, d);
}

/* P(Binomial(n, q) <= k), term by term. */
static double binomial_to(uint64_t k, uint64_t n, double q) {
  double sum = 0;
  for (uint64_t i = 0; i <= k; i++)
    sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
               (double)i * log(q) + (double)(n - i) * log1p(-q));
  return sum;
}

/* The limits are the order statistics that the binomial law says, and no other. */
static void test_limits_are_exact_order_statistics(void **state) {
  (void)state;
  static const uint64_t sizes[] = {1, 5, 20, 100, 459, 1000};
  static const int64_t percents[] = {1, 10, 50, 90, 99};
  static const double alphas[] = {0.11, 0.013, 0.00017};
  for (size_t i = 0; i < 6 * 5 * 3; i++) {
    uint64_t n = sizes[i % 6], upper = 7777;
    double q = 1 - (double)percents[i / 6 % 5] / 100, alpha = alphas[i / 30];
    struct sample sample;
    struct rational p;
    count_up(&sample, n);
    share(&p, percents[i / 6 % 5], 100);
    /* x of 1..n is exceeded by n - x */
    uint64_t few = 0; /* how many counts of exceedances are few enough */
    while (few < n && binomial_to(few, n, q) <= alpha)
      few++;
    assert_int_equal(limit_upper(&upper, &sample, &p, n, units(alpha)), few > 0);
    assert_int_equal(upper, few > 0 ? n - few + 1 : 7777);
    uint64_t many = 1; /* x of 1..n is reached by n - x + 1 */
    while (many <= n && 1 - binomial_to(many - 1, n, q) > alpha)
      many++;
    assert_int_equal(limit_lower(&sample, &p, n, units(alpha)), many > n ? 0 : n - many + 1);
    rational_clear(&p);
    sample_clear(&sample);
  }
}

/* With alpha 0: the quantile at an exact rank is that observation, not the next one. */
static void test_exact_ranks(void **state) {
  (void)state;
  struct sample sample;
  count_up(&sample, 1000);
  static const int64_t parts[] = {100, 500, 900, 950, 990, 999, 1000};
  for (size_t i = 0; i < 7; i++) {
    struct rational p;
    share(&p, parts[i], 1000);
    uint64_t upper = 0;
    assert_true(limit_upper(&upper, &sample, &p, 1000, 0));
    assert_int_equal(upper, parts[i]);
    assert_int_equal(limit_lower(&sample, &p, 1000, 0), parts[i]);
    rational_clear(&p);
  }
  sample_clear(&sample);
}

/* Upper limits see upper edges, lower ones lower edges; what is beyond is infinite above, and below
 * as great as the greatest edge. */
static void test_edges_and_beyond(void **state) {
  (void)state;
  struct sample sample;
  sample_init(&sample);
  assert_true(sample_add_range(&sample, 0, 100, 500));
  assert_true(sample_add_range(&sample, 100, 200, 480));
  assert_true(sample_add_beyond(&sample, 20));
  sample_finish(&sample);
  struct rational half, most, all;
  share(&half, 1, 2);
  share(&most, 99, 100);
  share(&all, 1, 1);
  uint64_t upper = 1;
  assert_true(limit_upper(&upper, &sample, &half, 1000, units(0.01)));
  assert_int_equal(upper, 200);
  assert_int_equal(limit_lower(&sample, &half, 1000, units(0.01)), 0);
  assert_true(limit_upper(&upper, &sample, &half, 1000, 0));
  assert_int_equal(upper, 100);
  assert_false(limit_upper(&upper, &sample, &most, 1000, units(0.01)));
  assert_false(limit_upper(&upper, &sample, &most, 1000, 0));
  assert_int_equal(limit_lower(&sample, &most, 1000, 0), 100);
  assert_int_equal(limit_lower(&sample, &most, 1000, units(0.01)), 100);
  assert_false(limit_upper(&upper, &sample, &all, 1000, units(0.01)));
  assert_int_equal(upper, 100);
  assert_int_equal(limit_lower(&sample, &all, 1000, units(0.01)), 100);
  rational_clear(&half);
  rational_clear(&most);
  rational_clear(&all);
  sample_clear(&sample);
}

/* Worth less, the limits are wider; worth more, a prediction, they close in on the quantile. */
static void test_worth(void **state) {
  (void)state;
  struct sample sample;
  struct rational p;
  count_up(&sample, 10000);
  share(&p, 9, 10);
  uint64_t last = UINT64_MAX, lowest = 0;
  for (uint64_t worth = 30; worth < 100000000; worth *= 3) {
    uint64_t upper = UINT64_MAX - 1;
    limit_upper(&upper, &sample, &p, worth, units(0.01));
    uint64_t lower = limit_lower(&sample, &p, worth, units(0.01));
    assert_true(upper >= 9000 && lower <= 9000 && upper <= last && lower >= lowest);
    last = upper;
    lowest = lower;
  }
  assert_in_range(last, 9000, 9003);
  assert_in_range(lowest, 8997, 9000);
  rational_clear(&p);
  sample_clear(&sample);
}

/* The least number is that at which the greatest observation is a limit. */
static void test_needed(void **state) {
  (void)state;
  static const int64_t parts[] = {0, 5000, 9000, 9900, 9990, 9999};
  static const uint64_t expected[] = {1, 7, 44, 459, 4603, 46050}; /* 0.99^459 < 0.01 */
  for (size_t i = 0; i < 6; i++) {
    struct rational p;
    share(&p, parts[i], 10000);
    uint64_t needed = limit_needed(&p, units(0.01));
    assert_int_equal(needed, expected[i]);
    struct sample sample;
    count_up(&sample, 3);
    uint64_t upper;
    assert_true(limit_upper(&upper, &sample, &p, needed, units(0.01)));
    if (needed > 1)
      assert_false(limit_upper(&upper, &sample, &p, needed - 1, units(0.01)));
    assert_int_equal(limit_needed(&p, 0), 0);
    sample_clear(&sample);
    rational_clear(&p);
  }
  struct rational all;
  share(&all, 1, 1);
  assert_int_equal(limit_needed(&all, units(0.01)), 0);
  rational_clear(&all);
}

/* Of 4000 samples of independent draws each limit misses no more than it may. */
static void test_coverage(void **state) {
  (void)state;
  enum { RUNS = 4000, N = 150 };
  static const struct world world = {"", WORLD_INDEPENDENT, 0};
  struct random random = {12345};
  unsigned above = 0, below = 0;
  uint64_t truth = worlds_quantile(&world, 0.9);
  struct rational p;
  share(&p, 9, 10);
  for (unsigned run = 0; run < RUNS; run++) {
    uint64_t series[N], upper = UINT64_MAX;
    worlds_draw(series, NULL, N, &world, &random);
    struct sample sample;
    sample_init(&sample);
    for (size_t i = 0; i < N; i++)
      assert_true(sample_add_range(&sample, series[i], series[i], 1));
    sample_finish(&sample);
    limit_upper(&upper, &sample, &p, N, units(0.05));
    above += upper < truth;
    below += limit_lower(&sample, &p, N, units(0.05)) > truth;
    sample_clear(&sample);
  }
  rational_clear(&p);
  print_message("# of %d at 95 %%: %u above, %u below\n", RUNS, above, below);
  assert_in_range(above, 100, 245); /* 200, and 3 standard deviations; not far fewer */
  assert_in_range(below, 100, 245);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits_are_exact_order_statistics),
      cmocka_unit_test(test_exact_ranks),
      cmocka_unit_test(test_edges_and_beyond),
      cmocka_unit_test(test_worth),
      cmocka_unit_test(test_needed),
      cmocka_unit_test(test_coverage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
