/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions about logs of event loops of which everything is known (examples/node/known_log.py):
 * in one, one of 60 requests holds the loop for 40 ms; in the other none does.
 */
#include "cli/question/loops/loops.h"
#include "cli/question/loops/whatif.h"
#include "tests/unit/cli/heard.h"

static char held[96], free_of_it[96];

static int setup(void **state) {
  if (heard_setup(state) != 0)
    return -1;
  snprintf(held, sizeof held, "%s/held", heard_folder);
  snprintf(free_of_it, sizeof free_of_it, "%s/free", heard_folder);
  char command[400];
  snprintf(command, sizeof command,
           "python3 examples/node/known_log.py %s 1500 1 spin=40 && "
           "python3 examples/node/known_log.py %s 1500 1",
           held, free_of_it);
  return system(command);
}

static enum status ask(struct loops_answer *answer, struct loops_request *request,
                       const struct asker *asker, const char *const *path) {
  request->asker = asker;
  request->paths = path;
  request->path_count = 1;
  request->percentiles = "50";
  rational_init(&request->confidence);
  rational_set_fraction(&request->confidence, 95, 100);
  return loops_ask(answer, request);
}

static void end(struct loops_answer *answer, struct loops_request *request) {
  loops_clear(answer);
  rational_clear(&request->confidence);
}

/* What was planted is the cause; where nothing was, none is named. */
static void the_cause_is_what_was_planted(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *const logs[] = {held, free_of_it};
  for (size_t i = 0; i < 2; i++) {
    struct loops_request request = {.above = "p90", .route = "GET /"};
    struct loops_answer answer;
    enum status status = ask(&answer, &request, &asker, &logs[i]);
    assert_int_equal(status, i == 0 ? STATUS_OK : STATUS_UNKNOWN);
    assert_true(answer.found);
    assert_int_equal(answer.routes.count, 1);
    const struct loops_route *route = &answer.routes.data[0];
    if (i == 0) {
      assert_int_equal(route->verdict, LOOPS_EXPLAINED);
      assert_true(route->judgement.named.count >= 1);
    } else {
      assert_int_not_equal(route->verdict, LOOPS_EXPLAINED);
    }
    end(&answer, &request);
  }
}

static void what_is_refused(void **state) {
  (void)state;
  static const struct loops_request wrong[] = {
      {.above = "p101"}, {.above = "soon"},      {.skip = "2"},
      {.skip = "-1s"},   {.route = "GET /none"}, {.slowest = "0"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct asker asker = heard_asker();
    struct loops_request request = wrong[i];
    struct loops_answer answer;
    const char *log = held;
    enum status status = ask(&answer, &request, &asker, &log);
    if (status != STATUS_USAGE && status != STATUS_DATA)
      fail_msg("%zu: status %d", i, (int)status);
    assert_false(answer.found);
    assert_int_equal(heard.count, 1);
    end(&answer, &request);
  }
}

static enum status change(struct loops_whatif *answer, struct loops_whatif_request *request,
                          const char *what, const char *const *observed) {
  static struct asker asker;
  static const char *path, *changes[1];
  asker = heard_asker();
  path = held, changes[0] = what;
  *request = (struct loops_whatif_request){.asker = &asker,
                                           .paths = &path,
                                           .path_count = 1,
                                           .changes = changes,
                                           .change_count = 1,
                                           .observed = observed,
                                           .observed_count = observed != NULL,
                                           .route = "GET /",
                                           .percentiles = "50,90"};
  rational_init(&request->confidence);
  rational_set_fraction(&request->confidence, 95, 100);
  return loops_whatif_ask(answer, request);
}

static void end_change(struct loops_whatif *answer, struct loops_whatif_request *request) {
  loops_whatif_clear(answer);
  rational_clear(&request->confidence);
}

/* Without what held the loop requests are as in the log of which it was left out, and not as in the
 * one with it. */
static void what_would_be(void **state) {
  (void)state;
  struct loops_whatif_request request;
  struct loops_whatif answer;
  const char *really = free_of_it, *not_changed = held;
  assert_int_equal(change(&answer, &request, "Immediate: *0", &really), STATUS_OK);
  assert_true(answer.found);
  assert_true(answer.affected.data[0].count > 0);
  for (size_t p = 0; p < 2; p++)
    assert_false(loops_missed(&answer, p));
  assert_true(answer.is[0][1].value_ns < answer.was[1].value_ns);
  end_change(&answer, &request);
  assert_int_equal(change(&answer, &request, "Immediate: *0", &not_changed), STATUS_REFUTED);
  assert_true(loops_missed(&answer, 1));
  end_change(&answer, &request);
  assert_int_equal(change(&answer, &request, "gc: *0.5", NULL), STATUS_USAGE);
  assert_false(answer.found);
  heard_only(SAYING_MISTAKE, "none is recorded in this log");
  end_change(&answer, &request);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(the_cause_is_what_was_planted), TEST(what_is_refused),
                                     TEST(what_would_be)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
