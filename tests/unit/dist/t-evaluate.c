/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/combine.h"
#include "dist/survival/joint.h"
#include "dist/survival/sum.h"
#include "tests/unit/dist/evaluate_fixture.h"

static void expect_same(struct fixture *f, const struct expression *a, const struct expression *b) {
  struct survival first;
  survival_init(&first, &exact_grid);
  assert_int_equal(evaluate(f, a, false), STATUS_OK);
  assert_false(has_line(f, "association"));
  survival_set(&first, &f->result);
  assert_int_equal(evaluate(f, b, false), STATUS_OK);
  assert_true(survival_equal(&first, &f->result));
  survival_clear(&first);
}

static void test_identity_is_respected(void **state) {
  struct fixture *f = *state;
  const struct expression *a = term(f, 0, 0), *b = term(f, 1, 0), *c = term(f, 2, 0);
  expect_same(f, ADD(a, a), times(f, 2, a));
  expect_same(f, ADD(ADD(a, b), ADD(a, a)), ADD(times(f, 3, a), b));
  expect_same(f, MAX(ADD(a, b), ADD(c, a)), ADD(a, MAX(b, c)));
  expect_same(f, MAX(a, ADD(a, b)), ADD(a, b));
  expect_same(f, MAX(a, a), a);
  expect_same(f, ADD(MAX(a, b), MAX(b, a)), times(f, 2, MAX(a, b)));
  expect_same(f, ADD(MAX(ADD(a, b), ADD(a, c)), a), ADD(times(f, 2, a), MAX(b, c)));
  expect_same(f, MAX(ADD(a, integer(f, 5)), integer(f, 3)), ADD(a, integer(f, 5)));
  expect_same(f, MAX(times(f, 2, a), a), times(f, 2, a));
  expect_same(f, MAX(integer(f, 4), integer(f, 3)), integer(f, 4));
  expect_same(f, MAX(ADD(a, b), ADD(b, a)), ADD(a, b));
}

/* What was once refused: shared in a sum, minima and order statistics. */
static void expect_exact(struct fixture *f, const struct expression *e) {
  uint64_t tail[POINTS];
  enumerate(tail, f, e);
  for (enum survival_side side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    choose_side(f, side);
    assert_int_equal(evaluate(f, e, false), STATUS_OK);
    assert_true(claims_exactness(f));
    check_result(f, e, tail, true, 0);
  }
  choose_side(f, SIDE_UPPER);
}

static void test_exact_where_factored(void **state) {
  struct fixture *f = *state;
  const struct expression *a = term(f, 0, 0), *b = term(f, 1, 0), *c = term(f, 2, 0);
  const struct expression *d = term(f, 0, 1), *e = term(f, 1, 1);
  expect_exact(f, MAX(ADD(a, b), ADD(a, c)));
  expect_exact(f, MIN(ADD(a, b), ADD(a, c)));
  assert_false(has_line(f, "ranges of its values"));
  expect_exact(f, MAX(MAX(ADD(a, b), ADD(a, c)), d));
  assert_false(has_line(f, "ranges of its values"));
  expect_exact(f, MIN(MIN(ADD(a, b), ADD(a, c)), d));
  assert_false(has_line(f, "ranges of its values"));
  expect_exact(f, KTH(2, ADD(a, b), ADD(a, c), ADD(a, d)));
  assert_false(has_line(f, "ranges of its values") || has_line(f, "counted together"));
  expect_exact(f, KTH(2, ADD(a, b), ADD(a, c), d));
  assert_true(has_line(f, "parts of an order statistic that share A[0] are counted together"));
  expect_exact(f, KTH(2, a, a, b)); /* is a */
  expect_exact(f, KTH(1, a, b, c));
  expect_exact(f, KTH(3, a, b, c));
  expect_exact(f, KTH(2, integer(f, 0), b, c)); /* is min(b, c) */
  /* a graph that is series-parallel but for an edge that another path makes needless */
  const struct expression *fork = ADD(a, MAX(b, c)), *left = ADD(fork, d);
  expect_exact(f, MAX(MAX(left, ADD(fork, e)), MAX(fork, ADD(a, c))));
  assert_false(has_line(f, "ranges of its values"));
}

