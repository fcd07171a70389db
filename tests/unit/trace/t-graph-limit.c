/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/unit/trace/graphs.h"
#include "trace/graph/limit.h"

enum { CALLS = 6 };

static const char *const ids[CALLS] = {"1", "2", "3", "4", "5", "6"};
static const char *const names[CALLS] = {"a", "b", "c", "d", "e", "f"};

static int64_t below(struct random *random, int64_t count) {
  return (int64_t)random_below(random, (uint64_t)count);
}

static void add(struct graphed *graphed, const int64_t *start, const int64_t *end) {
  struct span_row rows[CALLS + 2] = {{"0", NULL, "m", "main", 0, 0, 0, 0}};
  for (size_t i = 0; i < CALLS; i++) {
    rows[i + 1] = (struct span_row){ids[i], "0", "db", names[i], start[i], end[i], 0, 0};
    rows[0].end = end[i] >= rows[0].end ? end[i] + 1 : rows[0].end;
  }
  graphed_add(graphed, rows);
}

/* Each call takes the connection that is free first. */
static void add_pool(struct graphed *graphed, struct random *random, size_t connections) {
  int64_t free_at[CALLS] = {0}, start[CALLS], end[CALLS];
  for (size_t i = 0; i < CALLS; i++) {
    size_t best = 0;
    for (size_t c = 1; c < connections; c++)
      best = free_at[c] < free_at[best] ? c : best;
    start[i] = free_at[best] + 1;
    free_at[best] = end[i] = start[i] + 20 + below(random, 200);
  }
  add(graphed, start, end);
}

static size_t limits_of(struct graphed *graphed, struct suspected_limit *first) {
  graphed_make(graphed, UNDECIDED_WAITS);
  const struct request_flow *flow = graphed->graph.flows.data[0];
  if (flow->limits.count > 0)
    *first = flow->limits.data[0];
  return flow->limits.count;
}

static void test_pool(void **state) {
  struct graphed *graphed = *state;
  struct random random = {1};
  struct suspected_limit limit;
  for (int i = 0; i < 30; i++)
    add_pool(graphed, &random, 2);
  assert_int_equal(limits_of(graphed, &limit), 1);
  assert_int_equal(limit.limit, 2);
  assert_int_equal(limit.calls, CALLS);
  assert_int_equal(limit.caller, 0);
  assert_string_equal(names_text(&graphed->store.names, limit.service), "db");
  assert_true(limit.by_chance <= 0.05);
}

/* What a lead of a request waits for has ended when the connection that it took was free. */
static void check_pool(const struct graphed *graphed, size_t connections) {
  const struct request_flow *flow = graphed->graph.flows.data[0];
  size_t count = flow->activities.count;
  int64_t *finish = mem_alloc(count, sizeof *finish);
  for (size_t i = 0; i < flow->requests.count; i++) {
    flow_finish(finish, flow, flow->durations.data + i * count);
    for (uint32_t p = 1; p < flow->calls.count; p++) {
      const struct activity *lead = &flow->activities.data[flow->calls.data[p].lead];
      int64_t took = flow->durations.data[i * count + flow->calls.data[p].lead];
      assert_int_equal(took, 1);
      assert_int_equal(lead->rank, p > connections ? p - connections : 0);
    }
  }
  mem_free(finish);
}

/* Enough requests decide it, in both readings; a few leave it open. */
static void test_pool_is_read(void **state) {
  struct graphed *graphed = *state;
  struct random random = {1};
  for (int i = 0; i < 60; i++)
    add_pool(graphed, &random, 2);
  for (int reading = UNDECIDED_WAITS; reading <= UNDECIDED_FREE; reading++) {
    graphed_make(graphed, (enum undecided_reading)reading);
    assert_true(graphed->graph.flows.data[0]->limits.data[0].decided);
    check_pool(graphed, 2);
  }
}

