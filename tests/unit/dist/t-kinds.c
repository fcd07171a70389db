/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Several kinds of requests in one file: refused until one is chosen, in every format that can hold
 * them. And rows that stand there twice.
 */
#include "tests/unit/dist/parse.h"

static void several(enum source_format format, const char *bytes, const char *expected) {
  assert_message(format, bytes, strlen(bytes), needed_unit(format), expected);
}

static void chosen(enum source_format format, const char *bytes, const char *select,
                   const char *expected) {
  struct parsed parsed = parse_selected(format, bytes, needed_unit(format), select);
  if (parsed.status != STATUS_OK)
    fail_msg("%s on: %s", text_get(&parsed.message), bytes);
  parsed_has(parsed, expected);
}

#define K6(value, metric, tags)                                                                    \
  "{\"type\":\"Point\",\"data\":{\"value\":" value ",\"tags\":{\"status\":\"200\"," tags           \
  "}},\"metric\":\"" metric "\"}\n"
#define HTTP "http_req_duration"

static void k6(void **unused) {
  (void)unused;
  static const char routes[] = K6("1", HTTP, "\"method\":\"GET\",\"name\":\"/\",\"vu\":\"1\"")
      K6("2", HTTP, "\"method\":\"GET\",\"name\":\"/\",\"vu\":\"2\",\"url\":\"/?a\"")
          K6("50", HTTP, "\"method\":\"POST\",\"name\":\"/buy\"");
  several(FORMAT_JSON, routes,
          "f:3:1: 2 kinds of requests: {method=\"GET\",name=\"/\"}, "
          "{method=\"POST\",name=\"/buy\"}; choose one: --select "
          "'NAME={method=\"GET\",name=\"/\"}', or all of them: --select 'NAME={}'");
  chosen(FORMAT_JSON, routes, "{method=\"GET\",name=\"/\"}",
         "1000000-1000000:1 2000000-2000000:1 +0");
  chosen(FORMAT_JSON, routes, "http_req_duration{name=~\"/b.*\"}", "50000000-50000000:1 +0");
  chosen(FORMAT_JSON, routes, "POST", "50000000-50000000:1 +0");
  chosen(FORMAT_JSON, routes, "{}", "1000000-1000000:1 2000000-2000000:1 50000000-50000000:1 +0");
  static const char setup[] =
      K6("1", HTTP, "\"group\":\"\"") K6("50", HTTP, "\"group\":\"::setup\"");
  several(FORMAT_JSON, setup,
          "f:2:1: 2 kinds of requests: {group=\"\"}, {group=\"::setup\"}; choose one: "
          "--select 'NAME={group=\"\"}', or all of them: --select 'NAME={}'");
  chosen(FORMAT_JSON, setup, "{group=\"\"}", "1000000-1000000:1 +0");
  static const char protocols[] =
      K6("1", HTTP, "\"name\":\"a\"") K6("2", "grpc_req_duration", "\"name\":\"a\"");
  several(FORMAT_JSON, protocols,
          "f:2:1: 2 kinds of requests: {metric=\"http_req_duration\"}, "
          "{metric=\"grpc_req_duration\"}; choose one: --select "
          "'NAME={metric=\"http_req_duration\"}', or all of them: --select 'NAME={}'");
  /* A tag that the script sets, of any name. */
  several(FORMAT_JSON, K6("1", HTTP, "\"my tag\":\"a\"") K6("2", HTTP, "\"my tag\":\"b\""),
          "f:2:1: 2 kinds of requests: {my_tag=\"a\"}, {my_tag=\"b\"}; choose one: --select "
          "'NAME={my_tag=\"a\"}', or all of them: --select 'NAME={}'");
  static const char fine[] =
      "{\"type\":\"Point\",\"data\":{\"time\":\"2026-01-31T12:00:00.123456Z\",\"value\":1},"
      "\"metric\":\"http_req_duration\"}\n";
  char twice[300];
  snprintf(twice, sizeof twice, "%s%s", fine, fine);
  chosen(FORMAT_JSON, K6("1", HTTP, "\"name\":\"a\"") K6("1", HTTP, "\"name\":\"a\""), "a",
         "1000000-1000000:2 +0");
  several(FORMAT_JSON, twice,
          "f:2:1: this point stands in the file a second time, so that its request would count "
          "twice; keep each line once");
}

/* An iteration that was dropped counts where its scenario does. */
static void k6_dropped(void **unused) {
  (void)unused;
  static const char bytes[] = K6("1", HTTP, "\"scenario\":\"a\"")
      K6("2", HTTP, "\"scenario\":\"b\"") K6("3", "dropped_iterations", "\"scenario\":\"b\"")
          K6("4", "dropped_iterations", "\"scenario\":\"b\"");
  chosen(FORMAT_JSON, bytes, "a", "1000000-1000000:1 +0");
  chosen(FORMAT_JSON, bytes, "b", "2000000-2000000:1 +7");
  chosen(FORMAT_JSON, bytes, "{}", "1000000-1000000:1 2000000-2000000:1 +7");
}

