/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/regrid.h"
#include "tests/unit/dist/operands.h"

/* Onto every other grid: the nearest point outward, and nothing else. */
static void check_regrid(struct operands *o) {
  for (size_t g = 0; g < TEST_GRIDS; g++) {
    struct survival z, back;
    size_t k;
    bool missed;
    survival_init_side(&z, &test_grids[g], o->z.side);
    survival_init_side(&back, &o->z.grid, o->z.side);
    survival_regrid(&z, &o->s[0]);
    if (!exact_bounds(&z, o->laws[0], (struct exact_slack){0}, &k, &missed))
      fail_msg("seed %lu: grid %zu, point %zu", (unsigned long)o->seed, g, k);
    survival_regrid(&back, &z);
    bool outward = o->z.side == SIDE_UPPER ? survival_dominates(&back, &o->s[0])
                                           : survival_dominates(&o->s[0], &back);
    assert_true(outward);
    if (grid_equal(&z.grid, &o->z.grid))
      assert_true(survival_equal(&back, &o->s[0]));
    survival_clear(&back);
    survival_clear(&z);
  }
}

static void test_onto_other_grids(void **state) {
  (void)state;
  operands_run(60, check_regrid);
}

/* What a finer grid holds, a coarser one of the same kind rounds and the finer one keeps. */
static void test_finer_and_back_is_the_same(void **state) {
  (void)state;
  const struct grid coarse = {.sub_bits = 3, .octaves = 6}, fine = {.sub_bits = 5, .octaves = 7};
  for (uint64_t seed = 0; seed < 40; seed++)
    for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
      struct random random = {seed};
      struct survival x, y, z;
      survival_init_side(&x, &coarse, (enum survival_side)side);
      survival_init_side(&y, &fine, (enum survival_side)side);
      survival_init_side(&z, &coarse, (enum survival_side)side);
      random_survival(&x, &random, 12);
      survival_regrid(&y, &x);
      survival_regrid(&z, &y);
      assert_true(survival_equal(&x, &z));
      survival_clear(&x);
      survival_clear(&y);
      survival_clear(&z);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_onto_other_grids),
      cmocka_unit_test(test_finer_and_back_is_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
