/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Promises of parts: what they are said to spend is never less than what some joint law makes of
 * them (the worst of all, by a linear program over which of them are broken), seldom more, and the
 * room that is found is nearly the greatest there is (by trying all).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "dist/budget/confirm.h"
#include "dist/budget/cost.h"
#include "dist/budget/split.h"
#include "tests/unit/dist/random.h"

enum { OCCURRENCES = 7, SUBSETS = 1 << OCCURRENCES, ROWS = OCCURRENCES + 1 };

struct scene {
  struct random random;
  struct expression_table table;
  const struct expression *expression;
  size_t occurrences, parts;
  size_t part_of[OCCURRENCES];
  struct budget_nodes terms;
  bool distinct; /* as few as can be are in several branches */
};

static const struct expression *random_term(struct scene *s) {
  int64_t index = (int64_t)random_below(&s->random, OCCURRENCES);
  if (s->distinct && s->table.occurrences.count < OCCURRENCES)
    index = (int64_t)s->table.occurrences.count;
  return expression_term(&s->table, expression_occurrence(&s->table, "X", NULL, &index, 1));
}

static const struct expression *random_expression(struct scene *s, int depth) {
  if (depth == 0 || random_below(&s->random, 4) == 0)
    return random_term(s);
  static const enum expression_kind kinds[] = {EXPRESSION_ADD, EXPRESSION_MAX, EXPRESSION_KTH,
                                               EXPRESSION_MIN, EXPRESSION_KTH};
  enum expression_kind kind = kinds[random_below(&s->random, 5)];
  const struct expression *parts[4];
  size_t count = 2 + random_below(&s->random, 3);
  for (size_t i = 0; i < count; i++)
    parts[i] = random_expression(s, depth - 1);
  return expression_combine(&s->table, kind, parts, count,
                            1 + (int64_t)random_below(&s->random, count));
}

/* Several occurrences may be of one part. */
static void scene_init(struct scene *s, uint64_t seed, size_t most_parts) {
  *s = (struct scene){.random = {seed}, .distinct = seed % 2 == 0};
  expression_table_init(&s->table);
  s->expression = random_expression(s, 2);
  s->occurrences = s->table.occurrences.count;
  s->parts = s->occurrences < most_parts ? s->occurrences : most_parts;
  for (size_t i = 0; i < s->occurrences; i++)
    s->part_of[i] = i < s->parts ? i : random_below(&s->random, s->parts);
  struct text message;
  text_init(&message);
  assert_int_equal(
      budget_nodes_make(&s->terms, s->expression, s->occurrences, s->part_of, &message), STATUS_OK);
  text_clear(&message);
}

static void scene_clear(struct scene *s) {
  budget_nodes_clear(&s->terms);
  expression_table_clear(&s->table);
}

/* --- the worst joint law ---------------------------------------------------------------------- */

static double value_if(const struct scene *s, const struct promise *promises, unsigned broken) {
  struct rational terms[OCCURRENCES], value;
  rational_init(&value);
  for (size_t i = 0; i < s->occurrences; i++) {
    rational_init(&terms[i]);
    rational_set_integer(&terms[i],
                         broken >> i & 1 ? 1000000 : (int64_t)promises[s->part_of[i]].limit_ns);
  }
  expression_value(&value, s->expression, terms, NULL, NULL);
  double result = rational_double(&value);
  for (size_t i = 0; i < s->occurrences; i++)
    rational_clear(&terms[i]);
  rational_clear(&value);
  return result;
}

/* Maximises the sum of x over columns, with rows * x <= limits and x >= 0: the simplex method with
 * Bland's rule, from x = 0. */
