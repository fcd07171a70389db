/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/reading.h"

#define PROCESSES                                                                                  \
  "\"processes\":{\"p1\":{\"serviceName\":\"shop\"},\"p2\":{\"serviceName\":\"cart\"}}"
#define ROOT                                                                                       \
  "{\"traceID\":\"t\",\"spanID\":\"a\",\"operationName\":\"get\",\"references\":[],"               \
  "\"startTime\":10,\"duration\":100,\"processID\":\"p1\",\"tags\":[{\"key\":\"span.kind\","       \
  "\"type\":\"string\",\"value\":\"server\"}],\"logs\":[],\"warnings\":null}"
#define CALL(fields)                                                                               \
  "{\"traceID\":\"t\",\"spanID\":\"b\",\"operationName\":\"call\",\"startTime\":20,"               \
  "\"duration\":30,\"processID\":\"p2\"," fields "}"
#define OF_A "\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"t\",\"spanID\":\"a\"}]"
#define TRACE(spans) "{\"traceID\":\"t\",\"spans\":[" spans "]," PROCESSES "}"
#define DATA(spans) "{\"data\":[" TRACE(spans) "],\"total\":0,\"errors\":null}"
#define BOTH "t:\na shop/get 10000+100000 server\nb<a cart/call 20000+30000\n"

static void test_three_envelopes(void **state) {
  (void)state;
  check_read(DATA(ROOT "," CALL(OF_A)), BOTH);
  check_read("{\"data\":" TRACE(CALL(OF_A) "," ROOT) "}", BOTH);
  check_read(TRACE(ROOT "," CALL(OF_A)), BOTH);
  check_read("\xef\xbb\xbf [" TRACE(ROOT "," CALL(OF_A)) "]", BOTH);
  check_read("{\"spans\":[" ROOT "," CALL(OF_A) "]," PROCESSES "}", BOTH);
}

static void test_several_documents(void **state) {
  (void)state;
  check_read(DATA(ROOT) "\n" TRACE(CALL("\"flags\":1")) "\n",
             "t:\na shop/get 10000+100000 server\n\nt:\nb cart/call 20000+30000\n");
  check_read("{\"data\":[]}", "");
  check_read("[]", "");
  check_read("[]\n" DATA(ROOT), "t:\na shop/get 10000+100000 server\n");
  check_read("{\"data\":null,\"errors\":[]}", "");
}

static void test_nested_references_are_passed_over(void **state) {
  (void)state;
  check_read(DATA(ROOT "," CALL("\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"t\","
                                "\"spanID\":\"a\",\"span\":" ROOT "}]")),
             BOTH);
}

static void test_what_follows_and_what_has_other_parents(void **state) {
  (void)state;
  check_read(DATA(ROOT "," CALL("\"references\":[{\"refType\":\"FOLLOWS_FROM\",\"traceID\":\"t\","
                                "\"spanID\":\"a\"}]")),
             "t:\na shop/get 10000+100000 server\nb<a cart/call 20000+30000 follows\n");
  const char *foreign = DATA(ROOT "," CALL("\"references\":[{\"refType\":\"CHILD_OF\","
                                           "\"traceID\":\"u\",\"spanID\":\"a\"}]"));
  check_read(foreign, "t:\na shop/get 10000+100000 server\nb cart/call 20000+30000\n");
  check_noted(foreign, "1 spans have a parent in another request only");
  const char *orphan = DATA(ROOT "," CALL("\"references\":[{\"refType\":\"CHILD_OF\","
                                          "\"traceID\":\"t\",\"spanID\":\"x\"}]"));
  check_read(orphan, "t:\na shop/get 10000+100000 server\nb cart/call 20000+30000 orphan\n");
  check_noted(orphan, "1 spans name a parent that the recording lacks");
  check_read(DATA(ROOT "," CALL("\"parentSpanID\":\"a\"")), BOTH);
}

