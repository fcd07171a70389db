/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>

#include <cmocka.h>

#include "dist/statistics/certify.h"
#include "dist/statistics/certify_beta.h"
#include "tests/unit/dist/random.h"

/* 10^18 P(Binomial(n, chance / 10^18) <= k), exactly. */
static void exact_binomial(struct rational *result, uint64_t k, uint64_t n, uint64_t chance) {
  struct rational p, q, term, ratio;
  rational_init(&p);
  rational_init(&q);
  rational_init(&term);
  rational_init(&ratio);
  rational_set_fraction(&p, (int64_t)chance, (int64_t)SURVIVAL_ONE);
  rational_set_fraction(&q, (int64_t)(SURVIVAL_ONE - chance), (int64_t)SURVIVAL_ONE);
  rational_set_integer(result, 0);
  for (uint64_t i = 0; i <= k; i++) {
    rational_set_integer(&term, (int64_t)SURVIVAL_ONE);
    for (uint64_t j = 0; j < n; j++)
      rational_mul(&term, &term, j < i ? &p : &q);
    for (uint64_t j = 0; j < i; j++) {
      rational_set_fraction(&ratio, (int64_t)(n - j), (int64_t)(j + 1));
      rational_mul(&term, &term, &ratio);
    }
    rational_add(result, result, &term);
  }
  rational_clear(&p);
  rational_clear(&q);
  rational_clear(&term);
  rational_clear(&ratio);
}

/* True only where it is true, and false only within one part in 2^40 of the limit. */
static void test_binomial_against_rationals(void **state) {
  (void)state;
  struct rational exact;
  rational_init(&exact);
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct random random = {seed};
    uint64_t n = 1 + random_below(&random, 30), k = random_below(&random, n);
    uint64_t chance = random_below(&random, SURVIVAL_ONE) >> random_below(&random, 50);
    exact_binomial(&exact, k, n, chance);
    int64_t least;
    assert_true(rational_ceil(&least, &exact));
    if (least > 0 && certify_binomial(k, n, chance, (uint64_t)least - 1))
      fail_msg("seed %lu: %lu of %lu accepted", (unsigned long)seed, (unsigned long)k,
               (unsigned long)n);
    if (!certify_binomial(k, n, chance, (uint64_t)least + ((uint64_t)least >> 40) + 1))
      fail_msg("seed %lu: %lu of %lu refused", (unsigned long)seed, (unsigned long)k,
               (unsigned long)n);
  }
  rational_clear(&exact);
}

/* Where k = count * worth / total is whole, the beta law is the binomial one: true only where it is
 * true, and a limit below 1/4 is accepted within one part in 2^36. Both tails. */
static void test_beta_against_rationals(void **state) {
  (void)state;
  struct rational exact;
  rational_init(&exact);
  size_t accepted = 0;
  for (uint64_t seed = 0; seed < 400; seed++) {
    struct random random = {seed};
    uint64_t n = 1 + random_below(&random, 30), k = random_below(&random, n);
    uint64_t chance = 1 + (random_below(&random, SURVIVAL_ONE) >> random_below(&random, 50));
    uint64_t times = 1 + random_below(&random, 1000);
    if (seed % 2 == 0)
      chance = SURVIVAL_ONE - chance;
    struct certify_count few = {k * times, n * times, n}, misses = {(n - k) * times, n * times, n};
    exact_binomial(&exact, k, n, chance);
    int64_t least;
    assert_true(rational_ceil(&least, &exact));
    uint64_t enough = (uint64_t)least + ((uint64_t)least >> 36) + 1;
    if (least > 0) {
      assert_false(certify_beta(&few, chance, (uint64_t)least - 1));
      assert_false(certify_beta_above(&misses, SURVIVAL_ONE - chance, (uint64_t)least - 1));
    }
    bool holds = certify_beta(&few, chance, enough);
    assert_int_equal(certify_beta_above(&misses, SURVIVAL_ONE - chance, enough), holds);
    if ((uint64_t)least < SURVIVAL_ONE / 4)
      assert_true(holds);
    accepted += holds;
  }
  assert_true(accepted > 150);
  rational_clear(&exact);
}

