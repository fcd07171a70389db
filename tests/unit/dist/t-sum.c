/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/sum.h"
#include "tests/unit/dist/operands.h"

/* The exact law of x + y: pair by pair at the grid's values, 10^36 P(x + y > v). */
static uint128 exact_tail(const struct survival *x, const struct survival *y, uint64_t v) {
  uint128 tail = (uint128)SURVIVAL_ONE * SURVIVAL_ONE;
  size_t count = grid_count(&x->grid), j = count;
  uint64_t before = SURVIVAL_ONE;
  for (size_t i = 0; i < count && grid_value_ns(&x->grid, i) <= v; i++) {
    while (j > 0 && grid_value_ns(&x->grid, j - 1) > v - grid_value_ns(&x->grid, i))
      j--;
    uint64_t mass = before - x->tail[i];
    before = x->tail[i];
    if (j > 0)
      tail -= (uint128)mass * (SURVIVAL_ONE - y->tail[j - 1]);
  }
  return tail;
}

static uint128 units(uint64_t tail) {
  return (uint128)tail * SURVIVAL_ONE;
}

/* Above the exact law at every point, and not above the exact law of (1 + 1/B)(x + y). */
static void compare_with_exact(const struct survival *z, const struct survival *x,
                               const struct survival *y, uint64_t seed) {
  for (size_t k = 0; k < grid_count(&z->grid); k++) {
    uint64_t v = grid_value_ns(&z->grid, k);
    uint64_t smaller =
        (uint64_t)(((uint128)v << z->grid.sub_bits) / ((1u << z->grid.sub_bits) + 1));
    if (units(z->tail[k]) < exact_tail(x, y, v))
      fail_msg("seed %lu: below the exact sum at %lu", (unsigned long)seed, (unsigned long)v);
    /* z > v means that (x + y)(1 + 1/B) >= the next point's value > v */
    if (units(z->tail[k]) >= exact_tail(x, y, smaller) + SURVIVAL_ONE && z->tail[k] != 0)
      fail_msg("seed %lu: too far above the exact sum at %lu", (unsigned long)seed,
               (unsigned long)v);
  }
}

static void check_random_sums(const struct grid *grid, uint64_t seeds, size_t atoms) {
  struct survival x, y, z, w;
  survival_init(&x, grid);
  survival_init(&y, grid);
  survival_init(&z, grid);
  survival_init(&w, grid);
  for (uint64_t seed = 0; seed < seeds; seed++) {
    struct random random = {seed};
    random_survival(&x, &random, atoms);
    random_survival(&y, &random, atoms);
    survival_add(&z, &x, &y);
    assert_true(survival_is_valid(&z));
    compare_with_exact(&z, &x, &y, seed);
    survival_add(&w, &y, &x);
    assert_true(survival_equal(&z, &w));
    survival_add(&z, &x, &x);
    compare_with_exact(&z, &x, &x, seed);
    survival_set(&w, &x);
    survival_add(&w, &w, &x); /* not recognised as a square, written over its operand */
    if (!survival_equal(&z, &w))
      fail_msg("seed %lu: the square differs", (unsigned long)seed);
  }
  survival_clear(&x);
  survival_clear(&y);
  survival_clear(&z);
  survival_clear(&w);
}

static void test_sums_against_the_definition(void **state) {
  (void)state;
  check_random_sums(&(struct grid){.sub_bits = 1, .octaves = 1}, 200, 3);
  check_random_sums(&(struct grid){.sub_bits = 1, .octaves = 5}, 200, 6);
  check_random_sums(&(struct grid){.sub_bits = 3, .octaves = 6}, 200, 30);
  check_random_sums(&(struct grid){.sub_bits = 5, .octaves = 8}, 40, 200);
  check_random_sums(&(struct grid){.sub_bits = 9, .octaves = 3}, 2, 2000);
}

/* Integers up to 2B are exact: the result is the ceiling of the exact tail, point by point. */
static void test_octave_zero_is_exact(void **state) {
  (void)state;
  const struct grid grid = {.sub_bits = 4, .octaves = 3};
  struct survival x, y, z;
  survival_init(&x, &grid);
  survival_init(&y, &grid);
  survival_init(&z, &grid);
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct random random = {seed};
    random_survival(&x, &random, 12);
    random_survival(&y, &random, 12);
    survival_add(&z, &x, &y);
    for (size_t k = 0; k <= 32; k++) {
      uint128 exact = (exact_tail(&x, &y, k) + (SURVIVAL_ONE - 1)) / SURVIVAL_ONE;
      if (z.tail[k] != exact)
        fail_msg("seed %lu: point %zu", (unsigned long)seed, k);
    }
  }
  survival_clear(&x);
  survival_clear(&y);
  survival_clear(&z);
}