static void test_repeated_addition(void **state) {
  struct fixture *f = *state;
  const struct expression *a = term(f, 0, 0), *b = term(f, 1, 0), *c = term(f, 2, 0);
  expect_exact(f, ADD(a, MAX(a, b)));
  assert_true(has_line(f, "what depends on A[0] is computed for each of up to 64 ranges"));
  assert_true(has_line(f, "in A[0] + max("));
  expect_exact(f, ADD(MAX(a, b), MAX(a, c)));
  expect_exact(f, ADD(MAX(a, b), MIN(a, c)));
  const struct expression *all = KTH(2, ADD(a, b), ADD(a, c), MAX(a, term(f, 2, 1)));
  uint64_t tail[POINTS];
  enumerate(tail, f, all);
  assert_int_equal(evaluate(f, all, false), STATUS_OK);
  check_result(f, all, tail, true, 0);
}

/* Laws with too many values to take each: min(a, b) + max(a, b) is a + b, also where one is
 * infinite. The result encloses that, and is better than what holds for any joint law. */
static void test_ranges_of_values(void **state) {
  (void)state;
  const struct grid grid = {.shift = 0, .points = 1000};
  struct fixture many_values, *f = &many_values;
  fixture_init(f, &grid);
  struct survival sum[2];
  for (size_t side = 0; side < 2; side++) {
    survival_init_side(&sum[side], &grid, side == 0 ? SIDE_UPPER : SIDE_LOWER);
    for (size_t i = 0; i < 2; i++)
      for (size_t k = 0; k < 1000; k++)
        f->laws[side][i].tail[k] =
            SURVIVAL_ONE / 1000 +
            (k < 300 + 100 * i ? (299 + 100 * i - k) * (SURVIVAL_ONE / 512) : 0);
    survival_add(&sum[side], &f->laws[side][0], &f->laws[side][1]);
  }
  const struct expression *a = term(f, 0, 0), *b = term(f, 1, 0);
  for (enum survival_side side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    choose_side(f, side);
    assert_int_equal(evaluate(f, ADD(MIN(a, b), MAX(a, b)), false), STATUS_OK);
    assert_true(has_line(f, "for each of up to 64 ranges of its values"));
    bool is_upper = side == SIDE_UPPER;
    assert_true(is_upper ? survival_dominates(&f->result, &sum[0])
                         : survival_dominates(&sum[1], &f->result));
    uint64_t median = 0, expected = 0;
    assert_true(survival_quantile(&median, &f->result, SURVIVAL_ONE / 2));
    assert_true(survival_quantile(&expected, &sum[side], SURVIVAL_ONE / 2));
    assert_in_range(median, expected - (is_upper ? 0 : 40), expected + (is_upper ? 40 : 0));
  }
  survival_clear(&sum[0]);
  survival_clear(&sum[1]);
  fixture_clear(f);
}

/* Two tasks that wait for the same two: what they wait for counts once. */
static void test_shared_parts_count_once(void **state) {
  struct fixture *f = *state;
  uint64_t tail[POINTS];
  const struct expression *a = term(f, 0, 0), *b = term(f, 1, 0), *c = term(f, 2, 0);
  const struct expression *d = term(f, 0, 1), *e = term(f, 1, 1);
  const struct expression *all = MAX(ADD(d, MAX(a, b)), ADD(e, MAX(b, ADD(a, c))));
  assert_int_equal(evaluate(f, all, false), STATUS_OK);
  assert_true(has_line(f, "are split: the largest of what each adds alone plus the largest"));
  enumerate(tail, f, all);
  check_result(f, all, tail, false, 0);
}

static const struct expression *tied(struct fixture *f, enum expression_kind kind) {
  return ADD(integer(f, 1), combine(f, kind, term(f, 0, 0), term(f, 1, 0)));
}

