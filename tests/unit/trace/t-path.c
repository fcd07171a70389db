/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/random_requests.h"
#include "trace/graph/path.h"

/* "main 2 a 5 (b?)": whose time each step of request 0 is, the end first; the rival behind it. */
static const char *show_path(struct graphed *graphed) {
  const struct request_flow *flow = graphed->graph.flows.data[0];
  int64_t *finish = mem_alloc(flow->activities.count, sizeof *finish);
  struct request_path path = {0};
  flow_finish(finish, flow, flow->durations.data);
  flow_path(&path, flow, finish, flow->durations.data);
  text_clear(&graphed->shown);
  for (size_t i = 0; i < path.steps.count; i++) {
    const struct path_step *step = &path.steps.data[i];
    const struct activity *activity = &flow->activities.data[step->activity];
    const struct flow_call *owner = &flow->calls.data[activity->owner];
    if (step->duration > 0)
      text_format(&graphed->shown, "%s%s %lld", graphed->shown.length > 0 ? " " : "",
                  names_text(&graphed->store.names, owner->operation), (long long)step->duration);
    if (step->order != SPAN_NONE && step->rival != SPAN_NONE)
      text_format(
          &graphed->shown, " (or %s)",
          names_text(&graphed->store.names,
                     flow->calls.data[flow->activities.data[step->rival].position].operation));
    text_append(&graphed->shown, step->tied ? " (tie)" : "");
  }
  request_path_clear(&path);
  mem_free(finish);
  return text_get(&graphed->shown);
}

static void check_path(void **state, const struct span_row *rows, const char *expected) {
  struct graphed *graphed = *state;
  graphed_add(graphed, rows);
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_string_equal(show_path(graphed), expected);
}

/* Times from which nobody can tell which of two calls a third one waited for. */
static void test_rival(void **state) {
  check_path(state,
             (struct span_row[]){{"0", NULL, "m", "main", 0, 5030, 0, 0},
                                 {"1", "0", "m", "foo1", 12, 1015, 0, 0},
                                 {"2", "0", "m", "foo2", 13, 2014, 0, 0},
                                 {"3", "0", "m", "foo3", 2021, 5026, 0, 0},
                                 {0}},
             "main 4 foo3 3005 main 7 (or foo1) foo2 2001 main 13");
}

/* A call that outlives its caller was not waited for, so the other one was. */
static void test_hedged(void **state) {
  check_path(state,
             (struct span_row[]){{"0", NULL, "m", "main", 0, 720, 0, 0},
                                 {"1", "0", "m", "primary", 2, 900, 0, 0},
                                 {"2", "0", "m", "replica", 300, 500, 0, 0},
                                 {"3", "0", "m", "render", 501, 719, 0, 0},
                                 {0}},
             "main 1 render 218 main 1 replica 200 main 300");
}

/* The last call to end may be one that nobody waited for. */
static void test_not_awaited(void **state) {
  check_path(state,
             (struct span_row[]){{"0", NULL, "m", "main", 0, 600, 0, 0},
                                 {"1", "0", "m", "query", 210, 550, 0, 0},
                                 {"2", "0", "m", "audit", 215, 580, 0, 0},
                                 {0}},
             "main 20 (or query) audit 365 main 215");
}

static void test_tie(void **state) {
  check_path(state,
             (struct span_row[]){{"0", NULL, "m", "main", 0, 100, 0, 0},
                                 {"1", "0", "m", "long", 10, 90, 0, 0},
                                 {"2", "0", "m", "short", 80, 90, 0, 0},
                                 {0}},
             "main 10 (or short) (tie) long 80 main 10");
}

/* In 40 requests one call waits for the other: no doubt is left. */
static void test_decided(void **state) {
  struct graphed *graphed = *state;
  for (int64_t i = 0; i < 40; i++) {
    int64_t end = 10 + i * 7 % 40;
    graphed_add(graphed,
                (struct span_row[]){{"0", NULL, "m", "main", 0, end + 22 - i % 7, 0, 0},
                                    {"1", "0", "m", "one", 1, end, 0, 0},
                                    {"2", "0", "m", "two", end + 1, end + 21 - i % 7, 0, 0},
                                    {0}});
  }
  graphed_make(graphed, UNDECIDED_FREE);
  assert_string_equal(show_path(graphed), "main 1 two 20 main 1 one 9 main 1");
}

static void check_request(const struct request_flow *flow, const int64_t *durations, bool all) {
  size_t count = flow->activities.count;
  int64_t *finish = mem_alloc(count, sizeof *finish), *slack = mem_alloc(count, sizeof *slack);
  int64_t *changed = mem_alloc(count, sizeof *changed);
  struct request_path path = {0};
  int64_t latency = flow_finish(finish, flow, durations), sum = 0;
  flow_path(&path, flow, finish, durations);
  flow_slack(slack, flow, finish, durations);
  for (size_t i = 0; i < path.steps.count; i++) {
    sum += path.steps.data[i].duration;
    if (all)
      assert_int_equal(slack[path.steps.data[i].activity], 0);
  }
  assert_int_equal(sum, latency);
  memcpy(changed, durations, count * sizeof *changed);
  for (size_t a = 0; a < count; a++) {
    assert_true(slack[a] >= 0);
    changed[a] += slack[a] == SLACK_ANY ? 100000 : slack[a];
    assert_int_equal(flow_finish(finish, flow, changed), latency);
    changed[a]++;
    if (slack[a] != SLACK_ANY && all)
      assert_int_equal(flow_finish(finish, flow, changed), latency + 1);
    changed[a] = durations[a];
  }
  request_path_clear(&path);
  mem_free(finish);
  mem_free(slack);
  mem_free(changed);
}

static void check_paths(struct graphed *graphed) {
  for (size_t f = 0; f < graphed->graph.flows.count; f++) {
    struct request_flow *flow = graphed->graph.flows.data[f];
    for (size_t i = 0; i < flow->requests.count; i++)
      check_request(flow, flow->durations.data + i * flow->activities.count, true);
    for (size_t a = 0; a < flow->activities.count; a++) /* as if some of several were enough */
      if (flow->activities.data[a].wait_count > 1)
        flow->activities.data[a].rank = 1 + (uint32_t)a % flow->activities.data[a].wait_count;
    for (size_t i = 0; i < flow->requests.count; i++)
      check_request(flow, flow->durations.data + i * flow->activities.count, false);
  }
}

/* The steps add up to the latency. An activity may take its slack more and nothing changes; with
 * one more the latency grows by one, where all that is waited for is needed. */
static void test_sum_and_slack(void **state) {
  (void)state;
  random_graphs(200, 11, check_paths);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_rival, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_hedged, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_not_awaited, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_tie, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_decided, graphed_set_up, graphed_tear_down),
      cmocka_unit_test(test_sum_and_slack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