static double simplex(double rows[ROWS][SUBSETS + ROWS + 1], size_t row_count, size_t columns,
                      double *goal) {
  size_t basis[ROWS], right = columns + row_count;
  for (size_t r = 0; r < row_count; r++)
    basis[r] = columns + r;
  for (double total = 0;;) {
    size_t enter = 0, leave = SIZE_MAX;
    while (enter < right && goal[enter] <= 1e-9)
      enter++;
    if (enter == right)
      return total;
    for (size_t r = 0; r < row_count; r++) {
      if (rows[r][enter] <= 1e-9)
        continue;
      double ratio = rows[r][right] / rows[r][enter];
      double least = leave == SIZE_MAX ? INFINITY : rows[leave][right] / rows[leave][enter];
      if (ratio < least - 1e-12 || (ratio < least + 1e-12 && basis[r] < basis[leave]))
        leave = r;
    }
    assert_true(leave != SIZE_MAX);
    double pivot = rows[leave][enter];
    for (size_t c = 0; c <= right; c++)
      rows[leave][c] /= pivot;
    for (size_t r = 0; r < row_count; r++) {
      double factor = rows[r][enter];
      for (size_t c = 0; c <= right && r != leave; c++)
        rows[r][c] -= factor * rows[leave][c];
    }
    double factor = goal[enter];
    total += factor * rows[leave][right];
    for (size_t c = 0; c < right; c++)
      goal[c] -= factor * rows[leave][c];
    basis[leave] = enter;
  }
}

/* The largest chance that the whole exceeds its value at the limits, over all joint laws under
 * which every promise is kept. */
static double worst_chance(const struct scene *s, const struct promise *promises) {
  static double rows[ROWS][SUBSETS + ROWS + 1];
  static double goal[SUBSETS + ROWS + 1];
  size_t columns = 0, row_count = s->occurrences + 1;
  unsigned sets[SUBSETS];
  double at_limits = value_if(s, promises, 0);
  for (unsigned broken = 1; broken < 1u << s->occurrences; broken++)
    if (value_if(s, promises, broken) > at_limits)
      sets[columns++] = broken;
  memset(rows, 0, sizeof rows);
  memset(goal, 0, sizeof goal);
  for (size_t c = 0; c < columns; c++) {
    goal[c] = 1;
    rows[s->occurrences][c] = 1;
    for (size_t i = 0; i < s->occurrences; i++)
      rows[i][c] = sets[c] >> i & 1;
  }
  for (size_t r = 0; r < row_count; r++) {
    rows[r][columns + r] = 1;
    rows[r][columns + row_count] =
        r == s->occurrences ? 1 : (double)promises[s->part_of[r]].miss / (double)SURVIVAL_ONE;
  }
  return simplex(rows, row_count, columns, goal);
}

/* The chance if occurrences are independent. */
static double independent_chance(const struct scene *s, const struct promise *promises) {
  double at_limits = value_if(s, promises, 0), total = 0;
  for (unsigned broken = 1; broken < 1u << s->occurrences; broken++) {
    double chance = 1;
    for (size_t i = 0; i < s->occurrences; i++) {
      double miss = (double)promises[s->part_of[i]].miss / (double)SURVIVAL_ONE;
      chance *= broken >> i & 1 ? miss : 1 - miss;
    }
    total += value_if(s, promises, broken) > at_limits ? chance : 0;
  }
  return total;
}

/* As the evaluators bound it. */
static double confirmed_chance(const struct scene *s, const struct promise *promises,
                               bool independent) {
  struct rational at_limits;
  struct text message;
  uint64_t above = 0;
  rational_init(&at_limits);
  text_init(&message);
  rational_set_integer(&at_limits, (int64_t)value_if(s, promises, 0));
  const struct confirm_request request = {.expression = s->expression,
                                          .part_of = s->part_of,
                                          .promises = promises,
                                          .part_count = s->parts,
                                          .objective_ns = &at_limits,
                                          .independent = independent};
  assert_int_equal(confirm(&above, &request, &message), STATUS_OK);
  rational_clear(&at_limits);
  text_clear(&message);
  return (double)above / (double)SURVIVAL_ONE;
}

