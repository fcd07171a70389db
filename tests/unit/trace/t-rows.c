/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Spans as JSON of data bases and of other tools: one request of each, a caller of 1 s from
 * 1970-01-01 00:16:40 and a call of 0.5 s 0.1 s later, and what these formats are apart in.
 */
#include "tests/unit/trace/reading.h"

#define CALLER "a shop/buy 1000000000000+1000000000"
#define CALL "b<a bank/pay 1000100000000+500000000"
#define BOTH CALLER "\n" CALL "\n"

/* ---- Jaeger */

#define STORED_CALLER                                                                              \
  "{\"traceID\":\"t\",\"spanID\":\"a\",\"operationName\":\"buy\",\"references\":[],\"startTime\":" \
  "1000000000,\"startTimeMillis\":1000000,\"duration\":1000000,\"process\":{\"serviceName\":"      \
  "\"shop\",\"tags\":[{\"key\":\"host.name\",\"type\":\"string\",\"value\":\"h1\"}]},\"tags\":[{"  \
  "\"key\":\"span.kind\",\"type\":\"string\",\"value\":\"server\"}]}"
#define STORED_CALL                                                                                \
  "{\"traceID\":\"t\",\"spanID\":\"b\",\"operationName\":\"pay\",\"references\":[{\"refType\":"    \
  "\"FOLLOWS_FROM\",\"traceID\":\"other\",\"spanID\":\"x\"},{\"refType\":\"CHILD_OF\",\"traceID\"" \
  ":\"t\",\"spanID\":\"a\"}],\"startTime\":1000100000,\"startTimeMillis\":1000100,\"duration\":"   \
  "500000,\"process\":{\"serviceName\":\"bank\",\"tags\":[]},\"tag\":{\"error\":true}}"

static void test_documents_of_jaeger(void **state) {
  (void)state;
  static const char shown[] = "t:\n" CALLER " server\n" CALL " error\n";
  check_read("{\"took\":3,\"hits\":{\"total\":2,\"hits\":[{\"_id\":\"1\",\"_source\":" STORED_CALLER
             "},{\"_id\":\"2\",\"_source\":" STORED_CALL "}]}}",
             shown);
  check_read("{\"_id\":\"2\",\"_source\":" STORED_CALL
             "}\n{\"_id\":\"1\",\"_source\":" STORED_CALLER "}\n",
             shown);
  check_read(STORED_CALLER "\n" STORED_CALL, shown);
  check_read("[" STORED_CALLER "," STORED_CALL "]", shown);
}

static void test_what_jaegers_clients_send(void **state) {
  (void)state;
  check_read(
      "{\"process\":{\"serviceName\":\"shop\"},\"spans\":[{\"traceIdLow\":7,\"traceIdHigh\":1,"
      "\"spanId\":2,\"parentSpanId\":0,\"operationName\":\"buy\",\"startTime\":1000000000,"
      "\"duration\":1000000}]}\n"
      "{\"process\":{\"serviceName\":\"bank\"},\"spans\":[{\"traceIdLow\":7,\"traceIdHigh\":1,"
      "\"spanId\":-3,\"parentSpanId\":2,\"operationName\":\"pay\",\"startTime\":1000100000,"
      "\"duration\":500000,\"tags\":[{\"key\":\"span.kind\",\"vType\":\"STRING\",\"vStr\":"
      "\"client\"}]}]}",
      "1.7:\n2 shop/buy 1000000000000+1000000000\n"
      "-3<2 bank/pay 1000100000000+500000000 client\n");
}

/* ---- OpenTelemetry */

