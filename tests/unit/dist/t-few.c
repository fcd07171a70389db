/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Series of 8 to 63: how often independent ones are told from others, and how often the limits of
 * those that pass are wrong, over 200 series of each world (1000 with TEST_ALL).
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_worlds), cmocka_unit_test(test_corners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