static void test_never_spends_too_little(void **state) {
  (void)state;
  enum { TRIALS = 200 };
  size_t tight[2][2] = {{0, 0}, {0, 0}}, confirmed_too = 0;
  for (uint64_t seed = 1; seed <= TRIALS; seed++)
    for (int independent = 0; independent <= 1; independent++) {
      struct scene s;
      scene_init(&s, seed, OCCURRENCES);
      struct promise promises[OCCURRENCES];
      uint64_t misses[OCCURRENCES];
      for (size_t g = 0; g < s.parts; g++) {
        misses[g] = SURVIVAL_ONE / 80 * (1 + random_below(&s.random, 8));
        promises[g] = (struct promise){1 + random_below(&s.random, 3), misses[g]};
      }
      struct spending spending;
      struct rational value;
      rational_init(&value);
      spending_init(&spending, &s.terms, independent);
      spending_exact(&value, &spending, promises);
      assert_true(rational_double(&value) == value_if(&s, promises, 0));
      double said = (double)spending_total(&spending, misses) / (double)SURVIVAL_ONE;
      double worst = independent ? independent_chance(&s, promises) : worst_chance(&s, promises);
      if (said < worst - 1e-9)
        fail_msg("seed %d: %.4f is said to be spent, a joint law spends %.4f", (int)seed, said,
                 worst);
      double confirmed = confirmed_chance(&s, promises, independent);
      assert_true(confirmed >= worst - 1e-9);
      confirmed_too += confirmed <= said * 1.000001;
      tight[s.distinct][independent] += said <= worst * 1.000001;
      rational_clear(&value);
      spending_clear(&spending);
      scene_clear(&s);
    }
  printf("# what is spent in the worst case is all that is said: of %d expressions with shared "
         "occurrences in %zu, independent in %zu; of others in %zu, %zu\n",
         TRIALS / 2, tight[0][0], tight[0][1], tight[1][0], tight[1][1]);
  printf("# the evaluators confirm what is said to be spent in %zu of %d\n", confirmed_too,
         2 * TRIALS);
  assert_true(confirmed_too >= 2 * TRIALS * 8 / 10);
  assert_true(tight[0][0] >= TRIALS / 4 && tight[1][0] >= TRIALS * 2 / 5);
  assert_true(tight[0][1] >= TRIALS / 5 && tight[1][1] >= TRIALS / 3);
}

/* --- the greatest room ------------------------------------------------------------------------ */

enum { PARTS = 3, POINTS = 7 };

static double room_at(const struct split_request *request, struct spending *spending,
                      const size_t *at) {
  double good = -1, bad = 1e6, limits[PARTS];
  for (int i = 0; i < 60; i++) {
    double room = (good + bad) / 2;
    for (size_t g = 0; g < request->part_count; g++)
      limits[g] = request->parts[g].points[at[g]].ns * (1 + room * request->parts[g].weight);
    *(spending_value(spending, limits) <= rational_double(request->objective_ns) ? &good : &bad) =
        room;
  }
  return good;
}

static double greatest_room(const struct split_request *request) {
  struct spending spending;
  spending_init(&spending, request->terms, request->independent);
  size_t at[PARTS] = {0}, combinations = 1;
  double greatest = -1;
  for (size_t g = 0; g < request->part_count; g++)
    combinations *= POINTS;
  for (size_t c = 0; c < combinations; c++) {
    uint64_t misses[PARTS];
    double limits[PARTS];
    for (size_t g = 0, left = c; g < request->part_count; g++, left /= POINTS) {
      at[g] = left % POINTS;
      misses[g] = request->parts[g].points[at[g]].miss;
      limits[g] = request->parts[g].points[at[g]].ns;
    }
    spending_value(&spending, limits);
    if (spending_total(&spending, misses) <= request->chance)
      greatest = fmax(greatest, room_at(request, &spending, at));
  }
  spending_clear(&spending);
  return greatest;
}

static void random_points(struct random *random, struct split_point *points) {
  double ns = 0;
  uint64_t miss = SURVIVAL_ONE / 2;
  for (size_t i = 0; i < POINTS; i++) {
    ns += (double)(1000 + random_below(random, 100000));
    points[i] = (struct split_point){ns, miss};
    miss = miss / (2 + random_below(random, 4));
  }
}

