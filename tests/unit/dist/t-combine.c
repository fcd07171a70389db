/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/combine.h"
#include "tests/unit/dist/operands.h"

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
      uint128 exact = (uint128)SURVIVAL_ONE * SURVIVAL_ONE - below;
      if (z.tail[k] != (uint64_t)((exact + SURVIVAL_ONE - 1) / SURVIVAL_ONE))
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

/* Every operation on every grid and both sides, against the law gone through outcome by outcome. */
static void check_extremes(struct operands *o) {
  const size_t first = 1, second = 2, third = 3;
  exact_apply(&o->result, o->laws, 2, exact_of_rank, &second);
  survival_max(&o->z, &o->s[0], &o->s[1]);
  operands_check(o, "max", 0);
  exact_apply(&o->result, o->laws, 2, exact_of_rank, &first);
  survival_min(&o->z, &o->s[0], &o->s[1]);
  operands_check(o, "min", 0);
  const struct exact *alike[] = {o->laws[2], o->laws[2], o->laws[2]};
  exact_apply(&o->result, alike, 3, exact_of_rank, &third);
  survival_max_many(&o->z, &o->s[2], 3);
  operands_check(o, "max of many", 2);
  exact_apply(&o->result, alike, 3, exact_of_rank, &first);
  survival_min_many(&o->z, &o->s[2], 3);
  operands_check(o, "min of many", 2);
  survival_max_many(&o->z, &o->s[2], 0);
  assert_true(o->z.tail[0] == 0 && survival_is_valid(&o->z));
  survival_set(&o->z, &o->s[0]);
  survival_max(&o->z, &o->z, &o->z);
  exact_apply(&o->result, (const struct exact *[]){o->laws[0], o->laws[0]}, 2, exact_of_rank,
              &second);
  operands_check(o, "max with itself, in place", 0);
}

static void test_extremes(void **state) {
  (void)state;
  operands_run(150, check_extremes);
}

static void check_envelopes(struct operands *o) {
  struct survival meet;
  survival_init_side(&meet, &o->z.grid, o->z.side);
  survival_join(&o->z, &o->s[0], &o->s[1]);
  survival_meet(&meet, &o->s[0], &o->s[1]);
  for (size_t k = 0; k < grid_count(&o->z.grid); k++) {
    uint64_t x = o->s[0].tail[k], y = o->s[1].tail[k];
    assert_true(o->z.tail[k] == (x > y ? x : y) && meet.tail[k] == (x > y ? y : x));
  }
  survival_clear(&meet);
}

static void test_envelopes(void **state) {
  (void)state;
  operands_run(20, check_envelopes);
}

static void check_mixture(struct operands *o) {
  struct rational chances[OPERANDS];
  uint64_t weights[OPERANDS], total = 0;
  size_t count = 1 + random_below(&o->random, OPERANDS);
  bool wide = random_below(&o->random, 2);
  for (size_t i = 0; i < count; i++)
    total += weights[i] = random_below(&o->random, wide ? UINT64_C(1) << 60 : 6) + (i == 0);
  for (size_t i = 0; i < count; i++) {
    rational_init(&chances[i]);
    rational_set_fraction(&chances[i], (int64_t)weights[i], (int64_t)total);
  }
  exact_mix(&o->result, o->laws, chances, count);
  survival_mix(&o->z, o->survivals, weights, count);
  operands_check(o, "mixture", 0);
  for (size_t i = 0; i < count; i++)
    rational_clear(&chances[i]);
}

static void test_mixtures(void **state) {
  (void)state;
  operands_run(150, check_mixture);
}

/* Whole and broken constants, small ones, ones beyond the grid and beyond 2^63. */
static void random_constant(struct rational *value, struct operands *o) {
  size_t points = grid_count(&o->z.grid);
  uint64_t last = grid_value_ns(&o->z.grid, points - 1);
  switch (random_below(&o->random, 6)) {
  case 0:
    rational_set_integer(value, 1);
    break;
  case 1:
    rational_set_integer(value, (int64_t)(last - 1 + random_below(&o->random, 3)));
    break;
  case 2:
    rational_parse(value, "1e30");
    break;
  case 3:
    rational_set_integer(
        value, (int64_t)grid_value_ns(&o->z.grid, 1 + random_below(&o->random, points - 1)));
    break;
  default: {
    uint64_t numerator = 1 + random_below(&o->random, last);
    rational_set_fraction(value, (int64_t)numerator, (int64_t)(1 + random_below(&o->random, 9)));
  }
  }
}

static void check_constants(struct operands *o) {
  struct rational value;
  rational_init(&value);
  random_constant(&value, o);
  exact_cap(&o->result, o->laws[0], &value);
  survival_cap(&o->z, &o->s[0], &value);
  operands_check(o, "cap", 0);
  exact_shift(&o->result, o->laws[0], &value);
  survival_shift(&o->z, &o->s[0], &value);
  operands_check(o, "shift", 0);
  survival_set(&o->z, &o->s[0]);
  survival_shift(&o->z, &o->z, &value);
  operands_check(o, "shift in place", 0);
  exact_constant(&o->result, &value);
  survival_constant(&o->z, &value);
  operands_check(o, "constant", 0);
  exact_apply(&o->result, o->laws, 1, exact_of_scale, &value);
  survival_scale(&o->z, &o->s[0], &value);
  operands_check(o, "scale", 0);
  uint64_t numerator = random_below(&o->random, 9);
  rational_set_fraction(&value, (int64_t)numerator, (int64_t)(1 + random_below(&o->random, 9)));
  exact_apply(&o->result, o->laws, 1, exact_of_scale, &value);
  survival_scale(&o->z, &o->s[0], &value);
  operands_check(o, "scale by a small fraction", 0);
  rational_clear(&value);
}

static void test_constants(void **state) {
  (void)state;
  operands_run(300, check_constants);
}

/* Factors that do not fit into 63 bits above and below are rounded to the side. */
static void check_long_factor(struct operands *o) {
  static const char *const factors[] = {"1.00000000000000000000000001", "0.99999999999999999999999",
                                        "123456789.00000000000000000000001", "1e-25"};
  struct rational value;
  rational_init(&value);
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
    assert_true(rational_parse(&value, factors[i]));
    exact_apply(&o->result, o->laws, 1, exact_of_scale, &value);
    survival_scale(&o->z, &o->s[0], &value);
    operands_check(o, factors[i], 0);
  }
  rational_clear(&value);
}

static void test_long_factors(void **state) {
  (void)state;
  operands_run(40, check_long_factor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_max_is_exact_up_to_one_rounding),
      cmocka_unit_test(test_max_of_many),
      cmocka_unit_test(test_shift_and_scale),
      cmocka_unit_test(test_unusual_factors),
      cmocka_unit_test(test_extremes),
      cmocka_unit_test(test_envelopes),
      cmocka_unit_test(test_mixtures),
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_long_factors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
