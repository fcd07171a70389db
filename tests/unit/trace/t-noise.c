/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Orders and late ends as ordinary recordings have them: a call that ends late in some requests,
 * clients that give up, clocks that cut starts to milliseconds, and clocks of hosts that are off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/graphs.h"
#include "tests/unit/trace/noise.h"
#include "trace/fold/fold.h"
#include "trace/fold/view.h"
#include "trace/span/skew.h"

/* ---- late ends */

static void add_late(struct graphed *graphed, size_t requests, size_t late, int64_t by,
                     enum pair pair) {
  struct random random = {7};
  for (size_t i = 0; i < requests; i++)
    add_asked(graphed->builder, &random, i,
              i % (requests / 2) < late / 2 || (late % 2 == 1 && i + 1 == requests) ? by : 0, pair);
}

static bool waits_for(const struct graphed *graphed, const char *before, const char *after) {
  const struct request_flow *flow = graphed->graph.flows.data[0];
  const struct flow_call *a = &flow->calls.data[graphed_call(graphed, 0, before)];
  const struct flow_call *b = &flow->calls.data[graphed_call(graphed, 0, after)];
  bool is_end = a->parent == (uint32_t)(b - flow->calls.data);
  const struct activity *activity = &flow->activities.data[is_end ? b->tail : b->lead];
  for (size_t w = 0; w < activity->wait_count; w++)
    if (flow->waits.data[activity->wait_first + w] == a->tail)
      return true;
  return false;
}

struct late_case {
  size_t requests, late;
  int64_t by; /* us */
  enum pair pair;
  bool waits, free; /* in both readings */
  bool apart;
};

static const struct late_case late_cases[] = {
    {1000, 0, 0, BARE, true, true, false},         {1000, 1, 2, BARE, true, true, false},
    {1000, 1, 2, ASKED, true, true, false},        {1000, 1, 40000, BARE, true, true, false},
    {1000, 1, 4000, GAVE_UP, true, true, false},   {1000, 10, 100, BARE, true, true, false},
    {1000, 12, 100, BARE, true, false, false},     {1000, 300, 100, BARE, true, false, false},
    {1000, 499, 100, BARE, true, false, false},    {1000, 500, 100, BARE, false, false, true},
    {1000, 1000, 100, BARE, false, false, true},   {1000, 300, 100, ASKED, true, true, false},
    {1000, 1000, 100, ASKED, true, true, false},   {1000, 300, 4000, GAVE_UP, true, true, false},
    {1000, 700, 4000, GAVE_UP, true, true, false}, {1000, 1000, 4000, GAVE_UP, false, false, true},
    {2, 2, 1, BARE, false, false, true},
};

static void test_late_ends(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof late_cases / sizeof *late_cases; i++) {
    const struct late_case *of = &late_cases[i];
    void *made;
    graphed_set_up(&made);
    struct graphed *graphed = made;
    print_message("%zu of %zu, pair %d\n", of->late, of->requests, of->pair);
    add_late(graphed, of->requests, of->late, of->by * US, of->pair);
    graphed_make(graphed, UNDECIDED_WAITS);
    assert_int_equal(waits_for(graphed, "answer", "ask"), of->waits);
    assert_int_equal(graphed->graph.flows.data[0]->calls.data[2].apart, of->apart);
    const struct order *order = graphed_order(graphed, "answer", "ask");
    bool doubted = order != NULL && order->verdict == ORDER_UNDECIDED;
    bool mixed =
        of->pair == GAVE_UP ? of->late > 10 && of->late < of->requests : of->waits && !of->free;
    assert_int_equal(doubted, mixed);
    if (doubted)
      assert_int_equal(order->refuted, of->late);
    graphed_make(graphed, UNDECIDED_FREE);
    assert_int_equal(waits_for(graphed, "answer", "ask"), of->free);
    graphed_tear_down(&made);
  }
}

/* What an activity took in all requests. */
static int64_t total(const struct graphed *graphed, const char *operation) {
  const struct request_flow *flow = graphed->graph.flows.data[0];
  uint32_t tail = flow->calls.data[graphed_call(graphed, 0, operation)].tail;
  int64_t sum = 0;
  for (size_t i = 0; i < flow->requests.count; i++)
    sum += flow->durations.data[i * flow->activities.count + tail];
  return sum;
}

