/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coverage of limits that rest on serial.h, over 400 series of each world:
 *
 *   t-serial [--full]    also series of 20000, and the limits at 99.9 %
 */
#include "dist/statistics/serial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "dist/source/source.h"
#include "dist/statistics/limits.h"
#include "dist/survival/survival.h"
#include "tests/unit/dist/worlds.h"

enum { RUNS = 400, SHARES = 3, LEVELS = 2 };

static bool full;
static const double shares[SHARES] = {0.5, 0.9, 0.99};
static const int64_t parts[SHARES] = {50, 90, 99};
static const double alphas[LEVELS] = {0.1, 0.01};
static const unsigned most[LEVELS] = {60, 11}; /* exceeded once in 1000 at 40, at 4 of 400 */

struct tally {
  unsigned settled, dependent, finite, above[LEVELS], below[LEVELS];
  unsigned blind;   /* misses where there was nothing to see */
  double inflation; /* sum */
};

static void to_sample(struct sample *sample, const uint64_t *series, size_t n) {
  sample_init(sample);
  for (size_t i = 0; i < n; i++)
    assert_true(sample_add_range(sample, series[i], series[i], 1));
  sample_finish(sample);
}

/* `blind`: of a world that switches, the series shows none of it. */
static void count_misses(struct tally *tally, const struct sample *sample,
                         const struct serial *serial, size_t share, uint64_t truth, bool blind) {
  struct rational p;
  rational_init(&p);
  rational_set_fraction(&p, parts[share], 100);
  uint64_t worth = serial_worth(serial, sample->real);
  for (size_t l = 0; l < LEVELS; l++) {
    uint64_t alpha = (uint64_t)(alphas[l] * (double)SURVIVAL_ONE), upper = UINT64_MAX;
    bool finite = limit_upper(&upper, sample, &p, worth, alpha);
    bool above = finite && upper<truth, below = limit_lower(sample, &p, worth, alpha)> truth;
    tally->finite += l == 1 && finite;
    tally->above[l] += above && !blind;
    tally->below[l] += below && !blind;
    tally->blind += l == 1 && blind && (above || below);
  }
  rational_clear(&p);
}

static void run_world(struct tally tallies[SHARES], const struct world *world, size_t n) {
  uint64_t *series = mem_alloc(n, sizeof *series);
  unsigned char *slow = mem_alloc(n, 1);
  memset(tallies, 0, SHARES * sizeof *tallies);
  struct random random = {n * 31 + (uint64_t)world->kind * 7 + (uint64_t)(world->parameter * 100)};
  bool switches = world->kind == WORLD_REGIMES || world->kind == WORLD_STALLS;
  for (unsigned run = 0; run < RUNS; run++) {
    size_t changes = worlds_draw(series, slow, n, world, &random);
    struct sample sample;
    to_sample(&sample, series, n);
    for (size_t s = 0; s < SHARES; s++) {
      struct serial serial = serial_at(series, n, shares[s]);
      tallies[s].settled += serial.settled;
      tallies[s].dependent += serial.dependent;
      tallies[s].inflation += serial.inflation;
      if (serial.settled)
        count_misses(&tallies[s], &sample, &serial, s, worlds_quantile(world, shares[s]),
                     switches && changes < 2);
    }
    sample_clear(&sample);
  }
  mem_free(slow);
  mem_free(series);
  for (size_t s = 0; s < SHARES; s++) {
    const struct tally *t = &tallies[s];
    print_message("# %-12s n=%-6zu p%.0f settled %3u dependent %3u mean inflation %6.2f; missed at "
                  "90 %% %2u above %2u below, at 99 %% %2u %2u (blind %u); finite %u\n",
                  world->name, n, 100 * shares[s], t->settled, t->dependent, t->inflation / RUNS,
                  t->above[0], t->below[0], t->above[1], t->below[1], t->blind, t->finite);
  }
}

static void expect_coverage(const struct world *world, size_t n) {
  struct tally tallies[SHARES];
  run_world(tallies, world, n);
  for (size_t s = 0; s < SHARES; s++)
    for (size_t l = 0; l < LEVELS; l++) {
      assert_in_range(tallies[s].above[l], 0, most[l]);
      assert_in_range(tallies[s].below[l], 0, most[l]);
    }
}

static void test_limits_cover(void **state) {
  (void)state;
  static const struct world worlds[] = {
      {"ar 0.3", WORLD_REGRESSION, 0.3},     {"ar 0.6", WORLD_REGRESSION, 0.6},
      {"ar 0.9", WORLD_REGRESSION, 0.9},     {"regimes 50", WORLD_REGIMES, 50},
      {"regimes 500", WORLD_REGIMES, 500},   {"stalls", WORLD_STALLS, 0},
      {"independent", WORLD_INDEPENDENT, 0}, {"ties", WORLD_TIES, 0},
  };
  for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
    expect_coverage(&worlds[i], 2000);
    if (full)
      expect_coverage(&worlds[i], 20000);
  }
}

int main(int argc, char **argv) {
  full = argc > 1 && strcmp(argv[1], "--full") == 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits_cover),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