static void test_room_is_nearly_the_greatest(void **state) {
  (void)state;
  enum { TRIALS = 200 };
  size_t near = 0, found = 0;
  double worst = 1;
  for (uint64_t seed = 1; seed <= TRIALS; seed++) {
    struct scene s;
    scene_init(&s, seed, PARTS);
    struct split_point points[PARTS][POINTS];
    struct split_part parts[PARTS];
    for (size_t g = 0; g < s.parts; g++) {
      random_points(&s.random, points[g]);
      parts[g] = (struct split_part){points[g], POINTS, 1};
    }
    struct rational objective;
    rational_init(&objective);
    rational_set_integer(&objective, 400000);
    const struct split_request request = {.terms = &s.terms,
                                          .parts = parts,
                                          .part_count = s.parts,
                                          .objective_ns = &objective,
                                          .chance = SURVIVAL_ONE / 100 * (1 + seed % 10),
                                          .independent = seed % 4 == 0,
                                          .keep_points = true};
    struct split_found split;
    split_find(&split, &request);
    double greatest = greatest_room(&request);
    if (split.found) {
      found++;
      double share = (1 + split.room) / (1 + greatest);
      worst = fmin(worst, share);
      near += share > 0.98;
      assert_true(split.spent <= request.chance);
      if (!request.independent)
        assert_true(worst_chance(&s, split.promises) <=
                    (double)request.chance / (double)SURVIVAL_ONE + 1e-9);
    } else {
      assert_true(greatest <= -1 + 1e-6);
    }
    split_clear(&split);
    rational_clear(&objective);
    scene_clear(&s);
  }
  printf("# within 2 %% of the greatest room: %zu of %zu, the worst has %.3f of it\n", near, found,
         worst);
  assert_true(near >= found * 98 / 100 && found >= TRIALS / 2);
}

/* --- the least cost --------------------------------------------------------------------------- */

enum { OPTIONS = 5 };

static bool is_enough(const struct cost_request *request, const struct promise *promises) {
  struct spending spending;
  struct rational value;
  uint64_t misses[PARTS];
  rational_init(&value);
  spending_init(&spending, request->nodes, request->independent);
  spending_exact(&value, &spending, promises);
  for (size_t g = 0; g < request->part_count; g++)
    misses[g] = promises[g].miss;
  bool enough = rational_compare(&value, request->objective_ns) <= 0 &&
                spending_total(&spending, misses) <= request->chance;
  rational_clear(&value);
  spending_clear(&spending);
  return enough;
}

/* Of all choices. */
static double least_cost(const struct cost_request *request) {
  struct promise promises[PARTS];
  double least = INFINITY;
  size_t combinations = 1;
  for (size_t g = 0; g < request->part_count; g++)
    combinations *= OPTIONS;
  for (size_t c = 0; c < combinations; c++) {
    double cost = 0;
    for (size_t g = 0, left = c; g < request->part_count; g++, left /= OPTIONS) {
      promises[g] = request->parts[g].options[left % OPTIONS].promise;
      cost += request->parts[g].options[left % OPTIONS].cost;
    }
    if (cost < least && is_enough(request, promises))
      least = cost;
  }
  return least;
}

static void test_the_least_cost(void **state) {
  (void)state;
  enum { TRIALS = 100 };
  size_t found = 0;
  for (uint64_t seed = 1; seed <= TRIALS; seed++) {
    struct scene s;
    scene_init(&s, seed, PARTS);
    struct cost_option options[PARTS][OPTIONS];
    struct cost_part parts[PARTS];
    for (size_t g = 0; g < s.parts; g++) {
      parts[g] = (struct cost_part){options[g], OPTIONS};
      for (size_t i = 0; i < OPTIONS; i++)
        options[g][i] =
            (struct cost_option){{1 + random_below(&s.random, 9),
                                  SURVIVAL_ONE / 1000 * (1 + random_below(&s.random, 40))},
                                 (double)random_below(&s.random, 50)};
    }
    struct rational objective;
    rational_init(&objective);
    rational_set_integer(&objective, 8 + (int64_t)random_below(&s.random, 20));
    const struct cost_request request = {.nodes = &s.terms,
                                         .parts = parts,
                                         .part_count = s.parts,
                                         .objective_ns = &objective,
                                         .chance = SURVIVAL_ONE / 20,
                                         .independent = seed % 3 == 0,
                                         .steps = 100000};
    struct cost_choice choice;
    cost_find(&choice, &request);
    double least = least_cost(&request);
    assert_true(choice.is_least && choice.found == (least < INFINITY));
    if (choice.found)
      assert_true(choice.cost == least);
    found += choice.found;
    cost_clear(&choice);
    rational_clear(&objective);
    scene_clear(&s);
  }
  printf("# the cheapest of %d problems are found, %zu can be solved\n", TRIALS, found);
  assert_true(found > TRIALS / 4 && found < TRIALS);
}

