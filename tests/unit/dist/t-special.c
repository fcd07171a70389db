/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>

#include <cmocka.h>

#include "dist/statistics/special.h"

static void check(double tail, double a, double b, double expected) {
  double x = special_beta_quantile_above(tail, a, b);
  if (!(fabs(x - expected) <= 1e-9))
    fail_msg("beta %g %g above %g: %.12g, not %.12g", a, b, tail, x, expected);
}

static void test_known_quantiles(void **state) {
  (void)state;
  check(0.25, 1, 1, 0.75);
  check(0.01, 1, 100, 1 - pow(0.01, 0.01)); /* P(> x) = (1 - x)^100 */
  check(0.3, 7, 1, pow(0.7, 1.0 / 7));
  check(0.5, 4, 4, 0.5);
  assert_true(fabs(special_beta_quantile_below(0.25, 1, 1) - 0.25) < 1e-9);
  assert_true(fabs(special_beta_quantile_below(0.3, 7, 1) - pow(0.3, 1.0 / 7)) < 1e-9);
  assert_true(fabs(special_beta_quantile_below(1e-9, 1, 100) / 1e-11 - 1) < 1e-6);
}

static void check_marked(uint64_t k, uint64_t marked, uint64_t plain, uint64_t draws,
                         double expected) {
  double chance = special_hypergeometric_from(k, marked, plain, draws);
  if (!(fabs(chance - expected) <= 1e-12 * (1 + 1e3 * expected)))
    fail_msg("%d of %d: %.15g, not %.15g", (int)k, (int)draws, chance, expected);
}

/* The lady who tastes tea (Fisher 1935): of 8 cups she names 4. */
static void test_known_draws_without_replacement(void **state) {
  (void)state;
  check_marked(4, 4, 4, 4, 1.0 / 70);
  check_marked(3, 4, 4, 4, 17.0 / 70);
  check_marked(2, 4, 4, 4, 53.0 / 70);
  check_marked(0, 4, 4, 4, 1);
  check_marked(5, 4, 4, 4, 0);
  check_marked(2, 4, 1, 3, 1); /* only one is plain */
  check_marked(3, 4, 1, 3, 0.4);
  assert_true(special_hypergeometric_from(1000, 1000, 100000, 1000) < 1e-300);
}

/* Extreme parameters give some guess, never an abort. */
static void test_extremes_return(void **state) {
  (void)state;
  for (double a = 1; a < 1e6; a *= 7)
    for (double b = 1; b < 1e12; b *= 90) {
      double x = special_beta_quantile_above(1e-12, a, b);
      assert_true(x >= 0 && x <= 1);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_quantiles),
      cmocka_unit_test(test_known_draws_without_replacement),
      cmocka_unit_test(test_extremes_return),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
