/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The algebra of outcomes that the Delta-Q calculus demands of sequence (sum), last-to-finish
 * (max), first-to-finish (min) and probabilistic choice (mixture), on both sides and both kinds of
 * grid.
 */
#include <math.h>

#include "dist/survival/combine.h"
#include "dist/survival/order.h"
#include "dist/survival/retry.h"
#include "dist/survival/sum.h"
#include "tests/unit/dist/operands.h"

typedef void binary(struct survival *z, const struct survival *x, const struct survival *y);

/* Two survivals that may differ by rounding: `units` of 10^-18 in chance, and on a log-linear grid
 * the values by (1 + 1/B)^depth, `depth` counting the additions of both. */
static void assert_near(const struct survival *x, const struct survival *y, unsigned depth,
                        uint64_t units, const char *law, uint64_t seed) {
  double stretch = 1;
  if (!grid_is_linear(&x->grid))
    stretch = pow(1 + 1.0 / (double)(UINT64_C(1) << x->grid.sub_bits), depth);
  size_t count = grid_count(&x->grid);
  for (size_t k = 0; k < count; k++) {
    /* further out, where the rounded value of one must have been passed by the other */
    double far = (double)grid_value_ns(&x->grid, k) * stretch + 1e-9;
    if (far >= (double)grid_value_ns(&x->grid, count - 1) && stretch > 1)
      break;
    size_t after = grid_index_lower(&x->grid, (uint64_t)far);
    if (x->tail[after] > y->tail[k] + units || y->tail[after] > x->tail[k] + units)
      fail_msg("seed %lu: %s, point %zu", (unsigned long)seed, law, k);
  }
}

static void never(struct survival *s) {
  for (size_t k = 0; k < grid_count(&s->grid); k++)
    s->tail[k] = SURVIVAL_ONE;
}

static void zero(struct survival *s) {
  for (size_t k = 0; k < grid_count(&s->grid); k++)
    s->tail[k] = 0;
}

/* Never absorbs in sequences and maxima and is neutral for minima; no wait is neutral for sequences
 * and maxima and absorbs in minima. */
static void check_units(struct operands *o) {
  const struct survival *x = &o->s[0];
  struct survival *unit = &o->s[1], *z = &o->z;
  never(unit);
  survival_add(z, x, unit);
  assert_true(survival_equal(z, unit));
  survival_max(z, x, unit);
  assert_true(survival_equal(z, unit));
  survival_min(z, x, unit);
  assert_true(survival_equal(z, x));
  zero(unit);
  survival_add(z, x, unit);
  assert_true(survival_equal(z, x));
  survival_max(z, x, unit);
  assert_true(survival_equal(z, x));
  survival_min(z, x, unit);
  assert_true(survival_equal(z, unit));
}

static void test_never_and_no_wait(void **state) {
  (void)state;
  operands_run(40, check_units);
}

static void check_commutative(struct operands *o) {
  static binary *const operations[] = {survival_add, survival_max, survival_min, survival_join,
                                       survival_meet};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    operations[i](&o->z, &o->s[0], &o->s[1]);
    operations[i](&o->s[2], &o->s[1], &o->s[0]);
    assert_true(survival_equal(&o->z, &o->s[2]));
  }
}

static void test_commutative(void **state) {
  (void)state;
  operands_run(40, check_commutative);
}

