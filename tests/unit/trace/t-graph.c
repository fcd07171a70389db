/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/trace/random_requests.h"

/* Two calls together, one after both. */
static void test_joins(void **state) {
  struct graphed *graphed = *state;
  graphed_add(graphed, (struct span_row[]){{"0", NULL, "shop", "main", 100, 200, 0, 0},
                                           {"1", "0", "cart", "cart", 102, 140, 0, 0},
                                           {"2", "0", "price", "price", 103, 150, 0, 0},
                                           {"3", "0", "pay", "pay", 153, 199, 0, 0},
                                           {0}});
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(graphed->graph.flows.count, 1);
  assert_string_equal(graphed_show(graphed, "cart", true), "2");
  assert_string_equal(graphed_show(graphed, "price", true), "3");
  assert_string_equal(graphed_show(graphed, "price", false), "47 >price/price");
  assert_string_equal(graphed_show(graphed, "pay", true), "3 cart/cart price/price");
  assert_string_equal(graphed_show(graphed, "main", false), "1 pay/pay");
  graphed_make(graphed, UNDECIDED_FREE);
  assert_string_equal(graphed_show(graphed, "pay", true), "53");
  assert_string_equal(graphed_show(graphed, "main", false), "100");
}

/* All on one host, whose clock nothing puts right. What a row of spans does to the calls of one
 * caller that runs from 100 to 200: `expected` is how long its own end took after what it waited
 * for. */
struct odd_case {
  const char *what;
  struct span_row rows[4];
  const char *main, *lead; /* the tail of main, and the lead of "call" */
  uint64_t clipped, apart;
};

static const struct odd_case odd_cases[] = {
    {"touching", {{"1", "0", "m", "call", 100, 200, 0, 0}}, "0 m/call", "0", 0, 0},
    {"without length", {{"1", "0", "m", "call", 150, 150, 0, 0}}, "50 m/call", "50", 0, 0},
    {"ends before it starts", {{"1", "0", "m", "call", 150, 120, 0, 0}}, "50 m/call", "50", 0, 0},
    {"outlives its caller", {{"1", "0", "m", "call", 150, 201, 0, 0}}, "100", "50", 0, 1},
    {"starts before its caller", {{"1", "0", "m", "call", 90, 150, 0, 0}}, "50 m/call", "0", 1, 0},
    {"lies before its caller", {{"1", "0", "m", "call", 80, 90, 0, 0}}, "100", "0", 1, 1},
    {"lies after its caller", {{"1", "0", "m", "call", 210, 290, 0, 0}}, "100", "110", 0, 1},
    {"covers its caller", {{"1", "0", "m", "call", 90, 290, 0, 0}}, "100", "0", 1, 1},
    {"covers its caller by another clock",
     {{"1", "0", "m", "call", 90, 290, 0, SPAN_SKEWED}},
     "0 m/call",
     "0",
     1,
     0},
    {"later than its caller by another clock",
     {{"1", "0", "m", "call", 210, 290, 0, SPAN_SKEWED}},
     "100",
     "100",
     1,
     1},
    {"follows from its caller",
     {{"1", "0", "m", "call", 110, 150, 0, SPAN_FOLLOWS}},
     "100",
     "10",
     0,
     1},
    {"an orphan", {{"1", "9", "m", "other", 110, 150, 0, 0}}, "100", NULL, 0, 1},
    {"nobody waits for what follows",
     {{"1", "0", "m", "call", 160, 170, 0, 0}, {"2", "0", "m", "audit", 110, 150, 0, SPAN_FOLLOWS}},
     "30 m/call",
     "60",
     0,
     1},
    {"a child of a child that outlives both",
     {{"1", "0", "m", "call", 110, 150, 0, 0}, {"2", "1", "m", "deep", 120, 290, 0, 0}},
     "50 m/call",
     "10",
     0,
     1},
    {"calls of no length at one moment",
     {{"1", "0", "m", "call", 150, 150, 0, 0}, {"2", "0", "m", "next", 150, 150, 0, 0}},
     "50 m/next",
     "50",
     0,
     0},
};

static void test_odd_spans(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof odd_cases / sizeof *odd_cases; i++) {
    const struct odd_case *odd = &odd_cases[i];
    void *made;
    graphed_set_up(&made);
    struct graphed *graphed = made;
    struct span_row rows[6] = {{"0", NULL, "m", "main", 100, 200, 0, 0}};
    memcpy(rows + 1, odd->rows, sizeof odd->rows);
    graphed_add(graphed, rows);
    graphed_make(graphed, UNDECIDED_WAITS);
    print_message("%s\n", odd->what);
    assert_string_equal(graphed_show(graphed, "main", false), odd->main);
    if (odd->lead != NULL)
      assert_string_equal(graphed_show(graphed, "call", true), odd->lead);
    assert_int_equal(graphed->graph.flows.data[0]->clipped, odd->clipped);
    assert_int_equal(graphed->graph.flows.data[0]->apart, odd->apart);
    graphed_tear_down(&made);
  }
}

