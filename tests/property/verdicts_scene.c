/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/property/verdicts_scene.h"

#include <math.h>

#include "tests/unit/dist/worlds.h"

double scene_uniform(struct random *random) {
  return worlds_uniform(random);
}

double scene_normal(struct random *random) {
  return worlds_normal(random);
}

void scene_series(uint64_t *series, size_t n, double memory, struct random *random) {
  struct world world = {"series", WORLD_REGRESSION, memory};
  worlds_draw(series, NULL, n, &world, random);
}

static const double medians_ms[SCENE_PARTS] = {1, 2, 0.5};
static const double sigma = 0.5;

/* Chances of leaving the fast state, and the slow one. */
static void leaving(double *fast, double *slow, const struct scene *scene) {
  *fast = scene->kind == SCENE_STALLS ? 1.0 / 100 : scene->kind == SCENE_REGIMES ? 1.0 / 50 : 0;
  *slow = scene->kind == SCENE_STALLS ? 1.0 / 20 : 1.0 / 50;
}

static bool any_slow(const struct scene *scene, struct random *random) {
  double fast, slow;
  leaving(&fast, &slow, scene);
  return worlds_uniform(random) < fast / (fast + slow);
}

static struct moment any_moment(const struct scene *scene, struct random *random) {
  struct moment moment = {.slow = any_slow(scene, random)};
  for (size_t k = 0; k < SCENE_PARTS; k++)
    moment.past[k] = worlds_normal(random);
  return moment;
}

void moment_draw(uint64_t *parts, double *now, const struct scene *scene,
                 const struct moment *moment, struct random *random) {
  double z[SCENE_PARTS], factor = 1 + 0.5 * moment->drift, stall_ms = 0;
  double rho = scene->memory, fresh = sqrt(1 - rho * rho);
  for (size_t k = 0; k < SCENE_PARTS; k++)
    z[k] = rho * moment->past[k] + fresh * worlds_normal(random);
  if (scene->kind == SCENE_COMONOTONE)
    z[1] = z[0];
  if (moment->slow && scene->kind == SCENE_STALLS)
    stall_ms = 10 * exp(sigma * worlds_normal(random));
  if (moment->slow && scene->kind == SCENE_REGIMES)
    factor *= 5;
  for (size_t k = 0; k < SCENE_PARTS; k++) {
    parts[k] = (uint64_t)(1e6 * (factor * medians_ms[k] * exp(sigma * z[k]) + stall_ms));
    if (now != NULL)
      now[k] = z[k];
  }
}

void scene_draw(uint64_t *const *parts, struct moment *moments, size_t n, const struct scene *scene,
                struct random *random) {
  struct moment moment = any_moment(scene, random);
  double fast, slow;
  leaving(&fast, &slow, scene);
  for (size_t i = 0; i < n; i++) {
    uint64_t request[SCENE_PARTS];
    if (scene->kind == SCENE_DRIFT)
      moment.drift = (double)i / (double)n;
    moments[i] = moment;
    moment_draw(request, moment.past, scene, &moments[i], random);
    for (size_t k = 0; k < SCENE_PARTS; k++)
      parts[k][i] = request[k];
    moment.slow ^= worlds_uniform(random) < (moment.slow ? slow : fast);
  }
}

uint64_t scene_latency(const struct scene *scene, const uint64_t *parts) {
  uint64_t rest = parts[1] + parts[2];
  if (scene->kind == SCENE_SHARED)
    rest = parts[1] > parts[2] ? parts[1] : parts[2];
  return parts[0] + rest;
}

uint64_t scene_draw_any(const void *context, struct random *random) {
  const struct scene *scene = context;
  struct moment moment = any_moment(scene, random);
  uint64_t parts[SCENE_PARTS];
  if (scene->kind == SCENE_DRIFT)
    moment.drift = worlds_uniform(random);
  moment_draw(parts, NULL, scene, &moment, random);
  return scene_latency(scene, parts);
}

double scene_exceeding(const struct scene *scene, const struct moment *moments, size_t n,
                       uint64_t ns) {
  enum { TIMES = 20 };
  struct random random = {ns};
  size_t exceeding = 0;
  for (size_t i = 0; i < n * TIMES; i++) {
    uint64_t parts[SCENE_PARTS];
    moment_draw(parts, NULL, scene, &moments[i / TIMES], &random);
    exceeding += scene_latency(scene, parts) > ns;
  }
  return (double)exceeding / (double)(n * TIMES);
}
