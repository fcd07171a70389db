/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What memtier_benchmark writes. The histograms are of 10 us to 60 s with three digits, and were
 * written by tests/cli/load_tools.py.
 */
#include "tests/unit/dist/parse.h"

static void bad(enum source_format format, const char *bytes, const char *expected) {
  assert_message(format, bytes, strlen(bytes), NULL, expected);
}

/* 100, 255, 255 and 65000000 us; and 5 us. */
#define FOUR "HISTFAAAACd4nJNpmSzMwMDAwQABzFCaC8yZ3M5g/wEiIM6kzLL3HiMTAGvzBYY="
#define ONE "HISTFAAAACB4nJNpmSzMwMDAyAABzFCaC8yZ3M5g/wEiwAQASjEDow=="

#define KIND(name, count, more, base64)                                                            \
  "\"" name "\":{\"Count\":" count "," more                                                        \
  "\"Percentile Latencies\":{\"p50.00\":0.1,\"Histogram log format\":"                             \
  "{\"Compressed Histogram\":\"" base64 "\"}}}"
#define RUN(name, kinds) "\"" name "\":{\"Runtime\":{\"Start time\":1}," kinds "}"
#define TOTALS ",\"Totals\":{\"Count\":5,\"Connection Errors\":0}"
#define WAITS ",\"Waits\":{\"Count\":0}"

/* The clock cuts off both ends: 96 to 103 us were recorded of what took 95 to 104 us. */
static void histograms(void **unused) {
  (void)unused;
  static const char sets[] = "{" RUN("ALL STATS", KIND("Sets", "4", "", FOUR) WAITS TOTALS) "}";
  static const char ranges[] = "95000-104000:1 247000-256000:2 +1";
  assert_ranges(FORMAT_JSON, sets, NULL, ranges);
  assert_ranges(FORMAT_UNKNOWN, sets, "us", ranges);
  assert_noted(FORMAT_JSON, sets, NULL, "coordinated omission");
  assert_noted(FORMAT_JSON, sets, NULL, "no request took longer than 60 s");
  assert_noted(FORMAT_JSON, sets, NULL, "what is counted as \"Sets\"");
  assert_unit(FORMAT_JSON, sets, NULL, "us");
  assert_int_equal(parse_prefixes(FORMAT_JSON, sets, strlen(sets)), 1);
  parse_damaged(FORMAT_JSON, sets, strlen(sets));
}

/* Two decimals of a rate do not show that nothing happened. */
static void clusters(void **unused) {
  (void)unused;
  static const char none[] = "{" RUN(
      "ALL STATS", KIND("Sets", "1", "\"MOVED/sec\":0.00,\"ASK/sec\":0.00,", ONE) TOTALS) "}";
  assert_ranges(FORMAT_JSON, none, NULL, "0-8000:1 +0");
  assert_noted(FORMAT_JSON, none, NULL, "rounds fewer than 0.005 a second to none");
}

/* What no histogram holds was too slow for it. */
static void missing(void **unused) {
  (void)unused;
  static const char more[] = "{" RUN("ALL STATS", KIND("Gets", "6", "", ONE) TOTALS) "}";
  assert_ranges(FORMAT_JSON, more, NULL, "0-8000:1 +5");
  assert_noted(FORMAT_JSON, more, NULL, "5 of 6 requests are in no histogram");
  bad(FORMAT_JSON, "{" RUN("ALL STATS", KIND("Gets", "3", "", FOUR) TOTALS) "}",
      "f:1:43: found \"Gets\", whose histogram counts 4 requests, but \"Count\" is 3; is the file "
      "damaged?");
}

static const char log_text[] =
    "#[SET command HDR latency histogram results]\n#[Histogram log format version 1.2]\n"
    "\"StartTimestamp\",\"EndTimestamp\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
    "1700000000.000,1700000010.000,65000000.0," FOUR "\n";

/* What it calls .hgrm is a log, in us. */
static void logs(void **unused) {
  (void)unused;
  static const char ranges[] = "95000-104000:1 247000-256000:2 +1";
  assert_ranges(FORMAT_HGRM, log_text, NULL, ranges);
  assert_ranges(FORMAT_HLOG, log_text, "us", ranges);
  assert_ranges(FORMAT_UNKNOWN, log_text, NULL, ranges);
  assert_noted(FORMAT_HGRM, log_text, NULL, "coordinated omission");
  assert_message(FORMAT_HGRM, log_text, strlen(log_text), "ms",
                 "f:1:1: memtier_benchmark's histogram is always in us, but the unit is stated to "
                 "be ms on the command line; leave out --unit");
  bad(FORMAT_HGRM, strchr(log_text, '\n') + 1,
      "f:1:1: the name says it is a HdrHistogram percentile table, but it is a HdrHistogram log; "
      "rename it to .hlog");
  char cut[400];
  snprintf(cut, sizeof cut, "%.*s", (int)strlen(log_text) - 10, log_text);
  bad(FORMAT_HGRM, cut,
      "f:4:42: the base64 has 55 characters, not a multiple of 4: the line is truncated");
}

static void bad_reports(void **unused) {
  (void)unused;
  bad(FORMAT_JSON,
      "{" RUN("ALL STATS", KIND("Sets", "1", "", ONE) "," KIND("Gets", "1", "", ONE) TOTALS) "}",
      "f:1:1: 2 commands: Sets, Gets; choose one: --select 'NAME=Sets', or all of "
      "them: 'NAME=Totals'");
  bad(FORMAT_JSON,
      "{" RUN("BEST RUN RESULTS", "\"x\":{}" TOTALS) "," RUN("RUN #1", "\"x\":{}" TOTALS) "}",
      "f:1:1: several runs, of which requests would count twice: BEST RUN RESULTS, RUN #1; run "
      "memtier_benchmark without -x");
  bad(FORMAT_JSON, "{\"ALL STATS\":{\"Sets\":{\"Latency\":0.1},\"Totals\":{}}}",
      "f:1:14: no requests are counted; measure with memtier_benchmark 1.3 or later");
  bad(FORMAT_JSON, "{\"ALL STATS\":{\"Sets\":{\"Count\":4},\"Totals\":{}}}",
      "f:1:16: found \"Sets\", which has no \"Compressed Histogram\"; measure with "
      "memtier_benchmark 1.3 or later");
  bad(FORMAT_JSON, "{" RUN("ALL STATS", KIND("Sets", "1", "\"MOVED/sec\":0.25,", ONE) TOTALS) "}",
      "f:1:72: found \"0.25\", redirections a second, and which of the times are theirs is not "
      "known; measure a run without them");
  bad(FORMAT_JSON,
      "{" RUN("ALL STATS",
              KIND("Sets", "1", "", ONE) ",\"Totals\":{\"Count\":1,\"Connection Errors\":2}") "}",
      "f:1:246: found \"2\", broken connections, and what was lost with them is not known; measure "
      "a run without them");
  static const char printed[] = "the file is what memtier_benchmark prints, percentages of two "
                                "decimals and no counts; run it "
                                "with --json-out-file=OUT.json and read that";
  char expected[200];
  snprintf(expected, sizeof expected, "f:1:1: %s", printed);
  bad(FORMAT_HGRM, "4         Threads\n50        Connections per thread\n", expected);
  bad(FORMAT_UNKNOWN, "Writing results to stdout\n[RUN #1] Preparing\n", expected);
  bad(FORMAT_CSV, "\n\nALL STATS\n=========\n", expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(histograms), cmocka_unit_test(clusters),    cmocka_unit_test(missing),
      cmocka_unit_test(logs),       cmocka_unit_test(bad_reports),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
