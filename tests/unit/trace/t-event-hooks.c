/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/event_reading.h"
#include "tests/unit/sampled.h"

/* Events of Node.js's own trace: an operation, its callback, a request. */
#define EVENT(ph, ts, name, id, args)                                                              \
  "{\"pid\":7,\"tid\":7,\"ts\":" #ts ",\"tts\":1,\"ph\":\"" ph                                     \
  "\",\"cat\":\"node,node.async_hooks\",\"name\":\"" name "\",\"dur\":0,\"id\":\"" id              \
  "\",\"args\":{" args "}}"
#define BY(id) "\"data\":{\"triggerAsyncId\":" #id ",\"executionAsyncId\":" #id "}"
#define INIT(ts, name, id, by) EVENT("b", ts, name, id, BY(by))
#define BEGIN(ts, name, id) EVENT("b", ts, name "_CALLBACK", id, "")
#define END(ts, name, id) EVENT("e", ts, name "_CALLBACK", id, "")
#define DESTROY(ts, name, id) EVENT("e", ts, name, id, "")
#define NOTICE(ts, id)                                                                             \
  "{\"pid\":7,\"tid\":7,\"ts\":" #ts ",\"ph\":\"b\",\"cat\":\"node,node.http\",\"name\":"          \
  "\"http.server.request\",\"id\":\"" id "\",\"args\":{}}"
#define ANSWER(ts, id, url)                                                                        \
  "{\"pid\":7,\"tid\":7,\"ts\":" #ts ",\"ph\":\"e\",\"cat\":\"node,node.http\",\"name\":"          \
  "\"http.server.request\",\"id\":\"" id "\",\"args\":{\"data\":{\"url\":\"" url                   \
  "\",\"statusCode\":200}}}"
#define PAUSE(ts, duration, name)                                                                  \
  "{\"pid\":7,\"tid\":7,\"ts\":" #ts ",\"ph\":\"X\",\"cat\":\"v8\",\"name\":\"" name               \
  "\",\"dur\":" #duration ",\"args\":{}}"
#define TRACE(events) "{\"traceEvents\":[" events "]}"

/* A handler that reads a file and answers in its callback; the parser's own callback is told of
 * late, and ticks lie within callbacks. */
#define FILE_SERVER                                                                                                                                                                                           \
  INIT(10, "TCPSERVERWRAP", "0x2", 1)                                                                                                                                                                         \
  "," BEGIN(20, "TCPSERVERWRAP", "0x2") "," INIT(21, "TCPWRAP", "0x3", 2) "," INIT(22, "HTTPINCOMINGMESSAGE", "0x4", 2) "," END(23, "TCPSERVERWRAP", "0x2") "," NOTICE(100, "0x1") "," INIT(                  \
      105, "FSREQCALLBACK", "0x5",                                                                                                                                                                            \
      4) "," BEGIN(110, "HTTPINCOMINGMESSAGE",                                                                                                                                                                \
                   "0x4") "," BEGIN(111, "TickObject",                                                                                                                                                        \
                                    "0x6") "," END(112, "TickObject",                                                                                                                                         \
                                                   "0x6") "," END(115, "HTTPINCOMINGMESSAGE",                                                                                                                 \
                                                                  "0x4") "," BEGIN(200,                                                                                                                       \
                                                                                   "FSREQCALLBAC"                                                                                                             \
                                                                                   "K",                                                                                                                       \
                                                                                   "0x5") "," INIT(210,                                                                                                       \
                                                                                                   "TickObject",                                                                                              \
                                                                                                   "0x7",                                                                                                     \
                                                                                                   5) "," BEGIN(220,                                                                                          \
                                                                                                                "TickObject",                                                                                 \
                                                                                                                "0x7") "," ANSWER(225,                                                                        \
                                                                                                                                  "0x1",                                                                      \
                                                                                                                                  "/users/12?a=b") "," END(230,                                               \
                                                                                                                                                           "TickObject",                                      \
                                                                                                                                                           "0x7") "," END(231,                                \
                                                                                                                                                                          "FSREQCALLBACK",                    \
                                                                                                                                                                          "0x5") "," DESTROY(240,             \
                                                                                                                                                                                             "FSREQCALLBACK", \
                                                                                                                                                                                             "0x5")

static void test_rows(void **state) {
  (void)state;
  check_events(TRACE(FILE_SERVER), "program 1 10 [10 10] 10-10\n"
                                   "TCPSERVERWRAP 2 10 [10 20] 20-23 by 0\n"
                                   "HTTPINCOMINGMESSAGE 4 22 [22 100] 100-115 by 1\n"
                                   "FSREQCALLBACK 5 105 [105 200] 200-231 by 2\n"
                                   "TCPWRAP 3 21 [] never by 1\n");
}

