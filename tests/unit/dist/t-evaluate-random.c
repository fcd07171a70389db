/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random expressions with shared occurrences and all operators, against all joint outcomes.
 */
#include "tests/unit/dist/evaluate_fixture.h"

static const struct expression *draw_expression(struct fixture *f, struct random *random) {
  expression_table_clear(&f->table);
  expression_table_init(&f->table);
  return random_expression(f, random, 3);
}

/* Sound always; exact unless the ledger admits a rule that is not. */
static void test_independent(void **state) {
  struct fixture *f = *state;
  uint64_t tail[POINTS];
  int exact = 0, bounded = 0, associated = 0, split = 0, conditioned = 0, counted = 0;
  for (uint64_t seed = 0; seed < 1200; seed++) {
    struct random random = {seed};
    const struct expression *e = draw_expression(f, &random);
    enumerate(tail, f, e);
    for (enum survival_side side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
      choose_side(f, side);
      assert_int_equal(evaluate(f, e, false), STATUS_OK);
      assert_true(survival_is_valid(&f->result));
      check_result(f, e, tail, claims_exactness(f), seed);
      exact += claims_exactness(f);
      bounded += has_line(f, "any joint law of its parts");
      associated += has_line(f, "association");
      split += has_line(f, "are split");
      conditioned += has_line(f, "ranges of its values");
      counted += has_line(f, "counted together");
    }
  }
  print_message(
      "exact %d, associated %d, split %d, any joint law %d, value by value %d, counted %d\n", exact,
      associated, split, bounded, conditioned, counted);
  assert_true(exact > 800 && associated > 50 && split > 20 && bounded > 10 && conditioned > 50 &&
              counted > 20);
}

static void draw_groups(struct fixture *f, struct random *random) {
  for (size_t i = 0; i < OCCURRENCES; i++) {
    uint64_t drawn = random_below(random, 4);
    f->groups[i] = drawn < 2 ? drawn : drawn == 2 ? 0 : GROUP_ALONE;
  }
}

static void check_couplings(struct fixture *f, const struct expression *e, struct random *random,
                            uint64_t seed) {
  uint64_t tail[POINTS];
  struct joint_law joint;
  choose_side(f, SIDE_UPPER);
  assert_int_equal(evaluate(f, e, false), STATUS_OK);
  struct fixture lower = *f; /* shares the expression and the laws */
  survival_init(&lower.result, &exact_grid);
  ledger_init(&lower.ledger);
  text_init(&lower.message);
  choose_side(&lower, SIDE_LOWER);
  assert_int_equal(evaluate(&lower, e, false), STATUS_OK);
  for (size_t i = 0; i < COUPLINGS + 3; i++) {
    joint_law_of(&joint, f, i < COUPLINGS ? (enum coupling)i : RANDOM_COUPLING, random);
    enumerate_joint(tail, f, e, &joint);
    check_result(f, e, tail, false, seed);
    check_result(&lower, e, tail, false, seed);
  }
  survival_clear(&lower.result);
  ledger_clear(&lower.ledger);
  text_clear(&lower.message);
}

/* What holds for any joint law of a group holds for those that can be tried. */
static void test_groups(void **state) {
  struct fixture *f = *state;
  f->is_grouped = true;
  for (uint64_t seed = 0; seed < 400; seed++) {
    struct random random = {seed};
    const struct expression *e = draw_expression(f, &random);
    draw_groups(f, &random);
    check_couplings(f, e, &random, seed);
  }
}

static void test_unknown_dependence(void **state) {
  struct fixture *f = *state;
  f->is_grouped = true;
  for (uint64_t seed = 0; seed < 400; seed++) {
    struct random random = {seed};
    const struct expression *e = draw_expression(f, &random);
    for (size_t i = 0; i < OCCURRENCES; i++)
      f->groups[i] = 7;
    check_couplings(f, e, &random, seed);
  }
}

/* On a grid that rounds, both sides still enclose the exact law. */
static void test_rounding_grids(void **state) {
  (void)state;
  const struct grid grids[] = {{.sub_bits = 2, .octaves = 8}, {.shift = 1, .points = 100}};
  uint64_t tail[POINTS];
  for (size_t g = 0; g < 2; g++) {
    struct fixture rounding, *f = &rounding;
    fixture_init(f, &grids[g]);
    for (uint64_t seed = 0; seed < 300; seed++) {
      struct random random = {seed};
      const struct expression *e = draw_expression(f, &random);
      enumerate(tail, f, e);
      for (enum survival_side side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
        choose_side(f, side);
        assert_int_equal(evaluate(f, e, false), STATUS_OK);
        for (size_t k = 0; k < grid_count(&grids[g]); k++) {
          uint64_t v = grid_value_ns(&grids[g], k), got = f->result.tail[k];
          if (v < POINTS - 1 && (side == SIDE_UPPER ? got < tail[v] : got > tail[v])) {
            struct text text;
            text_init(&text);
            expression_print(&text, e);
            fail_msg("seed %lu, grid %zu, side %d: P(%s > %lu) is %.9g, not %.9g",
                     (unsigned long)seed, g, (int)side, text_get(&text), (unsigned long)v,
                     (double)got / (double)SURVIVAL_ONE, (double)tail[v] / (double)SURVIVAL_ONE);
          }
        }
      }
    }
    fixture_clear(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_independent, setup, teardown),
      cmocka_unit_test_setup_teardown(test_groups, setup, teardown),
      cmocka_unit_test_setup_teardown(test_unknown_dependence, setup, teardown),
      cmocka_unit_test(test_rounding_grids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
