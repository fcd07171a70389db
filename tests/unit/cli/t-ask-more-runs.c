/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `plan` how many runs a percentile takes.
 */
#include "cli/question/plan/more_runs.h"
#include "tests/unit/cli/heard.h"

enum { RUNS = 5 };

/* Five runs of 1000 latencies, whose medians are at 5500 + 40, + 10, + 0, + 30, + 20 ns. */
static enum status ask(struct more_runs *answer, struct more_runs_request *request) {
  static const unsigned levels[RUNS] = {5040, 5010, 5000, 5030, 5020};
  static struct asker asker;
  static char paths[RUNS][256];
  asker = heard_asker();
  request->asker = &asker;
  for (size_t i = 0; i < RUNS; i++) {
    char name[16];
    snprintf(name, sizeof name, "%zu.csv", i);
    snprintf(paths[i], sizeof paths[i], "%s", heard_series(name, levels[i]));
    if (i > 0)
      vector_push(&request->runs, paths[i]);
  }
  request->path = paths[0];
  rational_init(&request->confidence);
  rational_set_fraction(&request->confidence, 95, 100);
  return more_runs_ask(answer, request);
}

static void end(struct more_runs *answer, struct more_runs_request *request) {
  more_runs_clear(answer);
  rational_clear(&request->confidence);
  vector_clear(&request->runs);
}

static void narrower(void **state) {
  (void)state;
  struct more_runs twice, thrice;
  struct more_runs_request by_two = {.percentile = "50"},
                           by_three = {.percentile = "50", .factor = "3"};
  assert_int_equal(ask(&twice, &by_two), STATUS_OK);
  assert_true(twice.found && twice.settled);
  assert_int_equal(twice.count, RUNS);
  assert_int_equal(twice.observations, RUNS * 1000);
  assert_in_range(twice.now.lower_ns, 5000, 5519);
  assert_in_range(twice.now.upper_ns, 5521, 6000);
  assert_true(twice.then > RUNS);
  assert_true(2 * (twice.ends.upper_ns - twice.ends.lower_ns) <=
              twice.now.upper_ns - twice.now.lower_ns + 2);
  assert_int_equal(ask(&thrice, &by_three), STATUS_OK);
  assert_true(thrice.then > twice.then);
  end(&twice, &by_two);
  end(&thrice, &by_three);
}

/* The nearer the objective, the more runs. */
static void objectives(void **state) {
  (void)state;
  struct more_runs far, near, at;
  struct more_runs_request of_far = {.slo = "p50<9us"}, of_near = {.slo = "p50<5530ns"},
                           of_at = {.slo = "p50<5519ns"};
  assert_int_equal(ask(&far, &of_far), STATUS_OK);
  assert_int_equal(far.then, RUNS);
  assert_int_equal(far.state, SLO_MET);
  assert_int_equal(ask(&near, &of_near), STATUS_OK);
  assert_true(near.then > RUNS);
  ask(&at, &of_at);
  assert_true(at.then == 0 || at.then > near.then);
  end(&far, &of_far);
  end(&near, &of_near);
  end(&at, &of_at);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(narrower), TEST(objectives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