/* A server counts until its client gave up; or, in the other reading, not in these requests. */
static void test_gave_up(void **state) {
  struct graphed *graphed = *state;
  add_late(graphed, 200, 100, 4 * MS, GAVE_UP);
  graphed_make(graphed, UNDECIDED_WAITS);
  int64_t waited = total(graphed, "answer");
  graphed_make(graphed, UNDECIDED_FREE);
  int64_t left = total(graphed, "answer");
  assert_in_range(left, waited * 45 / 100, waited * 55 / 100);
  const struct request_flow *flow = graphed->graph.flows.data[0];
  assert_int_equal(flow->activities.data[flow->calls.data[1].tail].kind, ACTIVITY_WORK);
}

/* What a server's span that is cut to its client's calls is not late because of that. */
static void test_below_cut(void **state) {
  struct graphed *graphed = *state;
  for (int64_t i = 0; i < 200; i++) {
    int64_t start = EPOCH + i * 50 * MS, end = start + 5 * MS + i * 20 * US;
    begin(graphed->builder, (size_t)i);
    add_on(graphed->builder, "h", (const char *const[]){"0", NULL, "front", "ask"}, start, end,
           SPAN_CLIENT, SPAN_UNSET);
    add_on(graphed->builder, "h", (const char *const[]){"1", "0", "back", "answer"},
           start + 100 * US, end + 90 * US, SPAN_SERVER, SPAN_UNSET);
    add_on(graphed->builder, "h", (const char *const[]){"2", "1", "back", "query"},
           start + 200 * US, end + 80 * US, SPAN_INTERNAL, SPAN_UNSET);
    builder_finish(graphed->builder);
  }
  graphed_make(graphed, UNDECIDED_FREE);
  assert_true(waits_for(graphed, "answer", "ask"));
  assert_true(waits_for(graphed, "query", "answer"));
  assert_int_equal(graphed->graph.flows.data[0]->late, 0);
}

/* In one of 300 requests `audit`, started before `pay`, goes on long after main: there main did not
 * wait for it, and the request is pay's. */
