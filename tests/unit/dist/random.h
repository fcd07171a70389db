/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random laws for the tests of dist/, biased towards corners: empty stretches, atoms at 0, at the
 * last point and at infinity. Every draw comes from one seed, which a failing test prints.
 */
#ifndef TESTS_UNIT_DIST_RANDOM_H
#define TESTS_UNIT_DIST_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

#include "base/random.h"
#include "dist/survival/survival.h"

static inline uint64_t random_next(struct random *random) {
  return random_bits(random);
}

static inline int random_compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* A law with up to `atoms` finite atoms. */
static inline void random_survival(struct survival *s, struct random *random, size_t atoms) {
  size_t count = grid_count(&s->grid);
  size_t used = 1 + random_below(random, atoms);
  uint64_t *points = calloc(used, sizeof *points);
  uint64_t *levels = calloc(used, sizeof *levels);
  uint64_t highest = random_below(random, 4) == 0 ? SURVIVAL_ONE + 1 : SURVIVAL_ONE / 3 + 1;
  size_t limit = random_below(random, 2) ? count : 1 + random_below(random, count);
  for (size_t i = 0; i < used; i++) {
    points[i] = random_below(random, 8) == 0 ? limit - 1 : random_below(random, limit);
    levels[i] = random_below(random, 8) == 0 ? 0 : random_below(random, highest);
  }
  qsort(points, used, sizeof *points, random_compare);
  qsort(levels, used, sizeof *levels, random_compare);
  uint64_t level = SURVIVAL_ONE;
  for (size_t k = 0, i = 0; k < count; k++) {
    for (; i < used && points[used - 1 - i] <= k; i++)
      level = levels[i];
    s->tail[k] = level;
  }
  free(points);
  free(levels);
}

#endif
