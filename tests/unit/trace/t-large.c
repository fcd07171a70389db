/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Traces that are folded while they are read: nothing is lost below the size, and beyond it a sample
 * stands for all, with what any request refuted.
 */
#include "tests/unit/trace/reading.h"
#include "trace/fold/large.h"
#include "trace/graph/graph.h"

enum { REQUESTS = 3000 };

/* `pay` follows `ask`; in one request of all it does not wait for its end. Every tenth lacks it. */
static void put_request(struct text *text, int number) {
  int64_t start = 1000000 * (int64_t)number;
  int64_t pay = number == 1234 ? 110 : 320 + number % 7;
  text_format(text,
              "{\"traceID\":\"%08x\",\"spans\":[{\"spanID\":\"a\",\"operationName\":\"buy\","
              "\"startTime\":%" PRId64 ",\"duration\":900,\"processID\":\"p\",\"tags\":[{\"key\":"
              "\"number\",\"value\":\"%d\"}]},{\"spanID\":\"b\",\"operationName\":\"ask\","
              "\"startTime\":%" PRId64 ",\"duration\":200,\"processID\":\"p\",\"references\":[{"
              "\"refType\":\"CHILD_OF\",\"traceID\":\"%08x\",\"spanID\":\"a\"}]}",
              number, start, number % 3, start + 100, number);
  if (number % 10 != 0)
    text_format(text,
                ",{\"spanID\":\"c\",\"operationName\":\"pay\",\"startTime\":%" PRId64
                ",\"duration\":300,\"processID\":\"p\",\"references\":[{\"refType\":\"CHILD_OF\","
                "\"traceID\":\"%08x\",\"spanID\":\"a\"}]}",
                start + pay, number);
  text_append(text, "],\"processes\":{\"p\":{\"serviceName\":\"shop\"}}}\n");
}

static char path[] = "/tmp/large-XXXXXX";

static int write_file(void **state) {
  (void)state;
  struct text text = {0};
  int file = mkstemp(path);
  for (int i = 0; i < REQUESTS; i++)
    put_request(&text, 1 + (i * 7919) % REQUESTS);
  int wrong = file < 0 || write(file, text.data, text.length) != (ssize_t)text.length;
  close(file);
  text_clear(&text);
  return wrong;
}

static int remove_file(void **state) {
  (void)state;
  return unlink(path);
}

static void read_with(struct span_store *store, struct ledger *ledger,
                      const struct large_limits *limits) {
  const struct trace_reading reading = {.tags = true, .ids = true, .keep = true, .foldable = true};
  const char *const paths[] = {path};
  span_store_init(store);
  ledger_init(ledger);
  assert_int_equal(large_read(store, paths, 1, &reading, limits, ledger, &(struct asker){0}),
                   STATUS_OK);
}

static bool says(const struct ledger *ledger, const char *what) {
  for (size_t i = 0; i < ledger->count; i++)
    if (strstr(ledger->lines[i].text, what) != NULL)
      return true;
  return false;
}

/* Whether the orders between siblings of the flow of three calls are refuted. */
static bool is_refuted(const struct span_store *store) {
  struct request_graph graph = {0};
  const struct graph_options options = {.undecided = UNDECIDED_WAITS, .level = 0.05};
  bool waits = false;
  request_graph_make(&graph, store, &options);
  assert_int_equal(graph.flows.count, 2);
  const struct request_flow *flow = graph.flows.data[0];
  assert_int_equal(flow->calls.count, 3);
  for (size_t i = 0; i < flow->orders.count; i++)
    waits = waits || (flow->orders.data[i].before == 1 && flow->orders.data[i].after == 2 &&
                      flow->orders.data[i].refuted == 0);
  request_graph_clear(&graph);
  return !waits;
}

static void test_below_the_size(void **state) {
  (void)state;
  struct span_store store;
  struct ledger ledger;
  read_with(&store, &ledger, &(struct large_limits){1 << 30, 100, 10});
  assert_null(store.census);
  assert_int_equal(store.requests.count, REQUESTS);
  assert_int_equal(store.start.count, 3 * REQUESTS - REQUESTS / 10);
  assert_int_not_equal(store.tags.count, 0);
  assert_true(is_refuted(&store));
  assert_false(says(&ledger, "a sample of"));
  ledger_clear(&ledger);
  span_store_clear(&store);
}

static void test_beyond_the_size(void **state) {
  (void)state;
  for (size_t bytes = 1; bytes < 300000; bytes = bytes * 9 + 1000) {
    struct span_store store;
    struct ledger ledger;
    struct text wanted = {0};
    read_with(&store, &ledger, &(struct large_limits){bytes, 600, 20});
    assert_non_null(store.census);
    assert_int_equal(store.census->requests, REQUESTS);
    assert_in_range(store.requests.count, 50, 300);
    assert_int_equal(store.tags.count, 0);
    text_format(&wanted, "of %d a sample of %zu stands for all", REQUESTS, store.requests.count);
    assert_true(says(&ledger, text_get(&wanted)));
    assert_true(says(&ledger, "tags are not looked at"));
    assert_true(is_refuted(&store)); /* by a request that is most likely not in the sample */
    for (size_t i = 0; i < store.requests.count; i++)
      assert_int_equal(span_store_latency(&store, &store.requests.data[i]), 900000);
    text_clear(&wanted);
    ledger_clear(&ledger);
    span_store_clear(&store);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_below_the_size),
      cmocka_unit_test(test_beyond_the_size),
  };
  return cmocka_run_group_tests(tests, write_file, remove_file);
}
