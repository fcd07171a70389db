/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dist/statistics/certify.h"
#include "dist/statistics/chance.h"
#include "dist/statistics/confidence.h"
#include "dist/survival/sum.h"
#include "dist/survival/wide.h"
#include "tests/unit/dist/random.h"
#include "dist/source/sample.h"

static const struct grid small = {.sub_bits = 7, .octaves = 1}; /* 0 .. 256 */

static uint64_t units(double x) {
  return (uint64_t)(x * (double)SURVIVAL_ONE);
}

static void sample_of(struct sample *sample, struct sample_bin *bins, size_t count,
                      uint64_t beyond) {
  *sample = (struct sample){.bins = bins, .count = count, .beyond = beyond, .total = beyond};
  for (size_t i = 0; i < count; i++)
    sample->total += bins[i].count;
  sample->real = sample->total;
}

static void test_empirical_law(void **state) {
  (void)state;
  struct sample_bin bins[] = {{0, 0, 1}, {10, 10, 2}, {256, 256, 3}, {257, 257, 1}};
  struct sample sample;
  sample_of(&sample, bins, 4, 2);
  struct survival s;
  survival_init(&s, &small);
  confidence_survival(&s, &sample, 0);
  assert_true(survival_is_valid(&s));
  const struct {
    uint64_t x, above;
  } cases[] = {{0, 8}, {1, 8}, {9, 8}, {10, 6}, {255, 6}, {256, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_true(s.tail[cases[i].x] == (uint64_t)(((uint128)cases[i].above * SURVIVAL_ONE + 8) / 9));
  survival_clear(&s);
}

/* The percentile of the law which the sample is, on both sides. */
static void assert_percentile(const struct sample *sample, const char *p, uint64_t expected) {
  const struct grid grid = {.shift = 0, .points = (size_t)1 << 22};
  struct rational share;
  rational_init(&share);
  assert_true(rational_parse(&share, p));
  for (int i = SIDE_UPPER; i <= SIDE_LOWER; i++) {
    enum survival_side side = (enum survival_side)i;
    struct survival s;
    uint64_t tail, at = 0;
    survival_init_side(&s, &grid, side);
    confidence_survival(&s, sample, 0);
    assert_true(survival_tail_of_side(&tail, &share, side) && survival_quantile(&at, &s, tail));
    if (at != expected)
      fail_msg("p %s of %lu, side %d: %lu", p, (unsigned long)sample->total, i, (unsigned long)at);
    survival_clear(&s);
  }
  rational_clear(&share);
}

/* Of 10, 1000 or 10^6 observations p90 is the 9th, 900th or 900000th: the least value that nine
 * tenths of them do not exceed. */
static void test_decimal_ranks_are_exact(void **state) {
  (void)state;
  struct sample_bin *bins = calloc(1000000, sizeof *bins);
  struct sample sample;
  for (uint64_t i = 0; i < 1000000; i++)
    bins[i] = (struct sample_bin){i + 1, i + 1, 1};
  sample_of(&sample, bins, 10, 0);
  assert_percentile(&sample, "0.1", 1);
  assert_percentile(&sample, "0.2", 2);
  assert_percentile(&sample, "0.9", 9);
  assert_percentile(&sample, "0.91", 10);
  sample_of(&sample, bins, 1000, 0);
  assert_percentile(&sample, "0.9", 900);
  assert_percentile(&sample, "0.95", 950);
  assert_percentile(&sample, "0.99", 990);
  assert_percentile(&sample, "0.999", 999);
  assert_percentile(&sample, "0.9991", 1000);
  sample_of(&sample, bins, 1000000, 0);
  assert_percentile(&sample, "0.999999", 999999);
  free(bins);
  struct sample_bin mostly_zero[] = {{0, 0, 9}, {2360000, 2360000, 1}};
  sample_of(&sample, mostly_zero, 2, 0);
  assert_percentile(&sample, "0.9", 0);
}

/* Two laws of 10 observations 1 .. 10: their sum has 100 outcomes, of which 10 are at most 5. */
static void test_sums_of_decimal_shares_are_exact(void **state) {
  (void)state;
  struct sample_bin bins[10];
  for (uint64_t i = 0; i < 10; i++)
    bins[i] = (struct sample_bin){i + 1, i + 1, 1};
  struct sample sample;
  sample_of(&sample, bins, 10, 0);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    struct survival s;
    survival_init_side(&s, &small, (enum survival_side)side);
    confidence_survival(&s, &sample, 0);
    survival_add(&s, &s, &s);
    for (uint64_t sum = 2, least = 0; sum <= 20; sum++) {
      least += sum <= 11 ? sum - 1 : 21 - sum;
      assert_true(survival_tail(&s, sum) == SURVIVAL_ONE / 100 * (100 - least));
    }
    survival_clear(&s);
  }
}

/* At every point of a grid without roundings it is the band itself. */
static void test_a_chance_alone_is_that_of_the_band(void **state) {
  (void)state;
  const struct grid every = {.points = 300};
  struct sample_bin bins[] = {{0, 0, 40}, {5, 20, 30}, {12, 40, 20}, {40, 60, 9}, {200, 250, 7}};
  struct sample sample;
  sample_of(&sample, bins, 5, 2);
  for (int i = SIDE_UPPER; i <= SIDE_LOWER; i++)
    for (int certain = 0; certain < 2; certain++) {
      enum survival_side side = (enum survival_side)i;
      uint64_t alpha = certain ? 0 : units(0.05);
      struct survival s;
      survival_init_side(&s, &every, side);
      confidence_band(&s, &sample, alpha, BAND_BOTH);
      for (uint64_t x = 0; x < 299; x++)
        assert_true(confidence_above(&sample, x, sample.real, alpha, BAND_BOTH, side) == s.tail[x]);
      survival_clear(&s);
    }
}

static void test_chances_are_certified_and_tight(void **state) {
  (void)state;
  const uint64_t sizes[] = {1, 2, 7, 100, 12345, 1000000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (uint64_t k = 0; k < sizes[i] && k <= 20000; k = 2 * k + 1) {
      uint64_t n = sizes[i], alpha = units(0.01 / 41);
      uint64_t u = chance_upper(k, n, alpha);
      if (u < SURVIVAL_ONE && !certify_binomial(k, n, u, alpha))
        fail_msg("%lu of %lu: not certified", (unsigned long)k, (unsigned long)n);
      if (certify_binomial(k, n, u - (u >> 20) - 1, alpha))
        fail_msg("%lu of %lu: not tight", (unsigned long)k, (unsigned long)n);
    }
}

static void test_published_figures(void **state) {
  (void)state;
  /* n = 10^6, 99 %, 41 ranks: unseen mass 8.3e-6 */
  uint64_t alpha = units(0.01) / 41;
  assert_in_range(chance_upper(0, 1000000, alpha), units(8.2e-6), units(8.4e-6));
  assert_in_range(chance_upper(10, 1000000, alpha), units(2.6e-5), units(2.7e-5));
  assert_in_range(chance_upper(1000, 1000000, alpha), units(1.1e-3), units(1.2e-3));
}

static void test_band_covers_the_empirical_law(void **state) {
  (void)state;
  struct survival band, plain, wider;
  survival_init(&band, &small);
  survival_init(&plain, &small);
  survival_init(&wider, &small);
  for (uint64_t seed = 0; seed < 30; seed++) {
    struct random random = {seed};
    struct sample_bin bins[20];
    for (size_t i = 0; i < 20; i++)
      bins[i] = (struct sample_bin){0, 10 * i + random_below(&random, 10),
                                    1 + random_below(&random, 500)};
    struct sample sample;
    sample_of(&sample, bins, 1 + random_below(&random, 20), random_below(&random, 3));
    confidence_survival(&plain, &sample, 0);
    confidence_survival(&band, &sample, units(0.05));
    confidence_survival(&wider, &sample, units(0.001));
    assert_true(survival_is_valid(&band));
    assert_true(survival_dominates(&band, &plain));
    assert_true(survival_dominates(&wider, &band));
    assert_true(survival_infinity(&band) > 0);
    sample.real = 1 + sample.total / 2;
    confidence_survival(&wider, &sample, units(0.05));
    assert_true(survival_dominates(&wider, &band));
  }
  survival_clear(&band);
  survival_clear(&plain);
  survival_clear(&wider);
}

/* Each count of exceedances gets the chance of its own rank or of the next one, not of the one
 * before: the tail at which k of n exceed fails with far less than all of alpha. */
static void test_every_count_has_its_rank(void **state) {
  (void)state;
  struct sample_bin bins[200];
  for (size_t i = 0; i < 200; i++)
    bins[i] = (struct sample_bin){i, i, 1};
  struct sample sample;
  sample_of(&sample, bins, 200, 0);
  uint64_t alpha = units(0.01);
  struct survival s;
  survival_init(&s, &small);
  confidence_survival(&s, &sample, alpha);
  for (uint64_t k = 0; k < 12; k++)
    if (!certify_binomial(k, 200, s.tail[199 - k], alpha / 8))
      fail_msg("%lu of 200", (unsigned long)k);
  survival_clear(&s);
}

/* n draws of floor(257 u^2), P(X > x) = 1 - sqrt((x + 1) / 257), in `bins` of 257. */
static void draw_squares(struct sample *sample, struct sample_bin *bins, uint64_t n,
                         uint64_t seed) {
  struct random random = {seed * 7919 + 5};
  *sample = (struct sample){.bins = bins, .count = 0, .total = n, .real = n};
  uint64_t counts[257] = {0};
  for (uint64_t i = 0; i < n; i++) {
    double u = (double)(random_next(&random) >> 11) * 0x1p-53;
    counts[(size_t)(257 * u * u)]++;
  }
  for (uint64_t x = 0; x < 257; x++)
    if (counts[x] != 0)
      bins[sample->count++] = (struct sample_bin){x, x, counts[x]};
}

/* How often does the band fail? */
static uint64_t count_failures(enum survival_side side, uint64_t runs, uint64_t n, uint64_t alpha,
                               enum confidence_band kind) {
  struct survival s;
  survival_init_side(&s, &small, side);
  uint64_t failures = 0;
  for (uint64_t seed = 0; seed < runs; seed++) {
    struct sample_bin bins[257];
    struct sample sample;
    draw_squares(&sample, bins, n, seed);
    confidence_band(&s, &sample, alpha, kind);
    bool failed = false;
    for (uint64_t x = 0; x < 256; x++) {
      double truth = 1 - sqrt((double)(x + 1) / 257),
             said = (double)s.tail[x] / (double)SURVIVAL_ONE;
      failed = failed || (side == SIDE_UPPER ? said < truth : said > truth);
    }
    failures += failed;
  }
  survival_clear(&s);
  return failures;
}

static void test_coverage(void **state) {
  (void)state;
  /* At most 60 of 300 expected; more than 80 would be a 3 sigma event. Zero would mean slack. */
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
    for (int kind = BAND_BOTH; kind <= BAND_DKW; kind++) {
      uint64_t failures = count_failures((enum survival_side)side, 300, 400, units(0.2),
                                         (enum confidence_band)kind);
      print_message("# side %d, kind %d: %lu of 300\n", side, kind, (unsigned long)failures);
      if (failures > 80 || failures < 5)
        fail_msg("side %d, kind %d: %lu failures of 300", side, kind, (unsigned long)failures);
    }
}

static void test_chances_below_are_certified_and_tight(void **state) {
  (void)state;
  const uint64_t sizes[] = {2, 7, 100, 12345, 1000000, UINT64_C(1) << 40};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (uint64_t k = 1; k <= sizes[i] / 2 && k <= 20000; k = 2 * k + 1) {
      uint64_t n = sizes[i], alpha = units(0.01 / 41), u = chance_lower(k, n, alpha);
      if (!certify_binomial_above(k, n, u, alpha))
        fail_msg("%lu of %lu: not certified", (unsigned long)k, (unsigned long)n);
      if (certify_binomial_above(k, n, u + (u >> 18) + 2, alpha))
        fail_msg("%lu of %lu: not tight", (unsigned long)k, (unsigned long)n);
    }
  /* one in n: 1 - (1 - alpha)^(1/n) */
  double least = -expm1(log1p(-0.001) / 1000) * (double)SURVIVAL_ONE;
  assert_in_range(chance_lower(1, 1000, units(0.001)), (uint64_t)(least * 0.9999),
                  (uint64_t)(least * 1.0001));
}

/* Observations at the lower edge, up to which the next point belongs; those beyond at the greatest
 * of these. */
static void test_empirical_law_below(void **state) {
  (void)state;
  struct sample_bin bins[] = {{0, 0, 1}, {90, 100, 4}, {10, 110, 2}, {200, 300, 1}};
  struct sample sample;
  sample_of(&sample, bins, 4, 2);
  struct survival s;
  survival_init_side(&s, &small, SIDE_LOWER);
  confidence_survival(&s, &sample, 0);
  assert_true(survival_is_valid(&s));
  const struct {
    uint64_t x, reached;
  } cases[] = {{0, 9}, {8, 9}, {9, 9}, {10, 7}, {89, 7}, {90, 3}, {199, 3}, {200, 0}, {256, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (s.tail[cases[i].x] != (uint64_t)((uint128)cases[i].reached * SURVIVAL_ONE / 10))
      fail_msg("at %lu", (unsigned long)cases[i].x);
  survival_clear(&s);
  /* a grid that does not have the edge: what is not yet reached at the next point does not count */
  struct grid coarse = {.shift = 4, .points = 32}; /* multiples of 16 */
  survival_init_side(&s, &coarse, SIDE_LOWER);
  confidence_survival(&s, &sample, 0);
  assert_true(survival_is_valid(&s));
  assert_true(s.tail[5] == (uint64_t)((uint128)3 * SURVIVAL_ONE / 10)); /* 80 to 96 */
  assert_true(s.tail[4] == (uint64_t)((uint128)7 * SURVIVAL_ONE / 10)); /* 64 to 80 */
  assert_true(s.tail[31] == 0);
  survival_clear(&s);
}

/* Below is below the empirical law, above is above; less risk is further out; fewer real too. */
static void test_bands_enclose(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct random random = {seed};
    struct sample_bin bins[20];
    for (size_t i = 0; i < 20; i++) {
      uint64_t x = 12 * i + random_below(&random, 12);
      bins[i] =
          (struct sample_bin){x - random_below(&random, x + 1), x, 1 + random_below(&random, 500)};
    }
    struct sample sample;
    sample_of(&sample, bins, 1 + random_below(&random, 20), random_below(&random, 3));
    struct survival truth, band, wider;
    survival_init_side(&truth, &small, SIDE_LOWER);
    survival_init_side(&band, &small, SIDE_LOWER);
    survival_init_side(&wider, &small, SIDE_LOWER);
    confidence_survival(&truth, &sample, 0);
    for (int kind = BAND_BOTH; kind <= BAND_DKW; kind++) {
      confidence_band(&band, &sample, units(0.05), (enum confidence_band)kind);
      confidence_band(&wider, &sample, units(0.001), (enum confidence_band)kind);
      assert_true(survival_is_valid(&band) && survival_is_valid(&wider));
      assert_true(survival_dominates(&truth, &band) && survival_dominates(&band, &wider));
    }
    confidence_band(&wider, &sample, units(0.05), BAND_BOTH);
    confidence_band_predicted(&band, &sample, sample.total * 100, units(0.05), BAND_BOTH);
    assert_true(survival_dominates(&band, &wider)); /* more of the same is closer */
    confidence_band_predicted(&band, &sample, sample.total, units(0.05), BAND_BOTH);
    assert_true(survival_equal(&band, &wider));
    sample.real = 1 + sample.total / 2;
    confidence_band(&band, &sample, units(0.05), BAND_BOTH);
    assert_true(survival_dominates(&wider, &band));
    survival_clear(&truth);
    survival_clear(&band);
    survival_clear(&wider);
  }
}

static void test_samples_needed(void **state) {
  (void)state;
  uint64_t tail = units(1e-4), alpha = units(0.001);
  uint64_t needed = confidence_samples_needed(tail, alpha, 10);
  /* ten hops at p99.99, 99 % over all: about a million */
  assert_in_range(needed, 900000, 1100000);
  for (int i = 0; i < 2; i++) {
    uint64_t n = i == 0 ? needed : needed - needed / 100;
    struct sample_bin bins[] = {{5, 5, n}};
    struct sample sample;
    sample_of(&sample, bins, 1, 0);
    struct survival s;
    survival_init(&s, &small);
    confidence_survival(&s, &sample, alpha);
    double unseen = (double)survival_infinity(&s) / (double)SURVIVAL_ONE;
    double all = -expm1(10 * log1p(-unseen));
    assert_true((i == 0) == (all <= 1e-4 * (1 + 1e-9)));
    survival_clear(&s);
  }
  assert_int_equal(confidence_samples_needed(0, alpha, 10), 0);
  assert_int_equal(confidence_samples_needed(tail, 0, 10), 0);
  assert_true(confidence_samples_needed(units(1e-5), alpha, 10) > 9 * needed);
  /* of the margin alone: log(1 / alpha) / (2 e^2) */
  uint64_t by_margin = confidence_samples_needed_of(units(0.01), alpha, 1, BAND_DKW);
  assert_in_range(by_margin, 34530, 34600);
  assert_true(confidence_samples_needed_of(tail, alpha, 10, BAND_RANKS) < needed);
  /* few samples suffice for a median: the search must end there too */
  for (uint64_t terms = 1; terms < 40; terms++)
    assert_true(confidence_samples_needed(units(0.5), alpha, terms) >= 1);
}

/* Where alpha is a handful of units, certified chances need not be ordered: the band has to be. */
static void test_bands_are_ordered(void **state) {
  (void)state;
  struct sample_bin bins[257];
  for (size_t i = 0; i < 257; i++)
    bins[i] = (struct sample_bin){i, i, 1 + (256 - i) * (256 - i) / 24};
  struct sample sample;
  sample_of(&sample, bins, 257, 3);
  for (uint64_t alpha = 1; alpha < 1000; alpha += 1 + alpha / 2)
    for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
      struct survival s;
      survival_init_side(&s, &small, (enum survival_side)side);
      confidence_band(&s, &sample, alpha, BAND_BOTH);
      for (size_t k = 1; k < grid_count(&small); k++)
        if (s.tail[k] > s.tail[k - 1])
          fail_msg("alpha %lu, side %d: rises at %zu", (unsigned long)alpha, side, k);
      survival_clear(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empirical_law),
      cmocka_unit_test(test_a_chance_alone_is_that_of_the_band),
      cmocka_unit_test(test_decimal_ranks_are_exact),
      cmocka_unit_test(test_sums_of_decimal_shares_are_exact),
      cmocka_unit_test(test_chances_are_certified_and_tight),
      cmocka_unit_test(test_published_figures),
      cmocka_unit_test(test_band_covers_the_empirical_law),
      cmocka_unit_test(test_every_count_has_its_rank),
      cmocka_unit_test(test_coverage),
      cmocka_unit_test(test_samples_needed),
      cmocka_unit_test(test_chances_below_are_certified_and_tight),
      cmocka_unit_test(test_empirical_law_below),
      cmocka_unit_test(test_bands_enclose),
      cmocka_unit_test(test_bands_are_ordered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
