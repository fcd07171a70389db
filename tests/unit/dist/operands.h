/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of single operations share: random operands on either side of a grid with the
 * exact laws that they are, and one check of the result.
 */
#ifndef TESTS_UNIT_DIST_OPERANDS_H
#define TESTS_UNIT_DIST_OPERANDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/dist/exact.h"

enum { OPERANDS = 4 };

struct operands {
  struct random random;
  uint64_t seed;
  struct survival s[OPERANDS], z;
  struct exact law[OPERANDS], result; /* law[i] is what s[i] says, not what it was made for */
  const struct exact *laws[OPERANDS];
  const struct survival *survivals[OPERANDS];
};

static const struct grid test_grids[] = {{.sub_bits = 3, .octaves = 6},
                                         {.sub_bits = 1, .octaves = 4},
                                         {.shift = 0, .points = 60},
                                         {.shift = 3, .points = 23}};
enum { TEST_GRIDS = 4 };

static inline void operands_init(struct operands *o, const struct grid *grid,
                                 enum survival_side side, uint64_t seed) {
  *o = (struct operands){.random = {seed}, .seed = seed};
  survival_init_side(&o->z, grid, side);
  for (size_t i = 0; i < OPERANDS; i++) {
    survival_init_side(&o->s[i], grid, side);
    random_exact(&o->law[i], &o->random, grid);
    survival_of_exact(&o->s[i], &o->law[i]);
    exact_of_survival(&o->law[i], &o->s[i]);
    o->laws[i] = &o->law[i];
    o->survivals[i] = &o->s[i];
  }
}

static inline void operands_clear(struct operands *o) {
  survival_clear(&o->z);
  exact_clear(&o->result);
  for (size_t i = 0; i < OPERANDS; i++) {
    survival_clear(&o->s[i]);
    exact_clear(&o->law[i]);
  }
}

/* z against the exact result: on its side of it, by at most so many units. */
static inline void operands_check_stretched(struct operands *o, const char *operation,
                                            const struct rational *stretch, uint64_t units) {
  size_t k;
  bool missed;
  if (!exact_bounds(&o->z, &o->result, (struct exact_slack){stretch, units, NULL}, &k, &missed))
    fail_msg("seed %lu: %s, %s side: %s at point %zu", (unsigned long)o->seed, operation,
             o->z.side == SIDE_UPPER ? "upper" : "lower", missed ? "no bound" : "too far off", k);
}

static inline void operands_check(struct operands *o, const char *operation, uint64_t units) {
  operands_check_stretched(o, operation, NULL, units);
}

/* Calls `test` on every grid and side with `seeds` seeds each. */
static inline void operands_run(uint64_t seeds, void (*test)(struct operands *o)) {
  for (size_t g = 0; g < TEST_GRIDS; g++)
    for (uint64_t seed = 0; seed < seeds; seed++)
      for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
        struct operands o;
        operands_init(&o, &test_grids[g], (enum survival_side)side, seed);
        test(&o);
        operands_clear(&o);
      }
}

#endif
