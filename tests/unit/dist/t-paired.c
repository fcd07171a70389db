/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/paired.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"

/* Tables of the signed-rank test: two-sided 5 % leaves out 0 of 6 pairs' averages (W <= 0), 3 of 8
 * (W <= 3), 52 of 20 (W <= 52). */
static void intervals_are_those_of_the_tables(void **state) {
  (void)state;
  static const struct {
    size_t pairs, outside;
  } known[] = {{6, 0}, {7, 2}, {8, 3}, {10, 8}, {15, 25}, {20, 52}, {25, 89}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    struct paired_plan plan;
    paired_plan_make(&plan, known[i].pairs, 1, known[i].pairs, 0.05);
    assert_int_equal(plan.count, 1);
    assert_true(plan.looks[0].possible);
    assert_int_equal(plan.looks[0].outside, known[i].outside);
  }
}

static void too_few_pairs_say_nothing(void **state) {
  (void)state;
  const double differences[5] = {-1, -2, -3, -4, -5};
  struct paired_plan plan;
  paired_plan_make(&plan, 5, 1, 5, 0.05);
  struct paired_interval interval = paired_interval(differences, 5, &plan.looks[0]);
  assert_false(plan.looks[0].possible);
  assert_true(isinf(interval.least) && isinf(interval.most));
  assert_true(interval.value == -3);
}

static void looks_share_what_may_go_wrong(void **state) {
  (void)state;
  struct paired_plan plan;
  paired_plan_make(&plan, 8, 4, 24, 0.05);
  assert_int_equal(plan.count, 5);
  assert_int_equal(plan.looks[0].pairs, 8);
  assert_int_equal(plan.looks[0].outside, 1); /* 2 * 2/256 <= 0.05 / 3 */
  assert_int_equal(plan.looks[4].pairs, 24);
  assert_true(plan.looks[4].outside < 81); /* that of one look alone */
  paired_plan_make(&plan, 8, 4, 26, 0.05);
  assert_int_equal(plan.looks[plan.count - 1].pairs, 26);
}

static double heavy(struct random *random) {
  double u = ((double)random_bits(random) + 0.5) / 18446744073709551616.0;
  return tan(3.14159265358979 * (u - 0.5)); /* Cauchy: no mean */
}

/* Among 4000 experiments with a true difference of 0.3, at most 5 % have a look whose interval
 * lacks it; 6 % of them is 2.9 standard errors more. */
static void intervals_hold_the_truth_at_every_look(void **state) {
  (void)state;
  enum { EXPERIMENTS = 4000, MOST = 24 };
  struct random random = {7};
  struct paired_plan plan;
  size_t missed = 0;
  paired_plan_make(&plan, 8, 4, MOST, 0.05);
  for (size_t e = 0; e < EXPERIMENTS; e++) {
    double differences[MOST];
    bool out = false;
    for (size_t i = 0; i < MOST; i++)
      differences[i] = 0.3 + heavy(&random);
    for (size_t k = 0; k < plan.count; k++) {
      struct paired_interval interval =
          paired_interval(differences, plan.looks[k].pairs, &plan.looks[k]);
      out = out || interval.least > 0.3 || interval.most < 0.3;
      assert_true(interval.least <= interval.value && interval.value <= interval.most);
    }
    missed += out;
  }
  assert_true(missed <= EXPERIMENTS * 6 / 100);
  assert_true(missed >= EXPERIMENTS * 1 / 100); /* and it is not merely wide */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_are_those_of_the_tables),
      cmocka_unit_test(too_few_pairs_say_nothing),
      cmocka_unit_test(looks_share_what_may_go_wrong),
      cmocka_unit_test(intervals_hold_the_truth_at_every_look),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