/* One request in which a call outlives its caller is enough: nobody waits for it in any. */
static void test_one_counter_example(void **state) {
  struct graphed *graphed = *state;
  for (int64_t i = 0; i < 10; i++)
    graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, 100 + i, 0, 0},
                                             {"1", "0", "a", "audit", 10, 98 + 2 * i, 0, 0},
                                             {0}});
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_string_equal(graphed_show(graphed, "main", false), "100");
  const struct order *order = graphed_order(graphed, "audit", "main");
  assert_int_equal(order->verdict, ORDER_REFUTED);
  assert_int_equal(order->held, 3);
  assert_int_equal(order->refuted, 7);
  assert_int_equal(graphed->graph.flows.data[0]->apart, 10);
}

/* 40 requests in which `two` starts `early` before `one` has ended, in every fourth. */
static void add_overlaps(struct graphed *graphed, int64_t unit, int64_t early, int64_t offset) {
  for (int64_t i = 0; i < 40; i++) {
    int64_t end = (20 + i * 17 % 40) * unit + offset, start = end - (i % 4 == 0 ? early : -unit);
    graphed_add(graphed,
                (struct span_row[]){{"0", NULL, "m", "main", 0, start + (11 + i % 7) * unit, 0, 0},
                                    {"1", "0", "m", "one", unit, end, 0, 0},
                                    {"2", "0", "m", "two", start, start + 11 * unit, 0, 0},
                                    {"3", "2", "m", "deep", start, start + 11 * unit, 0, 0},
                                    {0}});
  }
  graphed_make(graphed, UNDECIDED_WAITS);
}

/* An overlap of one unit of coarse clocks refutes nothing; of two it does, and so it does where the
 * clocks are fine. */
static void test_rounding(void **state) {
  (void)state;
  static const struct {
    int64_t unit, early, offset;
    enum order_verdict verdict;
    int64_t resolution;
  } cases[] = {{1000, 1000, 0, ORDER_SUPPORTED, 1000},
               {1000, 2000, 0, ORDER_REFUTED, 1000},
               {1000000, 1000000, 0, ORDER_SUPPORTED, 1000000},
               {1000000, 1001000, 0, ORDER_REFUTED, 1000000},
               {1000, 1000, 1, ORDER_REFUTED, 0},
               {1000, 0, 1, ORDER_SUPPORTED, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    void *made;
    graphed_set_up(&made);
    struct graphed *graphed = made;
    add_overlaps(graphed, cases[i].unit, cases[i].early, cases[i].offset);
    assert_int_equal(graphed->graph.flows.data[0]->resolution, cases[i].resolution);
    assert_int_equal(graphed_order(graphed, "one", "two")->verdict, cases[i].verdict);
    graphed_tear_down(&made);
  }
}

/* So it is in one request alone: what counts of it does not depend on others. */
static void test_rounding_alone(void **state) {
  struct graphed *graphed = *state;
  graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, 90000, 0, 0},
                                           {"1", "0", "m", "one", 1000, 50000, 0, 0},
                                           {"2", "0", "m", "two", 49000, 80000, 0, 0},
                                           {0}});
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_string_equal(graphed_show(graphed, "two", true), "0 m/one");
  assert_string_equal(graphed_show(graphed, "one", false), "48000 >m/one");
}

/* The order in which calls of different names start makes no other flow; what is called does. */
static void test_flows(void **state) {
  struct graphed *graphed = *state;
  for (int64_t i = 0; i < 6; i++) {
    int64_t early = i % 2 * 20, hit = i == 5;
    graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, 100, 0, 0},
                                             {"1", "0", "a", "get", 30 - early, 35, 0, 0},
                                             {"2", "0", "b", "put", 20, 60, 0, 0},
                                             {"4", "0", "a", "get", 5, 6, 0, 0},
                                             {hit ? NULL : "3", "2", "c", "disk", 30, 40, 0, 0},
                                             {0}});
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(graphed->graph.flows.count, 2);
  const struct request_flow *common = graphed->graph.flows.data[0];
  assert_int_equal(common->requests.count, 5);
  assert_int_equal(common->calls.count, 5);
  assert_int_equal(graphed->graph.flows.data[1]->requests.data[0], 5);
  const char *expected[] = {"m/main", "a/get #1", "a/get #2", "b/put", "c/disk"};
  const int64_t starts[] = {0, 5, 30, 20, 30};
  for (uint32_t p = 0; p < 5; p++) {
    text_clear(&graphed->shown);
    flow_call_name(&graphed->shown, common, p, &graphed->store.names);
    assert_string_equal(text_get(&graphed->shown), expected[p]);
    assert_int_equal(graphed->store.start.data[common->rows.data[p]], starts[p]);
  }
}