/* A branch whose law is beyond all times of the grid is not the fastest of a minimum, and promises
 * nothing. */
static void test_a_branch_beyond_all_times(void **state) {
  (void)state;
  struct scene s = {.random = {1}};
  expression_table_init(&s.table);
  const struct expression *branches[2];
  for (int64_t i = 0; i < 2; i++)
    branches[i] = expression_term(&s.table, expression_occurrence(&s.table, "X", NULL, &i, 1));
  s.expression = expression_combine(&s.table, EXPRESSION_MIN, branches, 2, 0);
  s.part_of[1] = 1;
  struct text message;
  text_init(&message);
  assert_int_equal(budget_nodes_make(&s.terms, s.expression, 2, s.part_of, &message), STATUS_OK);
  const struct grid grid = {.sub_bits = 4, .octaves = 10};
  struct survival beyond;
  survival_init(&beyond, &grid);
  for (size_t k = 0; k < grid_count(&grid); k++)
    beyond.tail[k] = SURVIVAL_ONE;
  struct split_point own[] = {{500, SURVIVAL_ONE / 10}, {1000, SURVIVAL_ONE / 1000}};
  struct split_part parts[] = {{own, 2, 1}, {.weight = 1}};
  struct split_point *never = split_points(&parts[1].point_count, &beyond, 1, false);
  parts[1].points = never;
  assert_int_equal(parts[1].point_count, 1);
  assert_true(never[0].miss == SURVIVAL_ONE && never[0].ns > 1000);
  struct rational objective;
  rational_init(&objective);
  rational_set_integer(&objective, 1500);
  const struct split_request request = {.terms = &s.terms,
                                        .parts = parts,
                                        .part_count = 2,
                                        .objective_ns = &objective,
                                        .chance = SURVIVAL_ONE / 100};
  struct split_found split;
  split_find(&split, &request);
  assert_true(split.found && split.room > 0.49 && split.room <= 0.5);
  split_clear(&split);
  rational_clear(&objective);
  mem_free(never);
  survival_clear(&beyond);
  text_clear(&message);
  scene_clear(&s);
}

/* What is common: each part promises the percentile of the whole, and the limits add up to the
 * objective. The whole then breaks its objective up to as often as all parts together. */
static void test_equal_percentiles_do_not_suffice(void **state) {
  (void)state;
  struct scene s = {.random = {1}};
  expression_table_init(&s.table);
  const struct expression *parts[3];
  for (int64_t i = 0; i < 3; i++)
    parts[i] = expression_term(&s.table, expression_occurrence(&s.table, "X", NULL, &i, 1));
  s.expression = expression_combine(&s.table, EXPRESSION_ADD, parts, 3, 0);
  s.occurrences = s.parts = 3;
  for (size_t i = 0; i < 3; i++)
    s.part_of[i] = i;
  const struct promise promises[3] = {
      {10, SURVIVAL_ONE / 100}, {20, SURVIVAL_ONE / 100}, {30, SURVIVAL_ONE / 100}};
  assert_true(fabs(worst_chance(&s, promises) - 0.03) < 1e-9);
  expression_table_clear(&s.table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_never_spends_too_little),
      cmocka_unit_test(test_room_is_nearly_the_greatest),
      cmocka_unit_test(test_the_least_cost),
      cmocka_unit_test(test_a_branch_beyond_all_times),
      cmocka_unit_test(test_equal_percentiles_do_not_suffice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