static void test_request(void **state) {
  (void)state;
  struct event_reading *reading = event_reading_of(TRACE(FILE_SERVER));
  const struct event_request *request = &reading->log.requests.data[0];
  assert_int_equal(reading->log.requests.count, 1);
  assert_string_equal(names_text(&reading->log.names, request->route), "HTTP /users/:id");
  assert_int_equal(request->source, 2);
  assert_int_equal(request->sink, 3);
  assert_int_equal(request->arrived_low, 22000);
  assert_int_equal(request->arrived_high, 100000);
  assert_int_equal(request->responded, 225000);
  assert_int_equal(request->status, 200);
  assert_int_equal(request->state, EVENT_ANSWERED);
  assert_int_equal(reading->log.loops.data[0].process, 7);
  event_reading_free(reading);
}

/* Older ones write the arguments without "data". */
static void test_old_arguments(void **state) {
  (void)state;
  check_events(
      TRACE(EVENT("b", 5, "Timeout", "9", "\"executionAsyncId\":1,\"triggerAsyncId\":1") "," BEGIN(
          15, "Timeout", "9") "," END(16, "Timeout", "9")),
      "program 1 5 [5 5] 5-5\n"
      "Timeout 9 5 [5 15] 15-16 by 0\n");
}

/* And categories without what they are within. */
static void test_old_category(void **state) {
  (void)state;
  check_events("[{\"pid\":7,\"tid\":7,\"ts\":5,\"ph\":\"b\",\"cat\":\"node.async_hooks\",\"name\":"
               "\"Timeout\",\"id\":\"0x9\",\"args\":{\"executionAsyncId\":1}},"
               "{\"pid\":7,\"tid\":7,\"ts\":7,\"ph\":\"b\",\"cat\":\"node.async_hooks\",\"name\":"
               "\"Timeout_CALLBACK\",\"id\":\"0x9\",\"args\":{}}",
               "program 1 5 [5 5] 5-5\n"
               "Timeout 9 5 [5 7] 7-7 by 0\n");
}

/* A promise that an earlier turn awaits is released by the turn in which it goes on; others are
 * part of the turn. A repeating timer waits again when its callback has ended. */
static void test_promises_and_repeats(void **state) {
  (void)state;
  check_events(
      TRACE(INIT(1, "Timeout", "0x9", 1) "," INIT(2, "PROMISE", "0xa", 1) "," BEGIN(10, "Timeout", "0x9") "," INIT(11, "PROMISE", "0xb", 9) "," END(
          12, "Timeout",
          "0x9") "," BEGIN(13, "PROMISE",
                           "0xb") "," END(14, "PROMISE",
                                          "0xb") "," BEGIN(15, "PROMISE",
                                                           "0xa") "," INIT(16, "FSREQCALLBACK",
                                                                           "0xc",
                                                                           10) "," END(17,
                                                                                       "PROMISE",
                                                                                       "0xa") "," BEGIN(30,
                                                                                                        "Timeout",
                                                                                                        "0x9") "," END(31,
                                                                                                                       "Timeout",
                                                                                                                       "0x9") "," BEGIN(40,
                                                                                                                                        "FSREQCALLBACK",
                                                                                                                                        "0xc") "," END(41,
                                                                                                                                                       "FSREQCALLBACK",
                                                                                                                                                       "0xc")),
      "program 1 1 [1 1] 1-2\n"
      "Timeout 9 1 [1 10] 10-17 by 0\n"
      "PROMISE 10 2 [10 15] 15-17 by 0 after 1 in 1\n"
      "Timeout 9 12 [12 30] 30-31 by 1\n"
      "FSREQCALLBACK 12 16 [16 40] 40-41 by 2\n");
}

static void test_pauses(void **state) {
  (void)state;
  struct event_reading *reading = event_reading_of(TRACE(
      FILE_SERVER
      "," PAUSE(300, 10, "V8.GCFinalizeMC") "," PAUSE(120, 30, "V8.GCScavenger") "," PAUSE(130, 5, "V8.GCScavenger") "," PAUSE(
          140, 20,
          "V8.GCIncrementalMarking") "," PAUSE(400, 7,
                                               "V8.GC_SCAVENGER") "," PAUSE(500, 8,
                                                                            "V8.CompileCode")));
  const enum event_pause_kind kinds[] = {EVENT_PAUSE_MINOR, EVENT_PAUSE_STEP, EVENT_PAUSE_MAJOR,
                                         EVENT_PAUSE_COMPILE};
  assert_int_equal(reading->log.pauses.count, 4);
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(reading->log.pauses.data[i].kind, kinds[i]);
  struct event_paused paused = event_paused_time(&reading->log);
  assert_int_equal(paused.sum, 68000);
  assert_int_equal(paused.covered, 58000);
  assert_int_equal(paused.longest, 30000);
  event_reading_free(reading);
}