static void check_associative(struct operands *o) {
  static const struct {
    binary *operation;
    unsigned depth;
    const char *name;
  } cases[] = {{survival_add, 4, "(x + y) + z = x + (y + z)"},
               {survival_max, 0, "max(max(x, y), z) = max(x, max(y, z))"},
               {survival_min, 0, "min(min(x, y), z) = min(x, min(y, z))"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct survival left;
    survival_init_side(&left, &o->z.grid, o->z.side);
    cases[i].operation(&left, &o->s[0], &o->s[1]);
    cases[i].operation(&left, &left, &o->s[2]);
    cases[i].operation(&o->z, &o->s[1], &o->s[2]);
    cases[i].operation(&o->z, &o->s[0], &o->z);
    assert_near(&left, &o->z, cases[i].depth, 2, cases[i].name, o->seed);
    survival_clear(&left);
  }
}

static void test_associative_up_to_rounding(void **state) {
  (void)state;
  operands_run(80, check_associative);
}

/* wait s + wait t = wait (s + t), and waits in front of and behind a law are one. */
static void check_waits(struct operands *o) {
  struct rational s, t;
  rational_init(&s);
  rational_init(&t);
  uint64_t last = grid_value_ns(&o->z.grid, grid_count(&o->z.grid) - 1);
  rational_set_integer(&s, (int64_t)random_below(&o->random, last / 3));
  rational_set_integer(&t, (int64_t)random_below(&o->random, last / 3));
  survival_constant(&o->s[0], &s);
  survival_constant(&o->s[1], &t);
  survival_add(&o->z, &o->s[0], &o->s[1]);
  survival_shift(&o->s[2], &o->s[0], &t);
  rational_add(&s, &s, &t);
  survival_constant(&o->s[3], &s);
  if (grid_is_linear(&o->z.grid) && o->z.grid.shift == 0) {
    assert_true(survival_equal(&o->z, &o->s[3]) && survival_equal(&o->s[2], &o->s[3]));
  } else if (!grid_is_linear(&o->z.grid)) {
    assert_near(&o->z, &o->s[3], 4, 0, "wait s + wait t", o->seed);
    assert_near(&o->s[2], &o->s[3], 4, 0, "wait s, shifted by t", o->seed);
  }
  /* what is rounded once is no further out */
  bool inward = o->z.side == SIDE_UPPER ? survival_dominates(&o->z, &o->s[3])
                                        : survival_dominates(&o->s[3], &o->z);
  assert_true(inward);
  rational_clear(&s);
  rational_clear(&t);
}

static void test_waits_add_up(void **state) {
  (void)state;
  operands_run(100, check_waits);
}

/* A choice before something is the choice of it, for whatever follows independently. */
static void check_choice(struct operands *o) {
  static binary *const operations[] = {survival_add, survival_max, survival_min};
  const uint64_t weights[] = {1 + random_below(&o->random, 9), random_below(&o->random, 9)};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    struct survival a, b;
    survival_init_side(&a, &o->z.grid, o->z.side);
    survival_init_side(&b, &o->z.grid, o->z.side);
    survival_mix(&o->z, o->survivals, weights, 2);
    operations[i](&o->z, &o->z, &o->s[2]);
    operations[i](&a, &o->s[0], &o->s[2]);
    operations[i](&b, &o->s[1], &o->s[2]);
    survival_mix(&a, (const struct survival *[]){&a, &b}, weights, 2);
    /* the same pairs are rounded the same way: only chances differ */
    assert_near(&o->z, &a, 0, 3, "a choice distributes", o->seed);
    survival_clear(&a);
    survival_clear(&b);
  }
}

static void test_choice_distributes(void **state) {
  (void)state;
  operands_run(80, check_choice);
}

/* Certain choices, choices among alike, their order and their nesting. */
static void check_choices(struct operands *o) {
  const struct survival *alike[] = {&o->s[0], &o->s[0]}, *turned[] = {&o->s[1], &o->s[0]};
  survival_mix(&o->z, o->survivals, (uint64_t[]){5, 0}, 2);
  assert_true(survival_equal(&o->z, &o->s[0]));
  survival_mix(&o->z, alike, (uint64_t[]){5, 2}, 2);
  assert_true(survival_equal(&o->z, &o->s[0]));
  survival_mix(&o->z, o->survivals, (uint64_t[]){5, 2}, 2);
  survival_mix(&o->s[3], turned, (uint64_t[]){2, 5}, 2);
  assert_true(survival_equal(&o->z, &o->s[3]));
  /* 7/10 (5/7 x + 2/7 y) + 3/10 z = 5/10 x + 2/10 y + 3/10 z */
  survival_mix(&o->z, (const struct survival *[]){&o->z, &o->s[2]}, (uint64_t[]){7, 3}, 2);
  survival_mix(&o->s[3], o->survivals, (uint64_t[]){5, 2, 3}, 3);
  assert_near(&o->z, &o->s[3], 0, 1, "nested choices", o->seed);
}

static void test_choices(void **state) {
  (void)state;
  operands_run(60, check_choices);
}

/* max(x, x') and min(x, x') have the chances of both at once: min + max = x + x' in tails. Larger
 * operands give larger results, and min <= x <= max <= sum. */
