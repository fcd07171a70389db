/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "dist/survival/survival.h"
#include "tests/unit/dist/random.h"

static const struct grid grid = {.sub_bits = 3, .octaves = 6};

static uint64_t tail_of(const char *p) {
  struct rational x;
  rational_init(&x);
  assert_true(rational_parse(&x, p));
  uint64_t tail = 12345;
  assert_true(survival_tail_of(&tail, &x));
  rational_clear(&x);
  return tail;
}

static void test_percentiles_become_exact_tails(void **state) {
  (void)state;
  assert_int_equal(tail_of("0"), SURVIVAL_ONE);
  assert_int_equal(tail_of("0.5"), SURVIVAL_ONE / 2);
  assert_int_equal(tail_of("1"), 0);
  assert_int_equal(tail_of("0.999"), SURVIVAL_ONE / 1000);
  assert_int_equal(tail_of("0.999999999999999999"), 1);
  assert_int_equal(tail_of("2/3"), INT64_C(333333333333333333));
  struct rational x;
  rational_init(&x);
  uint64_t tail = 7;
  assert_true(rational_parse(&x, "-0.1"));
  assert_false(survival_tail_of(&tail, &x));
  assert_true(rational_parse(&x, "1.0001"));
  assert_false(survival_tail_of(&tail, &x));
  assert_int_equal(tail, 7);
  rational_clear(&x);
}

static void constant(struct survival *s, const char *value) {
  struct rational x;
  rational_init(&x);
  assert_true(rational_parse(&x, value));
  survival_constant(s, &x);
  rational_clear(&x);
}

static void test_constants_round_up_to_the_grid(void **state) {
  (void)state;
  const struct {
    const char *value;
    uint64_t expected;
  } cases[] = {{"0", 0}, {"0.001", 1}, {"3", 3}, {"16", 16}, {"17", 18}, {"65", 72}, {"512", 512}};
  struct survival s;
  survival_init(&s, &grid);
  uint64_t x = 99;
  assert_true(survival_quantile(&x, &s, 0));
  assert_int_equal(x, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    constant(&s, cases[i].value);
    assert_true(survival_is_valid(&s));
    assert_true(survival_quantile(&x, &s, 0));
    assert_int_equal(x, cases[i].expected);
    assert_true(survival_quantile(&x, &s, SURVIVAL_ONE - 1));
    assert_int_equal(x, cases[i].expected);
  }
  constant(&s, "512.01");
  x = 99;
  assert_false(survival_quantile(&x, &s, SURVIVAL_ONE - 1));
  assert_int_equal(x, 99);
  assert_true(survival_infinity(&s) == SURVIVAL_ONE);
  constant(&s, "1e30");
  assert_true(survival_infinity(&s) == SURVIVAL_ONE);
  survival_clear(&s);
}

static void test_quantiles_invert_tails(void **state) {
  (void)state;
  struct survival s;
  survival_init(&s, &grid);
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct random random = {seed};
    random_survival(&s, &random, 9);
    assert_true(survival_is_valid(&s));
    for (int i = 0; i < 50; i++) {
      uint64_t tail = i < 25 ? random_below(&random, SURVIVAL_ONE + 1)
                             : s.tail[random_below(&random, grid_count(&grid))];
      uint64_t x = 0;
      bool finite = survival_quantile(&x, &s, tail);
      if (finite != (survival_infinity(&s) <= tail))
        fail_msg("seed %lu: finiteness at tail %lu", (unsigned long)seed, (unsigned long)tail);
      if (finite && (survival_tail(&s, x) > tail || (x > 0 && survival_tail(&s, x - 1) <= tail)))
        fail_msg("seed %lu: quantile %lu at tail %lu", (unsigned long)seed, (unsigned long)x,
                 (unsigned long)tail);
    }
  }
  survival_clear(&s);
}

static void test_tails_between_points_are_those_of_the_point_below(void **state) {
  (void)state;
  struct survival s;
  survival_init(&s, &grid);
  constant(&s, "17"); /* at 18 */
  assert_true(survival_tail(&s, 17) == SURVIVAL_ONE);
  assert_true(survival_tail(&s, 18) == 0);
  assert_true(survival_tail(&s, UINT64_MAX) == 0);
  survival_clear(&s);
}

