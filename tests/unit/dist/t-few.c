/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Series of 8 to 63: how often independent ones are told from others, and how often the limits of
 * those that pass are wrong, over 200 series of each world (1000 with TEST_ALL). Of some worlds no
 * test tells: that is why so few rows show nothing by themselves (levels_tell).
 */
#include "dist/statistics/few.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dist/statistics/levels.h"
#include "dist/survival/survival.h"
#include "tests/unit/dist/worlds.h"

static unsigned runs = 200;

/* `clients` in turn, each autoregressive, each value `times` over. */
struct few_world {
  const char *name;
  size_t n, clients, times;
  double memory;
  double most_settled, least_settled; /* of all */
  double most_wrong;                  /* of the two ends of all, at 99 % */
};

static const struct few_world worlds[] = {
    {"independent, 8", 8, 1, 1, 0, 1, 0.9, 0.02},
    {"independent, 20", 20, 1, 1, 0, 1, 0.9, 0.02},
    {"independent, 63", 63, 1, 1, 0, 1, 0.9, 0.02},
    {"memory 0.3, 63", 63, 1, 1, 0.3, 0.6, 0, 0.025},
    {"memory 0.6, 40", 40, 1, 1, 0.6, 0.2, 0, 0.025},
    {"memory 0.9, 30", 30, 1, 1, 0.9, 0.1, 0, 0.025},
    {"memory 0.9, 60", 60, 1, 1, 0.9, 0.02, 0, 0.01},
    {"each twice, 62", 62, 1, 2, 0, 0.3, 0, 0.025},
    {"ten clients in turn, 60", 60, 10, 1, 0.95, 0.2, 0, 0.03},
};

static void draw(uint64_t *series, const struct few_world *world, struct random *random) {
  double level[10];
  for (size_t c = 0; c < world->clients; c++)
    level[c] = worlds_normal(random);
  for (size_t i = 0; i < world->n; i++) {
    double *z = &level[i / world->times % world->clients];
    series[i] = worlds_value(*z, 1);
    if (i % world->times == world->times - 1)
      *z = world->memory * *z + sqrt(1 - world->memory * world->memory) * worlds_normal(random);
  }
}

/* Of p50, which is 1 ms; whether both ends are settled. */
static bool count_wrong(unsigned *wrong, const uint64_t *series, size_t n) {
  struct sample sample;
  struct rational half;
  sample_init(&sample);
  rational_init(&half);
  rational_set_fraction(&half, 1, 2);
  for (size_t i = 0; i < n; i++) {
    assert_true(sample_add_range(&sample, series[i], series[i], 1));
    sample_add_to_series(&sample, series[i]);
  }
  sample_finish(&sample);
  struct levels *levels = levels_new(&sample, false);
  struct level_ends ends = levels_ends(levels, &sample, &half, n, SURVIVAL_ONE / 100);
  *wrong += ends.upper_settled && ends.upper_finite && ends.upper_ns < 1000000;
  *wrong += ends.lower_settled && ends.lower_ns > 1000000;
  levels_free(levels);
  rational_clear(&half);
  sample_clear(&sample);
  return ends.upper_settled && ends.lower_settled;
}

static void test_worlds(void **state) {
  (void)state;
  for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
    struct random random = {w + 1};
    uint64_t series[FEW_MOST];
    unsigned wrong = 0, settled = 0;
    for (unsigned k = 0; k < runs; k++) {
      draw(series, &worlds[w], &random);
      settled += count_wrong(&wrong, series, worlds[w].n);
    }
    if (settled > worlds[w].most_settled * runs || settled < worlds[w].least_settled * runs ||
        wrong > worlds[w].most_wrong * 2 * runs)
      fail_msg("%s: %u of %u settled, %u ends wrong", worlds[w].name, settled, runs, wrong);
  }
}