static void check_order(struct operands *o) {
  static binary *const operations[] = {survival_add, survival_max, survival_min};
  struct survival max, larger;
  survival_init_side(&max, &o->z.grid, o->z.side);
  survival_init_side(&larger, &o->z.grid, o->z.side);
  survival_max(&max, &o->s[0], &o->s[1]);
  survival_min(&o->z, &o->s[0], &o->s[1]);
  for (size_t k = 0; k < grid_count(&o->z.grid); k++) {
    uint64_t both = max.tail[k] + o->z.tail[k], sum = o->s[0].tail[k] + o->s[1].tail[k];
    assert_true(both + 1 >= sum && both <= sum + 1);
  }
  assert_true(survival_dominates(&max, &o->s[0]) && survival_dominates(&o->s[0], &o->z));
  survival_add(&o->z, &o->s[0], &o->s[1]);
  assert_true(survival_dominates(&o->z, &max));
  survival_join(&larger, &o->s[0], &o->s[2]);
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    operations[i](&o->z, &o->s[0], &o->s[1]);
    operations[i](&max, &larger, &o->s[1]);
    assert_true(survival_dominates(&max, &o->z));
  }
  survival_clear(&larger);
  survival_clear(&max);
}

static void test_order(void **state) {
  (void)state;
  operands_run(80, check_order);
}

/* timeout(x, t, never) loses what is late; retries of it compose. */
static void check_attempts(struct operands *o) {
  struct rational limit, none;
  rational_init(&limit);
  rational_init(&none);
  uint64_t last = grid_value_ns(&o->z.grid, grid_count(&o->z.grid) - 1);
  size_t at = 1 + random_below(&o->random, grid_count(&o->z.grid) - 2);
  rational_set_integer(&limit, (int64_t)grid_value_ns(&o->z.grid, at));
  never(&o->s[1]);
  survival_timeout(&o->z, &o->s[0], &limit, NULL);
  survival_timeout(&o->s[2], &o->s[0], &limit, &o->s[1]);
  assert_true(survival_equal(&o->z, &o->s[2]));
  assert_true(survival_infinity(&o->z) == o->s[0].tail[at]);
  /* one more attempt is an attempt and then the rest */
  survival_retry(&o->s[2], &o->s[0], &limit, &none, 3, false);
  survival_retry(&o->z, &o->s[0], &limit, &none, 2, false);
  survival_timeout(&o->z, &o->s[0], &limit, &o->z);
  if (grid_is_linear(&o->z.grid)) {
    assert_near(&o->z, &o->s[2], 0, 4, "one more attempt", o->seed);
  } else {
    bool inward =
        o->z.side == SIDE_UPPER ? o->z.tail[0] >= o->s[2].tail[0] : o->z.tail[0] <= o->s[2].tail[0];
    assert_true(inward);
    assert_near(&o->z, &o->s[2], 2, 4, "one more attempt", o->seed);
  }
  /* a limit that nothing exceeds changes nothing but what would be infinite */
  rational_set_integer(&limit, (int64_t)last);
  if (survival_infinity(&o->s[0]) == 0) {
    survival_timeout(&o->z, &o->s[0], &limit, NULL);
    assert_true(survival_equal(&o->z, &o->s[0]));
  }
  rational_clear(&limit);
  rational_clear(&none);
}

static void test_attempts(void **state) {
  (void)state;
  operands_run(80, check_attempts);
}

/* Quantiles are monotone in p, and those of both sides never cross, whatever the operation. */
static void test_quantiles_never_cross(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct operands o[2];
    for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
      operands_init(&o[side], &test_grids[seed % TEST_GRIDS], (enum survival_side)side, seed);
      struct survival *z = &o[side].z;
      survival_add(z, &o[side].s[0], &o[side].s[1]);
      survival_max(z, z, &o[side].s[2]);
      struct copies parts[] = {{z, 1}, {&o[side].s[3], 2}, {&o[side].s[0], 2}};
      survival_kth(z, parts, 3, 2);
    }
    uint64_t before[2] = {0, 0};
    for (uint64_t i = 0; i <= 1000; i++) {
      struct rational p;
      uint64_t at[2];
      rational_init(&p);
      rational_set_fraction(&p, (int64_t)i, 1000);
      for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
        uint64_t tail = 0;
        assert_true(survival_tail_of_side(&tail, &p, (enum survival_side)side));
        if (!survival_quantile(&at[side], &o[side].z, tail))
          at[side] = UINT64_MAX;
        assert_true(at[side] >= before[side]);
        before[side] = at[side];
      }
      assert_true(at[SIDE_UPPER] >= at[SIDE_LOWER]);
      rational_clear(&p);
    }
    operands_clear(&o[0]);
    operands_clear(&o[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_never_and_no_wait),
      cmocka_unit_test(test_commutative),
      cmocka_unit_test(test_associative_up_to_rounding),
      cmocka_unit_test(test_waits_add_up),
      cmocka_unit_test(test_choice_distributes),
      cmocka_unit_test(test_choices),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_attempts),
      cmocka_unit_test(test_quantiles_never_cross),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