/* In one group the bounds are those of any joint law, and only the ledger's independence goes. */
static void test_groups_are_any_joint_law(void **state) {
  struct fixture *f = *state;
  term(f, 0, 0);
  term(f, 1, 0);
  f->is_grouped = true;
  f->groups[0] = f->groups[1] = 99;
  uint64_t a4 = f->laws[0][0].tail[4], b4 = f->laws[0][1].tail[4];
  assert_int_equal(evaluate(f, tied(f, EXPRESSION_MAX), false), STATUS_OK);
  assert_int_equal(survival_tail(&f->result, 5), a4 + b4);
  assert_int_equal(evaluate(f, tied(f, EXPRESSION_MIN), false), STATUS_OK);
  assert_int_equal(survival_tail(&f->result, 5), a4 < b4 ? a4 : b4);
  assert_false(has_line(f, "independence"));
  assert_true(has_line(f, "any joint law: within 1 group of draws"));
  assert_true(has_line(f, "what shares a group is bounded for any joint law"));
  f->groups[0] = GROUP_ALONE; /* alone in a group is alone */
  assert_int_equal(evaluate(f, tied(f, EXPRESSION_MIN), false), STATUS_OK);
  assert_true(survival_tail(&f->result, 5) < (a4 < b4 ? a4 : b4));
  assert_true(has_line(f, "independence") && !has_line(f, "any joint law"));
}

/* max(a, b) + c where a and c may depend on each other in any way, and b on nothing: better than a
 * bound for any joint law of the maximum and c. */
static void test_what_is_free_of_a_group(void **state) {
  struct fixture *f = *state;
  const struct expression *all = ADD(MAX(term(f, 0, 0), term(f, 1, 0)), term(f, 2, 0));
  f->is_grouped = true;
  f->groups[0] = f->groups[2] = 5;
  f->groups[1] = GROUP_ALONE;
  for (enum survival_side side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    const struct survival *laws = f->laws[side];
    struct survival joint;
    choose_side(f, side);
    survival_init_side(&joint, &f->result.grid, side);
    survival_max(&joint, &laws[0], &laws[1]);
    joint_sum(&joint, (const struct copies[]){{&joint, 1}, {&laws[2], 1}}, 2);
    assert_int_equal(evaluate(f, all, false), STATUS_OK);
    assert_true(has_line(f, "what depends on B[0] is computed for each of up to 64 ranges"));
    bool is_upper = side == SIDE_UPPER;
    assert_true(survival_dominates(is_upper ? &joint : &f->result, is_upper ? &f->result : &joint));
    assert_false(survival_equal(&joint, &f->result));
    survival_clear(&joint);
  }
}

static void test_bare_names_together(void **state) {
  struct fixture *f = *state;
  const struct expression *d = expression_bare(&f->table, "B");
  const struct expression *e = MAX(d, d), *sum = times(f, 2, d);
  f->together_bare = true;
  assert_int_equal(evaluate(f, e, true), STATUS_OK);
  assert_int_equal(survival_tail(&f->result, 4), 2 * f->laws[0][1].tail[4]);
  assert_true(has_line(f, "the draws of bare names"));
  assert_int_equal(evaluate(f, sum, true), STATUS_OK);
  /* 9 or more takes two draws of at least 4: never more often than one of them is */
  assert_int_equal(survival_tail(&f->result, 8), f->laws[0][1].tail[3]);
  assert_false(has_line(f, "independence"));
}

static void test_cost(void **state) {
  struct fixture *f = *state;
  const struct expression *a = term(f, 0, 0), *b = term(f, 1, 0), *c = term(f, 2, 0);
  struct evaluate_cost cost = evaluate_cost(a);
  assert_true(cost.depth == 1 && cost.addends == 1);
  cost = evaluate_cost(ADD(ADD(a, b), MAX(c, ADD(term(f, 0, 1), term(f, 1, 1)))));
  assert_true(cost.depth == 3 && cost.addends == 4);
  cost = evaluate_cost(ADD(times(f, 3, a), integer(f, 7)));
  assert_true(cost.depth == 3 && cost.addends == 5);
  cost = evaluate_cost(ADD(expression_bare(&f->table, "d"), MIN(a, MAX(a, b))));
  assert_true(cost.depth == 2 && cost.addends == 2);
  cost = evaluate_cost(many(f, EXPRESSION_ADD, 1000));
  assert_int_equal(cost.addends, 4000);
  /* what the ledger says of the evaluation: 1 - (1 + 1/256)^depth in percent */
  assert_int_equal(evaluate(f, ADD(ADD(a, b), MAX(c, ADD(term(f, 0, 1), term(f, 1, 1)))), false),
                   STATUS_OK);
  assert_true(has_line(f, "at most 1.18 % in all"));
}

