/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Systems of three components, in which requests depend on the ones before and components on each
 * other. Times in ns.
 */
#ifndef TESTS_PROPERTY_VERDICTS_SCENE_H
#define TESTS_PROPERTY_VERDICTS_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

enum { SCENE_PARTS = 3 };

enum scene_kind {
  SCENE_STALLS,     /* one begins with chance 1/100 and ends with chance 1/20; a stall's time, 10 ms
                     * or so, is added to each component of a request */
  SCENE_COMONOTONE, /* A and B are slow in the same requests */
  SCENE_REGRESSION, /* each component AR(1); memory: its coefficient */
  SCENE_REGIMES,    /* common; 50 requests long on average, one 5 times slower */
  SCENE_DRIFT,      /* half as slow again at the end */
  SCENE_SHARED,     /* independent requests and components; max(A + B, A + C) */
};

struct scene {
  const char *name, *bound;
  enum scene_kind kind;
  double memory;
  bool independent; /* the components, of each other */
};

/* What a request's law depends on: its latencies are independent draws, given this. */
struct moment {
  bool slow;                /* a stall, or the slow regime */
  double drift;             /* 0 to 1 */
  double past[SCENE_PARTS]; /* of a regression, the normal values before */
};

/* One request of a moment; `now` (may be NULL): its normal values. */
void moment_draw(uint64_t *parts, double *now, const struct scene *scene,
                 const struct moment *moment, struct random *random);

/* The next n requests, by component, of a run that begins in the middle of things. */
void scene_draw(uint64_t *const *parts, struct moment *moments, size_t n, const struct scene *scene,
                struct random *random);

uint64_t scene_latency(const struct scene *scene, const uint64_t *parts);

/* The latency of a request of the stationary law; with a drift, of one of the run at random. A
 * draw_function of struct scene. */
uint64_t scene_draw_any(const void *context, struct random *random);

/* The mean chance that the run's requests take longer than `ns`, by 20 draws of each moment. */
double scene_exceeding(const struct scene *scene, const struct moment *moments, size_t n,
                       uint64_t ns);

/* One component: lognormal (sigma 0.5) around 1 ms, AR(1) with that coefficient; 0: independent. */
void scene_series(uint64_t *series, size_t n, double memory, struct random *random);

/* Above 0, below 1; and a standard normal value. */
double scene_uniform(struct random *random);
double scene_normal(struct random *random);

#endif
