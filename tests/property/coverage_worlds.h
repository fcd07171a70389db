/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Worlds in which the law of latencies is known, and how they depend on each other: what an answer
 * about percentiles is held against. The numbers of a world are those of a lognormal law with its
 * median at 1 ms, unless it says otherwise.
 */
#ifndef TESTS_PROPERTY_COVERAGE_WORLDS_H
#define TESTS_PROPERTY_COVERAGE_WORLDS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "tests/unit/dist/worlds.h"

enum coverage_kind {
  COVERAGE_INDEPENDENT,
  COVERAGE_TIES,       /* rounded down to 0.25 ms */
  COVERAGE_PARETO,     /* a: index */
  COVERAGE_REGRESSION, /* AR(1); a: its coefficient */
  COVERAGE_LONG,       /* fractional Gaussian noise; a: H, b: its share of the variance */
  COVERAGE_CLIENTS,    /* a clients in turn, each AR(1) with b */
  COVERAGE_BURSTS,     /* a share a is 8 times slower, in bursts of b */
  COVERAGE_TWICE,      /* each row twice; a: 0 one after the other, 1 the table twice, 2 shuffled */
  COVERAGE_HALF,       /* the second half is a times slower */
  COVERAGE_TAIL_HALF,  /* in the second half a share a is 8 times slower */
  COVERAGE_WAVE,       /* once up and down by a share a */
  COVERAGE_WANDER,     /* AR(1) with a memory of 20 records, with a share b of the variance */
  COVERAGE_VOLATILE,   /* the spread itself is AR(1) with 0.95 */
  COVERAGE_COLLECTS,   /* each a-th row and the b after it 8 times slower */
  COVERAGE_TOGETHER,   /* three parts that are added, all slow in the same share a of the rows */
  COVERAGE_LOST,       /* a share a of those above p95 was given up, and is infinite */
};

struct coverage_world {
  const char *name;
  enum coverage_kind kind;
  double a, b;
  size_t rows;
  bool unseen; /* it moves by what no single run can show, and each answer about one says so */
};

enum { COVERAGE_ROWS_MOST = 2000 };

#define COVERAGE_NEVER UINT64_MAX

/* --- fractional noise, by the recursion of Durbin and Levinson --------------------------------- */

struct coverage_noise {
  double h;
  size_t n;
  double *weights, *deviations; /* row k: k weights of what came before */
};

static inline double coverage_covariance(double h, size_t k) {
  double x = (double)k;
  return 0.5 * (pow(x + 1, 2 * h) - 2 * pow(x, 2 * h) + pow(fabs(x - 1), 2 * h));
}

static inline void coverage_noise_init(struct coverage_noise *noise, double h, size_t n) {
  *noise = (struct coverage_noise){h, n, mem_alloc(n * (n + 1) / 2, sizeof(double)),
                                   mem_alloc(n, sizeof(double))};
  double variance = 1;
  noise->deviations[0] = 1;
  for (size_t k = 1; k < n; k++) {
    double *now = noise->weights + k * (k - 1) / 2, *before = now - (k - 1);
    double last = coverage_covariance(h, k);
    for (size_t i = 0; i + 1 < k; i++)
      last -= before[i] * coverage_covariance(h, k - 1 - i);
    last /= variance;
    for (size_t i = 0; i + 1 < k; i++)
      now[i] = before[i] - last * before[k - 2 - i];
    now[k - 1] = last;
    variance *= 1 - last * last;
    noise->deviations[k] = sqrt(variance);
  }
}

static inline void coverage_noise_clear(struct coverage_noise *noise) {
  mem_free(noise->weights);
  mem_free(noise->deviations);
}

static inline void coverage_noise_draw(double *z, const struct coverage_noise *noise,
                                       struct random *random) {
  for (size_t k = 0; k < noise->n; k++) {
    const double *weights = noise->weights + k * (k - (k > 0)) / 2;
    double mean = 0;
    for (size_t i = 0; i < k; i++)
      mean += weights[i] * z[k - 1 - i];
    z[k] = mean + noise->deviations[k] * worlds_normal(random);
  }
}

/* --- rows ------------------------------------------------------------------------------------- */

static inline double coverage_regress(double z, double memory, struct random *random) {
  return memory * z + sqrt(1 - memory * memory) * worlds_normal(random);
}

