/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits from several runs: how often they miss the known percentile where the level differs from
 * run to run, where it does not, and where a run has a memory of its own; over 30 sets of runs of
 * each world (1000 with TEST_ALL).
 */
#include "dist/statistics/between_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "dist/statistics/levels.h"
#include "dist/survival/survival.h"
#include "tests/unit/dist/worlds.h"

static unsigned sets = 30;

struct runs_world {
  const char *name;
  size_t runs, each;
  double apart, memory; /* standard deviation of the runs' levels; of AR(1) within a run */
  double most_wrong;    /* of the six ends of all sets, at 99 % */
  double least_finite;  /* of the upper ends of p50 */
};

static const struct runs_world worlds[] = {
    {"alike, 5", 5, 200, 0, 0, 0.01, 0.99},
    {"alike, 20", 20, 100, 0, 0, 0.012, 0.99},
    {"levels differ, 3", 3, 500, 0.2, 0, 0.02, 0},
    {"levels differ, 5", 5, 500, 0.2, 0, 0.02, 0.5},
    {"levels differ, 10", 10, 500, 0.2, 0, 0.02, 0.99},
    {"levels differ, 30", 30, 100, 0.3, 0, 0.02, 0.99},
    {"memory 0.95 within, 10", 10, 500, 0, 0.95, 0.02, 0.99},
    {"both, 10", 10, 500, 0.2, 0.9, 0.02, 0.99},
    {"few each, 40", 40, 10, 0.2, 0.9, 0.02, 0.99},
};

static void draw(struct sample *sample, const struct runs_world *world, unsigned number,
                 struct random *random) {
  double level = world->apart * worlds_normal(random), z = worlds_normal(random);
  char source[32];
  sample_init(sample);
  for (size_t i = 0; i < world->each; i++) {
    uint64_t ns = (uint64_t)(1e6 * exp(0.5 * z + level));
    assert_true(sample_add_range(sample, ns, ns, 1));
    z = world->memory * z + sqrt(1 - world->memory * world->memory) * worlds_normal(random);
  }
  sample_finish(sample);
  evidence_set_unknown(&sample->evidence, sample->real);
  snprintf(source, sizeof source, "run %u", number);
  evidence_add_text(&sample->evidence.sources, source, strlen(source));
}

/* Of p50, p90 and p99, whose true values are known. */
static void count(unsigned *wrong, unsigned *finite, const struct sample *all, double deviation) {
  static const double normal[] = {0, 1.2815515655446004, 2.3263478740408408};
  static const int64_t percents[] = {50, 90, 99};
  struct levels *levels = levels_new(all, false);
  struct rational share;
  rational_init(&share);
  for (size_t i = 0; i < 3; i++) {
    double truth = 1e6 * exp(deviation * normal[i]);
    rational_set_fraction(&share, percents[i], 100);
    struct level_ends ends = levels_ends(levels, all, &share, all->real, SURVIVAL_ONE / 100);
    *finite += i == 0 && ends.upper_finite;
    *wrong += ends.upper_settled && ends.upper_finite && (double)ends.upper_ns < truth - 1;
    *wrong += ends.lower_settled && (double)ends.lower_ns > truth + 1;
  }
  rational_clear(&share);
  levels_free(levels);
}

static void test_worlds(void **state) {
  (void)state;
  for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
    const struct runs_world *world = &worlds[w];
    struct random random = {w + 1};
    struct sample runs[40];
    struct text message;
    text_init(&message);
    unsigned wrong = 0, finite = 0;
    for (unsigned k = 0; k < sets; k++) {
      struct sample all;
      sample_init(&all);
      for (unsigned r = 0; r < world->runs; r++)
        draw(&runs[r], world, r, &random);
      assert_true(between_runs(&all, runs, world->runs, &message));
      assert_true(evidence_is_valid(&all.evidence));
      assert_int_equal(all.evidence.runs, world->runs);
      count(&wrong, &finite, &all, sqrt(0.25 + world->apart * world->apart));
      for (unsigned r = 0; r < world->runs; r++)
        sample_clear(&runs[r]);
      sample_clear(&all);
    }
    if (getenv("BETWEEN_RUNS") != NULL)
      print_message("%s: %u ends wrong of %u, %u finite\n", world->name, wrong, 6 * sets, finite);
    if (wrong > world->most_wrong * 6 * sets || finite < world->least_finite * sets)
      fail_msg("%s: %u ends wrong of %u, %u finite", world->name, wrong, 6 * sets, finite);
    text_clear(&message);
  }
}