#define VEGETA(time, latency, method, url)                                                         \
  "17000000000000000" time ",200," latency ",0,17,,aGk=,,0," method "," url ",\n"

static void vegeta(void **unused) {
  (void)unused;
  static const char targets[] =
      VEGETA("00", "5", "GET", "http://x/") VEGETA("01", "50", "POST", "http://x/");
  several(FORMAT_CSV, targets,
          "f:2:1: 2 kinds of requests: {method=\"GET\"}, {method=\"POST\"}; choose one: --select "
          "'NAME={method=\"GET\"}', or all of them: --select 'NAME={}'");
  chosen(FORMAT_CSV, targets, "GET", "5-5:1 +0");
  several(FORMAT_CSV, VEGETA("00", "5", "GET", "a") VEGETA("01", "5", "GET", "b"),
          "f:2:1: 2 kinds of requests: {url=\"a\"}, {url=\"b\"}; choose one: --select "
          "'NAME={url=\"a\"}', or all of them: --select 'NAME={}'");
  several(FORMAT_CSV, VEGETA("00", "5", "GET", "a") VEGETA("00", "5", "GET", "a"),
          "f:2:1: this row stands in the table a second time, so that its request would count "
          "twice; keep each row once");
  static const char attacks[] = "1700000000000000000,200,5,0,17,,aGk=,one,0\n"
                                "1700000000000000001,200,6,0,17,,aGk=,two,0\n";
  chosen(FORMAT_CSV, attacks, "two", "6-6:1 +0");
}

static void pgbench(void **unused) {
  (void)unused;
  static const char scripts[] = "0 1 2000 0 1700000000 1\n0 2 90000 1 1700000000 2\n";
  several(FORMAT_CSV, scripts,
          "f:2:1: 2 kinds of requests: {script=\"0\"}, {script=\"1\"}; choose one: --select "
          "'NAME={script=\"0\"}', or all of them: --select 'NAME={}'");
  chosen(FORMAT_CSV, scripts, "1", "89999000-90001000:1 +0");
  several(FORMAT_CSV, "0 1 2000 0 1700000000 1\n0 1 2000 0 1700000000 1\n",
          "f:2:1: found \"0 1 2000 0 1700000000 1\", a row that stands in the log a second time, "
          "so that its transaction would count twice; keep each row once");
}

/* Columns that name a kind, however they are written. */
static void csv_labels(void **unused) {
  (void)unused;
  static const char *const names[] = {
      "method",   "URL",         "http.route", "endpoint", "op",      "label",    "operation",
      "op_type",  "requestPath", "name",       "query",    "request", "url.full", "rw",
      "uri_stem", "client_op",   "op_code",    "stmt",     "queue"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char bytes[200];
    snprintf(bytes, sizeof bytes, "%s,latency_ms\nr,1\nw,50\nr,2\n", names[i]);
    struct parsed parsed = parse_bytes(FORMAT_CSV, bytes, strlen(bytes), NULL);
    if (strstr(text_get(&parsed.message), "2 kinds of requests: {") == NULL)
      fail_msg("%s: %s", names[i], text_get(&parsed.message));
    parsed_clear(&parsed);
    chosen(FORMAT_CSV, bytes, "w", "50000000-50000000:1 +0");
  }
  /* Not kinds: which replica, which of many, and what there is one of. */
  static const char *const others[] = {"thread_name", "hostname", "content_type", "request",
                                       "user",        "bytes",    "node"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    char bytes[200];
    snprintf(bytes, sizeof bytes, "%s,latency_ms\n1,1\n2,50\n", others[i]);
    assert_parses(FORMAT_CSV, bytes, NULL, "1000000:1 50000000:1 +0", 1);
  }
  assert_parses(FORMAT_CSV, "op,latency_ns\nr,1\nr,2\n", NULL, "1:1 2:1 +0", 0);
  assert_selection_fails(FORMAT_CSV, "op,latency_ns\nr,1\nw,2\n", NULL, "x",
                         "f:1:1: --select x: nothing is of this kind; there is {op=\"r\"}, "
                         "{op=\"w\"}");
  assert_selection_fails(FORMAT_CSV, "op,latency_ns\nr,1\n", NULL, "{op=r}",
                         "f:1:1: --select {op=r}: cannot be read; write {LABEL=\"VALUE\"}, or a "
                         "VALUE alone");
  assert_selection_fails(FORMAT_CSV, "latency_ns\n1\n", NULL, "r",
                         "f:1:1: --select r: there is nothing to choose, as no column says what "
                         "kind of request a row is of; leave it out");
}