static void test_long_after(void **state) {
  struct graphed *graphed = *state;
  struct random random = {5};
  for (int64_t i = 0; i < 300; i++) {
    int64_t audit = 2000 + below(&random, 1000), pay = 4000 + below(&random, 4000);
    int64_t end = (pay > audit ? pay : audit) + 11;
    graphed_add(graphed,
                (struct span_row[]){{"0", NULL, "m", "main", 1, end, 0, 0},
                                    {"1", "0", "m", "audit", 11, i == 0 ? 100000 : audit, 0, 0},
                                    {"2", "0", "m", "pay", 21, pay, 0, 0},
                                    {0}});
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_true(waits_for(graphed, "audit", "main"));
  const struct request_flow *flow = graphed->graph.flows.data[0];
  uint32_t audit = graphed_call(graphed, 0, "audit"), pay = graphed_call(graphed, 0, "pay");
  assert_int_equal(flow->durations.data[flow->calls.data[audit].tail], 0);
  assert_true(flow->durations.data[flow->calls.data[pay].tail] > 0);
  assert_int_equal(flow->late, 1);
}

/* Flows of few requests each: what is late in one of them only is judged by all. */
static void test_few_of_each(void **state) {
  struct graphed *graphed = *state;
  static const char *const others[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  for (size_t i = 0; i < 300; i++) {
    int64_t end = 5001 + 7 * (int64_t)(i % 30);
    graphed_add(graphed,
                (struct span_row[]){{"0", NULL, "m", "main", 1, end + 3, 0, 0},
                                    {"1", "0", "m", "call", 11, end + (i == 0 ? 9 : 0), 0, 0},
                                    {"2", "1", "m", others[i % 10], 21, 31, 0, 0},
                                    {"3", i % 3 == 0 ? "2" : "1", "m", "deep", 22, 30, 0, 0},
                                    {"4", i % 7 == 0 ? "2" : "1", "m", "more", 23, 29, 0, 0},
                                    {0}});
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_true(graphed->graph.flows.count > 30);
  for (size_t f = 0; f < graphed->graph.flows.count; f++)
    assert_false(graphed->graph.flows.data[f]->calls.data[graphed_call(graphed, f, "call")].apart);
}

/* ---- clocks that cut starts */

/* main calls one and two: the second `gap` after the first has ended; -1: together. */
static void add_sequence(struct builder *builder, struct random *random, size_t number, int64_t gap,
                         int64_t shortest) {
  int64_t start = EPOCH + (int64_t)number * 50 * MS + below(random, MS);
  int64_t one = start + below(random, MS), ended = one + shortest + below(random, 4 * MS);
  int64_t two = gap < 0 ? one + 20 * US : ended + gap,
          last = two + shortest + below(random, 3 * MS);
  last = last > ended ? last : ended;
  begin(builder, number);
  add_node(builder, (const char *const[]){"0", NULL, "shop", "main"}, start, last + 10 * US);
  add_node(builder, (const char *const[]){"1", "0", "shop", "one"}, one, ended);
  add_node(builder, (const char *const[]){"2", "0", "shop", "two"}, two, last);
  builder_finish(builder);
}

static void test_node_in_sequence(void **state) {
  struct graphed *graphed = *state;
  struct random random = {3};
  for (size_t i = 0; i < 200; i++)
    add_sequence(graphed->builder, &random, i, 5 * US, 300 * US);
  graphed_make(graphed, UNDECIDED_FREE);
  assert_true(waits_for(graphed, "one", "two"));
  assert_int_equal(graphed_order(graphed, "one", "two")->verdict, ORDER_SUPPORTED);
  assert_true(waits_for(graphed, "two", "main"));
  assert_true(graphed->graph.flows.data[0]->cut);
}

/* Calls that are shorter than the clock's unit: more starts coincide than not. */
static void test_node_short(void **state) {
  struct graphed *graphed = *state;
  struct random random = {4};
  for (size_t i = 0; i < 200; i++) {
    int64_t start = EPOCH + (int64_t)i * 50 * MS + below(&random, MS);
    int64_t one = start + 10 * US, ended = one + 50 * US + below(&random, 300) * US;
    int64_t last = ended + 5 * US + 50 * US + below(&random, 200) * US;
    begin(graphed->builder, i);
    add_node(graphed->builder, (const char *const[]){"0", NULL, "shop", "main"}, start,
             last + 10 * US);
    add_node(graphed->builder, (const char *const[]){"1", "0", "shop", "one"}, one, ended);
    add_node(graphed->builder, (const char *const[]){"2", "0", "shop", "two"}, ended + 5 * US,
             last);
    builder_finish(graphed->builder);
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_not_equal(graphed->graph.flows.data[0]->calls.data[1].apart, true);
  assert_true(waits_for(graphed, "one", "two") || waits_for(graphed, "two", "one"));
  const struct order *order = graphed_order(graphed, "one", "two");
  assert_true(order == NULL || order->verdict != ORDER_REFUTED);
}

static void test_node_side_by_side(void **state) {
  struct graphed *graphed = *state;
  struct random random = {3};
  for (size_t i = 0; i < 200; i++)
    add_sequence(graphed->builder, &random, i, -1, 2 * MS);
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_false(waits_for(graphed, "one", "two"));
  assert_false(waits_for(graphed, "two", "one"));
  assert_true(waits_for(graphed, "one", "main"));
  assert_true(waits_for(graphed, "two", "main"));
}

static void check_java(int64_t overlap, bool waits) {
  void *made;
  graphed_set_up(&made);
  struct graphed *graphed = made;
  struct random random = {6};
  for (size_t i = 0; i < 200; i++)
    add_java(graphed->builder, &random, i, overlap);
  assert_int_equal(builder_clocks(graphed->builder)->moved_requests, 0);
  assert_int_equal(builder_clocks(graphed->builder)->skewed_requests, 0);
  graphed_make(graphed, UNDECIDED_FREE);
  assert_true(waits_for(graphed, "answer", "ask"));
  assert_false(graphed->graph.flows.data[0]->calls.data[2].apart);
  assert_int_equal(waits_for(graphed, "one", "two"), waits);
  graphed_tear_down(&made);
}

/* Between processes a millisecond says nothing; within one a microsecond does. */
static void test_java(void **state) {
  (void)state;
  check_java(-5 * US, true);
  check_java(2 * US, false);
}

/* ---- clocks of hosts */

struct host_case {
  int64_t gap, off; /* us */
  const char *host;
  enum order_verdict verdict;
};

static void test_hosts(void **state) {
  (void)state;
  static const struct host_case cases[] = {
      {150, 50, "y", ORDER_SUPPORTED},  /* never seen the other way */
      {150, 100, "y", ORDER_UNDECIDED}, /* in 3 of 100, by less than clocks may be off */
      {150, 100, "x", ORDER_REFUTED},   /* one host has one clock */
      {-3000, 0, "y", ORDER_REFUTED},   /* by more than causality leaves open, or in most */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    void *made;
    graphed_set_up(&made);
    struct graphed *graphed = made;
    struct random random = {8};
    for (size_t r = 0; r < 500; r++)
      add_hosts(graphed->builder, &random, r, cases[i].gap * US, cases[i].off * US, cases[i].host);
    graphed_make(graphed, UNDECIDED_WAITS);
    const struct order *order = graphed_order(graphed, "one", "two");
    print_message("gap %lld, off %lld\n", (long long)cases[i].gap, (long long)cases[i].off);
    assert_int_equal(order == NULL ? ORDER_REFUTED : order->verdict, cases[i].verdict);
    assert_int_equal(waits_for(graphed, "one", "two"), cases[i].verdict != ORDER_REFUTED);
    if (cases[i].verdict == ORDER_UNDECIDED)
      assert_in_range(order->refuted, 5, 40);
    graphed_tear_down(&made);
  }
}

/* ---- summaries */

static void add_any(struct builder *builder, size_t number) {
  struct random random = {number};
  if (number % 3 == 0)
    add_java(builder, &random, number, 2 * US);
  else if (number % 3 == 1)
    add_hosts(builder, &random, number, 150 * US, 100 * US, "y");
  else
    add_asked(builder, &random, number, number % 10 == 0 ? 40 * US : 0, BARE);
}

static void fold_some(struct trace_fold *fold, uint64_t keep, size_t first, size_t count) {
  struct span_store store;
  span_store_init(&store);
  struct builder *builder = builder_new(&store);
  for (size_t i = first; i < first + count; i++)
    add_any(builder, i);
  fold_init(fold, keep);
  fold_add(fold, &store);
  builder_free(builder);
  span_store_clear(&store);
}

static char *settled(struct trace_fold *fold) {
  struct text text;
  text_init(&text);
  fold_settle(fold);
  fold_print(&text, fold);
  return text_take(&text);
}

/* Streams are looked for in those that are kept alone, and stand last. */
static size_t waits_of(const struct request_flow *flow) {
  size_t count = 0;
  while (count < flow->orders.count && flow->orders.data[count].kind == ORDER_AFTER)
    count++;
  return count;
}

/* Sums of summaries are the summary of all, and their graph has the orders of all requests. */
static void check_folds(uint64_t keep) {
  struct trace_fold all, sum, part;
  struct text message;
  struct span_store store;
  struct request_graph graph;
  struct fold_view view;
  const struct graph_options options = {.undecided = UNDECIDED_WAITS, .level = 0.05};
  text_init(&message);
  fold_some(&all, keep, 0, 360);
  fold_some(&sum, keep, 240, 120);
  fold_some(&part, keep, 0, 240);
  assert_true(fold_merge(&sum, &part, &message));
  char *one = settled(&all), *other = settled(&sum);
  assert_string_equal(one, other);
  span_store_init(&store);
  struct builder *builder = builder_new(&store);
  for (size_t i = 0; i < 360; i++)
    add_any(builder, i);
  request_graph_make(&graph, &store, &options);
  fold_view_make(&view, &all, &options);
  assert_int_equal(view.graph.flows.count, graph.flows.count);
  for (size_t f = 0; f < graph.flows.count; f++) {
    const struct request_flow *flow = graph.flows.data[f], *of = NULL;
    for (size_t g = 0; g < graph.flows.count; g++)
      if (view.graph.flows.data[g]->calls.count == flow->calls.count &&
          strcmp(names_text(&view.store.names, view.graph.flows.data[g]->calls.data[1].operation),
                 names_text(&store.names, flow->calls.data[1].operation)) == 0)
        of = view.graph.flows.data[g];
    assert_non_null(of);
    assert_int_equal(of->late, flow->late);
    assert_int_equal(of->apart, flow->apart);
    assert_int_equal(waits_of(of), waits_of(flow));
    for (size_t o = 0; o < waits_of(flow); o++) {
      assert_int_equal(of->orders.data[o].before, flow->orders.data[o].before);
      assert_int_equal(of->orders.data[o].held, flow->orders.data[o].held);
      assert_int_equal(of->orders.data[o].refuted, flow->orders.data[o].refuted);
      assert_int_equal(of->orders.data[o].differs, flow->orders.data[o].differs);
    }
  }
  request_graph_clear(&graph);
  fold_view_clear(&view);
  builder_free(builder);
  span_store_clear(&store);
  fold_clear(&all);
  fold_clear(&sum);
  fold_clear(&part);
  text_clear(&message);
  mem_free(one);
  mem_free(other);
}

static void test_folds(void **state) {
  (void)state;
  check_folds(1000);
  check_folds(10);
}

int main(void) {
#define GRAPHED(test) cmocka_unit_test_setup_teardown(test, graphed_set_up, graphed_tear_down)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_late_ends), GRAPHED(test_gave_up),
      GRAPHED(test_below_cut),          GRAPHED(test_long_after),
      GRAPHED(test_few_of_each),        GRAPHED(test_node_in_sequence),
      GRAPHED(test_node_short),         GRAPHED(test_node_side_by_side),
      cmocka_unit_test(test_java),      cmocka_unit_test(test_hosts),
      cmocka_unit_test(test_folds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
