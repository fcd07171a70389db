/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact test of ranks, held against every choice of which observations are B's; and how often
 * the interval of the factor misses it.
 */
#include "dist/statistics/rank_exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dist/source/sample.h"
#include "tests/unit/dist/worlds.h"

/* Twice the sum of the ranks of those whose bit is set. */
static uint64_t sum_of(const uint64_t *all, size_t count, unsigned chosen) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count && chosen >> i & 1; k++)
      sum += all[k] < all[i] ? 2 : all[k] == all[i];
  return sum;
}

static double by_all_choices(const uint64_t *all, size_t na, size_t nb) {
  size_t n = na + nb;
  uint64_t seen = sum_of(all, n, ((1U << nb) - 1) << na);
  double choices = 0, above = 0;
  for (unsigned chosen = 0; chosen < 1U << n; chosen++)
    if ((size_t)__builtin_popcount(chosen) == nb) {
      choices++;
      above += sum_of(all, n, chosen) >= seen;
    }
  return above / choices;
}

static struct rank_exact compare(const uint64_t *a, size_t na, const uint64_t *b, size_t nb,
                                 double alpha) {
  const struct rank_exact_set x = {a, a, na}, y = {b, b, nb};
  return rank_exact(&x, &y, alpha);
}

static void every_choice(void **state) {
  (void)state;
  struct random random = {1};
  for (int k = 0; k < 60; k++) {
    uint64_t all[11];
    size_t na = 1 + random_below(&random, 5), nb = 1 + random_below(&random, 6);
    for (size_t i = 0; i < na + nb; i++)
      all[i] = 1000 + random_below(&random, k % 2 == 0 ? 4 : 1000000); /* with ties, and without */
    struct rank_exact found = compare(all, na, all + na, nb, 0.01);
    assert_true(fabs(found.b_slower - (by_all_choices(all, na, nb))) < 1e-12);
    struct rank_exact other = compare(all + na, nb, all, na, 0.01);
    assert_true(fabs(other.a_slower - (found.b_slower)) < 1e-12);
  }
}

/* Ten against ten, all of B above all of A: one choice of 184 756. */
static void ten_against_ten(void **state) {
  (void)state;
  uint64_t a[10], b[10];
  for (size_t i = 0; i < 10; i++) {
    a[i] = 1000 + i;
    b[i] = 1100 + i;
  }
  struct rank_exact found = compare(a, 10, b, 10, 0.01);
  assert_true(fabs(found.b_slower - (1 / 184756.0)) < 1e-15);
  assert_true(fabs(found.a_slower - (1)) < 1e-12);
  assert_true(found.factor_least > 1.08 && found.factor_most < 1.12);
  assert_true(rank_exact_can(19, 101) && !rank_exact_can(20, 20) && !rank_exact_can(19, 102));
  /* too few to leave anything out */
  found = compare(a, 2, b, 2, 0.01);
  assert_true(found.factor_least <= 0 && isinf(found.factor_most));
}

/* Where edges leave it open, nothing is shown; what never ended is slower than all that did. */
static void edges(void **state) {
  (void)state;
  uint64_t low[10], high[10], never[10];
  for (size_t i = 0; i < 10; i++) {
    low[i] = 1000;
    high[i] = 2000;
    never[i] = SAMPLE_NS_MAX;
  }
  const struct rank_exact_set wide = {low, high, 10}, slow = {high, high, 10};
  struct rank_exact found = rank_exact(&wide, &slow, 0.01);
  assert_true(found.b_slower > 0.99);
  found = compare(high, 10, never, 10, 0.01);
  assert_true(found.b_slower < 1e-4 && isinf(found.factor_most));
}

/* 400 pairs of ten and twelve; at 90 % the factor is missed by no more than one in ten, and chance. */
static void factors(void **state) {
  (void)state;
  struct random random = {7};
  unsigned missed = 0, sure = 0;
  for (int k = 0; k < 400; k++) {
    uint64_t a[10], b[12];
    for (size_t i = 0; i < 10; i++)
      a[i] = worlds_value(worlds_normal(&random), 1);
    for (size_t i = 0; i < 12; i++)
      b[i] = worlds_value(worlds_normal(&random), 1.3);
    struct rank_exact found = compare(a, 10, b, 12, 0.1);
    missed += found.factor_least > 1.3 || found.factor_most < 1.3;
    sure += compare(a, 10, b + 2, 10, 0.1).b_slower <= 0.05;
  }
  assert_in_range(missed, 15, 61);
  assert_true(sure > 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_choice),
                                     cmocka_unit_test(ten_against_ten), cmocka_unit_test(edges),
                                     cmocka_unit_test(factors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
