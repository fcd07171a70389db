/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of requests that failed: in any table, and in JMeter's.
 */
#include "tests/unit/dist/parse.h"

/* One row whose column `name` holds `cell` reads as `expected`; "?" when it is refused. */
static void outcome(const char *name, const char *cell, const char *expected) {
  char bytes[300];
  snprintf(bytes, sizeof bytes, "latency_ns,%s\n7,%s\n", name, cell);
  struct parsed parsed = parse_bytes(FORMAT_CSV, bytes, strlen(bytes), NULL);
  parsed_check(&parsed, bytes, strlen(bytes));
  bool refused = strstr(text_get(&parsed.message), "does not say whether the request failed; write "
                                                   "ok or failed there") != NULL;
  const char *got = refused                            ? "?"
                    : parsed.status != STATUS_OK       ? text_get(&parsed.message)
                    : parsed.sample.beyond == 1        ? "failed"
                    : parsed.sample.bins[0].count == 1 ? "good"
                                                       : "neither";
  if (strcmp(got, expected) != 0)
    fail_msg("%s=%s: %s, not %s", name, cell, got, expected);
  parsed_clear(&parsed);
}

static void cells_of_statuses(void **unused) {
  (void)unused;
  static const char *const statuses[] = {"status",      "code",        "responseCode",
                                         "http_status", "status_code", "Response.Status"};
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    outcome(statuses[i], "200", "good");
    outcome(statuses[i], "204.0", "good");
    outcome(statuses[i], "503", "failed");
    outcome(statuses[i], "404 Not Found", "failed");
    outcome(statuses[i], "ok", "good");
    outcome(statuses[i], "Timeout", "failed");
    outcome(statuses[i], "DEADLINE_EXCEEDED", "failed");
    outcome(statuses[i], "304", "?");
    outcome(statuses[i], "0", "?");
    outcome(statuses[i], "1", "?");
    outcome(statuses[i], "", "?");
    outcome(statuses[i], "weird", "?");
  }
}

static void cells(void **unused) {
  (void)unused;
  outcome("grpc_status", "0", "good");
  outcome("grpc_status", "14", "failed");
  outcome("exit_code", "0", "good");
  outcome("rc", "-9", "failed");
  outcome("success", "true", "good");
  outcome("success", "FALSE", "failed");
  outcome("ok", "0", "failed");
  outcome("passed", "", "?");
  outcome("success", "2", "?");
  outcome("failed", "1", "failed");
  outcome("failed", "", "good");
  outcome("timed_out", "false", "good");
  outcome("failed", "maybe", "?");
  outcome("error", "", "good");
  outcome("error", "None", "good");
  outcome("error", "connection refused", "failed");
  outcome("error_code", "0", "good");
  outcome("error_code", "104", "failed");
  outcome("failureMessage", "Test failed: text expected", "failed");
  outcome("is_error", "true", "failed");
  outcome("responseMessage", "Service Unavailable", "failed");
  outcome("responseMessage", "Whatever", "?");
  outcome("result", "ERROR", "failed");
  outcome("rpc.grpc.status_code", "14", "failed");
  outcome("status", "5xx", "failed");
  outcome("status", "HTTP/1.1 503 Service Unavailable", "failed");
  outcome("status", "HTTP/2 200", "good");
  outcome("http_response", "503", "failed");
  outcome("response", "615", "good"); /* a size */
  outcome("response", "304", "?");
  outcome("response_flags", "UF", "failed");
  outcome("response_flags", "-", "good");
  outcome("rcode", "SERVFAIL", "failed");
  outcome("success_flag", "0", "failed");
  outcome("failed_flag", "1", "failed");
  outcome("fail_count", "2", "failed");
  outcome("errored", "true", "failed");
  outcome("valid", "false", "failed");
  outcome("completed", "0", "failed");
  outcome("completed", "1700000000", "good"); /* when */
  outcome("received", "512", "good");
  outcome("expected_response", "false", "failed");
  outcome("tx_status", "rollback", "failed");
  /* Others say nothing. */
  outcome("country_code", "500", "good");
  outcome("bytes", "500", "good");
  outcome("status_bytes", "500", "good");
}

static void bad(const char *bytes, const char *expected) {
  assert_message(FORMAT_CSV, bytes, strlen(bytes), NULL, expected);
}

