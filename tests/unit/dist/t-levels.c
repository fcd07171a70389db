/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits of percentiles that do not contradict each other, over 40 series of each world (400 and
 * more worlds with TEST_ALL): their order, what is kept of an order, and how often they are wrong.
 */
#include "dist/statistics/levels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "dist/statistics/limits.h"
#include "dist/survival/survival.h"
#include "tests/unit/dist/worlds.h"

enum { N = 2000, ASKED = 11 };

/* In ten thousandths; some of them are levels. */
static const int64_t asked[ASKED] = {50,   1000, 2500, 3333, 5000, 7500,
                                     7550, 9000, 9250, 9500, 9900};

static unsigned runs = 40;

static void draw_stretches(uint64_t *series, size_t n, struct random *random) {
  uint64_t slow = 1;
  for (size_t i = 0; i < n; i++) {
    if (i % 50 == 0)
      slow = random_below(random, 4) == 0 ? 3 : 1;
    series[i] = (uint64_t)((double)slow * 1e6 * (1 + worlds_uniform(random)));
  }
}

static uint64_t stretches_quantile(double share) {
  return (uint64_t)(share <= 0.75 ? 1e6 * (1 + share / 0.75) : 3e6 * (1 + (share - 0.75) / 0.25));
}

static void to_sample(struct sample *sample, const uint64_t *series, size_t n) {
  sample_init(sample);
  for (size_t i = 0; i < n; i++) {
    assert_true(sample_add(sample, series[i], 1));
    sample_add_to_series(sample, series[i]);
  }
  sample_finish(sample);
}

struct tally {
  unsigned above[ASKED], below[ASKED], finite[ASKED];
  unsigned own_above[ASKED]; /* of the limit of the percentile by itself */
};

static uint64_t upper(const struct level_ends *ends) {
  return ends->upper_finite ? ends->upper_ns : UINT64_MAX;
}

/* What holds of a percentile holds of its neighbours; of what is settled more is known. */
static void assert_ordered(const struct level_ends *lower, const struct level_ends *higher) {
  assert_true(upper(lower) <= upper(higher));
  assert_true(lower->lower_ns <= higher->lower_ns);
  assert_true(!higher->upper_finite || !higher->upper_settled || lower->upper_settled);
  assert_true(lower->lower_ns == 0 || !lower->lower_settled || higher->lower_settled);
}

static void ask_all(struct level_ends ends[ASKED], struct levels *levels,
                    const struct sample *sample, uint64_t alpha) {
  struct rational share;
  rational_init(&share);
  for (size_t i = 0; i < ASKED; i++) {
    rational_set_fraction(&share, asked[i], 10000);
    ends[i] = levels_ends(levels, sample, &share, sample->real, alpha);
  }
  rational_clear(&share);
  for (size_t i = 1; i < ASKED; i++)
    assert_ordered(&ends[i - 1], &ends[i]);
}

static bool is_own_above(struct levels *levels, const struct sample *sample,
                         int64_t ten_thousandths, uint64_t truth) {
  struct rational share;
  uint64_t ns = 0;
  rational_init(&share);
  rational_set_fraction(&share, ten_thousandths, 10000);
  struct serial own = levels_at(levels, &share);
  bool finite =
      limit_upper(&ns, sample, &share, serial_worth_upper(&own, sample->real), SURVIVAL_ONE / 100);
  rational_clear(&share);
  return finite && own.settled && ns < truth;
}

static void judge(struct tally *tally, const uint64_t *series, const uint64_t truth[ASKED]) {
  struct sample sample;
  to_sample(&sample, series, N);
  struct levels *levels = levels_new(&sample, false);
  struct level_ends ends[ASKED];
  ask_all(ends, levels, &sample, SURVIVAL_ONE / 100);
  for (size_t i = 0; i < ASKED; i++) {
    tally->finite[i] += ends[i].upper_finite && ends[i].upper_settled;
    tally->above[i] += ends[i].upper_finite && ends[i].upper_settled && ends[i].upper_ns < truth[i];
    tally->own_above[i] += is_own_above(levels, &sample, asked[i], truth[i]);
    tally->below[i] += ends[i].lower_settled && ends[i].lower_ns > truth[i];
  }
  levels_free(levels);
  sample_clear(&sample);
}

static void assert_tally(const char *name, const struct tally *tally) {
  for (size_t i = 0; i < ASKED; i++) {
    print_message("# %s p%g: %u finite, %u too low, %u too high\n", name, (double)asked[i] / 100,
                  tally->finite[i], tally->above[i], tally->below[i]);
    /* of 400 at 1 % more than 11 are seen once in 1000 times, of 40 more than 3. Limits of
     * dependent series are wrong more often where they are hardly finite (SOUNDNESS.md), each by
     * itself: what is not to be is that the choice among levels adds to that. */
    unsigned own = tally->own_above[i], most = runs == 400 ? 11 : 3;
    assert_in_range(tally->above[i], 0, own > most ? own : most);
    assert_in_range(tally->below[i], 0, most);
  }
}

static void test_stretches(void **state) {
  (void)state;
  struct random random = {7};
  struct tally tally = {0};
  uint64_t *series = mem_alloc(N, sizeof *series), truth[ASKED];
  for (size_t i = 0; i < ASKED; i++)
    truth[i] = stretches_quantile((double)asked[i] / 10000);
  for (unsigned run = 0; run < runs; run++) {
    draw_stretches(series, N, &random);
    judge(&tally, series, truth);
  }
  mem_free(series);
  assert_tally("stretches", &tally);
  assert_true(tally.finite[7] * 10 >= runs * 7); /* p90, by what is known of those above */
}

