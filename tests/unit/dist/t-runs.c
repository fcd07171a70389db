/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "dist/statistics/allocate.h"

enum { KINDS_MAX = 6 };

struct instance {
  struct plan_component components[KINDS_MAX];
  double spreads[KINDS_MAX];
  uint64_t runs[KINDS_MAX];
  size_t count;
  uint64_t budget_ns;
};

static double uniform(struct random *random) {
  return ((double)(random_bits(random) >> 11) + 0.5) / 9007199254740992.0;
}

static void add(struct instance *in, double seconds, double spread, uint64_t least) {
  in->components[in->count] =
      (struct plan_component){.least = least, .cost_ns = (uint64_t)llround(seconds * 1e9)};
  in->spreads[in->count++] = spread;
}

static struct instance draw(struct random *random, size_t most) {
  struct instance in = {.count = 0};
  size_t count = 2 + random_below(random, most - 1);
  for (size_t i = 0; i < count; i++)
    add(&in, 0.01 + 4 * uniform(random), 0.01 + 2 * uniform(random), random_below(random, 6));
  in.budget_ns =
      allocate_least(in.components, in.count) + (uint64_t)(1e9 * (1 + 60 * uniform(random)));
  return in;
}

static uint64_t spent(const struct instance *in, const uint64_t *runs) {
  uint64_t sum = 0;
  for (size_t i = 0; i < in->count; i++)
    sum += runs[i] * in->components[i].cost_ns;
  return sum;
}

static void solve(struct instance *in) {
  runs_allocate(in->runs, in->components, in->spreads, in->count, in->budget_ns);
}

static void test_budget_and_minimums_are_kept_always(void **state) {
  (void)state;
  struct random random = {1};
  size_t published_over = 0;
  for (size_t n = 0; n < 10000; n++) {
    struct instance in = draw(&random, KINDS_MAX);
    solve(&in);
    double sum = 0, published = 0;
    for (size_t i = 0; i < in.count; i++) {
      if (in.runs[i] < in.components[i].least)
        fail_msg("instance %zu: %zu has less than its minimum", n, i);
      sum += pow(in.spreads[i], 2.0 / 3.0) * cbrt((double)in.components[i].cost_ns);
    }
    if (spent(&in, in.runs) > in.budget_ns)
      fail_msg("instance %zu exceeds its budget", n);
    for (size_t i = 0; i < in.count; i++) {
      double cost = (double)in.components[i].cost_ns;
      published += cost * round((double)in.budget_ns * pow(in.spreads[i] / cost, 2.0 / 3.0) / sum);
    }
    published_over += published > (double)in.budget_ns;
  }
  assert_true(published_over > 4000 && published_over < 6000); /* about 53 % */
}

static void test_no_simple_rule_is_better(void **state) {
  (void)state;
  struct random random = {2};
  for (size_t n = 0; n < 10000; n++) {
    struct instance in = draw(&random, KINDS_MAX);
    solve(&in);
    double ours = runs_error(in.spreads, in.runs, in.count);
    uint64_t others[KINDS_MAX];
    runs_round_robin(others, in.components, in.count, in.budget_ns);
    assert_true(spent(&in, others) <= in.budget_ns);
    assert_true(ours <= runs_error(in.spreads, others, in.count));
    runs_equal_time(others, in.components, in.count, in.budget_ns);
    assert_true(spent(&in, others) <= in.budget_ns);
    assert_true(ours <= runs_error(in.spreads, others, in.count));
  }
}

/* The best of all whole numbers for three kinds of request. */
static double grid_search(const struct instance *in) {
  const struct plan_component *c = in->components;
  double best = INFINITY;
  for (uint64_t a = c[0].least; a * c[0].cost_ns <= in->budget_ns; a++)
    for (uint64_t b = c[1].least; a * c[0].cost_ns + b * c[1].cost_ns <= in->budget_ns; b++) {
      uint64_t rest = in->budget_ns - a * c[0].cost_ns - b * c[1].cost_ns;
      uint64_t runs[] = {a, b, rest / c[2].cost_ns};
      double error = runs[2] < c[2].least ? INFINITY : runs_error(in->spreads, runs, 3);
      best = error < best ? error : best;
    }
  return best;
}

static void test_nearly_the_best_of_all_whole_numbers(void **state) {
  (void)state;
  struct random random = {3};
  for (size_t n = 0; n < 200; n++) {
    struct instance in = {.count = 0};
    for (size_t i = 0; i < 3; i++)
      add(&in, 0.2 + 4 * uniform(&random), 0.05 + 2 * uniform(&random),
          1 + random_below(&random, 20));
    in.budget_ns = allocate_least(in.components, in.count) + UINT64_C(100000000000);
    solve(&in);
    double ours = runs_error(in.spreads, in.runs, 3), best = grid_search(&in);
    if (ours < best * 0.999999 || ours > best * 1.01)
      fail_msg("instance %zu: %g, but the best is %g", n, ours, best);
  }
}

/* 120 s for requests of 1.3, 3.8 and 0.5 s: 22.2, 22.6 and 10.5 runs; with at least 20 of each
 * 21.3, 21.7 and 20. */
static void test_the_published_example(void **state) {
  (void)state;
  for (uint64_t least = 0; least <= 20; least += 20) {
    struct instance in = {.budget_ns = UINT64_C(120000000000)};
    add(&in, 1.3, 0.4, least);
    add(&in, 3.8, 1.2, least);
    add(&in, 0.5, 0.05, least);
    solve(&in);
    assert_in_range(in.runs[0], least == 0 ? 22 : 21, 23);
    assert_in_range(in.runs[1], least == 0 ? 22 : 21, least == 0 ? 23 : 22);
    assert_in_range(in.runs[2], least == 0 ? 10 : 20, least == 0 ? 13 : 21);
  }
}

/* What was recorded before counts, and costs nothing. */
static void test_what_there_is_counts(void **state) {
  (void)state;
  struct instance in = {.budget_ns = UINT64_C(10000000000)};
  add(&in, 1, 1, 0);
  add(&in, 1, 1, 0);
  in.components[0].samples = 100;
  solve(&in);
  assert_int_equal(in.runs[0], 100);
  assert_int_equal(in.runs[1], 10);
}

static void test_nothing_to_gain(void **state) {
  (void)state;
  struct instance in = {.budget_ns = UINT64_C(10000000000)};
  add(&in, 1, 0, 2);
  add(&in, 1, 0, 3);
  solve(&in);
  assert_true(in.runs[0] >= 2 && in.runs[1] >= 3 && spent(&in, in.runs) <= in.budget_ns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_budget_and_minimums_are_kept_always),
      cmocka_unit_test(test_no_simple_rule_is_better),
      cmocka_unit_test(test_nearly_the_best_of_all_whole_numbers),
      cmocka_unit_test(test_the_published_example),
      cmocka_unit_test(test_what_there_is_counts),
      cmocka_unit_test(test_nothing_to_gain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