static void test_few_requests_leave_a_pool_open(void **state) {
  struct graphed *graphed = *state;
  struct random random = {1};
  for (int i = 0; i < 5; i++)
    add_pool(graphed, &random, 2);
  graphed_make(graphed, UNDECIDED_WAITS);
  const struct request_flow *flow = graphed->graph.flows.data[0];
  assert_int_equal(flow->limits.count, 1);
  assert_false(flow->limits.data[0].decided);
  assert_true(flow->limits.data[0].is_read);
  check_pool(graphed, 2);
  size_t open = 0;
  for (size_t i = 0; i < flow->orders.count; i++)
    open +=
        flow->orders.data[i].kind == ORDER_POOL && flow->orders.data[i].verdict == ORDER_UNDECIDED;
  assert_int_equal(open, 1);
  graphed_make(graphed, UNDECIDED_FREE);
  uint32_t last = graphed->graph.flows.data[0]->calls.data[CALLS].lead;
  assert_int_not_equal(graphed->graph.flows.data[0]->activities.data[last].rank, CALLS - 2);
}

/* Two connections, but what comes next is drawn: which end a call waits for is not known. */
static void test_pool_without_order(void **state) {
  struct graphed *graphed = *state;
  struct random random = {1};
  struct suspected_limit limit;
  for (int i = 0; i < 60; i++) {
    uint32_t order[CALLS] = {0, 1, 2, 3, 4, 5};
    int64_t free_at[2] = {0, 0}, start[CALLS], end[CALLS];
    random_shuffle(&random, order, CALLS);
    for (size_t k = 0; k < CALLS; k++) {
      size_t best = free_at[1] < free_at[0];
      start[order[k]] = free_at[best] + 1;
      free_at[best] = end[order[k]] = start[order[k]] + 20 + below(&random, 200);
    }
    add(graphed, start, end);
  }
  assert_int_equal(limits_of(graphed, &limit), 1);
  assert_false(limit.is_read);
}

/* All at once. */
static void test_no_pool(void **state) {
  struct graphed *graphed = *state;
  struct random random = {2};
  struct suspected_limit limit;
  for (int i = 0; i < 30; i++)
    add_pool(graphed, &random, CALLS);
  assert_int_equal(limits_of(graphed, &limit), 0);
}

/* Two calls, after both two more, and again: never three at once, but that is the program. */
static void test_fixed_orders(void **state) {
  struct graphed *graphed = *state;
  struct random random = {3};
  struct suspected_limit limit;
  for (int i = 0; i < 30; i++) {
    int64_t start[CALLS], end[CALLS], from = 1;
    for (size_t k = 0; k < CALLS; k += 2) {
      start[k] = start[k + 1] = from;
      end[k] = from + 20 + below(&random, 200);
      end[k + 1] = from + 20 + below(&random, 200);
      from = 1 + (end[k] > end[k + 1] ? end[k] : end[k + 1]);
    }
    add(graphed, start, end);
  }
  assert_int_equal(limits_of(graphed, &limit), 0);
}

/* Short calls at times that nothing else decides: few at once, by chance. */
static void test_rare_calls(void **state) {
  struct graphed *graphed = *state;
  struct random random = {4};
  struct suspected_limit limit;
  for (int i = 0; i < 30; i++) {
    int64_t start[CALLS], end[CALLS];
    for (size_t k = 0; k < CALLS; k++) {
      start[k] = below(&random, 1000);
      end[k] = start[k] + 1 + below(&random, 60);
    }
    add(graphed, start, end);
  }
  assert_int_equal(limits_of(graphed, &limit), 0);
}

/* One request: suspected, and no more than that. */
static void test_one_request(void **state) {
  struct graphed *graphed = *state;
  struct suspected_limit limit;
  add(graphed, (int64_t[]){10, 11, 1006, 1009, 1509, 2605},
      (int64_t[]){1000, 1004, 1500, 2600, 3000, 2800});
  assert_int_equal(limits_of(graphed, &limit), 1);
  assert_int_equal(limit.limit, 2);
  assert_int_equal(limit.reached, 4);
  assert_true(limit.by_chance == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_pool, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_pool_is_read, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_few_requests_leave_a_pool_open, graphed_set_up,
                                      graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_pool_without_order, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_no_pool, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_fixed_orders, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_rare_calls, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_one_request, graphed_set_up, graphed_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