static void test_console_exporters(void **state) {
  (void)state;
  check_read(
      "{\n  \"name\": \"buy\",\n  \"context\": {\"trace_id\": \"0x07\", \"span_id\": \"0x0a\"},"
      " \"kind\": \"SpanKind.SERVER\", \"parent_id\": null, \"start_time\": "
      "\"1970-01-01T00:16:40.000000Z\", \"end_time\": \"1970-01-01T00:16:41.000000Z\", "
      "\"status\": {\"status_code\": \"ERROR\"}, \"resource\": {\"attributes\": "
      "{\"service.name\": \"shop\"}}}\n"
      "{\"name\": \"pay\", \"context\": {\"trace_id\": \"0x07\", \"span_id\": \"0x0b\"}, "
      "\"kind\": \"SpanKind.CLIENT\", \"parent_id\": \"0x0a\", \"start_time\": "
      "\"1970-01-01T00:16:40.100000Z\", \"end_time\": \"1970-01-01T00:16:40.600000Z\", "
      "\"status\": {\"status_code\": \"UNSET\"}, \"resource\": {\"attributes\": "
      "{\"service.name\": \"bank\"}}}",
      "07:\n0a shop/buy 1000000000000+1000000000 server error\n"
      "0b<0a bank/pay 1000100000000+500000000 client\n");
  check_read(
      "{\"resource\":{\"attributes\":{\"service.name\":\"shop\"}},\"instrumentationScope\":{"
      "\"name\":\"x\"},\"traceId\":\"t\",\"name\":\"buy\",\"id\":\"a\",\"kind\":1,"
      "\"timestamp\":1000000000,\"duration\":1000000.5,\"status\":{\"code\":2}}\n"
      "{\"resource\":{\"attributes\":{\"service.name\":\"bank\"}},\"instrumentationScope\":{"
      "\"name\":\"x\"},\"traceId\":\"t\",\"parentSpanContext\":{\"traceId\":\"t\",\"spanId\":"
      "\"a\"},\"name\":\"pay\",\"id\":\"b\",\"kind\":0,\"timestamp\":1000100000,\"duration\":"
      "500000,\"status\":{\"code\":0}}",
      "t:\na shop/buy 1000000000000+1000000500 server error\n" CALL " internal\n");
}

static void test_what_go_prints(void **state) {
  (void)state;
  check_read(
      "{\n\t\"Name\": \"buy\", \"SpanContext\": {\"TraceID\": \"t\", \"SpanID\": \"a\"}, "
      "\"Parent\": {\"TraceID\": \"00\", \"SpanID\": \"0000000000000000\"}, \"SpanKind\": 2, "
      "\"StartTime\": \"1970-01-01T01:16:40+01:00\", \"EndTime\": "
      "\"1970-01-01T01:16:41+01:00\", \"Status\": {\"Code\": \"Error\"}, \"Resource\": "
      "[{\"Key\": \"service.name\", \"Value\": {\"Type\": \"STRING\", \"Value\": \"shop\"}}]}\n"
      "{\"Name\": \"pay\", \"SpanContext\": {\"TraceID\": \"t\", \"SpanID\": \"b\"}, "
      "\"Parent\": {\"TraceID\": \"t\", \"SpanID\": \"a\"}, \"SpanKind\": 3, \"StartTime\": "
      "\"1970-01-01T00:16:40.1Z\", \"EndTime\": \"1970-01-01T00:16:40.6Z\", \"Resource\": "
      "[{\"Key\": \"service.name\", \"Value\": {\"Type\": \"STRING\", \"Value\": \"bank\"}}]}",
      "t:\n" CALLER " server error\n" CALL " client\n");
}

static void test_what_go_printed_before_1_0(void **state) {
  (void)state;
  check_read(
      "[{\"SpanContext\": {\"TraceID\": \"t\", \"SpanID\": \"a\", \"TraceFlags\": 1}, "
      "\"ParentSpanID\": \"0000000000000000\", \"SpanKind\": 2, \"Name\": \"buy\", "
      "\"StartTime\": \"1970-01-01T01:16:40+01:00\", \"EndTime\": "
      "\"1970-01-01T01:16:41+01:00\", \"StatusCode\": \"Error\", \"StatusMessage\": \"\", "
      "\"Resource\": [{\"Key\": \"service.name\", \"Value\": {\"Type\": \"STRING\", "
      "\"Value\": \"shop\"}}]}, "
      "{\"SpanContext\": {\"TraceID\": \"t\", \"SpanID\": \"b\", \"TraceFlags\": 1}, "
      "\"ParentSpanID\": \"a\", \"SpanKind\": 3, \"Name\": \"pay\", \"StartTime\": "
      "\"1970-01-01T00:16:40.1Z\", \"EndTime\": \"1970-01-01T00:16:40.6Z\", \"StatusCode\": "
      "\"Unset\", \"Resource\": [{\"Key\": \"service.name\", \"Value\": {\"Type\": \"STRING\", "
      "\"Value\": \"bank\"}}]}]",
      "t:\n" CALLER " server error\n" CALL " client\n");
}

