/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/binomial.h"
#include "dist/survival/order.h"
#include "tests/unit/dist/operands.h"

/* Every rank of up to four different laws, all outcomes gone through. */
static void check_different(struct operands *o) {
  size_t count = 1 + random_below(&o->random, OPERANDS);
  struct copies parts[OPERANDS];
  for (size_t i = 0; i < count; i++)
    parts[i] = (struct copies){&o->s[i], 1};
  for (size_t rank = 1; rank <= count; rank++) {
    exact_apply(&o->result, o->laws, count, exact_of_rank, &rank);
    survival_kth(&o->z, parts, count, rank);
    operands_check(o, "kth of different laws", count);
  }
}

static void test_different_laws(void **state) {
  (void)state;
  operands_run(60, check_different);
}

/* A few copies of some laws beside one of others, through outcomes as well. */
static void check_few_copies(struct operands *o) {
  struct copies parts[3] = {{&o->s[0], 1 + random_below(&o->random, 3)},
                            {&o->s[1], random_below(&o->random, 3)},
                            {&o->s[2], 1}};
  const struct exact *laws[6];
  size_t count = 0;
  for (size_t i = 0; i < 3; i++)
    for (uint64_t n = 0; n < parts[i].count; n++)
      laws[count++] = o->laws[i];
  size_t rank = 1 + random_below(&o->random, count);
  exact_apply(&o->result, laws, count, exact_of_rank, &rank);
  survival_kth(&o->z, parts, 3, rank);
  operands_check(o, "kth of few copies", count);
}

static void test_few_copies(void **state) {
  (void)state;
  operands_run(25, check_few_copies);
}

/* P(fewer than `rank` of all copies do not exceed) at one point, in rationals, one copy after the
 * other. */
static void chance_of_fewer(struct rational *chance, const struct copies *parts, size_t count,
                            size_t rank, size_t point) {
  struct rational *exactly = mem_alloc(rank, sizeof *exactly);
  struct rational exceeds, keeps, other;
  rational_init(&exceeds);
  rational_init(&keeps);
  rational_init(&other);
  for (size_t j = 0; j < rank; j++)
    rational_init(&exactly[j]);
  rational_set_integer(&exactly[0], 1);
  for (size_t i = 0; i < count; i++)
    for (uint64_t n = 0; n < parts[i].count; n++) {
      uint64_t tail = parts[i].survival->tail[point];
      rational_set_fraction(&exceeds, (int64_t)tail, (int64_t)SURVIVAL_ONE);
      rational_set_fraction(&keeps, (int64_t)(SURVIVAL_ONE - tail), (int64_t)SURVIVAL_ONE);
      for (size_t j = rank; j-- > 0;) {
        rational_mul(&exactly[j], &exactly[j], &exceeds);
        if (j == 0)
          continue;
        rational_mul(&other, &exactly[j - 1], &keeps);
        rational_add(&exactly[j], &exactly[j], &other);
      }
    }
  rational_set_integer(chance, 0);
  for (size_t j = 0; j < rank; j++) {
    rational_add(chance, chance, &exactly[j]);
    rational_clear(&exactly[j]);
  }
  rational_clear(&other);
  rational_clear(&keeps);
  rational_clear(&exceeds);
  mem_free(exactly);
}

static void compare_with_chances(const struct survival *z, const struct copies *parts, size_t count,
                                 size_t rank, uint64_t units, uint64_t seed) {
  struct rational exact, scale;
  rational_init(&exact);
  rational_init(&scale);
  rational_set_integer(&scale, (int64_t)SURVIVAL_ONE);
  assert_true(survival_is_valid(z));
  for (size_t k = 0; k < grid_count(&z->grid); k++) {
    chance_of_fewer(&exact, parts, count, rank, k);
    rational_mul(&exact, &exact, &scale);
    int64_t nearest;
    bool upper = z->side == SIDE_UPPER;
    assert_true(upper ? rational_ceil(&nearest, &exact) : rational_floor(&nearest, &exact));
    uint64_t tail = z->tail[k], right = (uint64_t)nearest;
    if (upper ? tail < right || tail > right + units : tail > right || tail + units < right)
      fail_msg("seed %lu: rank %zu on the %s side, point %zu: %lu instead of %lu",
               (unsigned long)seed, rank, upper ? "upper" : "lower", k, (unsigned long)tail,
               (unsigned long)right);
  }
  rational_clear(&scale);
  rational_clear(&exact);
}

/* Many copies, which are counted by binomials, alone and beside others. */
static void test_many_copies(void **state) {
  (void)state;
  const struct grid grid = {.sub_bits = 2, .octaves = 3};
  struct survival s[3], z;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct random random = {seed};
    enum survival_side side = seed % 2 ? SIDE_UPPER : SIDE_LOWER;
    size_t count = 1 + random_below(&random, 3);
    struct copies parts[3];
    uint64_t copies = 0;
    survival_init_side(&z, &grid, side);
    for (size_t i = 0; i < 3; i++) {
      survival_init_side(&s[i], &grid, side);
      random_survival(&s[i], &random, 8);
      parts[i] = (struct copies){&s[i], 1 + random_below(&random, seed % 3 ? 25 : 9)};
    }
    for (size_t i = 0; i < count; i++)
      copies += parts[i].count;
    size_t rank = 1 + random_below(&random, copies);
    survival_kth(&z, parts, count, rank);
    compare_with_chances(&z, parts, count, rank, 2 * copies, seed);
    survival_clear(&z);
    for (size_t i = 0; i < 3; i++)
      survival_clear(&s[i]);
  }
}

