/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/event_reading.h"

#include "base/random.h"
#include "trace/event/hooks_table.h"
#include "trace/event/route.h"
#include "trace/event/route_fold.h"

/* ---- clinic bubbleprof */

#define SOURCE(id, by, init, before, after, destroy)                                               \
  "{\"asyncId\":" #id ",\"parentAsyncId\":" #by ",\"triggerAsyncId\":" #by                         \
  ",\"executionAsyncId\":" #by ",\"init\":" #init ",\"before\":[" before "],\"after\":[" after     \
  "],\"destroy\":" #destroy "}"
#define GROUP(type, frames, sources)                                                               \
  "{\"aggregateId\":1,\"mark\":[\"user\",null,null],\"type\":\"" type "\",\"frames\":[" frames     \
  "],\"sources\":[" sources "]}"
#define FRAME(function, file)                                                                      \
  "{\"functionName\":\"" function "\",\"fileName\":\"" file                                        \
  "\",\"lineNumber\":12,\"columnNumber\":3}"
#define DATA(groups) "{\"data\":[{\"clusterId\":1,\"parentClusterId\":0,\"nodes\":[" groups "]}]}"
#define SAMPLE                                                                                     \
  DATA(GROUP("Timeout",                                                                            \
             FRAME("setInterval", "timers.js") "," FRAME("lib", "/a/node_modules/b.js") "," FRAME( \
                 "handler", "/home/u/app.js"),                                                     \
             SOURCE(5, 1, 1.5, "10.5,20.5", "11.25,21",                                            \
                    null)) "," GROUP("FSREQWRAP", "", SOURCE(6, 5, 10.75, "15", "16.5", 17)))

static void test_bubbleprof(void **state) {
  (void)state;
  struct event_reading *reading = event_reading_of(SAMPLE);
  const struct event_log *log = &reading->log;
  assert_int_equal(reading->status, STATUS_OK);
  event_reading_check(log);
  assert_string_equal(event_reading_show(reading), "program 1 1500 [1500 1500] 1500-1500\n"
                                                   "Timeout 5 1500 [1500 10500] 10500-11250 by 0\n"
                                                   "FSREQWRAP 6 10750 [10750 15000] 15000-16500 "
                                                   "by 1\n"
                                                   "Timeout 5 11250 [11250 20500] 20500-21000 by "
                                                   "1\n");
  assert_string_equal(names_text(&log->names, log->place.data[1]), "app.js:12:3 handler");
  assert_string_equal(names_text(&log->names, log->place.data[2]), "");
  assert_true(
      event_reading_notes(reading, "holds 2 asynchronous operations with 3 callbacks of 2.750 ms"));
  event_reading_free(reading);
}

static void test_uneven(void **state) {
  (void)state;
  struct event_reading *reading =
      event_reading_of(DATA(GROUP("Timeout", "", SOURCE(5, 1, 1, "2,4", "3", null))));
  event_reading_check(&reading->log);
  assert_true(event_reading_notes(reading, "1 operations have callbacks that do not begin"));
  event_reading_free(reading);
}

/* ---- collections */

#define HEADER "interval, startTimestamp, endTimestamp, duration, type\n"

static void test_collections(void **state) {
  (void)state;
  struct event_reading *reading =
      event_reading_of(HEADER "0, 1559909228676.4731, 1559909228680, 3.5269, V8.GCScavenger\n"
                              "1, 1559909228678, 1559909228678.5, 0.5, V8.GCIncrementalMarking\n"
                              "1, 1559909228690, 1559909228691, 1, V8.GCFinalizeMC\n");
  struct event_paused paused = event_paused_time(&reading->log);
  assert_int_equal(reading->status, STATUS_OK);
  assert_int_equal(paused.count, 3);
  assert_int_equal(paused.sum, 5026900);
  assert_int_equal(paused.covered, 4526900);
  assert_int_equal(paused.longest, 3526900);
  assert_int_equal(reading->log.pauses.data[0].start, 1559909228676473100);
  assert_int_equal(reading->log.pauses.data[2].kind, EVENT_PAUSE_MAJOR);
  event_reading_free(reading);
}