/* Two runs decide next to nothing, and the same twice is refused. */
static void test_corners(void **state) {
  (void)state;
  const struct runs_world world = {"", 2, 1000, 0.1, 0, 0, 0};
  struct random random = {7};
  struct sample runs[2], all;
  struct text message;
  text_init(&message);
  sample_init(&all);
  draw(&runs[0], &world, 0, &random);
  draw(&runs[1], &world, 1, &random);
  assert_true(between_runs(&all, runs, 2, &message));
  assert_true(all.evidence.order->at[14].upper < 40);
  sample_clear(&all);
  sample_clear(&runs[1]);
  draw(&runs[1], &world, 0, &random);
  assert_false(between_runs(&all, runs, 2, &message));
  assert_string_equal(text_get(&message),
                      "run 2 is in a run before it already (run 0); name each run once");
  sample_clear(&all);
  sample_clear(&runs[0]);
  sample_clear(&runs[1]);
  text_clear(&message);
}

/* The runs one after the other in a series: the same worth, and the series says no more than they. */
static void test_stretches(void **state) {
  (void)state;
  const struct runs_world world = {"", 5, 300, 0.2, 0.5, 0, 0};
  struct random random = {11};
  struct sample runs[5], all, together;
  size_t ends[5], count = 0;
  struct text message;
  text_init(&message);
  sample_init(&all);
  sample_init(&together);
  for (unsigned r = 0; r < 5; r++) {
    struct random again = random;
    draw(&runs[r], &world, r, &random);
    double level = world.apart * worlds_normal(&again), z = worlds_normal(&again);
    for (size_t i = 0; i < world.each; i++, count++) {
      uint64_t ns = (uint64_t)(1e6 * exp(0.5 * z + level));
      assert_true(sample_add_range(&together, ns, ns, 1));
      sample_add_range_to_series(&together, ns, ns);
      z = world.memory * z + sqrt(1 - world.memory * world.memory) * worlds_normal(&again);
    }
    ends[r] = count;
  }
  sample_finish(&together);
  assert_true(between_runs(&all, runs, 5, &message));
  between_stretches(&together, ends, 5);
  assert_int_equal(together.evidence.runs, 5);
  assert_int_equal(together.series_count, count);
  struct levels *apart = levels_new(&all, false), *joined = levels_new(&together, false);
  struct rational share;
  rational_init(&share);
  for (int64_t p = 1; p < 100; p++) {
    rational_set_fraction(&share, p, 100);
    struct serial a = levels_at(apart, &share), b = levels_at(joined, &share);
    assert_true(a.inflation_upper == b.inflation_upper && a.inflation_lower == b.inflation_lower);
    assert_true(a.settled == b.settled);
  }
  assert_true(levels_overall(joined).inflation > 5);
  rational_clear(&share);
  levels_free(apart);
  levels_free(joined);
  for (unsigned r = 0; r < 5; r++)
    sample_clear(&runs[r]);
  sample_clear(&all);
  sample_clear(&together);
  text_clear(&message);
}

/* Ten runs, each slower than the one before. */
static void test_drift(void **state) {
  (void)state;
  struct sample runs[10], all;
  struct text message;
  text_init(&message);
  sample_init(&all);
  for (unsigned r = 0; r < 10; r++) {
    sample_init(&runs[r]);
    for (uint64_t i = 0; i < 100; i++)
      assert_true(sample_add_range(&runs[r], 1000 + 97 * i + 100 * r, 1000 + 97 * i + 100 * r, 1));
    sample_finish(&runs[r]);
    evidence_set_unknown(&runs[r].evidence, 100);
  }
  assert_true(between_runs(&all, runs, 10, &message));
  assert_false(all.evidence.order->all.settled);
  sample_clear(&all);
  for (unsigned r = 0; r < 10; r++)
    sample_clear(&runs[r]);
  text_clear(&message);
}

/* Rows in order, counted in windows of as many each at six edges, as a server is asked again and
 * again. */
static void count_windows(struct sample *sample, const uint64_t *rows, size_t count, size_t windows,
                          const uint64_t *edges_ns, size_t edges) {
  struct sample_windows *w = mem_alloc(1, sizeof *w);
  *w = (struct sample_windows){windows, edges, mem_alloc(edges, sizeof(uint64_t)),
                               mem_alloc(windows, sizeof(uint64_t)),
                               mem_alloc(windows * edges, sizeof(uint64_t))};
  sample_init(sample);
  memcpy(w->edges_ns, edges_ns, edges * sizeof *edges_ns);
  for (size_t i = 0; i < count; i++) {
    size_t at = i * windows / count, edge = 0;
    while (edge < edges && rows[i] > edges_ns[edge])
      edge++;
    w->totals[at]++;
    for (size_t e = edge; e < edges; e++)
      w->within[at * edges + e]++;
    if (edge == edges)
      assert_true(sample_add_beyond(sample, 1));
    else
      assert_true(sample_add_range(sample, edge == 0 ? 0 : edges_ns[edge - 1], edges_ns[edge], 1));
  }
  sample->windows = w;
  sample_finish(sample);
}

