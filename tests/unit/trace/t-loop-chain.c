/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/logs.h"

/* A chain of one request that arrived at 0, was noticed in row 0 and answered at `responded`. */
static void check_chain(void **state, const struct log_line *lines, uint32_t sink,
                        int64_t responded, const char *expected) {
  struct logged *logged = *state;
  logged_rows(logged, lines);
  logged_request(logged, 0, sink, 0, responded);
  logged_make(logged);
  assert_string_equal(logged_show(logged, 0), expected);
}

/* The example of the header. */
static void test_file(void **state) {
  check_chain(
      state,
      (struct log_line[]){{"request", EVENT_SOCKET, 0, 0, 400, 600, NO, NO, NO, .unsure = 0},
                          {"readFile", EVENT_FILE, 500, 2000, 7000, 7200, 0, NO, NO, .unsure = 0},
                          {0}},
      1, 7100, "request 0+400+100, readFile 1500+5000+100");
}

static void test_at_once(void **state) {
  check_chain(
      state,
      (struct log_line[]){{"request", EVENT_SOCKET, 0, 0, 400, 600, NO, NO, NO, .unsure = 0}, {0}},
      0, 550, "request 0+400+150");
}

/* Of several files the callback that answers is the last, whichever it is. */
static void test_last_of_several(void **state) {
  check_chain(state,
              (struct log_line[]){{"request", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                                  {"readdir", EVENT_FILE, 5, 20, 30, 40, 0, NO, NO, .unsure = 0},
                                  {"b", EVENT_FILE, 32, 50, 50, 55, 1, NO, NO, .unsure = 0},
                                  {"a", EVENT_FILE, 31, 60, 61, 65, 1, NO, NO, .unsure = 0},
                                  {0}},
              3, 63, "request 0+0+5, readdir 15+10+1, a 29+1+2");
}

/* A promise follows from who resolved it, if that was later than its registration, and else from
 * who registered it. */
static void test_promises(void **state) {
  check_chain(state,
              (struct log_line[]){{"request", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                                  {"timer", EVENT_TIMER, 5, 25, 30, 40, 0, NO, NO, .unsure = 0},
                                  {"await", EVENT_PROMISE, 6, 38, 41, 50, 0, 1, NO, .unsure = 0},
                                  {"then", EVENT_PROMISE, 45, 45, 50, 60, 2, 1, NO, .unsure = 0},
                                  {0}},
              3, 59, "request 0+0+5, timer 20+5+8, await 0+3+4, then 0+5+9");
}

/* Where the moment of being ready is not known, the total is. */
static void test_interval(void **state) {
  check_chain(state,
              (struct log_line[]){{"request", EVENT_SOCKET, 0, 0, 2, 9, NO, NO, NO, .unsure = 0},
                                  {"read", EVENT_FILE, 5, 10, 30, 40, 0, NO, NO, .unsure = 12},
                                  {0}},
              1, 40, "request 0+2+3, read 5+8?12+10");
}

/* Ready before the registration was logged, and registered while its registrar had ended. */
static void test_clipped(void **state) {
  check_chain(state,
              (struct log_line[]){{"request", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                                  {"read", EVENT_FILE, 12, 3, 30, 40, 0, NO, NO, .unsure = 0},
                                  {0}},
              1, 40, "request 0+0+12, read 0+18+10");
}

/* A connection that was open before carries the answer of a database. The request awaited it since
 * row 1 asked. */
static void test_pooled(void **state) {
  struct logged *logged = *state;
  logged_rows(logged, (struct log_line[]){
                          {"old", EVENT_SOCKET, -90, -80, -80, -79, NO, NO, NO, .unsure = 0},
                          {"request", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                          {"timer", EVENT_TIMER, 5, 15, 16, 20, 1, NO, NO, .unsure = 0},
                          {"data", EVENT_SOCKET, -79, 40, 44, 50, 0, NO, NO, .unsure = 0},
                          {"await", EVENT_PROMISE, 18, 46, 51, 60, 2, 3, NO, .unsure = 0},
                          {0}});
  logged_request(logged, 1, 4, 0, 60);
  logged_make(logged);
  assert_string_equal(logged_show(logged, 0),
                      "request 0+0+5, timer 10+1+2, data* 22+4+2, await 0+5+9");
  assert_int_equal(logged->chains.shared, 1);
}

/* What another request got over the same connection in the meantime is not waited for. */
static void test_pooled_among_others(void **state) {
  struct logged *logged = *state;
  logged_rows(logged, (struct log_line[]){
                          {"data", EVENT_SOCKET, -90, -80, -80, -79, NO, NO, NO, .resource = 7},
                          {"request", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                          {"data", EVENT_SOCKET, -79, 20, 24, 30, 0, NO, NO, .resource = 7},
                          {"data", EVENT_SOCKET, 30, 40, 44, 50, 2, NO, NO, .resource = 7},
                          {"await", EVENT_PROMISE, 8, 46, 51, 60, 1, 3, NO, .unsure = 0},
                          {0}});
  logged_request(logged, 1, 4, 0, 60);
  logged_make(logged);
  assert_string_equal(logged_show(logged, 0), "request 0+0+8, data* 32+4+2, await 0+5+9");
}

/* Nor what a worker said to others. */
static void test_worker_among_others(void **state) {
  struct logged *logged = *state;
  logged_rows(logged, (struct log_line[]){
                          {"request", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                          {"port", EVENT_PROCESS, -9, 20, 24, 30, NO, NO, NO, .resource = 7},
                          {"port", EVENT_PROCESS, 30, 40, 44, 50, 1, NO, NO, .resource = 7},
                          {0}});
  logged_request(logged, 0, 2, 0, 48);
  logged_make(logged);
  assert_string_equal(logged_show(logged, 0), "request 0+0+9, port* 31+4+4");
}

/* The pieces of a request's own body are. */
static void test_body_in_pieces(void **state) {
  check_chain(state,
              (struct log_line[]){{"http", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .resource = 7},
                                  {"http", EVENT_SOCKET, 9, 20, 24, 30, 0, NO, NO, .resource = 7},
                                  {"http", EVENT_SOCKET, 30, 40, 44, 50, 1, NO, NO, .resource = 7},
                                  {0}},
              2, 49, "http 0+0+9, http 11+4+6, http 10+4+5");
}

/* Ticks have no rows: what a tick of a continuation does, the turn seems to do. The turn is of the
 * connection; the request goes on in the continuation. */
static void test_tick_of_continuation(void **state) {
  struct logged *logged = *state;
  logged_rows(logged, (struct log_line[]){
                          {"old", EVENT_SOCKET, -90, -80, -80, -79, NO, NO, NO, .unsure = 0},
                          {"request", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                          {"data", EVENT_SOCKET, -79, 40, 44, 70, 0, NO, NO, .unsure = 0},
                          {"await", EVENT_PROMISE, 8, 46, 51, 55, 1, 2, 2, .unsure = 0},
                          {"other", EVENT_PROMISE, 9, 47, 56, 58, 0, 2, 2, .unsure = 0},
                          {"file", EVENT_FILE, 57, 80, 81, 90, 2, NO, NO, .unsure = 0},
                          {0}});
  logged_request(logged, 1, 2, 0, 60);
  logged_request(logged, 1, 5, 0, 85);
  logged_make(logged);
  assert_string_equal(logged_show(logged, 0), "request 0+0+8, data* 32+4+2, await 0+5+9");
  assert_string_equal(logged_show(logged, 1),
                      "request 0+0+8, data* 32+4+2, await 0+5+6, file 23+1+4");
}

/* A timer that was there before the request answers all that came in between. */
static void test_queue_drained(void **state) {
  struct logged *logged = *state;
  logged_rows(logged, (struct log_line[]){
                          {"every 20", EVENT_TIMER, -30, -10, -9, -8, NO, NO, NO, .unsure = 0},
                          {"request", EVENT_SOCKET, 0, 0, 1, 3, NO, NO, NO, .unsure = 0},
                          {"request", EVENT_SOCKET, 5, 5, 5, 8, NO, NO, NO, .unsure = 0},
                          {"every 20", EVENT_TIMER, -8, 12, 15, 30, 0, NO, NO, .unsure = 0},
                          {0}});
  logged_request(logged, 1, 3, 0, 20);
  logged_request(logged, 2, 3, 4, 25);
  logged_make(logged);
  assert_string_equal(logged_show(logged, 0), "request 0+1+2, every 20* 9+3+5");
  assert_string_equal(logged_show(logged, 1), "request 0+1+3, every 20* 4+3+10");
  assert_int_equal(logged->chains.shared, 2);
}

/* Answered within another request's callback, which came later. */
static void test_answered_by_other(void **state) {
  struct logged *logged = *state;
  logged_rows(logged,
              (struct log_line[]){{"request", EVENT_SOCKET, 0, 0, 1, 3, NO, NO, NO, .unsure = 0},
                                  {"other", EVENT_SOCKET, -50, 40, 42, 60, NO, NO, NO, .unsure = 0},
                                  {0}});
  logged_request(logged, 0, 1, 0, 50);
  logged_request(logged, 1, 1, 40, 55);
  logged_make(logged);
  assert_string_equal(logged_show(logged, 0), "request 0+1+2, other* 37+2+8");
  assert_string_equal(logged_show(logged, 1), "other 0+2+13");
}

/* The parser runs the handler within the read of the socket; what is registered by the read after
 * it belongs to the request all the same. */
static void test_nested(void **state) {
  struct logged *logged = *state;
  logged_rows(logged,
              (struct log_line[]){{"read", EVENT_SOCKET, 0, 0, 0, 20, NO, NO, NO, .unsure = 0},
                                  {"request", EVENT_SOCKET, 0, 0, 2, 9, NO, NO, 0, .unsure = 0},
                                  {"tick", EVENT_TICK, 15, 15, 21, 30, 0, NO, NO, .unsure = 0},
                                  {0}});
  logged_request(logged, 1, 2, 0, 30);
  logged_make(logged);
  assert_string_equal(logged_show(logged, 0), "request 0+2+13, tick 0+6+9");
}

/* Of a stream each piece asks for the next. */
static void test_streamed(void **state) {
  check_chain(state,
              (struct log_line[]){{"request", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                                  {"read", EVENT_FILE, 5, 9, 10, 14, 0, NO, NO, .unsure = 0},
                                  {"read", EVENT_FILE, 12, 15, 18, 24, 1, NO, NO, .unsure = 0},
                                  {"read", EVENT_FILE, 22, 28, 28, 34, 2, NO, NO, .unsure = 0},
                                  {0}},
              3, 33, "request 0+0+5, read 4+1+2, read 3+3+4, read 6+0+5");
}

static void check_state(void **state, uint32_t registrar, uint32_t source, uint32_t sink,
                        enum chain_state expected) {
  struct logged *logged = *state;
  event_log_clear(&logged->log);
  event_log_init(&logged->log);
  logged_rows(logged, (struct log_line[]){
                          {"request", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0},
                          {"read", EVENT_FILE, 25, 26, 30, 40, registrar, NO, NO, .unsure = 0},
                          {"never", EVENT_FILE, 5, 5, EVENT_NEVER, 5, 0, NO, NO, .unsure = 0},
                          {0}});
  logged_request(logged, source, sink, 0, 40);
  logged_make(logged);
  assert_int_equal(logged->chains.chains.data[0].state, expected);
  assert_int_equal(logged->chains.states[expected], 1);
}

/* What cannot be known is said. */
static void test_incomplete(void **state) {
  check_state(state, 0, 0, 1, CHAIN_COMPLETE);
  check_state(state, NO, 0, 1, CHAIN_LOST);
  check_state(state, 1, 0, 1, CHAIN_LOST); /* a circle */
  check_state(state, 99, 0, 1, CHAIN_LOST);
  check_state(state, 2, 0, 1, CHAIN_LOST); /* by one that never ran */
  check_state(state, 0, NO, 1, CHAIN_NO_SOURCE);
  check_state(state, 0, 2, 1, CHAIN_NO_SOURCE);
  check_state(state, 0, 0, NO, CHAIN_NO_SINK);
  check_state(state, 0, 0, 2, CHAIN_NO_SINK);
  check_state(state, 0, 1, 0, CHAIN_BACKWARDS);
}

static void test_not_answered(void **state) {
  static const struct {
    enum event_request_state state;
    enum chain_state expected;
  } cases[] = {{EVENT_ABORTED, CHAIN_ABORTED},
               {EVENT_OPEN, CHAIN_OPEN},
               {EVENT_UPGRADED, CHAIN_UPGRADED},
               {EVENT_BROKEN, CHAIN_BROKEN}};
  struct logged *logged = *state;
  logged_rows(logged, (struct log_line[]){
                          {"request", EVENT_SOCKET, 0, 0, 0, 9, NO, NO, NO, .unsure = 0}, {0}});
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    logged_request(logged, 0, 0, 0, 5)->state = cases[i].state;
  logged_make(logged);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(logged->chains.chains.data[i].state, cases[i].expected);
  assert_int_equal(logged->chains.rows.count, 0);
}

/* An arrival that only is known to lie in an interval counts from its end. */
static void test_unseen(void **state) {
  struct logged *logged = *state;
  logged_rows(logged, (struct log_line[]){
                          {"request", EVENT_SOCKET, 0, 0, 100, 109, NO, NO, NO, .unsure = 0}, {0}});
  logged_request(logged, 0, 0, 95, 105)->arrived_low = 60;
  logged_make(logged);
  assert_string_equal(logged_show(logged, 0), "request 0+5+5");
  assert_int_equal(logged->chains.unseen, 1);
  assert_int_equal(logged->chains.unseen_max, 35);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define LOGGED(test) cmocka_unit_test_setup_teardown(test, logged_setup, logged_teardown)
      LOGGED(test_file),
      LOGGED(test_at_once),
      LOGGED(test_last_of_several),
      LOGGED(test_promises),
      LOGGED(test_interval),
      LOGGED(test_clipped),
      LOGGED(test_pooled),
      LOGGED(test_queue_drained),
      LOGGED(test_answered_by_other),
      LOGGED(test_nested),
      LOGGED(test_streamed),
      LOGGED(test_incomplete),
      LOGGED(test_not_answered),
      LOGGED(test_unseen),
      LOGGED(test_pooled_among_others),
      LOGGED(test_worker_among_others),
      LOGGED(test_body_in_pieces),
      LOGGED(test_tick_of_continuation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