static void test_order(void **state) {
  (void)state;
  struct survival x, y;
  survival_init(&x, &grid);
  survival_init(&y, &grid);
  constant(&x, "20");
  constant(&y, "30");
  assert_true(survival_dominates(&y, &x));
  assert_false(survival_dominates(&x, &y));
  assert_false(survival_equal(&x, &y));
  survival_set(&y, &x);
  assert_true(survival_equal(&x, &y));
  y.tail[0] = 5;
  assert_false(survival_is_valid(&y));
  survival_clear(&x);
  survival_clear(&y);
}

/* The lower side goes down where the upper goes up, and nothing but infinity is beyond its end. */
static void test_lower_side(void **state) {
  (void)state;
  struct survival s;
  struct rational x;
  uint64_t at = 99, tail = 0;
  rational_init(&x);
  survival_init_side(&s, &grid, SIDE_LOWER);
  constant(&s, "17.9"); /* at 16 */
  assert_true(survival_quantile(&at, &s, 0) && at == 16);
  constant(&s, "1e30");
  assert_true(survival_quantile(&at, &s, 0) && at == 512);
  assert_true(survival_infinity(&s) == 0);
  for (size_t k = 0; k + 1 < grid_count(&grid); k++)
    assert_int_equal(survival_threshold(&s, k), grid_value_ns(&grid, k + 1) - 1);
  assert_true(survival_threshold(&s, grid_count(&grid) - 1) == UINT64_MAX);
  assert_true(rational_parse(&x, "2/3"));
  assert_true(survival_tail_of_side(&tail, &x, SIDE_LOWER));
  assert_int_equal(tail, INT64_C(333333333333333334));
  assert_true(rational_parse(&x, "41/2"));
  assert_int_equal(survival_whole(SIDE_UPPER, &x), 21);
  assert_int_equal(survival_whole(SIDE_LOWER, &x), 20);
  assert_true(rational_parse(&x, "1e19"));
  assert_true(survival_whole(SIDE_LOWER, &x) == INT64_MAX);
  rational_clear(&x);
  survival_clear(&s);
}

/* Against division, at random and around multiples of 10^18 up to the largest that is allowed. */
static void test_reduction_is_division(void **state) {
  (void)state;
  const uint128 most = (uint128)1 << 121;
  struct random random = {.state = 12};
  for (int i = 0; i < 200000; i++) {
    uint128 x = (uint128)random_next(&random) << 64 | random_next(&random);
    x = (x & (most - 1)) >> (i % 2 == 0 ? 0 : random_below(&random, 121));
    if (i % 3 == 0)
      x = x / SURVIVAL_ONE * SURVIVAL_ONE + random_below(&random, 3);
    if (i % 3 == 1 && x >= SURVIVAL_ONE)
      x = x / SURVIVAL_ONE * SURVIVAL_ONE - random_below(&random, 3);
    x = i == 0 ? most : x > most ? most : x;
    uint64_t down = (uint64_t)(x / SURVIVAL_ONE);
    if (survival_reduce(SIDE_LOWER, x) != down ||
        survival_reduce(SIDE_UPPER, x) != down + (x % SURVIVAL_ONE != 0))
      fail_msg("case %d", i);
  }
  assert_true(survival_product(SIDE_UPPER, SURVIVAL_ONE, SURVIVAL_ONE) == SURVIVAL_ONE);
  assert_true(survival_share(SIDE_UPPER, 1, 3) == survival_share(SIDE_LOWER, 1, 3) + 1);
  assert_true(survival_share(SIDE_UPPER, 7, 1000) == SURVIVAL_ONE / 1000 * 7);
  assert_true(survival_share(SIDE_UPPER, UINT64_MAX, UINT64_MAX) == SURVIVAL_ONE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_percentiles_become_exact_tails),
      cmocka_unit_test(test_constants_round_up_to_the_grid),
      cmocka_unit_test(test_quantiles_invert_tails),
      cmocka_unit_test(test_tails_between_points_are_those_of_the_point_below),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_lower_side),
      cmocka_unit_test(test_reduction_is_division),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