static void check_refused_line(const char *line) {
  struct text text;
  text_init(&text);
  text_format(&text, HEADER "0, 1, 2, 1, V8.GCScavenger\n%s\n", line);
  struct event_reading *reading = event_reading_of(text_get(&text));
  assert_int_equal(reading->status, STATUS_DATA);
  assert_string_equal(text_get(&reading->said),
                      ":3: interval, start, end, duration (ms) and a type such as V8.GCScavenger "
                      "are expected; mend the line or leave it out");
  event_reading_free(reading);
  text_clear(&text);
}

static void test_refused_lines(void **state) {
  (void)state;
  check_refused_line("0, 1, 2, 1");
  check_refused_line("0, 1, 2, 1, V8.GCScavenger, 5");
  check_refused_line("0, 2, 1, 1, V8.GCScavenger");
  check_refused_line("0, 1, 2, 1, V8.Nothing");
  check_refused_line("0, -1, 2, 1, V8.GCScavenger");
  check_refused_line("0, 1, 99999999999999999999, 1, V8.GCScavenger");
  check_refused_line("0, 1, , 1, V8.GCScavenger");
}

/* ---- any file */

/* Each beginning of a file is read, or refused with one message. */
static void check_beginnings(const char *text) {
  for (size_t length = 0; length < strlen(text); length++) {
    struct event_reading *reading = event_reading_of_bytes(text, length);
    assert_true((reading->status == STATUS_OK) == (reading->said.length == 0));
    event_reading_check(&reading->log);
    event_reading_free(reading);
  }
}

static void test_beginnings(void **state) {
  (void)state;
  check_beginnings(SAMPLE);
  check_beginnings(HEADER "0, 1.5, 2.25, 0.75, V8.GCScavenger\n");
}

static void test_no_log(void **state) {
  (void)state;
  assert_false(event_is_log("-"));
  assert_false(event_is_log("/dev/null"));
  assert_false(event_is_log("/tmp/there/is/no/such/file"));
  struct event_reading *reading = event_reading_of("{\"data\":[{\"traceID\":\"1\"}]}");
  assert_int_equal(reading->log.loops.count, 0);
  assert_int_equal(reading->status, STATUS_DATA);
  event_reading_free(reading);
}

/* ---- parts */

static void check_route(const char *method, const char *url, const char *expected) {
  struct text text;
  text_init(&text);
  event_route(&text, (struct slice){method, strlen(method)}, (struct slice){url, strlen(url)});
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
}

static void test_routes(void **state) {
  (void)state;
  check_route("GET", "/users/4711/cart?full=1", "GET /users/:id/cart");
  check_route("GET", "/", "GET /");
  check_route("", "/a//b/", "/a//b/");
  check_route("GET", "/f/123e4567-e89b-12d3-a456-426614174000#x", "GET /f/:id");
  check_route("GET", "/deadbeef1", "GET /:id");
  check_route("GET", "/facade/beef/v2", "GET /facade/beef/v2");
  check_route("GET", "", "GET ");
  check_route("GET", "/reset/eyJhbGciOiJIUzI1NiJ9.e30.abc", "GET /reset/:id");
  check_route("GET", "/confirm/KJHGFDSAQWERTZUIO", "GET /confirm/:id");
  check_route("GET", "/mail/joe@example.com/%E2%82%AC", "GET /mail/:id/:id");
  check_route("GET", "http://host.example:80/api/v1/log-in;session=9f", "GET /api/v1/log-in");
  check_route("GET", "/users/:id/*", "GET /users/:id/*");
  check_route("GET", "/app.min.js/jquery-3.6.0.js/7up", "GET /app.min.js/:id/:id");
  check_route("GET", "/abcdefghijklmnop_abcdefghijklmnop", "GET /:id");
  char url[1000];
  for (size_t i = 0; i < sizeof url - 1; i++)
    url[i] = i % 10 == 0 ? '/' : 'x';
  url[sizeof url - 1] = '\0';
  struct text text;
  text_init(&text);
  event_route(&text, (struct slice){"GET", 3}, (struct slice){url, strlen(url)});
  assert_int_equal(text.length, ROUTE_BYTES_MAX);
  assert_string_equal(text.data + text.length - 4, "x...");
  text_clear(&text);
}