/* Half of one draw: I_x(1/2, 3/2) = (2 / pi) (asin(sqrt(x)) + sqrt(x (1 - x))). */
static void test_beta_of_half_a_draw(void **state) {
  (void)state;
  struct certify_count half = {500, 1000, 1};
  for (uint64_t percent = 1; percent < 100; percent++) {
    long double x = (long double)percent / 100;
    long double value = (asinl(sqrtl(x)) + sqrtl(x * (1 - x))) / acosl(0);
    uint64_t chance = percent * (SURVIVAL_ONE / 100);
    uint64_t units = (uint64_t)(value * (long double)SURVIVAL_ONE);
    assert_true(certify_beta_above(&half, chance, units + (units >> 36)) || percent >= 75);
    assert_false(certify_beta_above(&half, chance, units - 1000));
    assert_true(certify_beta(&half, SURVIVAL_ONE - chance, units + (units >> 36)) || percent >= 75);
    assert_false(certify_beta(&half, SURVIVAL_ONE - chance, units - 1000));
  }
  assert_false(certify_beta(&(struct certify_count){5, 5, 3}, 1, SURVIVAL_ONE)); /* all exceed */
  assert_false(certify_beta_above(&(struct certify_count){0, 5, 3}, 1, SURVIVAL_ONE));
}

/* The same of the upper tail: P(>= k) = P(n - k or fewer misses). */
static void test_binomial_above_against_rationals(void **state) {
  (void)state;
  struct rational exact;
  rational_init(&exact);
  size_t accepted = 0;
  for (uint64_t seed = 0; seed < 400; seed++) {
    struct random random = {seed};
    uint64_t n = 1 + random_below(&random, 30), k = 1 + random_below(&random, n);
    uint64_t chance = 1 + (random_below(&random, SURVIVAL_ONE) >> random_below(&random, 50));
    exact_binomial(&exact, n - k, n, SURVIVAL_ONE - chance);
    int64_t least;
    assert_true(rational_ceil(&least, &exact));
    if (least > 0 && certify_binomial_above(k, n, chance, (uint64_t)least - 1))
      fail_msg("seed %lu: %lu of %lu accepted", (unsigned long)seed, (unsigned long)k,
               (unsigned long)n);
    /* it may refuse only below the mean */
    bool asked = (double)k > ((double)n + 1) * (double)chance / (double)SURVIVAL_ONE + 1e-9;
    bool holds =
        certify_binomial_above(k, n, chance, (uint64_t)least + ((uint64_t)least >> 36) + 1);
    if (asked && !holds)
      fail_msg("seed %lu: %lu of %lu refused", (unsigned long)seed, (unsigned long)k,
               (unsigned long)n);
    accepted += holds;
  }
  assert_true(accepted > 200);
  rational_clear(&exact);
}

/* Where the rest of the sum is replaced by a geometric series: against floating point. */
static void test_binomial_above_of_many(void **state) {
  (void)state;
  const uint64_t sizes[] = {100000, UINT64_C(1) << 40};
  for (size_t i = 0; i < 2; i++)
    for (uint64_t k = 2; k <= 2000; k *= 10) {
      uint64_t n = sizes[i];
      double mean = (double)k / 2, chance = mean / (double)n;
      double term =
          exp((double)k * log(chance) + (double)(n - k) * log1p(-chance) + lgamma((double)n + 1) -
              lgamma((double)k + 1) - lgamma((double)(n - k) + 1));
      if (n > 100000) /* too many for lgamma; there it is Poisson's law */
        term = exp((double)k * log(mean) - mean - lgamma((double)k + 1));
      double sum = 0;
      for (uint64_t j = k; j < k + 4000 && j < n; j++) {
        sum += term;
        term *= (double)(n - j) / (double)(j + 1) * chance / (1 - chance);
      }
      uint64_t units = (uint64_t)(chance * (double)SURVIVAL_ONE);
      uint64_t level = (uint64_t)(sum * (double)SURVIVAL_ONE);
      if (level < 1000)
        continue;
      if (!certify_binomial_above(k, n, units, level + level / 1000))
        fail_msg("%lu of %lu refused at %g", (unsigned long)k, (unsigned long)n, sum);
      if (certify_binomial_above(k, n, units, level - level / 1000))
        fail_msg("%lu of %lu accepted at %g", (unsigned long)k, (unsigned long)n, sum);
    }
}