static void test_a_second_parent_is_a_link(void **state) {
  (void)state;
  struct reading *reading = reading_of(
      DATA(ROOT "," CALL("\"references\":[{\"refType\":\"FOLLOWS_FROM\",\"traceID\":\"t\","
                         "\"spanID\":\"a\"},{\"refType\":\"CHILD_OF\",\"traceID\":\"t\","
                         "\"spanID\":\"a\"}]")));
  assert_string_equal(reading_show(reading), BOTH);
  assert_int_equal(reading->store.requests.data[0].link_count, 1);
  assert_int_equal(reading->store.links.data[0].from, 1);
  assert_int_equal(reading->store.links.data[0].to, 0);
  reading_free(reading);
}

static void test_tags_of_span_and_process(void **state) {
  (void)state;
  struct reading *reading = reading_of("{\"data\":[{\"traceID\":\"t\",\"spans\":[" CALL(
      "\"tags\":[{\"key\":\"error\",\"type\":"
      "\"bool\",\"value\":true},{\"key\":\"shard\",\"type\":\"int64\",\"value\":7}"
      "]") "],\"processes\":{\"p2\":{\"serviceName\":\"cart\",\"tags\":[{\"key\":"
           "\"ip\",\"value\":"
           "\"10.0.0.1\"},{\"key\":\"hostname\",\"value\":\"n1\"}]}}}]}");
  assert_string_equal(reading_show(reading), "t:\nb cart/call 20000+30000 error\n");
  const struct span_store *store = &reading->store;
  assert_string_equal(names_text(&store->names, store->instance.data[0]), "n1");
  assert_int_equal(store->tag_end.data[0], 4);
  assert_string_equal(names_text(&store->names, store->tags.data[1].key), "shard");
  assert_string_equal(names_text(&store->names, store->tags.data[1].value), "7");
  assert_string_equal(names_text(&store->names, store->tags.data[3].value), "n1");
  reading_free(reading);
}

static void test_a_process_within_the_span(void **state) {
  (void)state;
  check_read(DATA("{\"traceID\":\"t\",\"spanID\":\"a\",\"operationName\":\"get\",\"startTime\":1,"
                  "\"duration\":2,\"process\":{\"serviceName\":\"web\",\"tags\":[]}}"),
             "t:\na web/get 1000+2000\n");
}

static void test_what_is_missing(void **state) {
  (void)state;
  check_noted(DATA("{\"spanID\":\"a\"}"), "1 spans without a start time are left out");
  const char *unfinished = DATA(ROOT ",{\"spanID\":\"c\",\"startTime\":50,\"processID\":\"p9\"}");
  check_read(unfinished, "t:\na shop/get 10000+100000 server\nc / 50000+60000 unfinished\n");
  check_noted(unfinished, "1 spans have no end");
  check_noted(unfinished, "1 spans are of a process that their trace lacks");
}

static void test_the_same_request_twice_is_taken_once(void **state) {
  (void)state;
  check_read(DATA(ROOT) DATA(ROOT), "t:\na shop/get 10000+100000 server\n");
  check_noted(DATA(ROOT) DATA(ROOT), "1 requests were read before, alike in all");
}

static void test_names_as_people_read_them(void **state) {
  (void)state;
  check_read(
      DATA("{\"spanID\":\"a\",\"operationName\":\"a\\\"\\u00e9\\ud83d\\ude00\\ud83d\\n\\u0000z"
           "\",\"startTime\":1,\"duration\":0,\"processID\":\"p1\"}"),
      "t:\na shop/a\"\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd  z 1000+0\n");
}