/* Whoever wrote it was stopped at any byte. */
static void test_truncated(void **state) {
  (void)state;
  const char *text = TRACE(FILE_SERVER);
  size_t whole = strlen(text), rows = 0;
  for (size_t length = 1; length < whole; length += sampled_step()) {
    struct event_reading *reading = event_reading_of_bytes(text, length);
    struct event_chains chains;
    /* of too little it cannot be told that it is a log */
    assert_true(reading->status == STATUS_OK ||
                (reading->status == STATUS_DATA && rows == 0 && reading->log.begin.count == 0));
    event_reading_check(&reading->log);
    event_chains_make(&chains, &reading->log);
    event_chains_clear(&chains);
    assert_true(reading->log.begin.count >= rows || reading->log.begin.count == 0);
    event_reading_free(reading);
  }
}

/* Rotated files go on where the one before ended; 10 comes after 2. */
static void test_rotated(void **state) {
  (void)state;
  char folder[] = "/tmp/event-folder-XXXXXX", first[64], second[64];
  assert_non_null(mkdtemp(folder));
  snprintf(first, sizeof first, "%s/node_trace.2.log", folder);
  snprintf(second, sizeof second, "%s/node_trace.10.log", folder);
  const char *texts[] = {TRACE(INIT(5, "Timeout", "0x9", 1)),
                         TRACE(BEGIN(15, "Timeout", "0x9") "," END(16, "Timeout", "0x9"))};
  for (size_t i = 0; i < 2; i++) {
    FILE *file = fopen(i == 0 ? first : second, "w");
    assert_non_null(file);
    fputs(texts[i], file);
    fclose(file);
  }
  assert_true(event_is_log(folder));
  struct event_reading *reading = event_reading_of_paths((const char *const[]){folder}, 1);
  assert_string_equal(event_reading_show(reading), "program 1 5 [5 5] 5-5\n"
                                                   "Timeout 9 5 [5 15] 15-16 by 0\n");
  event_reading_free(reading);
  unlink(first);
  unlink(second);
  rmdir(folder);
}

/* A worker thread has its own loop, and ids of its own. */
static void test_threads(void **state) {
  (void)state;
  const char *text = TRACE(INIT(
      5, "Timeout", "0x9",
      1) ","
         "{\"pid\":7,\"tid\":8,\"ts\":6,\"ph\":\"b\",\"cat\":\"node,node.async_hooks\",\"name\":"
         "\"Immediate\",\"id\":\"0x9\",\"args\":{\"data\":{\"executionAsyncId\":1}}}," BEGIN(
             15, "Timeout", "0x9") "," END(16, "Timeout", "0x9"));
  struct event_reading *reading = event_reading_of(text);
  assert_int_equal(reading->log.loops.count, 2);
  assert_int_equal(reading->log.loops.data[1].thread, 8);
  assert_string_equal(event_reading_show(reading), "program 1 5 [5 5] 5-5\n"
                                                   "Timeout 9 5 [5 15] 15-16 by 0\n"
                                                   "program 1 6 [6 6] 6-6\n"
                                                   "Immediate 9 6 [] never by 2\n");
  event_reading_free(reading);
}

/* What contradicts itself is counted, and the rest is read. */
static void test_odd(void **state) {
  (void)state;
  struct event_reading *reading = event_reading_of(TRACE(
      INIT(5, "Timeout", "0xffffffffffffffff", 1) "," INIT(6, "Timeout", "0xffffffffffffffff", 18446744073709551615) "," END(
          7, "Timeout",
          "0x44") "," BEGIN(3, "Timeout",
                            "0xffffffffffffffff") "," ANSWER(9, "0x77",
                                                             "/") "," NOTICE(10,
                                                                             "0x1") "," NOTICE(11,
                                                                                               "0x"
                                                                                               "1")));
  assert_int_equal(reading->status, STATUS_OK);
  event_reading_check(&reading->log);
  assert_true(event_reading_notes(reading, "2 ends of callbacks have no beginning"));
  assert_true(event_reading_notes(reading, "2 asynchronous operations have an id that is in use"));
  event_reading_free(reading);
}

static void test_damaged(void **state) {
  (void)state;
  struct event_reading *reading =
      event_reading_of("{\"traceEvents\":[{\"ph\":\"b\",\"cat\":\"node.async_hooks\",oops}]}");
  assert_int_equal(reading->status, STATUS_DATA);
  assert_string_equal(text_get(&reading->said),
                      ":1:52: 'o' stands where a key in quotes is expected; the JSON is damaged");
  event_reading_free(reading);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_request),
      cmocka_unit_test(test_old_arguments),
      cmocka_unit_test(test_old_category),
      cmocka_unit_test(test_promises_and_repeats),
      cmocka_unit_test(test_pauses),
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_rotated),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_odd),
      cmocka_unit_test(test_damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