static void test_association_is_in_the_ledger(void **state) {
  struct fixture *f = *state;
  const struct expression *a = term(f, 0, 0), *b = term(f, 1, 0), *c = term(f, 2, 0);
  const struct expression *e = MAX(MAX(ADD(a, b), ADD(a, c)), MAX(ADD(b, c), term(f, 1, 1)));
  assert_int_equal(evaluate(f, e, false), STATUS_OK);
  assert_true(has_line(f, "parts of a maximum that share "));
  assert_true(has_line(f, "[0] are treated as independent: by association"));
  assert_true(has_line(f, "can only raise the percentiles; in max("));
  assert_true(has_line(f, "independence: the 4 draws of A (1), B (2), C (1)"));
  choose_side(f, SIDE_LOWER);
  assert_int_equal(evaluate(f, e, false), STATUS_OK);
  assert_true(!has_line(f, "association") && has_line(f, "rounded down"));
  e = MIN(MIN(ADD(a, b), ADD(a, c)), MIN(ADD(b, c), term(f, 1, 1)));
  assert_int_equal(evaluate(f, e, false), STATUS_OK);
  assert_true(has_line(f, "can only lower the percentiles; in min("));
  choose_side(f, SIDE_UPPER);
  assert_int_equal(evaluate(f, e, false), STATUS_OK);
  assert_false(has_line(f, "association"));
  assert_int_equal(evaluate(f, MAX(times(f, 2, a), ADD(a, b)), false), STATUS_OK);
  assert_true(has_line(f, "association"));
  assert_true(has_line(f, "rounded up to a grid of 256 steps"));
  assert_int_equal(evaluate(f, a, false), STATUS_OK);
  assert_false(has_line(f, "independence"));
}

static void test_bare_names(void **state) {
  struct fixture *f = *state;
  const struct expression *d = expression_bare(&f->table, "B");
  const struct expression *e = ADD(times(f, 2, d), MAX(d, term(f, 0, 0)));
  assert_int_equal(evaluate(f, e, false), STATUS_USAGE);
  assert_non_null(strstr(text_get(&f->message), "--fresh"));
  assert_int_equal(evaluate(f, e, true), STATUS_OK);
  assert_true(has_line(f, "--fresh: each of the 3 mentions of B"));
  assert_true(has_line(f, "no proof covers"));
  struct survival expected;
  survival_init(&expected, &exact_grid);
  survival_max(&expected, &f->laws[0][0], &f->laws[0][1]);
  survival_add(&expected, &expected, &f->laws[0][1]);
  survival_add(&expected, &expected, &f->laws[0][1]);
  assert_true(survival_equal(&expected, &f->result));
  /* never taken out of a maximum, never merged: every mention is a draw of its own */
  const struct expression *both = MAX(ADD(d, term(f, 0, 0)), ADD(d, term(f, 2, 0)));
  assert_int_equal(evaluate(f, both, true), STATUS_OK);
  struct survival other;
  survival_init(&other, &exact_grid);
  survival_add(&expected, &f->laws[0][1], &f->laws[0][0]);
  survival_add(&other, &f->laws[0][1], &f->laws[0][2]);
  survival_max(&expected, &expected, &other);
  assert_true(survival_equal(&expected, &f->result));
  survival_clear(&other);
  survival_clear(&expected);
}

/* One node mentioned twice is two mentions of the bare names in it. */
static void test_bare_names_in_shared_nodes(void **state) {
  struct fixture *f = *state;
  const struct survival *laws = f->laws[0];
  const struct expression *d = expression_bare(&f->table, "B");
  const struct expression *twice = times(f, 2, d), *max = MAX(d, expression_bare(&f->table, "A"));
  struct survival left, right;
  survival_init(&left, &exact_grid);
  survival_init(&right, &exact_grid);
  const struct expression *e = MAX(ADD(twice, term(f, 0, 0)), ADD(twice, term(f, 2, 0)));
  assert_int_equal(evaluate(f, e, true), STATUS_OK);
  survival_add_many(&left, &laws[1], 2);
  survival_add(&right, &left, &laws[2]);
  survival_add(&left, &left, &laws[0]);
  survival_max(&left, &left, &right);
  assert_true(survival_equal(&left, &f->result));
  assert_int_equal(evaluate(f, ADD(max, max), true), STATUS_OK);
  survival_max(&left, &laws[0], &laws[1]);
  survival_add_many(&left, &left, 2);
  assert_true(survival_equal(&left, &f->result));
  survival_clear(&left);
  survival_clear(&right);
}