/* Rows of which every tenth has the other value of a column, and takes as long. */
static void write_column(struct text *out, const char *name, const char *usual, const char *rare,
                         const char *ms) {
  text_format(out, "%s,latency_ms\n", name);
  for (size_t i = 0; i < 200; i++)
    text_format(out, "%s,%s\n", i % 10 == 3 ? rare : usual, i % 10 == 3 ? ms : "1");
}

/* A name of which nothing is known, whose values tell slow requests from fast ones. */
static void telling(void **unused) {
  (void)unused;
  static const char *const names[] = {"rwflag", "payload", "tier", "cached", "was_odd", "ret"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct text text;
    char expected[400], select[64];
    text_init(&text);
    write_column(&text, names[i], "a", "b", "50");
    snprintf(expected, sizeof expected,
             "f:1:1: found \"%s\", a column of unknown meaning that tells slow requests from fast "
             "ones: with \"a\" the median is 1.000 ms, else 50.000 ms; choose a kind: --select "
             "'NAME={%s=\"a\"}', or all of them: --select 'NAME={}'; if it says which requests "
             "failed, call it \"success\" or \"failed\"",
             names[i], names[i]);
    several(FORMAT_CSV, text.data, expected);
    snprintf(select, sizeof select, "{%s=\"b\"}", names[i]);
    chosen(FORMAT_CSV, text.data, select, "50000000-50000000:20 +0");
    chosen(FORMAT_CSV, text.data, "{}", "1000000-1000000:180 50000000-50000000:20 +0");
    /* as long as the others */
    text.length = 0;
    write_column(&text, names[i], "a", "b", "1");
    assert_parses(FORMAT_CSV, text.data, NULL, "1000000:200 +0", 1);
    text_clear(&text);
  }
  /* which machine, and when */
  static const char *const others[] = {"host", "region", "hour", "thread_id", "conn", "run"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    struct text text;
    text_init(&text);
    write_column(&text, others[i], "1", "2", "50");
    assert_parses(FORMAT_CSV, text.data, NULL, "1000000:180 50000000:20 +0", 1);
    text_clear(&text);
  }
}

/* Columns that have nothing to do with the times: none of many tells, however the times depend on
 * those before them. */
static void nothing_told(void **unused) {
  (void)unused;
  uint64_t random = 7;
  for (size_t round = 0; round < 60; round++) {
    struct text text;
    double level = 0;
    text_init(&text);
    text_append(&text, "c1,c2,c3,c4,latency_ns\n");
    for (size_t i = 0; i < 400; i++) {
      for (size_t column = 0; column < 4; column++)
        text_format(&text, "%u,",
                    (unsigned)(random_next(&random) >> 32) % (2 + 5 * (unsigned)column));
      level = 0.95 * level + (double)(random_next(&random) >> 44) / 1e6;
      text_format(&text, "%.0f\n", 1e6 * level);
    }
    struct parsed parsed = parse_bytes(FORMAT_CSV, text.data, text.length, NULL);
    if (parsed.status != STATUS_OK)
      fail_msg("round %zu: %s", round, text_get(&parsed.message));
    parsed_clear(&parsed);
    text_clear(&text);
  }
}

/* More kinds than are listed, and more than are remembered. */
static void many(void **unused) {
  (void)unused;
  struct text text;
  text_init(&text);
  text_append(&text, "path,latency_ns\n");
  for (size_t i = 0; i < 200; i++)
    text_format(&text, "/%zu,%zu\n", i, i);
  several(FORMAT_CSV, text.data,
          "f:3:1: more than 64 kinds of requests: {path=\"/0\"}, {path=\"/1\"}, {path=\"/2\"}, "
          "{path=\"/3\"}, {path=\"/4\"}, {path=\"/5\"}, {path=\"/6\"}, {path=\"/7\"} and others; "
          "choose one: --select 'NAME={path=\"/0\"}', or all of them: --select 'NAME={}'");
  chosen(FORMAT_CSV, text.data, "/150", "150-150:1 +0");
  chosen(FORMAT_CSV, text.data, "{path=~\"/1[0-9]9\"}",
         "109-109:1 119-119:1 129-129:1 139-139:1 149-149:1 159-159:1 169-169:1 179-179:1 "
         "189-189:1 199-199:1 +0");
  text_clear(&text);
}

