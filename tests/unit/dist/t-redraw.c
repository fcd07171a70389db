/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Task graphs whose joins wait for any or for all of the tasks before. WebPerf (Jiang et al., SoCC
 * 2016, Algorithm 1) goes through the tasks in order and treats what a join waits for as
 * independent, so that an ancestor that several branches share is drawn anew in each. That is too
 * high under "all", where it does no harm, and too low under "any", where the shared ancestor
 * delays every branch at once. The evaluator must not do so.
 */
#include <math.h>

#include "dist/survival/combine.h"
#include "dist/survival/sum.h"
#include "tests/unit/dist/evaluate_fixture.h"

enum { TASKS_MAX = 7 };

struct task {
  size_t law;
  bool is_any;
  size_t parent_count;
  size_t parents[TASKS_MAX];
};

struct tasks {
  size_t count;
  struct task list[TASKS_MAX];
};

/* When the last task is finished, as the expression that it is. */
static const struct expression *finish_of(struct fixture *f, const struct tasks *tasks) {
  const struct expression *finish[TASKS_MAX], *parts[TASKS_MAX];
  for (size_t i = 0; i < tasks->count; i++) {
    const struct task *task = &tasks->list[i];
    finish[i] = term(f, task->law, (int64_t)i);
    for (size_t j = 0; j < task->parent_count; j++)
      parts[j] = finish[task->parents[j]];
    if (task->parent_count > 0)
      finish[i] = ADD(finish[i],
                      expression_combine(&f->table, task->is_any ? EXPRESSION_MIN : EXPRESSION_MAX,
                                         parts, task->parent_count, 0));
  }
  return finish[tasks->count - 1];
}

/* What the algorithm that draws shared ancestors anew makes of it. */
static void redraw(struct survival *z, const struct fixture *f, const struct tasks *tasks) {
  struct survival finish[TASKS_MAX], start;
  survival_init(&start, &z->grid);
  for (size_t i = 0; i < tasks->count; i++) {
    const struct task *task = &tasks->list[i];
    survival_init(&finish[i], &z->grid);
    survival_set(&finish[i], &f->laws[0][task->law]);
    for (size_t j = 0; j < task->parent_count; j++)
      if (j == 0)
        survival_set(&start, &finish[task->parents[j]]);
      else if (task->is_any)
        survival_min(&start, &start, &finish[task->parents[j]]);
      else
        survival_max(&start, &start, &finish[task->parents[j]]);
    if (task->parent_count > 0)
      survival_add(&finish[i], &finish[i], &start);
  }
  survival_set(z, &finish[tasks->count - 1]);
  for (size_t i = 0; i < tasks->count; i++)
    survival_clear(&finish[i]);
  survival_clear(&start);
}

/* A task after any, or all, of `width` tasks that wait for the first one. */
static struct tasks fork_of(size_t width, bool is_any) {
  struct tasks tasks = {.count = width + 2};
  for (size_t i = 1; i <= width; i++) {
    tasks.list[i] = (struct task){.law = 1, .parent_count = 1};
    tasks.list[width + 1].parents[i - 1] = i;
  }
  tasks.list[width + 1].law = 2;
  tasks.list[width + 1].is_any = is_any;
  tasks.list[width + 1].parent_count = width;
  return tasks;
}

/* Exponential laws of mean 1 ms but for the last task, which takes no time. */
static void set_exponential(struct fixture *f) {
  for (size_t k = 0; k < grid_count(&grid_default); k++) {
    double tail = exp(-(double)grid_value_ns(&grid_default, k) / 1e6);
    uint64_t units = (uint64_t)ceil(tail * (double)SURVIVAL_ONE);
    f->laws[0][0].tail[k] = f->laws[0][1].tail[k] = units;
    f->laws[0][2].tail[k] = 0;
  }
}