/* ---- tools with recorders of their own */

static void test_x_ray(void **state) {
  (void)state;
  static const char shown[] = "1-a:\na shop/shop 1000000000000+1000000000 server\n"
                              "b<a shop/bank 1000100000000+500000000 client error\n"
                              "c<b bank/bank 1000200000000+100000000 server\n";
#define SEGMENT                                                                                    \
  "{Qtrace_idQ:Q1-aQ,QidQ:QaQ,QnameQ:QshopQ,Qstart_timeQ:1.000E3,Qend_timeQ:1001.0,QhttpQ:{},"     \
  "QsubsegmentsQ:[{QidQ:QbQ,QnameQ:QbankQ,QnamespaceQ:QremoteQ,Qstart_timeQ:1000.1,Qend_timeQ:"    \
  "1000.6,QfaultQ:true}]}"
#define CALLED                                                                                     \
  "{Qtrace_idQ:Q1-aQ,QidQ:QcQ,Qparent_idQ:QbQ,QnameQ:QbankQ,Qstart_timeQ:1000.2,Qend_timeQ:1000."  \
  "3}"
  struct text bare = {0}, held = {0};
  text_append(&held, "{\"Traces\":[{\"Id\":\"1-a\",\"Duration\":1,\"Segments\":[{\"Document\":\"");
  for (const char *at = SEGMENT "\n" CALLED; *at != '\0'; at++) {
    text_append_bytes(&bare, *at == 'Q' ? "\"" : at, 1);
    if (*at == '\n')
      text_append(&held, "\",\"Id\":\"a\"},{\"Document\":\"");
    else
      text_append_bytes(&held, *at == 'Q' ? "\\\"" : at, *at == 'Q' ? 2 : 1);
  }
  text_append(&held, "\",\"Id\":\"c\"}]}]}");
  check_read(text_get(&bare), shown);
  check_read(text_get(&held), shown);
  text_clear(&bare);
  text_clear(&held);
  check_refused("{\"Traces\":[{\"Id\":\"1\",\"Segments\":[{\"Id\":\"a\",\"Document\":\"{]\"}]}]}",
                ":1:56: the document in this text: :1:2: ']' stands where a key in quotes is "
                "expected; the JSON is damaged");
}

static void test_datadog(void **state) {
  (void)state;
#define DATADOG_CALLER                                                                             \
  "{\"trace_id\":7,\"span_id\":1,\"parent_id\":0,\"service\":\"shop\",\"resource\":\"buy\","       \
  "\"name\":\"web.request\",\"start\":1000000000000,\"duration\":1000000000,\"error\":1,\"meta\":" \
  "{\"span.kind\":\"server\"}}"
#define DATADOG_CALL                                                                               \
  "{\"trace_id\":7,\"span_id\":2,\"parent_id\":1,\"service\":\"bank\",\"resource\":\"pay\","       \
  "\"name\":\"web.request\",\"start\":1000100000000,\"duration\":500000000,\"error\":0}"
  static const char shown[] = "7:\n1 shop/buy 1000000000000+1000000000 server error\n"
                              "2<1 bank/pay 1000100000000+500000000\n";
  check_read("[[" DATADOG_CALLER "],[" DATADOG_CALL "]]", shown);
  check_read("[" DATADOG_CALLER "," DATADOG_CALL "]", shown);
  check_read("{\"traces\":[[" DATADOG_CALL "," DATADOG_CALLER "]]}", shown);
  check_read("{\"data\":[{\"type\":\"spans\",\"id\":\"x\",\"attributes\":{\"trace_id\":\"t\","
             "\"span_id\":\"a\",\"parent_id\":\"0\",\"service\":\"shop\",\"resource_name\":\"buy\","
             "\"start_timestamp\":\"1970-01-01T00:16:40.000Z\",\"end_timestamp\":"
             "\"1970-01-01T00:16:41.000Z\"}}]}",
             "t:\n" CALLER "\n");
}

#define ELASTIC_CALLER                                                                             \
  "{\"processor\":{\"event\":\"transaction\"},\"trace\":{\"id\":\"t\"},\"transaction\":{\"id\":"   \
  "\"a\",\"name\":\"buy\",\"type\":\"request\",\"duration\":{\"us\":1000000}},\"timestamp\":{"     \
  "\"us\":1000000000},\"service\":{\"name\":\"shop\"},\"event\":{\"outcome\":\"failure\"}}"
