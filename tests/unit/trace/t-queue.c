/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/scenarios.h"

#include "base/random.h"
#include "trace/evaluate/queue.h"

/* --- one call a request: Lindley's recursion -------------------------------------------------- */

static const struct call_row one_calls[] = {{"web", "GET", 0}, {"sql", "q", 0}, {0}};
static const struct activity_row one_activities[] = {
    {1, true, "", 0}, {1, false, "0", 0}, {0, false, "1", 0}, {0}};

static void test_one_server_is_lindleys_recursion(void **state) {
  (void)state;
  struct recorded r;
  recorded_init(&r);
  struct request_flow *flow = recorded_flow(&r, one_calls, one_activities);
  struct random random = {3};
  enum { REQUESTS = 2000 };
  int64_t at = 0, free_at = 0, expected[REQUESTS];
  for (size_t i = 0; i < REQUESTS; i++) {
    int64_t times[] = {10, (int64_t)random_below(&random, 2000), 5};
    at += (int64_t)random_below(&random, 2200);
    recorded_request(&r, flow, at, times);
    int64_t from = at + 10 > free_at ? at + 10 : free_at;
    free_at = from + times[1];
    expected[i] = free_at + 5 - at;
  }
  static const char *const changes[] = {"limit sql=1", NULL};
  struct changed c;
  changed_replay(&c, &r, changes, NULL);
  for (size_t i = 0; i < REQUESTS; i++)
    assert_int_equal(c.replayed.after.data[i], expected[i]);
  assert_int_equal(c.replayed.use.data[0].calls, REQUESTS);
  assert_true(c.replayed.use.data[0].waited > REQUESTS / 2);
  changed_clear(&c);
  recorded_clear(&r);
}

/* --- many calls of one request: list scheduling ----------------------------------------------- */

enum { TASKS_MAX = 10 };

/* A root that calls `count` times at once. */
static struct request_flow *fan(struct recorded *r, size_t count) {
  struct call_row calls[TASKS_MAX + 2] = {{"web", "GET", 0}};
  struct activity_row activities[2 * TASKS_MAX + 2];
  char waits[2 * TASKS_MAX][16], all[100] = "";
  for (uint32_t i = 0; i < count; i++) {
    calls[i + 1] = (struct call_row){"sql", "q", 0};
    snprintf(waits[i], sizeof waits[i], "%u", 2 * i);
    activities[2 * i] = (struct activity_row){i + 1, true, "", 0};
    activities[2 * i + 1] = (struct activity_row){i + 1, false, waits[i], 0};
    snprintf(all + strlen(all), sizeof all - strlen(all), "%u ", 2 * i + 1);
  }
  calls[count + 1] = (struct call_row){0};
  activities[2 * count] = (struct activity_row){0, false, all, 0};
  activities[2 * count + 1] = (struct activity_row){0};
  return recorded_flow(r, calls, activities);
}

/* Each task in its turn goes to the server that is free first (Graham 1966). */
static int64_t list_schedule(const int64_t *tasks, size_t count, size_t servers) {
  int64_t free_at[TASKS_MAX] = {0}, last = 0;
  for (size_t i = 0; i < count; i++) {
    size_t first = 0;
    for (size_t k = 1; k < servers; k++)
      first = free_at[k] < free_at[first] ? k : first;
    free_at[first] += tasks[i];
    last = free_at[first] > last ? free_at[first] : last;
  }
  return last;
}

static void test_a_limit_is_list_scheduling(void **state) {
  (void)state;
  struct random random = {11};
  for (size_t count = 1; count <= TASKS_MAX; count++)
    for (size_t servers = 1; servers <= 4; servers++) {
      struct recorded r;
      recorded_init(&r);
      int64_t times[2 * TASKS_MAX + 1] = {0}, tasks[TASKS_MAX];
      for (size_t i = 0; i < count; i++)
        times[2 * i + 1] = tasks[i] = (int64_t)random_below(&random, 1000);
      recorded_request(&r, fan(&r, count), 77, times);
      char change[30];
      snprintf(change, sizeof change, "limit sql=%zu", servers);
      assert_int_equal(changed_one(&r, change, NULL), list_schedule(tasks, count, servers));
      recorded_clear(&r);
    }
}

static void test_a_limit_that_is_never_met_changes_nothing(void **state) {
  (void)state;
  struct recorded r;
  recorded_init(&r);
  static const int64_t times[] = {3, 5, 2, 9, 4, 1, 7};
  struct request_flow *flow = fan(&r, 3);
  recorded_request(&r, flow, 0, times);
  recorded_request(&r, flow, 1, times);
  static const char *const changes[] = {"limit sql=6", NULL};
  struct changed c;
  changed_replay(&c, &r, changes, NULL);
  assert_int_equal(c.replayed.after.data[0], c.replayed.before.data[0]);
  assert_int_equal(c.replayed.after.data[1], c.replayed.before.data[1]);
  assert_int_equal(c.replayed.use.data[0].waited, 0);
  changed_clear(&c);
  recorded_clear(&r);
}

/* --- several limits, and calls within calls --------------------------------------------------- */

static const struct call_row nested_calls[] = {
    {"web", "GET", 0}, {"cart", "get", 0}, {"sql", "q", 1}, {0}};
static const struct activity_row nested_activities[] = {{1, true, "", 0},   {2, true, "0", 0},
                                                        {2, false, "1", 0}, {1, false, "2", 0},
                                                        {0, false, "3", 0}, {0}};

static struct recorded nested(void) {
  static const int64_t times[] = {1, 10, 100, 1000, 10000};
  struct recorded r;
  recorded_init(&r);
  struct request_flow *flow = recorded_flow(&r, nested_calls, nested_activities);
  recorded_request(&r, flow, 0, times);
  recorded_request(&r, flow, 0, times);
  return r;
}

static int64_t second(const struct recorded *r, const char *a, const char *b) {
  const char *changes[] = {a, b, NULL};
  struct changed c;
  changed_replay(&c, r, changes, NULL);
  assert_int_equal(c.replayed.after.data[0], 11111);
  int64_t after = c.replayed.after.data[1];
  changed_clear(&c);
  return after;
}

static void test_a_call_has_its_server_to_its_end(void **state) {
  (void)state;
  struct recorded r = nested();
  assert_int_equal(second(&r, "limit sql=1", NULL), 11211);
  assert_int_equal(second(&r, "limit cart=1", NULL), 11111 + 1110);
  assert_int_equal(second(&r, "limit cart=1", "limit sql=1"), 11111 + 1110);
  assert_int_equal(second(&r, "limit web=1", NULL), 22222);
  recorded_clear(&r);
}

static void test_calls_that_wait_for_each_other(void **state) {
  (void)state;
  struct recorded r = nested();
  r.graph.flows.data[0]->calls.data[2].service = r.graph.flows.data[0]->calls.data[1].service;
  static const char *const changes[] = {"limit cart=1", NULL};
  struct changed c;
  assert_int_equal(changed_make(&c, &r, changes, NULL), STATUS_OK);
  struct replay_wish wish = {&c.scenario, &c.variants, &r.store, 1, 0, NULL};
  assert_false(requests_replay(&c.replayed, &wish));
  changed_clear(&c);
  recorded_clear(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_server_is_lindleys_recursion),
      cmocka_unit_test(test_a_limit_is_list_scheduling),
      cmocka_unit_test(test_a_limit_that_is_never_met_changes_nothing),
      cmocka_unit_test(test_a_call_has_its_server_to_its_end),
      cmocka_unit_test(test_calls_that_wait_for_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