static void test_times_at_the_edges(void **state) {
  (void)state;
#define AT(start, duration)                                                                        \
  DATA("{\"spanID\":\"a\",\"startTime\":" start ",\"duration\":" duration ",\"processID\":"        \
       "\"p1\"}")
  check_read(AT("1.5", "2e-1"), "t:\na shop/ 1500+200\n");
  check_read(AT("-3", "0.0009"), "t:\na shop/ -3000+0\n");
  check_read(AT("\"7\"", "0"), "t:\na shop/ 7000+0\n");
  check_read(AT("4611686018427387", "0"), "t:\na shop/ 4611686018427387000+0\n");
  check_read(AT("1.6e15", "1000000000000000000e-18"), "t:\na shop/ 1600000000000000000+1000\n");
  check_refused(AT("9223372036854775807", "0"),
                ":1:60: the startTime 9223372036854775807 is outside of the years 1824 to 2116; "
                "check its unit");
  check_refused(AT("1e400000000000000000000", "0"),
                ":1:60: the startTime 1e400000000000000000000 is outside of the years 1824 to "
                "2116; check its unit");
  check_refused(AT("4611686018427387", "1"),
                ":1:88: the duration 1 ends outside of the years 1824 to 2116; check its unit");
  check_refused(AT("\"x\"", "1"), ":1:61: the startTime 'x' is no number; write the traces again");
  check_noted(AT("5", "-1"), "1 spans end before they start");
}

static void test_what_is_wrong_and_where(void **state) {
  (void)state;
  check_refused("", ": holds no traces: it is empty; write it again");
  check_refused("{\"status\":\"success\",\"data\":{\"resultType\":\"vector\"}}",
                ": is an answer of a Prometheus server, and holds no traces; give it to: tailproof "
                "percentiles --data FOLDER, compare or import");
  check_refused("{\"data\":[]} 5",
                ":1:13: '5' stands where an object, {...}, is expected; the JSON is damaged");
  check_refused("{\"data\":[\n {\"spans\": [}]}",
                ":2:13: '}' stands where an object, {...}, is expected; the JSON is damaged");
  check_refused("{\"data\":[{\"spans\":[{\"spanID\":\"a\"\n  \"x\":1}]}]}",
                ":2:3: '\"' stands where a comma or } is expected; the JSON is damaged");
  check_refused("{\"data\":[{\"spans\":[{\"spanID\":01}]}]}",
                ":1:30: 01 is no number; the JSON is damaged");
  check_refused("{\"data\":[{\"traceID\":\"t\"",
                ":1:24: the file ends within a value; it is truncated: fetch or write it again");
  check_refused("[{\"traceID\":\"t\",\"spanID\":\"a\"}]",
                ":1:18: a span without its trace around it; export traces: {\"data\": [...]}");
}

static void test_every_beginning_of_a_file(void **state) {
  (void)state;
  check_truncations(DATA(ROOT "," CALL(OF_A)));
}

/* Unlike the builder's, a reader's depth is that of the text. */
static void test_nesting_without_end(void **state) {
  (void)state;
  enum { DEPTH = 10000000 };
  char *bytes = mem_alloc(DEPTH + 64, 1);
  int length = sprintf(bytes, "{\"data\":[{\"spans\":[{\"x\":");
  memset(bytes + length, '[', DEPTH);
  struct reading *reading = reading_of_bytes(bytes, (size_t)length + DEPTH);
  assert_int_equal(reading->status, STATUS_DATA);
  assert_string_equal(
      text_get(&reading->said),
      ":1:10000025: the file ends within a value; it is truncated: fetch or write it again");
  reading_free(reading);
  mem_free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_three_envelopes),
      cmocka_unit_test(test_several_documents),
      cmocka_unit_test(test_nested_references_are_passed_over),
      cmocka_unit_test(test_what_follows_and_what_has_other_parents),
      cmocka_unit_test(test_a_second_parent_is_a_link),
      cmocka_unit_test(test_tags_of_span_and_process),
      cmocka_unit_test(test_a_process_within_the_span),
      cmocka_unit_test(test_what_is_missing),
      cmocka_unit_test(test_the_same_request_twice_is_taken_once),
      cmocka_unit_test(test_names_as_people_read_them),
      cmocka_unit_test(test_times_at_the_edges),
      cmocka_unit_test(test_what_is_wrong_and_where),
      cmocka_unit_test(test_every_beginning_of_a_file),
      cmocka_unit_test(test_nesting_without_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
