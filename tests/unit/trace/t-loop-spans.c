/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/logs.h"
#include "trace/graph/graph.h"
#include "trace/loop/spans.h"

/* The log's requests in a store. */
static void make_spans(struct logged *logged, struct span_store *store, struct ledger *ledger) {
  const struct trace_reading reading = {.keep = true, .ids = true, .tags = true};
  span_store_init(store);
  ledger_init(ledger);
  logged_make(logged);
  assert_int_equal(loop_spans_make(store, &logged->log, &logged->chains, &reading, ledger),
                   STATUS_OK);
}

/* "name start+duration", the root first. */
static const char *show_spans(struct logged *logged, const struct span_store *store,
                              size_t number) {
  const struct request *request = &store->requests.data[number];
  text_clear(&logged->shown);
  for (uint32_t row = request->first; row < request->first + request->count; row++)
    text_format(&logged->shown, "%s%s/%s %lld+%lld", row == request->first ? "" : ", ",
                names_text(&store->names, store->service.data[row]),
                names_text(&store->names, store->operation.data[row]),
                (long long)store->start.data[row],
                (long long)(store->end.data[row] - store->start.data[row]));
  return text_get(&logged->shown);
}

static void check_spans(struct logged *logged, const char *expected) {
  struct span_store store;
  struct ledger ledger;
  make_spans(logged, &store, &ledger);
  assert_string_equal(show_spans(logged, &store, 0), expected);
  span_store_clear(&store);
  ledger_clear(&ledger);
}

