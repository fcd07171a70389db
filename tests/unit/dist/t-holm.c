/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "dist/statistics/holm.h"

static void test_example(void **state) {
  (void)state;
  static const double chances[] = {0.01, 0.02, 0.03, 0.04}, expected[] = {0.04, 0.06, 0.06, 0.06};
  struct holm holm = {.left = 4};
  for (size_t i = 0; i < 4; i++)
    assert_true(fabs(holm_next(&holm, chances[i]) - expected[i]) < 1e-12);
}

/* The closure of Bonferroni's tests (Marcus, Peritz, Gabriel, Biometrika 63, 1976): a hypothesis is
 * rejected when every set with it is, and a set is by its least chance times its size. */
static double closed_chance(const double *chances, size_t count, size_t wanted) {
  double most = 0;
  for (unsigned set = 0; set < 1u << count; set++) {
    double least = 1;
    for (size_t i = 0; i < count; i++)
      if ((set >> i & 1) != 0)
        least = fmin(least, chances[i]);
    if ((set >> wanted & 1) != 0)
      most = fmax(most, fmin(1, (double)__builtin_popcount(set) * least));
  }
  return most;
}

static int by_chance(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Chances of all sizes, some of them equal. */
static void test_closure_of_bonferroni(void **state) {
  (void)state;
  struct random random = {3};
  for (int run = 0; run < 400; run++) {
    double chances[7];
    size_t count = 1 + (size_t)random_below(&random, 7), passed = 0;
    for (size_t i = 0; i < count; i++)
      chances[i] = (double)random_below(&random, 30) / (run % 2 == 0 ? 30 : 400);
    qsort(chances, count, sizeof *chances, by_chance);
    struct holm holm = {.left = count};
    while (passed < count && chances[passed] <= holm_level(0.0501, count, passed))
      passed++;
    for (size_t i = 0; i < count; i++) {
      double corrected = holm_next(&holm, chances[i]);
      assert_true(corrected == closed_chance(chances, count, i));
      assert_int_equal(i < passed, corrected <= 0.0501);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_example),
      cmocka_unit_test(test_closure_of_bonferroni),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
