/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "dist/survival/combine.h"
#include "dist/survival/wide.h"
#include "tests/unit/dist/random.h"

static const struct grid grid = {.sub_bits = 3, .octaves = 6};

static void init_three(struct survival *x, struct survival *y, struct survival *z) {
  survival_init(x, &grid);
  survival_init(y, &grid);
  survival_init(z, &grid);
}

static void clear_three(struct survival *x, struct survival *y, struct survival *z) {
  survival_clear(x);
  survival_clear(y);
  survival_clear(z);
}

static void test_max_is_exact_up_to_one_rounding(void **state) {
  (void)state;
  struct survival x, y, z;
  init_three(&x, &y, &z);
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct random random = {seed};
    random_survival(&x, &random, 12);
    random_survival(&y, &random, 12);
    survival_max(&z, &x, &y);
    assert_true(survival_is_valid(&z));
    for (size_t k = 0; k < grid_count(&grid); k++) {
      uint128 below = (uint128)(SURVIVAL_ONE - x.tail[k]) * (SURVIVAL_ONE - y.tail[k]);
      uint128 exact = ((uint128)1 << 122) - below;
      if (z.tail[k] != (uint64_t)((exact + SURVIVAL_ONE - 1) >> 61))
        fail_msg("seed %lu: point %zu", (unsigned long)seed, k);
    }
    survival_join(&z, &x, &y);
    assert_true(survival_dominates(&z, &x) && survival_dominates(&z, &y));
    assert_true(survival_is_valid(&z));
  }
  clear_three(&x, &y, &z);
}

/* Against the n-th power of P(X <= v) in rationals: above it, by less than n units. */
static void test_max_of_many(void **state) {
  (void)state;
  struct survival x, y, z;
  init_three(&x, &y, &z);
  struct rational power, value, one;
  rational_init(&power);
  rational_init(&value);
  rational_init(&one);
  rational_set_integer(&one, (int64_t)SURVIVAL_ONE);
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct random random = {seed};
    uint64_t n = random_below(&random, 12);
    random_survival(&x, &random, 6);
    survival_max_many(&z, &x, n);
    assert_true(survival_is_valid(&z));
    for (size_t k = 0; k < grid_count(&grid); k++) {
      rational_set_integer(&power, (int64_t)SURVIVAL_ONE);
      rational_set_fraction(&value, (int64_t)(SURVIVAL_ONE - x.tail[k]), (int64_t)SURVIVAL_ONE);
      for (uint64_t i = 0; i < n; i++)
        rational_mul(&power, &power, &value);
      rational_sub(&power, &one, &power);
      int64_t exact;
      assert_true(rational_ceil(&exact, &power));
      if (z.tail[k] < (uint64_t)exact || z.tail[k] > (uint64_t)exact + n)
        fail_msg("seed %lu: %lu copies, point %zu", (unsigned long)seed, (unsigned long)n, k);
    }
  }
  rational_clear(&power);
  rational_clear(&value);
  rational_clear(&one);
  clear_three(&x, &y, &z);
}

/* P(x n/d + c > v) = P(x > (v - c) d / n), asked point by point of the atoms themselves. */
static uint64_t tail_after(const struct survival *x, uint64_t v, int64_t n, int64_t d, int64_t c) {
  uint64_t tail = SURVIVAL_ONE;
  for (size_t k = 0; k < grid_count(&grid); k++)
    if ((int64_t)grid_value_ns(&grid, k) * n + c * d <= (int64_t)v * d)
      tail = x->tail[k];
  return tail;
}

static void test_shift_and_scale(void **state) {
  (void)state;
  struct survival x, y, z;
  init_three(&x, &y, &z);
  struct rational value;
  rational_init(&value);
  for (uint64_t seed = 0; seed < 150; seed++) {
    struct random random = {seed};
    random_survival(&x, &random, 12);
    int64_t n = (int64_t)random_below(&random, 9) + 1, d = (int64_t)random_below(&random, 5) + 1;
    int64_t c = (int64_t)random_below(&random, seed % 2 ? 600 : 12);
    rational_set_fraction(&value, n, d);
    survival_scale(&y, &x, &value);
    assert_true(survival_is_valid(&y));
    rational_set_integer(&value, c);
    survival_shift(&z, &x, &value);
    assert_true(survival_is_valid(&z));
    for (size_t k = 0; k < grid_count(&grid); k++) {
      uint64_t v = grid_value_ns(&grid, k);
      if (y.tail[k] != tail_after(&x, v, n, d, 0))
        fail_msg("seed %lu: times %ld/%ld at %lu", (unsigned long)seed, (long)n, (long)d,
                 (unsigned long)v);
      if (z.tail[k] != tail_after(&x, v, 1, 1, c))
        fail_msg("seed %lu: plus %ld at %lu", (unsigned long)seed, (long)c, (unsigned long)v);
    }
    survival_shift(&x, &x, &value);
    assert_true(survival_equal(&x, &z));
  }
  rational_clear(&value);
  clear_three(&x, &y, &z);
}

static void test_unusual_factors(void **state) {
  (void)state;
  struct survival x, y, z;
  init_three(&x, &y, &z);
  struct rational value;
  rational_init(&value);
  for (size_t k = 0; k < grid_count(&grid); k++)
    x.tail[k] = k < 8 ? SURVIVAL_ONE : 77;
  survival_scale(&y, &x, &value); /* by 0 */
  assert_true(y.tail[0] == 77 && survival_infinity(&y) == 77);
  assert_true(rational_parse(&value, "1e40"));
  survival_scale(&y, &x, &value);
  assert_true(survival_infinity(&y) == SURVIVAL_ONE);
  survival_scale(&y, &z, &value); /* z is 0 */
  assert_true(survival_equal(&y, &z));
  /* 1.00000000000000000000000001 * 8 lies above 8, so at 9 */
  assert_true(rational_parse(&value, "1.00000000000000000000000001"));
  survival_scale(&y, &x, &value);
  assert_true(y.tail[8] == SURVIVAL_ONE && y.tail[9] == 77);
  assert_true(rational_parse(&value, "0.5"));
  survival_shift(&y, &x, &value);
  assert_true(y.tail[8] == SURVIVAL_ONE && y.tail[9] == 77);
  rational_clear(&value);
  clear_three(&x, &y, &z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_max_is_exact_up_to_one_rounding),
      cmocka_unit_test(test_max_of_many),
      cmocka_unit_test(test_shift_and_scale),
      cmocka_unit_test(test_unusual_factors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
