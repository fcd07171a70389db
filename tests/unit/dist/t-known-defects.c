/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What known calculators of latency distributions get wrong: each time the wrong answer, computed
 * their way, and ours.
 */
#include <complex.h>
#include <math.h>

#include "dist/survival/combine.h"
#include "dist/survival/order.h"
#include "dist/survival/regrid.h"
#include "dist/survival/sum.h"
#include "tests/unit/dist/operands.h"

static const struct grid small = {.points = 64};

/* The constant `high` with the chance part / whole, else 0, rounded to the side. */
static void two_point(struct survival *s, uint64_t high, uint64_t part, uint64_t whole) {
  uint128 tail = (uint128)part * SURVIVAL_ONE + (s->side == SIDE_UPPER ? whole - 1 : 0);
  for (size_t k = 0; k < grid_count(&s->grid); k++)
    s->tail[k] = k < high ? (uint64_t)(tail / whole) : 0;
}

/* First to finish of three, each done by t with F = 1/2: sum of the F less their product is a
 * "probability" of 1.375; the truth is 1 - (1 - F)^3 = 0.875. */
static void test_first_of_three_is_no_sum_less_product(void **state) {
  (void)state;
  const double f = 0.5, defect = 3 * f - f * f * f;
  assert_true(defect == 1.375);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    struct survival x, z;
    survival_init_side(&x, &small, (enum survival_side)side);
    survival_init_side(&z, &small, (enum survival_side)side);
    two_point(&x, 5, 1, 2);
    survival_min_many(&z, &x, 3);
    assert_true(SURVIVAL_ONE - z.tail[4] == SURVIVAL_ONE / 8 * 7);
    survival_kth(&z, &(struct copies){&x, 3}, 1, 1);
    assert_true(SURVIVAL_ONE - z.tail[4] == SURVIVAL_ONE / 8 * 7);
    survival_clear(&x);
    survival_clear(&z);
  }
}

/* Bringing a law onto bins 1.6 times as wide by the rounded ratio 2 stretches time: 8 bins of 5
 * become 4 bins of 8, so an answer after 40 is said to come after 32. */
static void test_regridding_keeps_time(void **state) {
  (void)state;
  const uint64_t bins = 8, from = 5, to = 8;
  const uint64_t ratio = (uint64_t)((double)to / (double)from + 0.5);
  assert_int_equal(bins / ratio * to, 32);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    struct survival x, z;
    uint64_t at;
    survival_init_side(&x, &(struct grid){.points = 64}, (enum survival_side)side);
    survival_init_side(&z, &(struct grid){.shift = 3, .points = 16}, (enum survival_side)side);
    two_point(&x, bins * from, 1, 1);
    survival_regrid(&z, &x);
    assert_true(survival_quantile(&at, &z, SURVIVAL_ONE / 2) && at == 40);
    two_point(&x, 41, 1, 1); /* between points: outward */
    survival_regrid(&z, &x);
    assert_true(survival_quantile(&at, &z, SURVIVAL_ONE / 2));
    assert_int_equal(at, side == SIDE_UPPER ? 48 : 40);
    survival_clear(&x);
    survival_clear(&z);
  }
}

/* (x y + 65535) >> 16 on 16-bit distribution functions: the last of two to finish, each in time
 * with the chance 0.001, is said to be in time 15 times too often. */
static void test_chances_are_not_rounded_optimistically(void **state) {
  (void)state;
  const uint32_t f = 66; /* 0.001 of 2^16, and above it */
  const double truth = 0.001 * 0.001, defect = (double)((f * f + 65535) >> 16) / 65536;
  assert_true(defect > 15 * truth);
  struct survival x, z;
  survival_init(&x, &small);
  survival_init(&z, &small);
  two_point(&x, 5, 999, 1000);
  survival_max(&z, &x, &x);
  double in_time = (double)(SURVIVAL_ONE - z.tail[4]) / (double)SURVIVAL_ONE;
  /* never above the truth, and the next smaller unit is */
  assert_true((uint128)(SURVIVAL_ONE - z.tail[4]) * 1000000 <= SURVIVAL_ONE);
  assert_true((uint128)(SURVIVAL_ONE - z.tail[4] + 2000) * 1000000 > SURVIVAL_ONE);
  assert_true(fabs(in_time - truth) < 1e-15);
  survival_clear(&x);
  survival_clear(&z);
}

/* Chances below a threshold removed and the rest renormalised: with a tail of 64 values of 1e-6
 * each, everything above the body vanishes; here all of it stays. */