static double percentile_99(const struct survival *s) {
  uint64_t value = 0;
  assert_true(survival_quantile(&value, s, SURVIVAL_ONE / 100));
  return (double)value / 1e6;
}

/* P(a + b > x) for independent exponential laws of means 1 and 1/4. */
static double tail_of_any(double x) {
  return (4 * exp(-x) - exp(-4 * x)) / 3;
}

static void test_any_of_four(void **state) {
  (void)state;
  struct fixture fixture, *f = &fixture;
  fixture_init(f, &grid_default);
  set_exponential(f);
  struct survival redrawn;
  survival_init(&redrawn, &grid_default);
  double exact = 4;
  while (tail_of_any(exact) > 0.01)
    exact += 1e-5;
  struct tasks any = fork_of(4, true), all = fork_of(4, false);
  redraw(&redrawn, f, &any);
  assert_int_equal(evaluate(f, finish_of(f, &any), false), STATUS_OK);
  double got = percentile_99(&f->result), wrong = percentile_99(&redrawn);
  print_message("any of 4: p99 %.3f ms, bound %.3f, drawn anew %.3f (%.0f %% low)\n", exact, got,
                wrong, 100 * (1 - wrong / exact));
  assert_true(got >= exact && got < exact * (1 + 4.0 / 1024));
  assert_true(wrong < exact / 2);
  redraw(&redrawn, f, &all);
  assert_int_equal(evaluate(f, finish_of(f, &all), false), STATUS_OK);
  got = percentile_99(&f->result);
  wrong = percentile_99(&redrawn);
  print_message("all of 4: bound %.3f, drawn anew %.3f\n", got, wrong);
  assert_true(wrong > got);
  survival_clear(&redrawn);
  fixture_clear(f);
}

static struct tasks random_tasks(struct random *random, bool with_any) {
  struct tasks tasks = {.count = 4 + (size_t)random_below(random, 3)};
  for (size_t i = 0; i < tasks.count; i++) {
    struct task *task = &tasks.list[i];
    task->law = (size_t)random_below(random, LAWS);
    task->is_any = with_any && random_below(random, 2);
    size_t wanted = i < 2 ? i : 1 + (size_t)random_below(random, 3);
    for (size_t parent = i; parent-- > 0 && task->parent_count < wanted;)
      if (i - parent < 4)
        task->parents[task->parent_count++] = parent;
  }
  return tasks;
}

/* How many of the points of the exact law the redrawn one is below. */
static size_t count_below(const struct survival *s, const uint64_t *tail) {
  size_t below = 0;
  for (size_t k = 0; k < POINTS - 1; k++)
    below += s->tail[k] < tail[k];
  return below;
}

/* Returns how many of the random graphs the redrawn law is wrong for; the evaluator's never is. */
static size_t compare(struct fixture *f, bool with_any) {
  uint64_t tail[POINTS];
  struct survival redrawn;
  survival_init(&redrawn, &exact_grid);
  size_t wrong = 0;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct random random = {seed};
    struct tasks tasks = random_tasks(&random, with_any);
    expression_table_clear(&f->table);
    expression_table_init(&f->table);
    const struct expression *e = finish_of(f, &tasks);
    enumerate(tail, f, e);
    for (enum survival_side side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
      choose_side(f, side);
      assert_int_equal(evaluate(f, e, false), STATUS_OK);
      check_result(f, e, tail, false, seed);
    }
    redraw(&redrawn, f, &tasks);
    wrong += count_below(&redrawn, tail) > 0;
  }
  survival_clear(&redrawn);
  return wrong;
}

static void test_random_graphs(void **state) {
  struct fixture *f = *state;
  size_t wrong = compare(f, true);
  print_message("drawn anew: too low for %zu of 60 graphs with \"any\"\n", wrong);
  assert_true(wrong > 20);
  assert_int_equal(compare(f, false), 0); /* association: maxima alone are safe */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_of_four),
      cmocka_unit_test_setup_teardown(test_random_graphs, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
