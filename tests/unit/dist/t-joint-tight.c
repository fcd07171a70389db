/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How near the dependence-free bounds of sums are to what some dependence reaches.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "dist/survival/adversary.h"
#include "dist/survival/joint.h"

enum kind { EXPONENTIAL, PARETO, LOGNORMAL, UNIFORM };

static double survival_of(enum kind kind, double x) {
  switch (kind) {
  case EXPONENTIAL:
    return exp(-x);
  case PARETO:
    return pow(1 + x, -3);
  case LOGNORMAL:
    return erfc(log(x) / 0.5 / sqrt(2)) / 2;
  case UNIFORM:
    break;
  }
  return x < 1 ? 1 - x : 0;
}

#define UNIT_NS 1e6

/* On the default grid, on the upper side. */
static void set_law(struct survival *s, enum kind kind, double scale) {
  survival_init(s, &grid_default);
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    double tail = survival_of(kind, (double)grid_value_ns(&s->grid, k) / UNIT_NS / scale);
    s->tail[k] = (uint64_t)ceil(tail * (double)SURVIVAL_ONE);
  }
}

/* The percentile 99.9 of the least upper bound lies between what rearrangement reaches and what the
 * dual bound gives in real numbers (computed in floating point, independently of this code). */
static void test_known_values(void **state) {
  (void)state;
  const struct {
    enum kind kind;
    uint64_t copies;
    double reached, dual;
  } known[] = {
      {EXPONENTIAL, 3, 23.497, 23.501}, {PARETO, 3, 38.386, 38.405},
      {EXPONENTIAL, 10, 79.05, 79.08},  {PARETO, 10, 138.37, 138.50},
      {LOGNORMAL, 10, 54.32, 54.34},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    struct survival x, z;
    set_law(&x, known[i].kind, 1);
    survival_init(&z, &grid_default);
    joint_sum(&z, &(struct copies){&x, known[i].copies}, 1);
    uint64_t quantile = 0;
    assert_true(survival_quantile(&quantile, &z, SURVIVAL_ONE / 1000));
    double found = (double)quantile / UNIT_NS;
    if (found < known[i].reached || found > known[i].dual * (1 + 2.0 / 1024))
      fail_msg("law %zu: %f", i, found);
    survival_clear(&x);
    survival_clear(&z);
  }
}

/* The adversary's joint law exists, so the bound is above it; and not far. */
static void check_tight(const struct copies *parts, size_t part_count, double within) {
  struct survival z;
  survival_init(&z, &grid_default);
  joint_sum(&z, parts, part_count);
  for (uint64_t tail = SURVIVAL_ONE / 10; tail > SURVIVAL_ONE / 100000; tail /= 10) {
    uint64_t reached = adversary_sum(parts, part_count, tail, 400), quantile = 0;
    assert_true(survival_tail(&z, reached - 1) >= tail);
    assert_true(survival_quantile(&quantile, &z, tail));
    if ((double)quantile > (double)reached * within)
      fail_msg("%zu laws: %lu reached, bound %lu", part_count, (unsigned long)reached,
               (unsigned long)quantile);
  }
  survival_clear(&z);
}

static void test_an_adversary_comes_near(void **state) {
  (void)state;
  for (size_t count = 2; count <= 8; count += 2)
    for (size_t mix = 1; mix <= 4; mix++) {
      struct survival laws[8];
      struct copies parts[8];
      for (size_t i = 0; i < count; i++) {
        set_law(&laws[i], (enum kind)(i % mix), 1 + (double)(i * mix) / 2);
        parts[i] = (struct copies){&laws[i], 1};
      }
      check_tight(parts, count, 1.04);
      if (count == 2) {
        parts[1].count = 5;
        check_tight(parts, count, 1.04);
      }
      for (size_t i = 0; i < count; i++)
        survival_clear(&laws[i]);
    }
}

/* Rearranged by hand: the last quarter of 1, 2, 3, 4 with itself is 4 + 4; of the last half, 3 and
 * 4 meet 4 and 3, of all, each of the four makes 5. What never ends counts as very long. */
static void test_rearrangement(void **state) {
  (void)state;
  struct survival x;
  survival_init(&x, &grid_default);
  for (size_t k = 0; k < 4; k++)
    x.tail[k] = SURVIVAL_ONE / 4 * (4 - k);
  const struct copies pair = {&x, 2};
  assert_int_equal(adversary_sum(&pair, 1, SURVIVAL_ONE / 4, 1), 8);
  assert_int_equal(adversary_sum(&pair, 1, SURVIVAL_ONE / 2, 2), 7);
  assert_int_equal(adversary_sum(&pair, 1, SURVIVAL_ONE, 4), 5);
  assert_int_equal(adversary_sum(&pair, 1, SURVIVAL_ONE, 1), 2);
  for (size_t k = 4; k < grid_count(&grid_default); k++)
    x.tail[k] = SURVIVAL_ONE / 8;
  assert_true(adversary_sum(&pair, 1, SURVIVAL_ONE / 4, 2) > INT64_MAX / 2);
  assert_true(adversary_sum(&pair, 1, SURVIVAL_ONE / 2, 4) < 10);
  survival_clear(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_values),
      cmocka_unit_test(test_an_adversary_comes_near),
      cmocka_unit_test(test_rearrangement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