static void test_infinity_composes(void **state) {
  (void)state;
  const struct grid grid = {.sub_bits = 3, .octaves = 20};
  struct survival x, y, z;
  survival_init(&x, &grid);
  survival_init(&y, &grid);
  survival_init(&z, &grid);
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct random random = {seed};
    uint64_t a = random_below(&random, SURVIVAL_ONE), b = random_below(&random, SURVIVAL_ONE);
    for (size_t k = 0; k < grid_count(&grid); k++) {
      x.tail[k] = k < 9 ? SURVIVAL_ONE : a;
      y.tail[k] = k < 40 ? SURVIVAL_ONE : b;
    }
    survival_add(&z, &x, &y);
    uint128 exact = units(a) + units(b) - (uint128)a * b;
    assert_true(survival_infinity(&z) == (uint64_t)((exact + (SURVIVAL_ONE - 1)) / SURVIVAL_ONE));
  }
  survival_clear(&x);
  survival_clear(&y);
  survival_clear(&z);
}

static void test_monotone(void **state) {
  (void)state;
  const struct grid grid = {.sub_bits = 4, .octaves = 6};
  struct survival x, larger, y, z, w;
  survival_init(&x, &grid);
  survival_init(&larger, &grid);
  survival_init(&y, &grid);
  survival_init(&z, &grid);
  survival_init(&w, &grid);
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct random random = {seed};
    random_survival(&x, &random, 20);
    random_survival(&larger, &random, 20);
    random_survival(&y, &random, 20);
    for (size_t k = 0; k < grid_count(&grid); k++)
      larger.tail[k] = larger.tail[k] > x.tail[k] ? larger.tail[k] : x.tail[k];
    survival_add(&z, &x, &y);
    survival_add(&w, &larger, &y);
    if (!survival_dominates(&w, &z))
      fail_msg("seed %lu: a larger operand gave a smaller sum", (unsigned long)seed);
  }
  survival_clear(&x);
  survival_clear(&larger);
  survival_clear(&y);
  survival_clear(&z);
  survival_clear(&w);
}

static void test_many_equals_repeated_sums_up_to_rounding(void **state) {
  (void)state;
  const struct grid grid = {.sub_bits = 6, .octaves = 10};
  struct survival x, z, w;
  struct rational value;
  rational_init(&value);
  survival_init(&x, &grid);
  survival_init(&z, &grid);
  survival_init(&w, &grid);
  for (uint64_t n = 0; n < 70; n++) {
    rational_set_integer(&value, 37);
    survival_constant(&x, &value);
    survival_add_many(&z, &x, n);
    uint64_t got = 0;
    assert_true(survival_quantile(&got, &z, 0));
    double most = (double)(37 * n);
    for (unsigned i = 0; i < sum_many_depth(n); i++)
      most *= 1 + 1.0 / 64;
    if (got < 37 * n || (double)got > most)
      fail_msg("%lu times 37 is %lu", (unsigned long)n, (unsigned long)got);
  }
  struct random random = {3};
  random_survival(&x, &random, 50);
  survival_add(&w, &x, &x);
  survival_add(&w, &x, &w);
  survival_add_many(&z, &x, 3);
  assert_true(survival_equal(&w, &z));
  assert_int_equal(sum_many_depth(1), 0);
  assert_int_equal(sum_many_depth(2), 1);
  assert_int_equal(sum_many_depth(3), 2);
  assert_int_equal(sum_many_depth(1000), 10);
  assert_int_equal(sum_many_depth(1024), 10);
  survival_clear(&x);
  survival_clear(&z);
  survival_clear(&w);
  rational_clear(&value);
}

/* x is 0 or 2^20 with chance 1/2: the default grid holds its binomial sums exactly, and 2^-18 is a
 * whole number of units. */
static void test_binomial_on_the_default_grid(void **state) {
  (void)state;
  struct survival x, z;
  survival_init(&x, &grid_default);
  survival_init(&z, &grid_default);
  for (size_t k = 0; k < grid_count(&grid_default); k++)
    x.tail[k] = grid_value_ns(&grid_default, k) < (1u << 20) ? SURVIVAL_ONE / 2 : 0;
  survival_add_many(&z, &x, 18);
  uint128 choose = 1, below = 0;
  for (uint64_t i = 0; i <= 18; i++) {
    below += choose;
    choose = choose * (18 - i) / (i + 1);
    uint64_t tail = SURVIVAL_ONE - (uint64_t)below * (SURVIVAL_ONE >> 18);
    assert_true(survival_tail(&z, i << 20) == tail);
    assert_true(survival_tail(&z, ((i + 1) << 20) - 1) == tail);
  }
  survival_clear(&x);
  survival_clear(&z);
}

/* (1 +- 1/B)^depth on a log-linear grid, 1 on a linear one. */
static void set_stretch(struct rational *stretch, const struct survival *z, unsigned depth) {
  struct rational step;
  rational_init(&step);
  int64_t b = INT64_C(1) << z->grid.sub_bits;
  rational_set_fraction(&step, z->side == SIDE_UPPER ? b + 1 : b - 1, b);
  rational_set_integer(stretch, 1);
  for (unsigned i = 0; i < depth && !grid_is_linear(&z->grid); i++)
    rational_mul(stretch, stretch, &step);
  rational_clear(&step);
}