#define ELASTIC_CALL                                                                               \
  "{\"processor.event\":\"span\",\"trace.id\":\"t\",\"transaction.id\":\"a\",\"parent.id\":\"a\"," \
  "\"span.id\":\"b\",\"span.name\":\"pay\",\"span.duration.us\":500000,\"timestamp.us\":"          \
  "1000100000,\"service.name\":\"bank\"}"
#define ELASTIC_ERROR                                                                              \
  "{\"processor\":{\"event\":\"error\"},\"trace\":{\"id\":\"t\"},\"transaction\":{\"id\":\"a\"},"  \
  "\"timestamp\":{\"us\":1000000001}}"

static void test_elastic_apm(void **state) {
  (void)state;
  static const char shown[] = "t:\n" CALLER " server error\n" CALL "\n";
  check_read("{\"hits\":{\"hits\":[{\"_source\":" ELASTIC_ERROR "},{\"_source\":" ELASTIC_CALL
             "},{\"_source\":" ELASTIC_CALLER "}]}}",
             shown);
  check_noted("{\"hits\":{\"hits\":[{\"_source\":" ELASTIC_ERROR "},{\"_source\":" ELASTIC_CALLER
              "}]}}",
              "1 rows are no spans, as they name none or neither end nor duration, and are passed "
              "over");
  check_read(
      "{\"metadata\":{\"service\":{\"name\":\"shop\",\"agent\":{\"name\":\"x\"}}}}\n"
      "{\"transaction\":{\"id\":\"a\",\"trace_id\":\"t\",\"name\":\"buy\",\"type\":"
      "\"request\",\"timestamp\":1000000000,\"duration\":1000,\"span_count\":{\"started\":1},"
      "\"outcome\":\"failure\"}}\n"
      "{\"metadata\":{\"service\":{\"name\":\"bank\"}}}\n"
      "{\"metricset\":{\"timestamp\":1000000000}}\n"
      "{\"span\":{\"id\":\"b\",\"trace_id\":\"t\",\"parent_id\":\"a\",\"transaction_id\":"
      "\"a\",\"name\":\"pay\",\"timestamp\":1000100000,\"duration\":500.0}}\n",
      shown);
}

static void test_honeycomb(void **state) {
  (void)state;
#define HONEY_CALL                                                                                 \
  "\"trace.trace_id\":\"t\",\"trace.span_id\":\"b\",\"trace.parent_id\":\"a\",\"name\":\"pay\","   \
  "\"service.name\":\"bank\",\"duration_ms\":500"
#define HONEY_CALLER                                                                               \
  "\"trace.trace_id\":\"t\",\"trace.span_id\":\"a\",\"name\":\"buy\",\"service_name\":\"shop\","   \
  "\"duration_ms\":1000"
#define HONEY_EVENT "\"trace.trace_id\":\"t\",\"trace.parent_id\":\"a\",\"name\":\"retry\""
  check_read("{\"timestamp\":\"1970-01-01T00:16:40Z\"," HONEY_CALLER "}\n"
             "{\"timestamp\":\"1970-01-01T00:16:40Z\"," HONEY_EVENT "}\n"
             "{\"timestamp\":\"1970-01-01T00:16:40.1Z\"," HONEY_CALL "}",
             "t:\n" BOTH);
  check_read("[{\"time\":\"1970-01-01T00:16:40Z\",\"data\":{" HONEY_CALLER "}},"
             "{\"time\":\"1970-01-01T01:16:40.1+01:00\",\"data\":{" HONEY_CALL "}}]",
             "t:\n" BOTH);
}