static void test_small_chances_are_kept(void **state) {
  (void)state;
  const double chance = 1e-6, threshold = 1e-5;
  double mass[64] = {0}, sum = 0, beyond = 0;
  mass[0] = 1 - 63 * chance;
  for (int k = 1; k < 64; k++)
    mass[k] = chance;
  for (int k = 0; k < 64; k++)
    sum += mass[k] *= mass[k] >= threshold;
  for (int k = 1; k < 64; k++)
    beyond += mass[k] / sum;
  assert_true(beyond == 0);
  struct survival x, z;
  survival_init(&x, &small);
  survival_init(&z, &small);
  for (size_t k = 0; k < 64; k++)
    x.tail[k] = (uint64_t)(((uint128)(63 - k) * SURVIVAL_ONE) / 1000000);
  survival_add(&z, &x, &x);
  uint128 body = SURVIVAL_ONE - x.tail[0];
  uint128 exact = (uint128)SURVIVAL_ONE * SURVIVAL_ONE - body * body; /* not both 0 */
  assert_true(z.tail[0] == (uint64_t)((exact + SURVIVAL_ONE - 1) / SURVIVAL_ONE));
  assert_true(z.tail[0] > 2 * x.tail[0] - x.tail[0] / 1000);
  survival_clear(&x);
  survival_clear(&z);
}

enum { BINS = 512 };

/* How many bins of the fourth power of a law come out below 0 when it is computed by a floating
 * Fourier transform. */
static size_t negative_bins(const double *mass) {
  double complex spectrum[BINS];
  size_t negative = 0;
  for (size_t f = 0; f < BINS; f++) {
    spectrum[f] = 0;
    for (size_t k = 0; k < BINS; k++)
      spectrum[f] += mass[k] * cexp(-2 * M_PI * I * (double)(f * k % BINS) / BINS);
    spectrum[f] *= spectrum[f];
    spectrum[f] *= spectrum[f];
  }
  for (size_t k = 0; k < BINS; k++) {
    double complex sum = 0;
    for (size_t f = 0; f < BINS; f++)
      sum += spectrum[f] * cexp(2 * M_PI * I * (double)(f * k % BINS) / BINS);
    negative += creal(sum) < 0;
  }
  return negative;
}

/* Powers of a law with a thin tail: nothing is negative, nothing increases, at any n. */
static void test_thin_tails_stay_chances(void **state) {
  (void)state;
  double mass[BINS] = {0};
  for (int k = 0; k < 61; k++)
    mass[k] = ldexp(1, -(k + 1));
  assert_true(negative_bins(mass) > 20);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    struct survival x, z;
    const struct grid grid = {.points = 2048};
    survival_init_side(&x, &grid, (enum survival_side)side);
    survival_init_side(&z, &grid, (enum survival_side)side);
    for (size_t k = 0; k < grid.points; k++)
      x.tail[k] = k < 61 ? SURVIVAL_ONE >> (k + 1) : 0;
    for (uint64_t n = 1; n <= 64; n *= 2) {
      survival_add_many(&z, &x, n);
      assert_true(survival_is_valid(&z));
      /* P(all are 0) = 2^-n, exact as long as it is a whole unit */
      if (SURVIVAL_ONE % (UINT64_C(1) << (n < 63 ? n : 63)) == 0)
        assert_true(SURVIVAL_ONE - z.tail[0] == SURVIVAL_ONE >> n);
    }
    survival_clear(&x);
    survival_clear(&z);
  }
}

/* The rank of a percentile rounded to the nearest answers one sample too low: of 10 samples 1 .. 10
 * the 0.94 quantile is the tenth, and rank (int)(9.4 + 0.5) is the ninth. */
static void test_quantiles_round_their_rank_up(void **state) {
  (void)state;
  assert_int_equal((int64_t)(0.94 * 10 + 0.5), 9);
  struct rational p;
  rational_init(&p);
  assert_true(rational_parse(&p, "0.94"));
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    struct survival x;
    uint64_t tail, at;
    survival_init_side(&x, &small, (enum survival_side)side);
    for (size_t k = 0; k < 64; k++)
      x.tail[k] = k < 10 ? (uint64_t)(((uint128)(10 - k) * SURVIVAL_ONE) / 10) : 0;
    assert_true(survival_tail_of_side(&tail, &p, (enum survival_side)side));
    assert_true(survival_quantile(&at, &x, tail));
    assert_int_equal(at, 10);
    survival_clear(&x);
  }
  rational_clear(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_of_three_is_no_sum_less_product),
      cmocka_unit_test(test_regridding_keeps_time),
      cmocka_unit_test(test_chances_are_not_rounded_optimistically),
      cmocka_unit_test(test_small_chances_are_kept),
      cmocka_unit_test(test_thin_tails_stay_chances),
      cmocka_unit_test(test_quantiles_round_their_rank_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
