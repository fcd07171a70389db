/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/reading.h"

#define ENDPOINT(service)                                                                          \
  "\"localEndpoint\":{\"serviceName\":\"" service "\",\"ipv4\":\"10.0.0.1\"}"
#define CLIENT                                                                                     \
  "{\"traceId\":\"t\",\"id\":\"c\",\"kind\":\"CLIENT\",\"name\":\"call\",\"timestamp\":10,"        \
  "\"duration\":80," ENDPOINT("web") "}"
#define SERVER                                                                                     \
  "{\"traceId\":\"t\",\"id\":\"c\",\"kind\":\"SERVER\",\"name\":\"serve\",\"timestamp\":20,"       \
  "\"duration\":50,\"shared\":true," ENDPOINT("cart") ",\"tags\":{\"error\":\"503\"}}"
#define QUERY                                                                                      \
  "{\"traceId\":\"t\",\"id\":\"q\",\"parentId\":\"c\",\"name\":\"sql\",\"timestamp\":30,"          \
  "\"duration\":1," ENDPOINT("cart") "}"
#define SHOWN                                                                                      \
  "t:\nc web/call 10000+80000 client\nc<c cart/serve 20000+50000 server error\n"                   \
  "q<c cart/sql 30000+1000\n"

static void test_a_list_lists_and_a_bare_span(void **state) {
  (void)state;
  check_read("[" QUERY "," SERVER "," CLIENT "]", SHOWN);
  check_read("[[" CLIENT "],[" SERVER "," QUERY "],[]]", SHOWN);
  check_read(CLIENT "\n" SERVER "\n" QUERY, SHOWN);
  check_read("[[],[" CLIENT "," SERVER "],[" QUERY "]]", SHOWN);
  check_read("[]", "");
  check_read("[[],[]]", "");
}

static void test_what_is_missing(void **state) {
  (void)state;
  check_noted("[{\"traceId\":\"t\",\"id\":\"a\"}]", "1 spans without a start time are left out");
  check_read("[{\"traceId\":\"t\",\"id\":\"a\",\"timestamp\":1},"
             "{\"traceId\":\"t\",\"id\":\"b\",\"parentId\":\"a\",\"timestamp\":2,\"duration\":3}]",
             "t:\na / 1000+4000 unfinished\nb<a / 2000+3000\n");
}

static void test_requests_in_the_order_of_their_first_spans(void **state) {
  (void)state;
  check_read("[{\"traceId\":\"b\",\"id\":\"1\",\"timestamp\":9,\"duration\":0},"
             "{\"traceId\":\"a\",\"id\":\"1\",\"timestamp\":1,\"duration\":0},"
             "{\"traceId\":\"b\",\"id\":\"2\",\"timestamp\":9,\"duration\":0}]",
             "b:\n1 / 9000+0\n2 / 9000+0\n\na:\n1 / 1000+0\n");
}

static void test_what_is_wrong(void **state) {
  (void)state;
  check_refused("[{\"traceId\":\"t\",\"id\":\"a\",\"binaryAnnotations\":[]}]",
                ": is traces of Zipkin in its first form (v1); ask for /api/v2/traces");
  check_refused("[" CLIENT ",7]",
                ":1:142: '7' stands where an object, {...}, is expected; the JSON is damaged");
  check_refused(
      "[[[[" CLIENT "]]]]",
      ": is JSON, and holds no traces that are known here; Jaeger JSON, OTLP (JSON, "
      "protobuf), Zipkin v2, Chrome trace events, our own stores (.tps), and JSON and tables "
      "with a span in each row (--columns trace=KEY,span=KEY,..) are read");
}

static void test_every_beginning_of_a_file(void **state) {
  (void)state;
  check_truncations("[[" CLIENT "," SERVER "]]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_list_lists_and_a_bare_span),
      cmocka_unit_test(test_what_is_missing),
      cmocka_unit_test(test_requests_in_the_order_of_their_first_spans),
      cmocka_unit_test(test_what_is_wrong),
      cmocka_unit_test(test_every_beginning_of_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