static void test_skywalking(void **state) {
  (void)state;
  check_read(
      "{\"data\":{\"trace\":{\"spans\":[{\"traceId\":\"t\",\"segmentId\":\"s\",\"spanId\":0,"
      "\"parentSpanId\":-1,\"refs\":[],\"serviceCode\":\"shop\",\"startTime\":1000000,"
      "\"endTime\":1001000,\"endpointName\":\"buy\",\"type\":\"Entry\",\"isError\":true},"
      "{\"traceId\":\"t\",\"segmentId\":\"s\",\"spanId\":1,\"parentSpanId\":0,\"refs\":[],"
      "\"serviceCode\":\"shop\",\"startTime\":1000100,\"endTime\":1000600,\"endpointName\":"
      "\"call\",\"type\":\"Exit\",\"isError\":false},"
      "{\"traceId\":\"t\",\"segmentId\":\"r\",\"spanId\":0,\"parentSpanId\":-1,\"refs\":[{"
      "\"traceId\":\"t\",\"parentSegmentId\":\"s\",\"parentSpanId\":1,\"type\":"
      "\"CROSS_PROCESS\"}],\"serviceCode\":\"bank\",\"startTime\":1000200,\"endTime\":1000300,"
      "\"endpointName\":\"pay\",\"type\":\"Entry\",\"isError\":false}]}}}",
      "t:\ns.0 shop/buy 1000000000000+1000000000 server error\n"
      "s.1<s.0 shop/call 1000100000000+500000000 client\n"
      "r.0<s.1 bank/pay 1000200000000+100000000 server\n");
  check_read(
      "[{\"traceId\":\"t\",\"service\":\"shop\",\"serviceInstance\":\"i\",\"spans\":[{"
      "\"operationName\":\"call\",\"startTime\":1000100,\"endTime\":1000600,\"spanType\":"
      "\"Exit\",\"spanId\":1,\"parentSpanId\":0},{\"operationName\":\"buy\",\"startTime\":"
      "1000000,\"endTime\":1001000,\"spanType\":\"Entry\",\"spanId\":0,\"parentSpanId\":-1}],"
      "\"traceSegmentId\":\"s\"}]",
      "t:\ns.0 shop/buy 1000000000000+1000000000 server\n"
      "s.1<s.0 shop/call 1000100000000+500000000 client\n");
}

static void test_google(void **state) {
  (void)state;
  check_read(
      "{\"traces\":[{\"projectId\":\"shop\",\"traceId\":\"t\",\"spans\":[{\"spanId\":\"1\","
      "\"kind\":\"RPC_SERVER\",\"name\":\"buy\",\"startTime\":\"1970-01-01T00:16:40Z\","
      "\"endTime\":\"1970-01-01T00:16:41Z\"},{\"spanId\":\"2\",\"parentSpanId\":\"1\",\"kind\""
      ":\"RPC_CLIENT\",\"name\":\"pay\",\"startTime\":\"1970-01-01T00:16:40.1Z\",\"endTime\":"
      "\"1970-01-01T00:16:40.6Z\",\"labels\":{\"service.name\":\"bank\"}}]}]}",
      "t:\n1 shop/buy 1000000000000+1000000000 server\n"
      "2<1 bank/pay 1000100000000+500000000 client\n");
  check_read(
      "{\"spans\":[{\"name\":\"projects/shop/traces/t/spans/a\",\"spanId\":\"a\","
      "\"displayName\":{\"value\":\"buy\"},\"startTime\":\"1970-01-01T00:16:40Z\","
      "\"endTime\":\"1970-01-01T00:16:41Z\"},{\"name\":\"projects/shop/traces/t/spans/b\","
      "\"spanId\":\"b\",\"parentSpanId\":\"a\",\"displayName\":{\"value\":\"pay\"},"
      "\"startTime\":\"1970-01-01T00:16:40.1Z\",\"endTime\":\"1970-01-01T00:16:40.6Z\","
      "\"attributes\":{\"attributeMap\":{\"service.name\":{\"stringValue\":{\"value\":\"bank\""
      "}}}}}]}",
      "t:\n" BOTH);
}

static void test_sentry(void **state) {
  (void)state;
  check_read(
      "{\"event_id\":\"1\",\"type\":\"transaction\",\"transaction\":\"buy\",\"project\":"
      "\"shop\",\"start_timestamp\":1000.0,\"timestamp\":\"1970-01-01T00:16:41Z\","
      "\"contexts\":{\"trace\":{\"trace_id\":\"t\",\"span_id\":\"a\",\"op\":\"http.server\","
      "\"status\":\"internal_error\"}},\"spans\":[{\"span_id\":\"b\",\"parent_span_id\":\"a\""
      ",\"op\":\"http.client\",\"description\":\"pay\",\"start_timestamp\":1000.1,"
      "\"timestamp\":1000.6}]}",
      "t:\n" CALLER " server error\nb<a shop/pay 1000100000000+500000000 client\n");
}