static void test_binomial_above_corners(void **state) {
  (void)state;
  assert_true(certify_binomial_above(6, 5, SURVIVAL_ONE, 0));
  assert_true(certify_binomial_above(1, 5, 0, 0));
  assert_true(certify_binomial_above(0, 5, 0, SURVIVAL_ONE));
  assert_false(certify_binomial_above(0, 5, 0, SURVIVAL_ONE - 1));
  assert_false(certify_binomial_above(5, 5, SURVIVAL_ONE, SURVIVAL_ONE - 1));
  assert_true(certify_binomial_above(5, 5, SURVIVAL_ONE / 2, SURVIVAL_ONE / 32));
  assert_false(certify_binomial_above(5, 5, SURVIVAL_ONE / 2, SURVIVAL_ONE / 32 - 1));
}

static void test_binomial_corners(void **state) {
  (void)state;
  assert_true(certify_binomial(0, 5, SURVIVAL_ONE, 0));
  assert_false(certify_binomial(0, 5, 0, SURVIVAL_ONE - 1));
  assert_true(certify_binomial(0, 5, 0, SURVIVAL_ONE));
  assert_false(certify_binomial(5, 5, SURVIVAL_ONE, SURVIVAL_ONE - 1));
  /* (1 - 10^-12)^(10^12) is 1/e to one part in 10^12 */
  uint64_t inverse_e = UINT64_C(367879441171442322);
  uint64_t n = UINT64_C(1000000000000), chance = SURVIVAL_ONE / n;
  assert_true(certify_binomial(0, n, chance, inverse_e + (inverse_e >> 20)));
  assert_false(certify_binomial(0, n, chance, inverse_e - (inverse_e >> 20)));
}

static void test_dkw_is_tight(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct random random = {seed};
    uint64_t n = 1 + (random_next(&random) >> (20 + random_below(&random, 43)));
    long double alpha = 0.25L / (long double)(1 + random_below(&random, 1000000));
    long double e = sqrtl(-logl(alpha) / (2 * (long double)n));
    if (e >= 1)
      continue;
    uint64_t level = (uint64_t)(alpha * (long double)SURVIVAL_ONE);
    uint64_t margin = (uint64_t)(e * (long double)SURVIVAL_ONE);
    if (!certify_dkw(n, margin + (margin >> 20) + 1, level))
      fail_msg("seed %lu: n %lu refused", (unsigned long)seed, (unsigned long)n);
    if (certify_dkw(n, margin - (margin >> 30) - 1, level))
      fail_msg("seed %lu: n %lu accepted", (unsigned long)seed, (unsigned long)n);
  }
  for (uint64_t n = 1; n <= 6; n++) /* the margin 1, for which nothing is rounded on the way */
    assert_false(certify_dkw(n, SURVIVAL_ONE,
                             (uint64_t)(expl(-2 * (long double)n) * (long double)SURVIVAL_ONE)));
  assert_false(certify_dkw(1000, 0, SURVIVAL_ONE - 1));
  assert_true(certify_dkw(UINT64_MAX >> 1, SURVIVAL_ONE, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_binomial_against_rationals),
      cmocka_unit_test(test_binomial_corners),
      cmocka_unit_test(test_beta_against_rationals),
      cmocka_unit_test(test_beta_of_half_a_draw),
      cmocka_unit_test(test_binomial_above_against_rationals),
      cmocka_unit_test(test_binomial_above_of_many),
      cmocka_unit_test(test_binomial_above_corners),
      cmocka_unit_test(test_dkw_is_tight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