static void rows(void **unused) {
  (void)unused;
  static const char outage[] = "latency_ms,status\n1,503\n50,200\n2,500\n";
  assert_ranges(FORMAT_CSV, outage, NULL, "50000000-50000000:1 +2");
  assert_series(FORMAT_CSV, outage, "inf 50000000 inf");
  assert_noted(FORMAT_CSV, outage, NULL,
               "2 of 3 requests failed, as their row says, and are taken as infinite");
  /* What failed may have no time, or one that says so. */
  assert_ranges(FORMAT_CSV, "status,latency_ns\n500,\n500,timeout\n200,3\n200,timeout\n", NULL,
                "3-3:1 +3");
  /* A column called success decides where others are not understood, and may not contradict. */
  assert_ranges(FORMAT_CSV, "success,code,latency_ns\ntrue,304,1\nfalse,0,2\nfalse,200,3\n", NULL,
                "1-1:1 +2");
  bad("success,code,latency_ns\ntrue,200,1\ntrue,500,1\n",
      "f:3:6: found \"500\", in the column \"code\": the request failed, but \"success\" of the "
      "same row says that it did not; correct the one that is wrong");
  bad("latency_ns,status\n1,200\n2,301\n",
      "f:3:3: found \"301\", in the column \"status\", which does not say whether the request "
      "failed; write ok or failed there, or add a column \"success\" with true or false");
  assert_ranges(FORMAT_CSV, "latency_ns,status,error\n1,200,\n2,200,read timeout\n", NULL,
                "1-1:1 +1");
  /* What is not measured is not judged. */
  parsed_has(parse_selected(FORMAT_CSV, "op,latency_ns,status\nr,1,200\nw,2,weird\n", NULL, "r"),
             "1-1:1 +0");
}

#define JMETER                                                                                     \
  "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,"              \
  "failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"
#define SAMPLE(elapsed, label, code, message, success, failure)                                    \
  "1700000000000," elapsed "," label "," code "," message ",T 1-1,text," success "," failure       \
  ",1200,120,1,1,http://x/,5,0,1\n"
#define SUM "\"Number of samples in transaction : 2, number of failing samples : 0\""

static void jmeter(void **unused) {
  (void)unused;
  static const char table[] = JMETER SAMPLE("53", "Home", "200", "OK", "true", "")
      SAMPLE("0", "Home", "304", "Not Modified", "true", "")
          SAMPLE("2", "Home", "503", "\"a, \"\"b\"\"\nc\"", "false", "\"Test failed,\n\"");
  assert_ranges(FORMAT_CSV, table, NULL, "0-1000000:1 52000000-54000000:1 +1");
  assert_ranges(FORMAT_UNKNOWN, table, "ms", "0-1000000:1 52000000-54000000:1 +1");
  assert_series(FORMAT_CSV, table, "54000000 1000000 inf");
  assert_noted(FORMAT_CSV, table, NULL, "1 of 3 samples failed");
  assert_noted(FORMAT_CSV, table, NULL, "coordinated omission");
  bad("timeStamp,elapsed,label\n1700000000000,5,a\n",
      "f:1:1: found \"timeStamp,elapsed,label\", a header of JMeter without \"success\", so that "
      "nobody knows which samples failed; run it with -Jjmeter.save.saveservice.successful=true");
  bad(JMETER SAMPLE("5", "a", "200", "OK", "", ""),
      "f:2:37: found \"\", in the column \"success\", where true or false is expected");
  bad(JMETER SAMPLE("5.5", "a", "200", "OK", "true", ""),
      "f:2:15: found \"5.5\", in the column \"elapsed\", where a time in whole ms is expected");
  bad(JMETER, "f:2:1: the table has a header and no rows; at least one sample is needed");
  bad(JMETER "1,2,3\n", "f:2:1: the row has 3 columns, the header 17; is a row cut off?");
  bad(JMETER "1,2,3", "f:2:6: the last line has no end: the file is truncated; write or copy it "
                      "again");
  parse_prefixes(FORMAT_CSV, table, strlen(table));
  parse_damaged(FORMAT_CSV, table, strlen(table));
}

static void jmeter_transactions(void **unused) {
  (void)unused;
  static const char table[] = JMETER SAMPLE("5", "Home", "200", "OK", "true", "")
      SAMPLE("7", "Cart", "200", "OK", "true", "") SAMPLE("12", "Visit", "", SUM, "true", "");
  bad(table, "f:3:1: 3 kinds of requests: {label=\"Home\",transaction=\"\"}, "
             "{label=\"Cart\",transaction=\"\"}, {label=\"Visit\",transaction=\"true\"}; choose "
             "one: --select 'NAME={label=\"Home\",transaction=\"\"}', or all of them: --select "
             "'NAME={}'");
  parsed_has(parse_selected(FORMAT_CSV, table, NULL, "Visit"), "11000000-13000000:1 +0");
  parsed_has(parse_selected(FORMAT_CSV, table, NULL, "{transaction=\"\"}"),
             "4000000-6000000:1 6000000-8000000:1 +0");
  assert_selection_fails(FORMAT_CSV, table, NULL, "{}",
                         "f:1:1: 1 of 3 rows are sums that transaction controllers made of others, "
                         "and would count twice; choose the samples: --select "
                         "'NAME={transaction=\"\"}', or the sums: 'NAME={transaction=\"true\"}'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_of_statuses),
      cmocka_unit_test(cells),
      cmocka_unit_test(rows),
      cmocka_unit_test(jmeter),
      cmocka_unit_test(jmeter_transactions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