/* 60 runs of 2000 rows with a memory, in 100 windows: as independent draws half of the ends would be
 * wrong. Close to each true percentile there is an edge on both sides. */
static void test_windows(void **state) {
  (void)state;
  static const uint64_t edges[] = {600000,  990000,  1010000, 1300000, 1880000,
                                   1915000, 2500000, 3160000, 3240000, 9000000};
  enum { EDGES = sizeof edges / sizeof *edges, ROWS = 2000, RUNS = 60 };
  static uint64_t rows[ROWS];
  struct random random = {21};
  unsigned wrong = 0, finite = 0, as_draws = 0, unused = 0;
  for (int k = 0; k < RUNS; k++) {
    struct sample sample;
    double z = worlds_normal(&random);
    for (size_t i = 0; i < ROWS; i++) {
      rows[i] = worlds_value(z, 1);
      z = 0.95 * z + sqrt(1 - 0.95 * 0.95) * worlds_normal(&random);
    }
    count_windows(&sample, rows, ROWS, 100, edges, EDGES);
    assert_true(levels_tell(&sample));
    struct levels *levels = levels_new(&sample, false);
    if (!levels_overall(levels).wanders) /* else it is said of this run alone */
      count(&wrong, &finite, &sample, 0.5);
    levels_free(levels);
    sample_windows_free(sample.windows);
    sample.windows = NULL;
    assert_false(levels_tell(&sample));
    count(&as_draws, &unused, &sample, 0.5);
    sample_clear(&sample);
  }
  if (wrong > 0.02 * 6 * RUNS || finite < RUNS / 3 || as_draws < RUNS / 2)
    fail_msg("%u ends wrong, %u finite, %u wrong as draws", wrong, finite, as_draws);
}

/* Too few windows say nothing; few that move one after the other are not settled. */
static void test_few_windows(void **state) {
  (void)state;
  static const uint64_t edges[] = {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000};
  static uint64_t rows[2000];
  struct sample sample;
  struct source_order order;
  struct random random = {3};
  for (size_t i = 0; i < 2000; i++)
    rows[i] = 1 + random_below(&random, 1000);
  count_windows(&sample, rows, 2000, SAMPLE_WINDOWS_LEAST - 1, edges, 10);
  assert_false(between_windows(&order, &sample));
  assert_false(sample_has_order(&sample));
  sample_clear(&sample);
  count_windows(&sample, rows, 2000, 40, edges, 10);
  assert_true(between_windows(&order, &sample));
  assert_true(order.all.settled && order.at[14].upper > 500);
  sample_clear(&sample);
  for (size_t i = 0; i < 2000; i++)
    rows[i] = rows[i] / 2 + i / 4;
  count_windows(&sample, rows, 2000, 40, edges, 10);
  assert_true(between_windows(&order, &sample));
  assert_false(order.all.settled);
  sample_clear(&sample);
}

/* Twice as many runs such as these are worth more than twice as much, as fewer make t wide. */
static void test_prediction(void **state) {
  (void)state;
  const struct runs_world world = {"", 5, 500, 0.2, 0, 0, 0};
  struct random random = {5};
  struct sample runs[5], all;
  struct source_order now, then;
  struct text message;
  text_init(&message);
  sample_init(&all);
  for (unsigned r = 0; r < 5; r++)
    draw(&runs[r], &world, r, &random);
  assert_true(between_runs(&all, runs, 5, &message));
  between_runs_predict(&now, &all, runs, 5, 5);
  between_runs_predict(&then, &all, runs, 5, 10);
  assert_memory_equal(&now.at[14], &all.evidence.order->at[14], sizeof now.at[14]);
  assert_true(then.at[14].upper > 2 * now.at[14].upper);
  assert_true(then.at[14].upper < 8 * now.at[14].upper + 8);
  for (unsigned r = 0; r < 5; r++)
    sample_clear(&runs[r]);
  sample_clear(&all);
  text_clear(&message);
}

int main(void) {
  if (getenv("TEST_ALL") != NULL)
    sets = 1000;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_worlds),    cmocka_unit_test(test_corners),
      cmocka_unit_test(test_stretches), cmocka_unit_test(test_drift),
      cmocka_unit_test(test_windows),   cmocka_unit_test(test_few_windows),
      cmocka_unit_test(test_prediction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