/* Continuations of promises belong to the turn that they run in. */
static void test_parts(void **state) {
  struct logged *logged = *state;
  logged_rows(logged,
              (struct log_line[]){
                  {"HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 0, 4, 9, NO, NO, NO, .unsure = 0},
                  {"FSREQCALLBACK", EVENT_FILE, 7, 15, 20, 30, 0, NO, NO, .unsure = 0},
                  {"PROMISE", EVENT_PROMISE, 8, 23, 24, 28, 0, 1, 1, .unsure = 0},
                  {"Immediate", EVENT_TICK, 27, 27, 35, 40, 2, NO, NO, .unsure = 0},
                  {0}});
  logged->log.place.data[1] = logged_name(logged, "app.js:12:3 read");
  logged_request(logged, 0, 3, 0, 39);
  check_spans(logged, "app.js/GET / 0+39, app.js/request queue 0+4, app.js/request run 4+3, "
                      "app.js/file app.js:12:3 read io 7+8, app.js/file app.js:12:3 read queue "
                      "15+5, app.js/file app.js:12:3 read run 20+7, app.js/immediate queue 27+8, "
                      "app.js/immediate run 35+4");
}

/* Nobody knows when it was ready. */
static void test_wait(void **state) {
  struct logged *logged = *state;
  logged_rows(logged,
              (struct log_line[]){
                  {"HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                  {"FSREQCALLBACK", EVENT_FILE, 7, 7, 20, 30, 0, NO, NO, .unsure = 13},
                  {0}});
  logged_request(logged, 0, 1, 0, 25);
  check_spans(logged, "app.js/GET / 0+25, app.js/request run 0+7, app.js/file wait 7+13, "
                      "app.js/file run 20+5");
}

/* Some know it and some do not: all have the same calls. */
static void test_mixed(void **state) {
  struct logged *logged = *state;
  logged_rows(logged,
              (struct log_line[]){
                  {"HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                  {"FSREQCALLBACK", EVENT_FILE, 7, 9, 20, 30, 0, NO, NO, .unsure = 4},
                  {"FSREQCALLBACK", EVENT_FILE, 22, 25, 40, 50, 1, NO, NO, .unsure = 0},
                  {0}});
  logged_request(logged, 0, 2, 0, 45);
  check_spans(logged,
              "app.js/GET / 0+45, app.js/request run 0+7, app.js/file io 7+2, app.js/file wait "
              "9+4, app.js/file queue 13+7, app.js/file run 20+2, app.js/file io 22+3, app.js/file "
              "wait 25+0, app.js/file queue 25+15, app.js/file run 40+5");
}

/* The kernel's stamps leave an interval, which is told apart from what is certain. */
static void test_interval(void **state) {
  struct logged *logged = *state;
  logged_rows(logged,
              (struct log_line[]){
                  {"HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                  {"FSREQCALLBACK", EVENT_FILE, 7, 12, 20, 30, 0, NO, NO, .unsure = 3},
                  {0}});
  logged->log.ready_source.data[1] = EVENT_READY_KERNEL;
  logged_request(logged, 0, 1, 0, 25);
  check_spans(logged, "app.js/GET / 0+25, app.js/request run 0+7, app.js/file io 7+5, app.js/file "
                      "wait 12+3, app.js/file queue 15+5, app.js/file run 20+5");
}

/* A place that only some instances know is not part of the name. */
static void test_some_places(void **state) {
  struct logged *logged = *state;
  logged_rows(logged,
              (struct log_line[]){
                  {"HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                  {"Timeout", EVENT_TIMER, 7, 9, 9, 30, 0, NO, NO, .unsure = 0},
                  {"Timeout", EVENT_TIMER, 10, 40, 40, 50, 1, NO, NO, .unsure = 0},
                  {0}});
  logged->log.place.data[1] = logged_name(logged, "app.js:12:3 read");
  logged_request(logged, 0, 2, 0, 45);
  check_spans(logged, "app.js/GET / 0+45, app.js/request run 0+7, app.js/timer time 7+2, "
                      "app.js/timer queue 9+0, app.js/timer run 9+1, app.js/timer time 10+30, "
                      "app.js/timer queue 40+0, app.js/timer run 40+5");
}

/* Whichever of two files comes last: one kind of request, and the graph has the latency. */
static void test_one_kind(void **state) {
  struct logged *logged = *state;
  struct span_store store;
  struct ledger ledger;
  struct request_graph graph;
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t first = 3 * i;
    int64_t at = 1000 * i;
    logged_rows(logged, (struct log_line[]){{"HTTPINCOMINGMESSAGE", EVENT_SOCKET, at, at, at,
                                             at + 9, NO, NO, NO, .unsure = 0},
                                            {"FSREQCALLBACK", EVENT_FILE, at + 5 + i, at + 10,
                                             at + 12, at + 15, first, NO, NO, .unsure = 0},
                                            {"FSREQCALLBACK", EVENT_FILE, at + 6 - i, at + 20,
                                             at + 22, at + 25, first, NO, NO, .unsure = 0},
                                            {0}});
    logged_request(logged, first, first + 2, at, at + 24);
  }
  make_spans(logged, &store, &ledger);
  request_graph_make(&graph, &store,
                     &(struct graph_options){.undecided = UNDECIDED_WAITS, .level = 0.05});
  assert_int_equal(graph.flows.count, 1);
  assert_int_equal(graph.flows.data[0]->orders.count, 0); /* none is a guess */
  const struct request_flow *flow = graph.flows.data[0];
  int64_t *finish = mem_alloc(flow->activities.count, sizeof *finish);
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(flow_finish(finish, flow, flow->durations.data + i * flow->activities.count),
                     24);
  mem_free(finish);
  request_graph_clear(&graph);
  span_store_clear(&store);
  ledger_clear(&ledger);
}

/* What is left out and what is not known is said. */
static void test_said(void **state) {
  struct logged *logged = *state;
  struct span_store store;
  struct ledger ledger;
  logged_rows(logged,
              (struct log_line[]){
                  {"HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 0, 5, 9, NO, NO, NO, .unsure = 0}, {0}});
  logged_request(logged, 0, 0, 5, 8)->arrived_low = 1;
  logged_request(logged, 0, 0, 5, 8)->state = EVENT_ABORTED;
  logged_request(logged, 0, 0, 5, 8)->state = EVENT_ABORTED;
  logged->log.loops.data[0].dropped = 17;
  make_spans(logged, &store, &ledger);
  assert_int_equal(store.requests.count, 1);
  assert_int_equal(ledger.count, 3);
  assert_string_equal(ledger.lines[0].text,
                      "warning: 17 records of app.js were dropped, as there was no space for them; "
                      "requests that need them are left out");
  assert_string_equal(ledger.lines[1].text, "2 requests are left out: given up by the client");
  assert_string_equal(
      ledger.lines[2].text,
      "when 1 of the requests arrived at the socket nobody saw: their latency counts "
      "from when the server read them");
  span_store_clear(&store);
  ledger_clear(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define LOGGED(test) cmocka_unit_test_setup_teardown(test, logged_setup, logged_teardown)
      LOGGED(test_parts),       LOGGED(test_wait),     LOGGED(test_mixed), LOGGED(test_interval),
      LOGGED(test_some_places), LOGGED(test_one_kind), LOGGED(test_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
