/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Phases in which the share of a function stays, and such in which it moves.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/profile/drifts.h"

enum { WINDOWS = 100, SAMPLES = 25 };

static uint64_t state_of_random = 5;

static double unit(void) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
  return (double)(state_of_random >> 11) / 9007199254740992.0;
}

struct world {
  struct phases phases;
  uint32_t functions[WINDOWS * SAMPLES];
  double true_share[WINDOWS], own_share[WINDOWS], shown, sum;
};

/* A function whose share goes from 0.5 - slope / 2 to 0.5 + slope / 2. */
static void make(struct world *world, double slope) {
  *world = (struct world){0};
  for (size_t w = 0; w < WINDOWS; w++) {
    world->true_share[w] = 0.5 + slope * ((double)w / (WINDOWS - 1) - 0.5);
    for (size_t i = 0; i < SAMPLES; i++) {
      world->functions[w * SAMPLES + i] = unit() < world->true_share[w];
      world->own_share[w] += world->functions[w * SAMPLES + i] / (double)SAMPLES;
    }
    phases_add(&world->phases, ADAPT_SAME, SAMPLES, false);
  }
}

static void add(void *context, size_t window, double part) {
  struct world *world = context;
  assert_true(part > 0);
  world->sum += part;
  world->shown += part * world->own_share[window];
}

/* Squared errors of what is shown, of the windows' own shares, and of one share for all, added up;
 * and how many drifts were found. */
struct errors {
  double shown, own, one;
  unsigned moved;
};

static void add_errors(struct errors *errors, double slope) {
  struct world world;
  struct drifts drifts;
  double one = 0;
  make(&world, slope);
  drifts_find(&drifts, &world.phases, world.functions, 2);
  errors->moved += drifts.of[0] > 0;
  for (size_t w = 0; w < WINDOWS; w++)
    one += world.own_share[w] / WINDOWS;
  for (size_t w = 0; w < WINDOWS; w++) {
    world.sum = world.shown = 0;
    assert_true(drifts_parts(&drifts, w, add, &world));
    assert_float_equal(world.sum, 1, 1e-4);
    errors->shown += pow(world.shown - world.true_share[w], 2);
    errors->own += pow(world.own_share[w] - world.true_share[w], 2);
    errors->one += pow(one - world.true_share[w], 2);
  }
  drifts_clear(&drifts);
  phases_clear(&world.phases);
}

/* A window alone is off by 0.25 / 25; a hundred of them together by a hundredth of that. */
static void test_what_stays_is_pooled(void **state) {
  (void)state;
  struct errors errors = {0};
  for (int i = 0; i < 40; i++)
    add_errors(&errors, 0);
  assert_true(errors.moved < 20);
  assert_true(errors.shown < errors.own / 20);
}

/* What moves is followed: neither a window alone nor all together are as near. */
static void test_what_moves_is_followed(void **state) {
  (void)state;
  struct errors errors = {0};
  for (int i = 0; i < 40; i++)
    add_errors(&errors, 0.8);
  assert_int_equal(errors.moved, 40);
  assert_true(errors.shown < errors.own / 4);
  assert_true(errors.shown < errors.one / 10);
}

/* Windows without a sample are told by those around them; a phase without one tells nothing. */
static void test_empty_windows(void **state) {
  (void)state;
  struct world world = {.own_share = {0.25, 0, 0.75}};
  struct phases nothing = {0};
  struct drifts drifts;
  uint32_t functions[8] = {0, 0, 0, 1, 1, 1, 1, 0};
  const size_t counts[] = {4, 0, 4};
  for (int w = 0; w < 3; w++)
    phases_add(&world.phases, ADAPT_SAME, counts[w], false);
  drifts_find(&drifts, &world.phases, functions, 2);
  assert_true(drifts_parts(&drifts, 1, add, &world));
  assert_float_equal(world.sum, 1, 1e-9);
  assert_float_equal(world.shown, 0.5, 1e-9);
  drifts_clear(&drifts);
  phases_add(&nothing, ADAPT_SAME, 0, false);
  drifts_find(&drifts, &nothing, functions, 2);
  assert_false(drifts_parts(&drifts, 0, add, &world));
  drifts_clear(&drifts);
  phases_clear(&nothing);
  phases_clear(&world.phases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_stays_is_pooled),
      cmocka_unit_test(test_what_moves_is_followed),
      cmocka_unit_test(test_empty_windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