/* Chances far below 10^-18 on the way: (1/1000)^100 is the first term. */
static void test_tiny_terms(void **state) {
  (void)state;
  const struct grid grid = {.points = 2};
  struct survival x, z;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    survival_init_side(&x, &grid, (enum survival_side)side);
    survival_init_side(&z, &grid, (enum survival_side)side);
    x.tail[0] = SURVIVAL_ONE / 1000;
    x.tail[1] = 1;
    for (size_t rank = 1; rank <= 100; rank += 9) {
      survival_kth(&z, &(struct copies){&x, 100}, 1, rank);
      compare_with_chances(&z, &(struct copies){&x, 100}, 1, rank, 200, rank);
    }
    survival_clear(&x);
    survival_clear(&z);
  }
}

/* The first and the last of n are the minimum and the maximum. */
static void check_ends(struct operands *o) {
  struct survival expected;
  survival_init_side(&expected, &o->z.grid, o->z.side);
  struct copies parts[2] = {{&o->s[0], 1}, {&o->s[1], 1}};
  survival_kth(&o->z, parts, 2, 1);
  survival_min(&expected, &o->s[0], &o->s[1]);
  assert_true(survival_equal(&o->z, &expected));
  survival_kth(&o->z, parts, 2, 2);
  survival_max(&expected, &o->s[0], &o->s[1]);
  assert_true(survival_equal(&o->z, &expected));
  survival_set(&o->z, &o->s[0]);
  survival_kth(&o->z, (struct copies[]){{&o->z, 1}, {&o->s[1], 1}}, 2, 2); /* in place */
  assert_true(survival_equal(&o->z, &expected));
  survival_clear(&expected);
}

static void test_ends(void **state) {
  (void)state;
  operands_run(30, check_ends);
}

/* fewer than j of n heads: sums of binomial coefficients / 2^n. */
static void test_binomial_by_coefficients(void **state) {
  (void)state;
  struct binomial binomial;
  uint64_t below[41];
  binomial_init(&binomial, 40, 40);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    binomial_below(below, 40, &binomial, SURVIVAL_ONE / 2, (enum survival_side)side);
    uint64_t choose = 1, sum = 0;
    for (uint64_t j = 0; j <= 40; j++) {
      uint64_t exact = (uint64_t)(((uint128)sum * SURVIVAL_ONE) >> 40);
      if (side == SIDE_UPPER ? below[j] < exact || below[j] > exact + 80
                             : below[j] > exact || below[j] + 80 < exact)
        fail_msg("fewer than %lu of 40", (unsigned long)j);
      sum += choose;
      choose = choose * (40 - j) / (j + 1);
    }
  }
  binomial_clear(&binomial);
}

/* The sum of all terms below a rank and the sum from the rank outward agree, at every chance and
 * rank, for as many trials as tables can be made for. */
static void test_one_rank_of_many_trials(void **state) {
  (void)state;
  static const uint64_t trials[] = {8, 100, 3001};
  struct random random = {7};
  uint64_t *below[2];
  for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
    const uint64_t n = trials[t];
    struct binomial binomial;
    binomial_init(&binomial, n, n);
    below[0] = mem_alloc(n + 1, sizeof *below[0]);
    below[1] = mem_alloc(n + 1, sizeof *below[1]);
    for (size_t i = 0; i < 40; i++) {
      uint64_t no = 1 + random_below(&random, SURVIVAL_ONE - 1);
      no = i % 4 == 0 ? 1 + no % 1000 : i % 4 == 1 ? SURVIVAL_ONE - 1 - no % 1000 : no;
      for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
        binomial_below(below[side], n, &binomial, no, (enum survival_side)side);
      for (size_t j = 0; j < 20; j++) {
        struct binomial_rank one;
        uint64_t rank = j < 2 ? 1 + j * (n - 1) : 1 + random_below(&random, n);
        binomial_rank_init(&one, n, rank);
        uint64_t upper = binomial_fewer(&one, no, SIDE_UPPER);
        uint64_t lower = binomial_fewer(&one, no, SIDE_LOWER);
        if (upper < below[SIDE_LOWER][rank] || below[SIDE_UPPER][rank] < lower || upper < lower ||
            upper - lower > 4 * n || upper > below[SIDE_UPPER][rank] + 4 * n)
          fail_msg("fewer than %lu of %lu, chance %lu", (unsigned long)rank, (unsigned long)n,
                   (unsigned long)no);
      }
    }
    mem_free(below[0]);
    mem_free(below[1]);
    binomial_clear(&binomial);
  }
}

/* The first of more copies than anybody has: exponents keep within their range. */
static void test_absurdly_many_copies(void **state) {
  (void)state;
  const struct grid grid = {.points = 2};
  struct survival x, z;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    survival_init_side(&x, &grid, (enum survival_side)side);
    survival_init_side(&z, &grid, (enum survival_side)side);
    x.tail[0] = SURVIVAL_ONE - 1;
    x.tail[1] = SURVIVAL_ONE / 2;
    survival_kth(&z, &(struct copies){&x, UINT64_C(1) << 62}, 1, 1);
    /* e^-4.61 = 0.00993; 64 digits do not tell much here, but the side is kept */
    bool bound = side == SIDE_UPPER ? z.tail[0] > SURVIVAL_ONE / 100000 * 993
                                    : z.tail[0] < SURVIVAL_ONE / 100000 * 994;
    assert_true(bound && survival_is_valid(&z));
    assert_true(z.tail[1] == (side == SIDE_UPPER ? 1 : 0));
    survival_clear(&x);
    survival_clear(&z);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_different_laws),
      cmocka_unit_test(test_few_copies),
      cmocka_unit_test(test_many_copies),
      cmocka_unit_test(test_tiny_terms),
      cmocka_unit_test(test_ends),
      cmocka_unit_test(test_binomial_by_coefficients),
      cmocka_unit_test(test_one_rank_of_many_trials),
      cmocka_unit_test(test_absurdly_many_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