/* Normal values, and by what each row is slower, as the world says. */
static inline void coverage_normal(double *z, double *slower, const struct coverage_world *world,
                                   const struct coverage_noise *noise, struct random *random) {
  size_t n = world->rows, clients = world->kind == COVERAGE_CLIENTS ? (size_t)world->a : 1;
  double memory = world->kind == COVERAGE_REGRESSION ? world->a
                  : world->kind == COVERAGE_CLIENTS  ? world->b
                                                     : 0;
  double wander = worlds_normal(random), spread = worlds_normal(random);
  double far = exp(-1 / (20 * (double)n)), start = worlds_uniform(random);
  size_t left = 0, until = (size_t)(start * world->a);
  if (world->kind == COVERAGE_BURSTS && start < world->a)
    left = (size_t)(start / world->a * world->b);
  if (world->kind == COVERAGE_LONG)
    coverage_noise_draw(z, noise, random);
  for (size_t i = 0; i < n; i++) {
    slower[i] = 1;
    if (world->kind == COVERAGE_LONG)
      z[i] = sqrt(world->b) * z[i] + sqrt(1 - world->b) * worlds_normal(random);
    else
      z[i] = i < clients ? worlds_normal(random) : coverage_regress(z[i - clients], memory, random);
    if (world->kind == COVERAGE_WANDER) {
      z[i] = sqrt(world->b) * wander + sqrt(1 - world->b) * z[i];
      wander = coverage_regress(wander, far, random);
    }
    if (world->kind == COVERAGE_VOLATILE) {
      z[i] *= exp(0.4 * spread);
      spread = coverage_regress(spread, 0.95, random);
    }
    if (world->kind == COVERAGE_BURSTS) {
      if (left == 0 && worlds_uniform(random) < world->a / (1 - world->a) / world->b)
        left = (size_t)world->b + 1;
      left -= left > 0;
      slower[i] = left > 0 ? 8 : 1;
    }
    if (world->kind == COVERAGE_COLLECTS && (i + until) % (size_t)world->a < (size_t)world->b)
      slower[i] = 8;
    if (world->kind == COVERAGE_HALF && i >= n / 2)
      slower[i] = world->a;
    if (world->kind == COVERAGE_TAIL_HALF && i >= n / 2 && worlds_uniform(random) < world->a)
      slower[i] = 8;
    if (world->kind == COVERAGE_WAVE)
      slower[i] = 1 + world->a * sin(2 * acos(-1) * ((double)i / (double)n + start));
  }
}

static inline uint64_t coverage_part(double z, bool slow) {
  return slow ? (uint64_t)(8e6 * exp(0.1 * z)) : (uint64_t)(1e6 * exp(0.25 * z));
}

/* The sum of three parts, which but for that are independent of each other. */
static inline uint64_t coverage_together(double share, struct random *random) {
  bool slow = worlds_uniform(random) < share;
  uint64_t sum = 0;
  for (int part = 0; part < 3; part++)
    sum += coverage_part(worlds_normal(random), slow);
  return sum;
}

static inline void coverage_twice(uint64_t *rows, size_t n, double how, struct random *random) {
  if (how < 0.5) {
    for (size_t i = n / 2; i-- > 0;)
      rows[2 * i] = rows[2 * i + 1] = rows[i];
    return;
  }
  for (size_t i = 0; i < n / 2; i++)
    rows[n / 2 + i] = rows[i];
  for (size_t i = n; how > 1.5 && i-- > 1;) {
    size_t k = (size_t)random_below(random, i + 1);
    uint64_t swapped = rows[i];
    rows[i] = rows[k];
    rows[k] = swapped;
  }
}

static inline uint64_t coverage_value(const struct coverage_world *world, double z, double slower,
                                      struct random *random) {
  double u;
  uint64_t value;
  switch (world->kind) {
  case COVERAGE_PARETO:
    return (uint64_t)(1e6 * pow(worlds_uniform(random), -1 / world->a));
  case COVERAGE_TOGETHER:
    return coverage_together(world->a, random);
  case COVERAGE_TIES:
    value = worlds_value(z, slower);
    return value - value % 250000;
  case COVERAGE_LOST:
    u = worlds_uniform(random);
    return z > 1.6448536269514722 && u < world->a ? COVERAGE_NEVER : worlds_value(z, slower);
  default:
    return worlds_value(z, slower);
  }
}

/* `noise` of the world's rows where it has fractional noise. */
static inline void coverage_draw(uint64_t *rows, const struct coverage_world *world,
                                 const struct coverage_noise *noise, struct random *random) {
  static double z[COVERAGE_ROWS_MOST], slower[COVERAGE_ROWS_MOST];
  coverage_normal(z, slower, world, noise, random);
  for (size_t i = 0; i < world->rows; i++)
    rows[i] = coverage_value(world, z[i], slower[i], random);
  if (world->kind == COVERAGE_TWICE)
    coverage_twice(rows, world->rows, world->a, random);
}

/* --- truth ------------------------------------------------------------------------------------ */

static inline int coverage_order(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* By the law where it is lognormal, else of a million draws, from which it is off by some parts in
 * 10^3 at p99. */
static inline void coverage_quantiles(uint64_t *truth, const double *shares, size_t count,
                                      const struct coverage_world *world) {
  static const struct world ordinary = {"", WORLD_INDEPENDENT, 0};
  enum { DRAWS = 1 << 20 };
  bool known = world->kind < COVERAGE_BURSTS || world->kind == COVERAGE_TWICE ||
               world->kind == COVERAGE_WANDER || world->kind == COVERAGE_LOST;
  uint64_t *rows = known ? NULL : mem_alloc(DRAWS, sizeof *rows);
  size_t n = known ? 0 : DRAWS / world->rows * world->rows;
  struct random random = {1};
  for (size_t i = 0; i < n; i += world->rows)
    coverage_draw(rows + i, world, NULL, &random);
  if (!known)
    qsort(rows, n, sizeof *rows, coverage_order);
  for (size_t i = 0; i < count; i++) {
    truth[i] =
        known ? worlds_quantile(&ordinary, shares[i]) : rows[(size_t)(shares[i] * (double)n)];
    if (world->kind == COVERAGE_PARETO)
      truth[i] = (uint64_t)(1e6 * pow(1 - shares[i], -1 / world->a));
    if (world->kind == COVERAGE_TIES)
      truth[i] -= truth[i] % 250000;
    if (world->kind == COVERAGE_LOST && shares[i] > 1 - 0.05 * world->a)
      truth[i] = COVERAGE_NEVER;
  }
  mem_free(rows);
}

#endif