/* Both sides and both kinds of grid, against all outcomes; on a linear grid but for the one
 * rounding of the chance exact. */
static void check_sums(struct operands *o) {
  struct rational stretch;
  rational_init(&stretch);
  set_stretch(&stretch, &o->z, 1);
  exact_apply(&o->result, o->laws, 2, exact_of_sum, NULL);
  survival_add(&o->z, &o->s[0], &o->s[1]);
  operands_check_stretched(o, "sum", &stretch, 0);
  survival_set(&o->z, &o->s[1]);
  survival_add(&o->z, &o->s[0], &o->z);
  operands_check_stretched(o, "sum in place", &stretch, 0);
  const struct exact *alike[] = {o->laws[0], o->laws[0], o->laws[0]};
  exact_apply(&o->result, alike, 2, exact_of_sum, NULL);
  survival_add(&o->z, &o->s[0], &o->s[0]);
  operands_check_stretched(o, "square", &stretch, 0);
  set_stretch(&stretch, &o->z, sum_many_depth(3));
  exact_apply(&o->result, alike, 3, exact_of_sum, NULL);
  survival_add_many(&o->z, &o->s[0], 3);
  operands_check_stretched(o, "three copies", &stretch, 2);
  rational_clear(&stretch);
}

static void test_sums_on_both_sides(void **state) {
  (void)state;
  operands_run(100, check_sums);
}

/* Dense laws, which the transform multiplies: as many terms as the rest has none of. */
static void test_dense_sums_on_a_linear_grid(void **state) {
  (void)state;
  const struct grid grid = {.shift = 2, .points = 3000};
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
    for (uint64_t seed = 0; seed < 3; seed++) {
      struct random random = {seed};
      struct survival x, y, z;
      survival_init_side(&x, &grid, (enum survival_side)side);
      survival_init_side(&y, &grid, (enum survival_side)side);
      survival_init_side(&z, &grid, (enum survival_side)side);
      random_survival(&x, &random, 20000);
      random_survival(&y, &random, 20000);
      survival_add(&z, &x, seed == 0 ? &x : &y);
      for (size_t k = 0; k < grid_count(&grid); k++) {
        /* on the lower side what is finite stays within the grid */
        bool last = side == SIDE_LOWER && k + 1 == grid_count(&grid);
        uint128 a = survival_infinity(&x), b = survival_infinity(seed == 0 ? &x : &y);
        uint128 tail = last ? ((a + b) * SURVIVAL_ONE) - a * b
                            : exact_tail(&x, seed == 0 ? &x : &y, grid_value_ns(&grid, k));
        if (z.tail[k] !=
            (uint64_t)((tail + (side == SIDE_UPPER ? SURVIVAL_ONE - 1 : 0)) / SURVIVAL_ONE))
          fail_msg("seed %lu, side %d: point %zu", (unsigned long)seed, side, k);
      }
      survival_clear(&x);
      survival_clear(&y);
      survival_clear(&z);
    }
}

/* More points than one transform takes. */
static void test_a_long_linear_grid(void **state) {
  (void)state;
  const struct grid grid = {.points = (size_t)5 << 20};
  struct survival x, y;
  survival_init(&x, &grid);
  survival_init(&y, &grid);
  for (size_t k = 0; k < grid.points; k++) {
    x.tail[k] = k < 7 ? SURVIVAL_ONE : k < 3000000 ? SURVIVAL_ONE / 2 : k < 4500000 ? 4096 : 0;
    y.tail[k] = k < 5 ? SURVIVAL_ONE : k < 2200000 ? SURVIVAL_ONE / 4 : 0;
  }
  survival_add(&x, &x, &y);
  /* 12, 2200007, 3000005, 4500005, and two sums beyond the last point */
  const uint64_t half = SURVIVAL_ONE / 2, rest = half / 4 + 4096 - 1024;
  for (size_t k = 0; k < grid.points; k++) {
    uint64_t expected = k < 12        ? SURVIVAL_ONE
                        : k < 2200007 ? SURVIVAL_ONE - half / 4 * 3
                        : k < 3000005 ? half
                        : k < 4500005 ? rest
                        : k < 5200000 ? rest - 4096 / 4 * 3
                                      : 1024;
    if (x.tail[k] != expected)
      fail_msg("point %zu", k);
  }
  survival_clear(&x);
  survival_clear(&y);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums_against_the_definition),
      cmocka_unit_test(test_octave_zero_is_exact),
      cmocka_unit_test(test_infinity_composes),
      cmocka_unit_test(test_monotone),
      cmocka_unit_test(test_many_equals_repeated_sums_up_to_rounding),
      cmocka_unit_test(test_binomial_on_the_default_grid),
      cmocka_unit_test(test_sums_on_both_sides),
      cmocka_unit_test(test_dense_sums_on_a_linear_grid),
      cmocka_unit_test(test_a_long_linear_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