static void test_failures_leave_the_result(void **state) {
  struct fixture *f = *state;
  const struct expression *a = term(f, 0, 0), *lost = expression_bare(&f->table, "Lost");
  assert_int_equal(evaluate(f, a, false), STATUS_OK);
  assert_int_equal(evaluate(f, ADD(a, lost), true), STATUS_NO_INPUT);
  assert_string_equal(text_get(&f->message), "no data for Lost");
  assert_true(survival_equal(&f->result, &f->laws[0][0]));
  assert_int_equal(f->ledger.count, 0);
}

static void test_a_thousand_alike_on_the_default_grid(void **state) {
  (void)state;
  struct fixture *f = calloc(1, sizeof *f);
  fixture_init(f, &grid_default);
  struct survival part, expected;
  survival_init(&part, &grid_default);
  survival_init(&expected, &grid_default);
  assert_int_equal(evaluate(f, many(f, EXPRESSION_MAX, 1000), false), STATUS_OK);
  survival_add_many(&part, &f->laws[0][0], 2);
  survival_add(&part, &part, &f->laws[0][1]);
  survival_add(&part, &part, &f->laws[0][2]);
  survival_max_many(&expected, &part, 1000);
  /* all sums are whole numbers below 2B, so their order does not matter but for rounding */
  for (size_t k = 0; k < grid_count(&grid_default); k++)
    assert_true(f->result.tail[k] + 4000 >= expected.tail[k] &&
                expected.tail[k] + 4000 >= f->result.tail[k]);
  assert_int_equal(evaluate(f, many(f, EXPRESSION_ADD, 1000), false), STATUS_OK);
  uint64_t median = 0;
  assert_true(survival_quantile(&median, &f->result, SURVIVAL_ONE / 2));
  /* mean 2 * 2 + 4.125 - 0.0 + ... = sum of (5*0+2*3+1*10)*2/8 + (1+12+20)/8 + (8+21+20)/8 */
  assert_in_range(median, 14250 - 200, 14250 * 1.01 + 200);
  survival_clear(&part);
  survival_clear(&expected);
  teardown((void **)&f);
}

/* 2*max(C, A) + A has one draw of C, also where A is 0. C is 2, 7 or 20 in 4, 3 and 1 of 8. */
static void test_values_of_an_occurrence_do_not_redraw_bare_names(void **state) {
  struct fixture *f = *state;
  const struct expression *a = term(f, 0, 0), *c = expression_bare(&f->table, "C");
  const struct expression *e = ADD(times(f, 2, MAX(c, a)), a);
  assert_int_equal(evaluate(f, e, true), STATUS_OK);
  assert_true(f->result.tail[39] >= SURVIVAL_ONE / EIGHTHS); /* 40 from C = 20 */
  choose_side(f, SIDE_LOWER);
  assert_int_equal(evaluate(f, e, true), STATUS_OK);
  /* where A is 0, C is 2 in half of all cases: 4 at most in 5/16 */
  assert_true(f->result.tail[4] <= SURVIVAL_ONE / 16 * 11);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_values_of_an_occurrence_do_not_redraw_bare_names, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_identity_is_respected, setup, teardown),
      cmocka_unit_test_setup_teardown(test_exact_where_factored, setup, teardown),
      cmocka_unit_test_setup_teardown(test_repeated_addition, setup, teardown),
      cmocka_unit_test(test_ranges_of_values),
      cmocka_unit_test_setup_teardown(test_shared_parts_count_once, setup, teardown),
      cmocka_unit_test_setup_teardown(test_groups_are_any_joint_law, setup, teardown),
      cmocka_unit_test_setup_teardown(test_what_is_free_of_a_group, setup, teardown),
      cmocka_unit_test_setup_teardown(test_bare_names_together, setup, teardown),
      cmocka_unit_test_setup_teardown(test_cost, setup, teardown),
      cmocka_unit_test_setup_teardown(test_association_is_in_the_ledger, setup, teardown),
      cmocka_unit_test_setup_teardown(test_bare_names, setup, teardown),
      cmocka_unit_test_setup_teardown(test_bare_names_in_shared_nodes, setup, teardown),
      cmocka_unit_test_setup_teardown(test_failures_leave_the_result, setup, teardown),
      cmocka_unit_test(test_a_thousand_alike_on_the_default_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