static void test_worlds(void **state) {
  (void)state;
  static const struct world worlds[] = {
      {"ar 0.9", WORLD_REGRESSION, 0.9},     {"regimes 20", WORLD_REGIMES, 20},
      {"independent", WORLD_INDEPENDENT, 0}, {"ties", WORLD_TIES, 0},
      {"ar 0.6", WORLD_REGRESSION, 0.6},     {"regimes 50", WORLD_REGIMES, 50}};
  size_t count = runs == 400 ? sizeof worlds / sizeof *worlds : 2;
  uint64_t *series = mem_alloc(N, sizeof *series), truth[ASKED];
  unsigned char *slow = mem_alloc(N, 1);
  for (size_t w = 0; w < count; w++) {
    struct random random = {11 + w};
    struct tally tally = {0};
    for (size_t i = 0; i < ASKED; i++)
      truth[i] = worlds_quantile(&worlds[w], (double)asked[i] / 10000);
    for (unsigned run = 0; run < runs; run++) {
      worlds_draw(series, slow, N, &worlds[w], &random);
      judge(&tally, series, truth);
    }
    assert_tally(worlds[w].name, &tally);
  }
  mem_free(slow);
  mem_free(series);
}

/* Of independent draws the limits are those of limits.h, of each percentile by itself. */
static void test_independent(void **state) {
  (void)state;
  struct random random = {3};
  struct world world = {"independent", WORLD_INDEPENDENT, 0};
  uint64_t *series = mem_alloc(N, sizeof *series), ns = 0;
  unsigned char *slow = mem_alloc(N, 1);
  worlds_draw(series, slow, N, &world, &random);
  struct sample sample;
  to_sample(&sample, series, N);
  struct levels *levels = levels_new(&sample, false);
  struct level_ends ends[ASKED];
  ask_all(ends, levels, &sample, SURVIVAL_ONE / 100);
  for (size_t i = 0; i < ASKED; i++) {
    struct rational share;
    rational_init(&share);
    rational_set_fraction(&share, asked[i], 10000);
    assert_true(limit_upper(&ns, &sample, &share, N, SURVIVAL_ONE / 100));
    assert_int_equal(ends[i].upper_ns, ns);
    assert_int_equal(ends[i].lower_ns, limit_lower(&sample, &share, N, SURVIVAL_ONE / 100));
    rational_clear(&share);
  }
  levels_free(levels);
  sample_clear(&sample);
  mem_free(slow);
  mem_free(series);
}

/* What is kept of the order gives the limits of the series, to the nanosecond. */
static void test_kept_order(void **state) {
  (void)state;
  struct random random = {5};
  uint64_t *series = mem_alloc(N, sizeof *series);
  for (unsigned run = 0; run < 10; run++) {
    draw_stretches(series, N, &random);
    struct sample sample, kept;
    struct source_order order;
    to_sample(&sample, series, N);
    struct levels *levels = levels_new(&sample, false);
    assert_true(levels_order(&order, levels, N));
    sample_init(&kept);
    for (size_t i = 0; i < N; i++)
      assert_true(sample_add(&kept, series[i], 1));
    sample_finish(&kept);
    assert_false(sample_has_order(&kept));
    evidence_keep_order(&kept.evidence, &order);
    assert_true(sample_has_order(&kept));
    struct levels *again = levels_new(&kept, false);
    struct level_ends first[ASKED], second[ASKED];
    ask_all(first, levels, &sample, SURVIVAL_ONE / 100);
    ask_all(second, again, &kept, SURVIVAL_ONE / 100);
    for (size_t i = 0; i < ASKED; i++) {
      assert_int_equal(upper(&first[i]), upper(&second[i]));
      assert_int_equal(first[i].lower_ns, second[i].lower_ns);
      assert_int_equal(first[i].upper_settled, second[i].upper_settled);
    }
    struct serial all = levels_overall(levels), same = levels_overall(again);
    assert_int_equal(serial_worth(&all, N), serial_worth(&same, N));
    levels_free(levels);
    levels_free(again);
    sample_clear(&sample);
    sample_clear(&kept);
  }
  mem_free(series);
}

/* Of two stretches variances add up; what one of them does not settle neither does the whole. */
static void test_joined_orders(void **state) {
  (void)state;
  struct source_order a, b;
  order_set_independent(&a, 1000);
  order_set_independent(&b, 3000);
  order_join(&a, 1000, &b, 3000);
  assert_int_equal(a.all.upper, 4000);
  assert_int_equal(a.at[7].lower, 4000);
  order_set_independent(&a, 1000);
  a.all.upper = a.all.lower = 10; /* 4000^2 / (1000^2 / 10 + 3000^2 / 3000) = 155.3 */
  b.at[3].settled = false;
  order_join(&a, 1000, &b, 3000);
  assert_int_equal(a.all.upper, 155);
  assert_true(a.all.settled && !a.at[3].settled);
}

static void test_levels_rise(void **state) {
  (void)state;
  for (size_t i = 1; i < ORDER_LEVELS; i++)
    assert_true(order_level(i) > order_level(i - 1));
  assert_int_equal(order_level(0), 1000);
  assert_int_equal(order_level(ORDER_LEVELS - 1), 99999);
}

int main(void) {
  const char *all = getenv("TEST_ALL");
  if (all != NULL && *all != '\0')
    runs = 400;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_levels_rise), cmocka_unit_test(test_independent),
      cmocka_unit_test(test_stretches),   cmocka_unit_test(test_worlds),
      cmocka_unit_test(test_kept_order),  cmocka_unit_test(test_joined_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