/* The long memory of fractional noise, by Hosking's recursion (Biometrika 68, 1981). */
static void draw_noise(uint64_t *series, size_t n, double hurst, struct random *random) {
  double z[FEW_MOST], phi[FEW_MOST + 1] = {0}, before[FEW_MOST + 1], covariance[FEW_MOST + 1];
  for (size_t k = 0; k <= n; k++)
    covariance[k] = (pow(fabs((double)k - 1), 2 * hurst) - 2 * pow((double)k, 2 * hurst) +
                     pow((double)k + 1, 2 * hurst)) /
                    2;
  double variance = 1;
  z[0] = worlds_normal(random);
  for (size_t t = 1; t < n; t++) {
    double partial = covariance[t], mean = 0;
    for (size_t j = 1; j < t; j++)
      partial -= phi[j] * covariance[t - j];
    partial /= variance;
    for (size_t j = 1; j < t; j++)
      before[j] = phi[j];
    phi[t] = partial;
    for (size_t j = 1; j < t; j++)
      phi[j] = before[j] - partial * before[t - j];
    variance *= 1 - partial * partial;
    for (size_t j = 1; j <= t; j++)
      mean += phi[j] * z[t - j];
    z[t] = mean + sqrt(variance) * worlds_normal(random);
  }
  for (size_t t = 0; t < n; t++)
    series[t] = worlds_value(z[t], 1);
}

/* More than the stated level of all is wrong, and passes: of such a number of rows no verdict may
 * do without a condition. A file that holds its rows twice is seen. */
static void test_unseen(void **state) {
  (void)state;
  struct random random = {11};
  uint64_t series[FEW_MOST];
  unsigned wrong = 0, twice = 0, settled = 0;
  for (unsigned k = 0; k < runs; k++) {
    draw_noise(series, 40, 0.9, &random);
    count_wrong(&wrong, series, 40);
    const struct few_world world = {"", 20, 1, 1, 0, 0, 0, 0};
    draw(series, &world, &random);
    for (size_t i = 0; i < 20; i++)
      series[20 + i] = series[i];
    settled += count_wrong(&twice, series, 40);
  }
  assert_true(wrong > 0.02 * 2 * runs);
  assert_int_equal(settled, 0);
}

static bool tells(size_t rows, uint64_t several_runs) {
  struct sample sample;
  struct source_order order;
  sample_init(&sample);
  for (size_t i = 0; i < rows; i++) {
    sample_add_range(&sample, 1000 + 97 * i, 1000 + 97 * i, 1);
    if (several_runs == 0)
      sample_add_to_series(&sample, 1000 + 97 * i);
  }
  sample_finish(&sample);
  order_set_independent(&order, rows);
  if (several_runs != 0)
    evidence_keep_order(&sample.evidence, &order);
  sample.evidence.runs = several_runs;
  sample.evidence.compared = several_runs > 1;
  bool found = levels_tell(&sample);
  sample_clear(&sample);
  return found;
}

static void test_tells(void **state) {
  (void)state;
  assert_false(tells(1, 0));
  assert_false(tells(63, 0));
  assert_true(tells(64, 0));
  assert_false(tells(63, 1));
  assert_true(tells(63, 2));
  assert_true(tells(64, 1));
}

static void test_corners(void **state) {
  (void)state;
  uint64_t series[FEW_MOST];
  for (size_t i = 0; i < FEW_MOST; i++)
    series[i] = 7;
  assert_false(few_depend(series, FEW_LEAST));
  assert_false(few_depend(series, FEW_MOST));
  for (size_t i = 0; i < FEW_MOST; i++) /* rising */
    series[i] = i;
  assert_true(few_depend(series, FEW_LEAST));
  for (size_t i = 0; i < FEW_MOST; i++) /* alternating: that loses nothing */
    series[i] = 100 * (i % 2) + i * 37 % 91;
  assert_false(few_depend(series, 60));
  for (size_t i = 0; i < FEW_MOST; i++) /* half is another law */
    series[i] = i < 20 ? 1 + i % 3 : 10 + i % 4;
  assert_true(few_depend(series, 40));
}

int main(void) {
  if (getenv("TEST_ALL") != NULL)
    runs = 1000;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_worlds), cmocka_unit_test(test_corners),
                                     cmocka_unit_test(test_unseen), cmocka_unit_test(test_tells)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
