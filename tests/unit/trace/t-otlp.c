/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/reading.h"

#define T "\"traceId\":\"0000000000000000069ca59c291ddf26\""
#define RESOURCE                                                                                   \
  "\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop\"}}," \
  "{\"key\":\"host.name\",\"value\":{\"stringValue\":\"n1\"}}]}"
#define ROOT                                                                                       \
  "{" T ",\"spanId\":\"41cce63235646512\",\"parentSpanId\":\"\",\"name\":\"get\",\"kind\":2,"      \
  "\"startTimeUnixNano\":\"1695943859713543001\",\"endTimeUnixNano\":\"1695943859713913004\"}"
#define CALL(fields)                                                                               \
  "{" T                                                                                            \
  ",\"spanId\":\"0000000000000001\",\"parentSpanId\":\"41cce63235646512\",\"name\":\"call\","      \
  "\"startTimeUnixNano\":1695943859713543002,\"endTimeUnixNano\":1695943859713543003" fields "}"
#define SCOPES(spans) "\"scopeSpans\":[{\"scope\":{\"name\":\"x\"},\"spans\":[" spans "]}]"
#define DOCUMENT(spans) "{\"resourceSpans\":[{" RESOURCE "," SCOPES(spans) "}]}"
#define TITLE "0000000000000000069ca59c291ddf26:\n"
#define SHOWN_ROOT TITLE "41cce63235646512 shop/get 1695943859713543001+370003 server\n"
#define SHOWN SHOWN_ROOT "0000000000000001<41cce63235646512 shop/call 1695943859713543002+1\n"

static void test_as_the_specification_has_it(void **state) {
  (void)state;
  check_read(DOCUMENT(CALL("") "," ROOT), SHOWN);
  check_read("{\"resourceSpans\":[]}", "");
}

static void test_spans_of_a_request_may_be_scattered(void **state) {
  (void)state;
  check_read(DOCUMENT(CALL("")) "\n" DOCUMENT(ROOT) "\n", SHOWN);
  check_read("[" DOCUMENT(ROOT) "," DOCUMENT(CALL("")) "]", SHOWN);
}

static void test_other_spellings(void **state) {
  (void)state;
  check_read("{\"batches\":[{" RESOURCE ",\"instrumentationLibrarySpans\":[{\"spans\":[" ROOT
             "," CALL("") "]}]}]}",
             SHOWN);
  check_read("{\"result\":" DOCUMENT(ROOT "," CALL("")) ",\"x\":1}", SHOWN);
  check_read("{\"trace\":" DOCUMENT(ROOT "," CALL("")) "}", SHOWN);
  check_read("{" RESOURCE "," SCOPES(ROOT) "}\n{" RESOURCE "," SCOPES(CALL("")) "}", SHOWN);
  check_read("{\"resource_spans\":[{" RESOURCE ",\"scope_spans\":[{\"spans\":[{\"trace_id\":"
             "\"0000000000000000069ca59c291ddf26\",\"span_id\":\"41cce63235646512\",\"name\":"
             "\"get\",\"kind\":\"SPAN_KIND_SERVER\",\"start_time_unix_nano\":"
             "\"1695943859713543001\",\"end_time_unix_nano\":\"1695943859713913004\"},{"
             "\"trace_id\":\"AAAAAAAAAAAGnKWcKR3fJg==\",\"span_id\":\"AAAAAAAAAAE=\","
             "\"parent_span_id\":\"QczmMjVkZRI=\",\"name\":\"call\",\"start_time_unix_nano\":"
             "1695943859713543002,\"end_time_unix_nano\":1695943859713543003}]}]}]}",
             SHOWN);
}

/* Base64, upper case, words for numbers. */
static void test_other_values(void **state) {
  (void)state;
  check_read(DOCUMENT("{\"traceId\":\"AAAAAAAAAAAGnKWcKR3fJg==\",\"spanId\":\"QczmMjVkZRI=\","
                      "\"name\":\"get\",\"kind\":\"SPAN_KIND_SERVER\",\"status\":{\"code\":"
                      "\"STATUS_CODE_ERROR\"},\"parentSpanId\":\"0000000000000000\","
                      "\"startTimeUnixNano\":5,\"endTimeUnixNano\":1.5e1}"),
             TITLE "41cce63235646512 shop/get 5+10 server error\n");
  check_read(DOCUMENT("{\"traceId\":\"0000000000000000069CA59C291DDF26\",\"spanId\":\"AB\","
                      "\"kind\":4,\"status\":{\"code\":2},\"startTimeUnixNano\":5}"),
             TITLE "ab shop/ 5+0 producer error unfinished\n");
}

static void test_resources_and_links(void **state) {
  (void)state;
  struct reading *reading = reading_of(DOCUMENT(
      ROOT "," CALL(",\"links\":[{" T ",\"spanId\":\"41CCE63235646512\"},{\"traceId\":\"00\","
                    "\"spanId\":\"41cce63235646512\"}],\"attributes\":[{\"key\":\"n\",\"value\":"
                    "{\"intValue\":\"7\"}},{\"key\":\"l\",\"value\":{\"arrayValue\":{}}}]")));
  assert_string_equal(reading_show(reading), SHOWN);
  const struct span_store *store = &reading->store;
  assert_int_equal(store->requests.data[0].link_count, 1);
  assert_int_equal(store->links.data[0].from, 1);
  assert_string_equal(names_text(&store->names, store->instance.data[1]), "n1");
  assert_int_equal(store->tag_end.data[0], 2);
  assert_int_equal(store->tag_end.data[1], 6);
  assert_string_equal(names_text(&store->names, store->tags.data[4].value), "7");
  reading_free(reading);
}

static void test_what_is_wrong(void **state) {
  (void)state;
  check_refused("{\"resourceSpans\":[{" SCOPES(ROOT) "," RESOURCE "}]}",
                ":1:266: the resource stands behind its spans; write it before them");
  check_refused(DOCUMENT("{\"startTimeUnixNano\":\"18446744073709551615\"}"),
                ":1:218: the startTimeUnixNano 18446744073709551615 is outside of the years 1824 "
                "to 2116; check its unit");
  check_noted("{\"resourceSpans\":[{\"resource\":{}," SCOPES(ROOT) "}]}",
              "1 spans are of a process that names no service");
  check_noted(DOCUMENT("{" T "}"), "1 spans without a start time are left out");
  check_refused(DOCUMENT("{\"traceId\":\"\",\"startTimeUnixNano\":\"1\"}"),
                ": no span says of which trace it is: all trace ids are empty or 0, so that nobody "
                "knows which spans are one request; export them with ids");
  check_noted(DOCUMENT(ROOT ",{\"traceId\":\"00000000000000000000000000000000\","
                            "\"startTimeUnixNano\":\"1\"}"),
              "1 spans do not say of which trace they are and are left out");
}

static void test_every_beginning_of_a_file(void **state) {
  (void)state;
  check_truncations(DOCUMENT(ROOT "," CALL(",\"links\":[{" T ",\"spanId\":\"1\"}]")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_the_specification_has_it),
      cmocka_unit_test(test_spans_of_a_request_may_be_scattered),
      cmocka_unit_test(test_other_spellings),
      cmocka_unit_test(test_other_values),
      cmocka_unit_test(test_resources_and_links),
      cmocka_unit_test(test_what_is_wrong),
      cmocka_unit_test(test_every_beginning_of_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