static void rows_once(void **unused) {
  (void)unused;
  static const char *const names[] = {"instance", "trace_id", "traceId",  "request_id",
                                      "id",       "uuid",     "requestID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char bytes[200], expected[300];
    snprintf(bytes, sizeof bytes, "%s,latency_ns\na,1\nb,2\na,1\n", names[i]);
    snprintf(expected, sizeof expected,
             "f:4:1: found \"a\", a \"%s\" that an earlier row has, so that one request would "
             "count twice; keep one row for each",
             names[i]);
    several(FORMAT_CSV, bytes, expected);
  }
  /* Of what several requests have, or what is not known, nothing follows. */
  static const char *const others[] = {"user_id", "thread_id", "session_id", "host"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    char bytes[200];
    snprintf(bytes, sizeof bytes, "%s,latency_ns\na,1\na,2\n", others[i]);
    assert_parses(FORMAT_CSV, bytes, NULL, "1:1 2:1 +0", 0);
  }
  assert_parses(FORMAT_CSV, "id,latency_ns\n,1\n,2\n-,3\n-,3\n", NULL, "1:1 2:1 3:2 +0", 0);
  /* Several together. */
  static const char both[] = "trace_id,span_id,latency_ns\na,1,1\na,2,2\nb,1,3\n";
  assert_parses(FORMAT_CSV, both, NULL, "1:1 2:1 3:1 +0", 0);
  several(FORMAT_CSV, "trace_id,span_id,latency_ns\na,1,1\na,2,2\na,1,3\n",
          "f:4:1: found \"a\", a \"trace_id\" that an earlier row has, with all else that tells "
          "requests apart, so that one request would count twice; keep one row for each");
}

/* Random times of so many different values, `times` each, in an order of their own. */
static void write_times(struct text *out, uint64_t seed, size_t rows, size_t values, size_t times) {
  struct text lines[400];
  size_t count = 0;
  text_append(out, "latency_ns\n");
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0, value = random_next(&seed) % values; k < times; k++) {
      text_init(&lines[count]);
      text_format(&lines[count++], "%zu\n", value);
    }
  for (size_t i = count; i > 0; i--) {
    size_t k = random_next(&seed) % i;
    text_append(out, text_get(&lines[k]));
    text_clear(&lines[k]);
    lines[k] = lines[i - 1];
  }
}

/* Whole tables that stand there twice or more, in any order; equal rows of coarse times do not. */
static void tables_twice(void **unused) {
  (void)unused;
  for (size_t times = 1; times <= 3; times++)
    for (size_t round = 0; round < 40; round++) {
      struct text text;
      char expected[100];
      text_init(&text);
      size_t values = round % 2 == 0 ? 1000000 : 60; /* us, or coarse */
      write_times(&text, 3 + 40 * times + round, 120, values, times);
      snprintf(expected, sizeof expected, "each row stands in the table %zu times", times);
      struct parsed parsed = parse_bytes(FORMAT_CSV, text.data, text.length, NULL);
      bool refused = strstr(text_get(&parsed.message), expected) != NULL;
      if (refused != (times > 1) || (times == 1 && parsed.status != STATUS_OK))
        fail_msg("%zu times, round %zu: %s", times, round, text_get(&parsed.message));
      parsed_clear(&parsed);
      text_clear(&text);
    }
}

/* Two files that overlap, put together; a pattern of few values repeats for good reason. */
static void tables_overlap(void **unused) {
  (void)unused;
  struct text text;
  uint64_t random = 5;
  unsigned values[300];
  text_init(&text);
  text_append(&text, "when,latency_us\n");
  for (size_t i = 0; i < 300; i++)
    values[i] = (unsigned)(random_next(&random) % 900);
  for (size_t i = 0; i < 200; i++)
    text_format(&text, "%zu,%u\n", i, values[i]);
  for (size_t i = 120; i < 300; i++)
    text_format(&text, "%zu,%u\n", i, values[i]);
  assert_noted(FORMAT_CSV, text.data, NULL,
               "80 rows from row 121 on stand there again from row 201 on, and are taken as other "
               "requests");
  text.length = 0;
  text_append(&text, "latency_us\n");
  for (size_t i = 0; i < 400; i++)
    text_format(&text, "%zu\n", i % 7);
  assert_parses(FORMAT_CSV, text.data, NULL,
                "0:58 1000:57 2000:57 3000:57 4000:57 5000:57 6000:57 +0", 1);
  /* what tells requests apart says that they are others */
  text.length = 0;
  text_append(&text, "id,latency_ns\n");
  for (size_t i = 0; i < 100; i++)
    text_format(&text, "%zu,%zu\n", i, i % 50);
  struct parsed parsed = parse_bytes(FORMAT_CSV, text.data, text.length, NULL);
  assert_int_equal(parsed.status, STATUS_OK);
  parsed_clear(&parsed);
  text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(k6),
      cmocka_unit_test(k6_dropped),
      cmocka_unit_test(vegeta),
      cmocka_unit_test(pgbench),
      cmocka_unit_test(csv_labels),
      cmocka_unit_test(many),
      cmocka_unit_test(rows_once),
      cmocka_unit_test(telling),
      cmocka_unit_test(nothing_told),
      cmocka_unit_test(tables_twice),
      cmocka_unit_test(tables_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
