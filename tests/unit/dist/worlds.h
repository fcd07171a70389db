/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Series with known quantiles and known dependence, for tests of what may be said about them.
 */
#ifndef TESTS_UNIT_DIST_WORLDS_H
#define TESTS_UNIT_DIST_WORLDS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/dist/random.h"

static inline double worlds_uniform(struct random *random) {
  return ((double)(random_next(random) >> 11) + 0.5) * 0x1p-53;
}

static inline double worlds_normal(struct random *random) {
  double radius = sqrt(-2 * log(worlds_uniform(random)));
  return radius * cos(2 * acos(-1) * worlds_uniform(random));
}

/* Lognormal: 1 ms at the median. */
static inline uint64_t worlds_value(double z, double factor) {
  return (uint64_t)(1e6 * factor * exp(0.5 * z));
}

enum world_kind {
  WORLD_INDEPENDENT,
  WORLD_TIES,       /* rounded down to 0.25 ms */
  WORLD_REGRESSION, /* AR(1); parameter: its coefficient */
  WORLD_REGIMES,    /* of the same mean length (parameter), one 5 times slower */
  WORLD_STALLS,     /* one begins with chance 1/parameter; of mean length 20; 20 times slower */
  WORLD_DRIFT,      /* half as slow again at the end */
};

struct world {
  const char *name;
  enum world_kind kind;
  double parameter;
};

/* Whether each observation is in the slow regime or a stall. */
static inline void worlds_slow(unsigned char *slow, size_t n, const struct world *world,
                               struct random *random) {
  bool now = random_below(random, 2) == 1;
  size_t left = 0;
  enum { BEFORE = 1000 }; /* to begin in the middle of things */
  for (size_t i = 0; i < n + BEFORE; i++) {
    if (world->kind == WORLD_REGIMES)
      now = worlds_uniform(random) * world->parameter < 1 ? !now : now;
    else if (left > 0)
      left--;
    else if (random_below(random, (uint64_t)world->parameter) == 0)
      left = 1 + (size_t)(log(worlds_uniform(random)) / log(0.95));
    if (i >= BEFORE)
      slow[i - BEFORE] = world->kind == WORLD_REGIMES ? now : left > 0;
  }
}

/* `slow`: room for n. Returns how many are slow, or are not: the
 * fewer. */
static inline size_t worlds_draw(uint64_t *series, unsigned char *slow, size_t n,
                                 const struct world *world, struct random *random) {
  double memory = world->kind == WORLD_REGRESSION ? world->parameter : 0;
  double z = worlds_normal(random), factor = world->kind == WORLD_STALLS ? 20 : 5;
  bool switches = world->kind == WORLD_REGIMES || world->kind == WORLD_STALLS;
  size_t counts[2] = {0};
  if (switches)
    worlds_slow(slow, n, world, random);
  for (size_t i = 0; i < n; i++) {
    double drift = world->kind == WORLD_DRIFT ? 1 + 0.5 * (double)i / (double)n : 1;
    series[i] = worlds_value(z, switches && slow[i] ? factor : drift);
    if (world->kind == WORLD_TIES)
      series[i] -= series[i] % 250000;
    counts[switches && slow[i]]++;
    z = memory * z + sqrt(1 - memory * memory) * worlds_normal(random);
  }
  return counts[0] < counts[1] ? counts[0] : counts[1];
}

/* P(x <= value) by the stationary law. */
static inline double worlds_share(const struct world *world, double value) {
  double z = log(value / 1e6) / 0.5;
  double slow = world->kind == WORLD_REGIMES  ? 0.5
                : world->kind == WORLD_STALLS ? 20 / (world->parameter + 20)
                                              : 0;
  double far = z - log(world->kind == WORLD_STALLS ? 20 : 5) / 0.5;
  return (1 - slow) * erfc(-z / sqrt(2)) / 2 + slow * erfc(-far / sqrt(2)) / 2;
}

static inline uint64_t worlds_quantile(const struct world *world, double share) {
  double low = 1e3, high = 1e10;
  for (int i = 0; i < 200; i++) {
    double middle = sqrt(low * high);
    if (worlds_share(world, middle) < share)
      low = middle;
    else
      high = middle;
  }
  uint64_t x = (uint64_t)high;
  return world->kind == WORLD_TIES ? x - x % 250000 : x;
}

#endif