static void add_requests(struct event_log *log, int count, bool is_pattern, const char *format,
                         int which) {
  char route[64];
  int length = snprintf(route, sizeof route, format, which);
  struct event_request request = {
      .route = names_number(&log->names, (struct slice){route, (size_t)length}),
      .is_pattern = is_pattern};
  for (int i = 0; i < count; i++)
    vector_push(&log->requests, request);
}

static size_t requests_of(const struct event_log *log, const char *route) {
  size_t count = 0;
  for (size_t i = 0; i < log->requests.count; i++)
    count += strcmp(names_text(&log->names, log->requests.data[i].route), route) == 0;
  return count;
}

/* More than 50 values of a part are one; those that are asked for often, patterns of a framework
 * and parts with 50 values are left alone. */
static void test_many_words(void **state) {
  (void)state;
  struct event_log log;
  event_log_init(&log);
  for (int i = 0; i < 300; i++) {
    add_requests(&log, 2, false, "GET /shop/customer-x%d/cart", i);
    add_requests(&log, 1, false, "GET /shop/customer-x%d", i);
    add_requests(&log, 1, true, "GET /pattern%d", i);
    add_requests(&log, 1, false, "GET /few/of%d", i % 50);
    add_requests(&log, 1, false, "POST /%d.json", i);
  }
  add_requests(&log, 100, false, "GET /shop/login", 0);
  struct event_folded folded = event_routes_fold(&log);
  assert_int_equal(folded.paths, 900);
  assert_int_equal(folded.routes, 3);
  assert_int_equal(requests_of(&log, "GET /shop/*/cart"), 600);
  assert_int_equal(requests_of(&log, "GET /shop/*"), 300);
  assert_int_equal(requests_of(&log, "GET /shop/login"), 100);
  assert_int_equal(requests_of(&log, "GET /pattern7"), 1);
  assert_int_equal(requests_of(&log, "GET /few/of7"), 6);
  assert_int_equal(requests_of(&log, "POST /*"), 300);
  assert_int_equal(event_routes_fold(&log).paths, 0);
  event_log_clear(&log);
}

/* Random additions and removals, held against a plain list. */
static void test_table(void **state) {
  (void)state;
  enum { IDS = 300 };
  struct hooks_table table = {0};
  struct random random = {5};
  bool there[IDS] = {0};
  size_t count = 0;
  for (int i = 0; i < 20000; i++) {
    size_t which = (size_t)random_below(&random, IDS);
    uint64_t id = which * 0x100000001u;
    struct hooks_operation *found = hooks_table_find(&table, id);
    assert_true((found != NULL) == there[which]);
    if (random_below(&random, 2) == 0) {
      hooks_table_add(&table, id)->type = (uint32_t)which;
      count += !there[which];
      there[which] = true;
    } else if (found != NULL) {
      assert_int_equal(found->type, which);
      hooks_table_remove(&table, found);
      there[which] = false;
      count--;
    }
    assert_int_equal(table.items.count, count);
  }
  hooks_table_clear(&table);
}

/* ---- limits */

/* Only the counts are looked at: there is no array of that size. */
static void assert_size(size_t rows, size_t pauses, const char *expected) {
  struct event_log log = {0};
  struct text said;
  text_init(&said);
  log.begin.count = rows;
  log.pauses.count = pauses;
  enum status status =
      event_check_size(&log, "a.tpn", &(struct asker){.context = &said, .say = event_reading_say});
  assert_int_equal(status, expected == NULL ? STATUS_OK : STATUS_DATA);
  assert_true(expected == NULL ? said.length == 0 : strstr(text_get(&said), expected) != NULL);
  text_clear(&said);
}

static void test_more_than_can_be_numbered(void **state) {
  (void)state;
  assert_size(1073741823, 1073741823, NULL);
  assert_size(1073741824, 0,
              "a.tpn: 1073741824 callbacks are more than the 1073741823 that can be "
              "told apart; give fewer files");
  assert_size(5, 1073741824, "a.tpn: 1073741824 collections and compilations are more");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bubbleprof),  cmocka_unit_test(test_uneven),
      cmocka_unit_test(test_collections), cmocka_unit_test(test_refused_lines),
      cmocka_unit_test(test_beginnings),  cmocka_unit_test(test_no_log),
      cmocka_unit_test(test_routes),      cmocka_unit_test(test_many_words),
      cmocka_unit_test(test_table),       cmocka_unit_test(test_more_than_can_be_numbered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