/* A client's span and its server's: what lies between them is the network. */
static void test_network(void **state) {
  struct graphed *graphed = *state;
  graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, 100, SPAN_SERVER, 0},
                                           {"1", "0", "m", "ask", 10, 90, SPAN_CLIENT, 0},
                                           {"2", "1", "n", "answer", 20, 70, SPAN_SERVER, 0},
                                           {0}});
  graphed_make(graphed, UNDECIDED_WAITS);
  const struct request_flow *flow = graphed->graph.flows.data[0];
  const struct flow_call *ask = &flow->calls.data[1], *answer = &flow->calls.data[2];
  assert_int_equal(flow->activities.data[ask->lead].kind, ACTIVITY_WORK);
  assert_int_equal(flow->activities.data[answer->lead].kind, ACTIVITY_NETWORK);
  assert_int_equal(flow->activities.data[answer->lead].owner, 1);
  assert_int_equal(flow->activities.data[answer->tail].kind, ACTIVITY_WORK);
  assert_int_equal(flow->activities.data[ask->tail].kind, ACTIVITY_NETWORK);
}

/* A client waits for its server, however few requests there are; a producer does not. */
static void test_client_waits(void **state) {
  struct graphed *graphed = *state;
  graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, 100, SPAN_CLIENT, 0},
                                           {"1", "0", "n", "answer", 10, 40, SPAN_SERVER, 0},
                                           {"2", "1", "n", "put", 15, 35, SPAN_PRODUCER, 0},
                                           {"3", "2", "q", "take", 20, 30, SPAN_CONSUMER, 0},
                                           {0}});
  graphed_make(graphed, UNDECIDED_FREE);
  assert_string_equal(graphed_show(graphed, "main", false), "60 n/answer");
  assert_string_equal(graphed_show(graphed, "put", false), "20 >n/put");
  assert_null(graphed_order(graphed, "answer", "main"));
  assert_int_equal(graphed_order(graphed, "take", "put")->verdict, ORDER_UNDECIDED);
}

/* Whatever the spans do, each recorded latency comes out again, under both readings. */
static void test_exact(void **state) {
  (void)state;
  random_graphs(400, 1, graphed_check);
}

/* Many calls of one caller, one after the other and all at once: no pair of all is tried. */
static void test_many_calls(void **state) {
  (void)state;
  enum { MANY = 20000 };
  for (int64_t step = 0; step < 4; step += 3) {
    void *made;
    graphed_set_up(&made);
    struct graphed *graphed = made;
    builder_begin(graphed->builder, span_slice("t"));
    spans_add(graphed->builder,
              &(struct span_row){"0", NULL, "m", "main", 0, 10 + (MANY + 1) * step, 0, 0});
    static char ids[MANY][8];
    for (int64_t i = 0; i < MANY; i++) {
      snprintf(ids[i], sizeof ids[i], "c%05u", (unsigned)i);
      spans_add(graphed->builder,
                &(struct span_row){ids[i], "0", "a", "get", 1 + i * step, 3 + i * step, 0, 0});
    }
    builder_finish(graphed->builder);
    graphed_make(graphed, UNDECIDED_WAITS);
    const struct request_flow *flow = graphed->graph.flows.data[0];
    assert_int_equal(flow->activities.data[flow->calls.data[0].tail].wait_count,
                     step == 0 ? MANY : 1);
    assert_int_equal(flow->unasked > 0, step > 0);
    graphed_tear_down(&made);
  }
}

/* Each call makes one call, and so on. */
static void test_deep(void **state) {
  struct graphed *graphed = *state;
  enum { DEPTH = 100000 };
  builder_begin(graphed->builder, span_slice("t"));
  char(*ids)[24] = mem_alloc(DEPTH, sizeof *ids);
  for (int64_t i = 0; i < DEPTH; i++) {
    snprintf(ids[i], sizeof ids[i], "%lld", (long long)i);
    spans_add(graphed->builder, &(struct span_row){ids[i], i == 0 ? NULL : ids[i - 1], "a", "get",
                                                   i, 2 * DEPTH - i, 0, 0});
  }
  builder_finish(graphed->builder);
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(graphed->graph.flows.data[0]->calls.count, DEPTH);
  mem_free(ids);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_joins, graphed_set_up, graphed_tear_down),
      cmocka_unit_test(test_odd_spans),
      cmocka_unit_test_setup_teardown(test_one_counter_example, graphed_set_up, graphed_tear_down),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test_setup_teardown(test_rounding_alone, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_flows, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_network, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_client_waits, graphed_set_up, graphed_tear_down),
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_many_calls),
      cmocka_unit_test_setup_teardown(test_deep, graphed_set_up, graphed_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