/* ---- rows of data bases */

static void test_rows(void **state) {
  (void)state;
#define CLICK_CALLER                                                                               \
  "{\"Timestamp\":\"1970-01-01 00:16:40.000000000\",\"TraceId\":\"t\",\"SpanId\":\"a\","           \
  "\"ParentSpanId\":\"\",\"SpanName\":\"buy\",\"SpanKind\":\"Server\",\"ServiceName\":\"shop\","   \
  "\"Duration\":\"1000000000\",\"StatusCode\":\"Error\"}"
#define CLICK_CALL                                                                                 \
  "{\"Timestamp\":\"1970-01-01 00:16:40.100000000\",\"TraceId\":\"t\",\"SpanId\":\"b\","           \
  "\"ParentSpanId\":\"a\",\"SpanName\":\"pay\",\"SpanKind\":\"Client\",\"ServiceName\":\"bank\","  \
  "\"Duration\":500000000,\"StatusCode\":\"Unset\"}"
  static const char shown[] = "t:\n" CALLER " server error\n" CALL " client\n";
  check_read(CLICK_CALL "\n" CLICK_CALLER, shown);
  check_read("[" CLICK_CALL "," CLICK_CALLER "]", shown);
  check_read("{\"meta\":[{\"name\":\"TraceId\",\"type\":\"String\"}],\"data\":[" CLICK_CALL
             "," CLICK_CALLER "],\"rows\":2}",
             shown);
  check_read("{\"timestamp\":\"1970-01-01T00:16:40Z\",\"traceID\":\"t\",\"spanID\":\"a\","
             "\"parentSpanID\":\"\",\"serviceName\":\"shop\",\"name\":\"buy\",\"kind\":2,"
             "\"durationNano\":1000000000,\"hasError\":true}\n"
             "{\"timestamp\":\"1970-01-01T00:16:40.1Z\",\"traceID\":\"t\",\"spanID\":\"b\","
             "\"parentSpanID\":\"a\",\"serviceName\":\"bank\",\"name\":\"pay\",\"kind\":3,"
             "\"durationNano\":500000000,\"hasError\":false}",
             shown);
}

/* ---- columns that are given */

static void test_given_columns(void **state) {
  (void)state;
  static const char columns[] =
      "trace=x.t,span=x.s,parent=x.p,start:s=at,duration:ms=took_it,service=who,name=what";
  check_read_by(
      "{\"answer\":{\"rows\":[{\"x\":{\"t\":\"t\",\"s\":\"a\"},\"at\":1000,\"took_it\":1000,"
      "\"who\":\"shop\",\"what\":\"buy\"},{\"x.t\":\"t\",\"x\":{\"s\":\"b\",\"p\":\"a\"},"
      "\"at\":1000.1,\"took_it\":500,\"who\":\"bank\",\"what\":\"pay\"}]}}",
      columns, "t:\n" BOTH);
  check_refused_by("{\"x\":{\"t\":\"t\",\"s\":\"a\"},\"at\":\"soon\",\"took_it\":1}", columns,
                   ":1:30: the start 'soon' is no number; write the traces again");
  check_refused_by(
      "{\"x\":{\"t\":\"t\",\"s\":\"a\"},\"at\":1,\"took\":1}",
      "trace=x.t,span=x.s,start=at,duration_ms=took",
      "--columns: 'duration_ms' is no role: trace, span, parent, start, end, duration, "
      "service, name, kind, status, error, host, tags and rpc are; write --columns "
      "trace=KEY,span=KEY,parent=KEY,start:ms=KEY,duration:us=KEY,service=KEY,name=KEY");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_documents_of_jaeger),
      cmocka_unit_test(test_what_jaegers_clients_send),
      cmocka_unit_test(test_console_exporters),
      cmocka_unit_test(test_what_go_prints),
      cmocka_unit_test(test_what_go_printed_before_1_0),
      cmocka_unit_test(test_x_ray),
      cmocka_unit_test(test_datadog),
      cmocka_unit_test(test_elastic_apm),
      cmocka_unit_test(test_honeycomb),
      cmocka_unit_test(test_skywalking),
      cmocka_unit_test(test_google),
      cmocka_unit_test(test_sentry),
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_given_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
