/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What hey, vegeta, pgbench, k6, ghz, wrk2, redis-benchmark and sysbench write.
 */
#include <math.h>

#include "tests/unit/dist/parse.h"

#define HEY                                                                                        \
  "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n"
#define REST ",0.0047,0.0042,0.0001,0.0019,0.0001,"

static const char hey[] = "\n" HEY "0.0087" REST "200,0.0016\n0.0002" REST "204,0.0020\n"
                          "0.0000" REST "200,0.0021\n0.0300" REST "503,0.0022\n";

static void bad(enum source_format format, const char *bytes, const char *unit,
                const char *expected) {
  assert_message(format, bytes, strlen(bytes), unit, expected);
}

/* hey rounds to the nearest of four decimals: half a unit either way. */
static void hey_tables(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_TOOL, hey, NULL, "0-50000:1 150000-250000:1 8650000-8750000:1 +1");
  assert_ranges(FORMAT_CSV, hey, "s", "0-50000:1 150000-250000:1 8650000-8750000:1 +1");
  assert_ranges(FORMAT_UNKNOWN, hey, NULL, "0-50000:1 150000-250000:1 8650000-8750000:1 +1");
  assert_series(FORMAT_TOOL, hey, "8750000 250000 50000 inf");
  assert_noted(FORMAT_TOOL, hey, NULL, "coordinated omission");
  assert_noted(FORMAT_TOOL, hey, NULL, "no request failed without an answer");
  assert_noted(FORMAT_TOOL, hey, NULL, "up to 50 us off either way");
  assert_noted(FORMAT_TOOL, hey, NULL, "of 4 requests 1 failed");
  /* Every digit: nothing to raise but what is below 1 ns. */
  assert_ranges(FORMAT_TOOL, HEY "0.01" REST "200,0.123456789\n", NULL, "9999999-10000001:1 +0");
  /* Without a status. */
  static const char old[] = "response-time,DNS+dialup,DNS,Request-write,Response-delay,"
                            "Response-read\r\n0.5,0,0,0,0,0\r\n";
  assert_ranges(FORMAT_TOOL, old, NULL, "450000000-550000000:1 +0");
  assert_noted(FORMAT_TOOL, old, NULL, "every request is taken as answered");
}

/* Whatever a request took, printed as hey prints it, what is read brackets it. */
static void hey_brackets_the_truth(void **unused) {
  (void)unused;
  uint64_t state = 5;
  for (size_t i = 0; i < 2000 / sampled_step(); i++) {
    uint64_t truth = random_next(&state) % (UINT64_C(1) << (1 + random_next(&state) % 36));
    char bytes[400];
    snprintf(bytes, sizeof bytes, HEY "%4.4f" REST "200,0.1000\n", (double)truth / 1e9);
    struct parsed parsed = parse_bytes(FORMAT_TOOL, bytes, strlen(bytes), NULL);
    assert_int_equal(parsed.status, STATUS_OK);
    const struct sample_bin *bin = parsed.sample.bins;
    if (bin->lower_ns > truth || bin->upper_ns < truth || bin->upper_ns - bin->lower_ns > 100000)
      fail_msg("%" PRIu64 " ns is read as %" PRIu64 " to %" PRIu64, truth, bin->lower_ns,
               bin->upper_ns);
    parsed_clear(&parsed);
  }
}

static void bad_hey(void **unused) {
  (void)unused;
  bad(FORMAT_TOOL, HEY, NULL, "f:2:1: there is no request in hey's table");
  bad(FORMAT_TOOL, HEY "0.1" REST "200,0", NULL,
      "f:2:45: the last line has no end: the file is truncated; write or copy it again");
  bad(FORMAT_TOOL, HEY "0.1" REST "200\n", NULL,
      "f:2:1: the row has 7 columns, the header 8; is a row cut off?");
  bad(FORMAT_TOOL, HEY "NaN" REST "200,0\n", NULL,
      "f:2:1: found \"NaN\", where a time in s is expected");
  bad(FORMAT_TOOL, HEY "-0.1" REST "200,0\n", NULL,
      "f:2:1: found \"-0.1\", a negative time; the clock was set back, measure again");
  bad(FORMAT_TOOL, HEY "9223372036.8548" REST "200,0\n", NULL,
      "f:2:1: found \"9223372036.8548\", which is above 2^63-1 ns (292 years); is the file "
      "damaged?");
  bad(FORMAT_TOOL, HEY "0.1" REST "2000,0\n", NULL,
      "f:2:40: found \"2000\", where a status such as 200 is expected");
  bad(FORMAT_TOOL, HEY "0.1" REST "200,0\n", "ms",
      "f:1:1: hey's table is always in s, but the unit is stated to be ms on the command line; "
      "leave out --unit");
  bad(FORMAT_TOOL, "latency_ns\n1\n", NULL,
      "f:1:1: the file begins as none of the load tools that are known");
  bad(FORMAT_HGRM, HEY "0.1" REST "200,0\n", NULL,
      "f:1:1: the name says it is a HdrHistogram percentile table, but it is a table of hey; "
      "rename it to .csv");
}

#define ROW(code, latency, error)                                                                  \
  "1700000000000000000," code "," latency ",0,17," error ",aGVsbG8=,,0\n"

static const char vegeta[] =
    ROW("200", "1834502", "") ROW("0", "30000000000", "\"Get \"\"x\"\": no,\ncarrier\"")
        ROW("204", "17", "") ROW("500", "400", "500 Internal") ROW("200", "300", "unexpected EOF");

static void vegeta_tables(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_TOOL, vegeta, NULL, "17-17:1 1834502-1834502:1 +3");
  assert_ranges(FORMAT_CSV, vegeta, "ns", "17-17:1 1834502-1834502:1 +3");
  assert_ranges(FORMAT_UNKNOWN, vegeta, NULL, "17-17:1 1834502-1834502:1 +3");
  assert_series(FORMAT_TOOL, vegeta, "1834502 inf 17 inf inf");
  assert_noted(FORMAT_TOOL, vegeta, NULL, "(open loop)");
  assert_noted(FORMAT_TOOL, vegeta, NULL, "of 5 requests 3 failed");
  assert_ranges(FORMAT_CSV,
                "1700000000000000000,200,5,0,17,,aGVsbG8=,load,3,GET,http://x/?a=1,Q29=\r\n", NULL,
                "5-5:1 +0");
}

static void bad_vegeta(void **unused) {
  (void)unused;
  bad(FORMAT_TOOL, ROW("200", "1", "") "1700000000000000000,200,5,0,17,,\n", NULL,
      "f:2:1: the row has 7 columns, where vegeta's table has 9 or 12 and the same in every row; "
      "is a row cut off?");
  bad(FORMAT_TOOL, ROW("200", "-1", ""), NULL,
      "f:1:25: found \"-1\", a negative time; the clock was set back, measure again");
  bad(FORMAT_TOOL, ROW("200", "9223372036854775808", ""), NULL,
      "f:1:25: found \"9223372036854775808\", which is above 2^63-1 ns (292 years); is the file "
      "damaged?");
  bad(FORMAT_TOOL, ROW("200", "NaN", ""), NULL,
      "f:1:25: found \"NaN\", where a time in ns is expected");
  bad(FORMAT_TOOL, ROW("1000", "1", ""), NULL,
      "f:1:21: found \"1000\", where a status such as 200 is expected");
  bad(FORMAT_TOOL, ROW("200", "1", "\"a"), NULL,
      "f:1:32: a quote is opened and not closed: the file is truncated; write or copy it again");
  bad(FORMAT_TOOL, ROW("200", "1", ""), "us",
      "f:1:1: vegeta's table is always in ns, but the unit is stated to be us on the command line; "
      "leave out --unit");
  bad(FORMAT_TOOL, "", NULL, "f:1:1: the file begins as none of the load tools that are known");
  bad(FORMAT_TOOL, "1700000000000000000,200,5,0,17,,,,x\n", NULL,
      "f:1:35: found \"x\", where a whole number is expected");
}

/* Only at the end of a row is a prefix a file; that rows are missing behind it, neither tool's
 * format can show. */
static void damage(void **unused) {
  (void)unused;
  assert_int_equal(parse_prefixes(FORMAT_TOOL, hey, strlen(hey)), 4);
  parse_damaged(FORMAT_TOOL, hey, strlen(hey));
  assert_int_equal(parse_prefixes(FORMAT_TOOL, vegeta, strlen(vegeta)), 5);
  parse_damaged(FORMAT_TOOL, vegeta, strlen(vegeta));
}

static const char pgbench[] = "0 199 2241 0 1700000000 85018\n"
                              "1 3 failed 0 1700000000 85019\n"
                              "0 200 90 0 1700000001 5\n"
                              "";

static void pgbench_logs(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_CSV, pgbench, NULL, "89000-91000:1 2240000-2242000:1 +1");
  assert_ranges(FORMAT_UNKNOWN, pgbench, "us", "89000-91000:1 2240000-2242000:1 +1");
  assert_series(FORMAT_CSV, pgbench, "2242000 inf 91000");
  assert_noted(FORMAT_CSV, pgbench, NULL, "coordinated omission");
  assert_noted(FORMAT_CSV, pgbench, NULL, "1 of 3 transactions failed or were skipped");
  /* with --rate, and the lag of the start */
  assert_noted(FORMAT_CSV, "0 1 skipped 0 1700000000 1 55\n0 1 5 0 1700000000 1 0\n", NULL,
               "count from when transactions were due");
  bad(FORMAT_CSV, "0 1 5 0 1700000000 1\n0 1 5 0 1700000000 1 7\n", NULL,
      "f:2:1: found \"0 1 5 0 1700000000 1 7\", where a row of pgbench --log is expected, such as "
      "\"0 199 2241 0 1700000000 85018\", with the same columns as the others; is it cut off?");
  bad(FORMAT_CSV, "0 1 5 0 1700000000 1\n0 1 5 0 17", NULL,
      "f:2:11: the last line has no end: the file is truncated; write or copy it again");
  bad(FORMAT_CSV, "0 1 9223372036854775 0 1700000000 1\n", NULL,
      "f:1:5: found \"9223372036854775\", where a latency in us is expected");
  parse_damaged(FORMAT_PGBENCH, pgbench, strlen(pgbench));
}

static const char k6[] =
    "{\"type\":\"Metric\",\"data\":{\"type\":\"trend\"},\"metric\":\"http_req_duration\"}\n"
    "{\"type\":\"Point\",\"data\":{\"time\":\"t\",\"value\":1.83,\"tags\":{\"status\":\"200\","
    "\"expected_response\":\"true\"}},\"metric\":\"http_req_duration\"}\n"
    "{\"type\":\"Point\",\"data\":{\"value\":2,\"tags\":{\"status\":\"503\",\"expected_response\":"
    "\"false\"}},\"metric\":\"http_req_duration\"}\n"
    "{\"type\":\"Point\",\"data\":{\"value\":3,\"tags\":{}},\"metric\":\"dropped_iterations\"}\n"
    "{\"type\":\"Point\",\"data\":{\"value\":3,\"tags\":{}},\"metric\":\"vus\"}\n"
    "";

static void k6_points(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_JSON, k6, NULL, "1830000-1830000:1 +4");
  assert_noted(FORMAT_JSON, k6, NULL, "coordinated omission");
  assert_noted(FORMAT_JSON, k6, NULL, "of 5 requests 1 failed and 3 were dropped");
  bad(FORMAT_JSON, "{\"type\":\"Metric\",\"metric\":\"vus\"}\n", NULL,
      "f:1:1: there is no point of http_req_duration or grpc_req_duration");
  bad(FORMAT_JSON,
      "{\"type\":\"Metric\",\"metric\":\"http_req_duration\"}\n{\"type\":\"Point\",\"metric\":"
      "\"http_req_duration\",\"data\":{}}\n",
      NULL, "f:2:1: this point of k6 has no duration in ms; the file is damaged");
  parse_damaged(FORMAT_JSON, k6, strlen(k6));
}

static const char ghz[] =
    "{\"count\":3,\"latencyDistribution\":null,\"details\":[{\"latency\":1834502,\"error\":\"\","
    "\"status\":\"OK\"},{\"latency\":9,\"error\":\"x\",\"status\":\"Unavailable\"},{\"latency\":7,"
    "\"error\":\"\",\"status\":\"OK\"}]}";

static void ghz_reports(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_JSON, ghz, NULL, "7-7:1 1834502-1834502:1 +1");
  assert_series(FORMAT_JSON, ghz, "1834502 inf 7");
  assert_noted(FORMAT_JSON, ghz, NULL, "coordinated omission");
  assert_noted(FORMAT_JSON, ghz, NULL, "1 of 3 calls failed");
  bad(FORMAT_JSON,
      "{\"latencyDistribution\":null,\"count\":2,\"details\":[{\"latency\":1,\"status\":\"OK\"}]}",
      NULL,
      "f:1:49: there are 1 calls, but \"count\" says otherwise; ghz keeps a million of them: make "
      "fewer");
  parse_damaged(FORMAT_JSON, ghz, strlen(ghz));
}

static const char wrk2[] = "Running 30s test @ http://127.0.0.1/\n"
                           "  2 threads and 10 connections\n"
                           "  Latency Distribution (HdrHistogram - Recorded Latency)\n"
                           " 50.000%    1.00ms\n"
                           "  Detailed Percentile spectrum:\n"
                           "       Value   Percentile   TotalCount 1/(1-Percentile)\n"
                           "\n"
                           "       0.195     0.000000            1         1.00\n"
                           "       1.250     0.500000            3         2.00\n"
                           "       2.000     1.000000            4          inf\n"
                           "#[Mean    =        1.000, StdDeviation   =        0.500]\n"
                           "#[Max     =        2.000, Total count    =            4]\n"
                           "#[Buckets =           27, SubBuckets     =         2048]\n"
                           "----------------------------------------------------------\n"
                           "  4 requests in 30.00s, 97.56KB read\n"
                           "  Socket errors: connect 0, read 1, write 0, timeout 2\n"
                           "Requests/sec:      0.13\n"
                           "";

static void wrk2_prints(void **unused) {
  (void)unused;
  assert_parses(FORMAT_HGRM, wrk2, NULL, "196000:1 1251000:2 2001000:1 +3", 3);
  assert_parses(FORMAT_UNKNOWN, wrk2, "ms", "196000:1 1251000:2 2001000:1 +3", 3);
  assert_noted(FORMAT_HGRM, wrk2, NULL, "3 requests with socket errors are taken as infinite");
  bad(FORMAT_HGRM, wrk2, "us",
      "f:1:1: wrk2's table is always in ms, but the unit is stated to be us on the command line; "
      "leave out --unit");
  bad(FORMAT_HGRM,
      "Running 1s test @ http://x\n  Value Percentile TotalCount 1/(1-Percentile)\n"
      "  Non-2xx or 3xx responses: 7\n",
      NULL,
      "f:3:3: found \"Non-2xx or 3xx responses: 7\", but which of the times are theirs is not "
      "known; measure a run without them");
  bad(FORMAT_HGRM, "Running 1s test @ http://x\n", NULL,
      "f:1:1: the file is a report of wrk, which has a few percentiles and none of the requests; "
      "use wrk2 with --latency, hey -o csv or vegeta");
  assert_int_equal(parse_prefixes(FORMAT_HGRM, wrk2, strlen(wrk2)), 0);
  parse_damaged(FORMAT_HGRM, wrk2, strlen(wrk2));
}

#define TITLE "====== SET ======\n"
#define COMPLETED "  9 requests completed in 0.05 seconds\n  1 parallel clients\n\n"
#define POINT(percent, ms, count) percent "% <= " ms " milliseconds (cumulative count " count ")\n"
#define SUMMARY "Summary:\n  throughput summary: 101010.10 requests per second\n"
#define TABLES                                                                                     \
  "Latency by percentile distribution:\n" POINT("0.000", "0.063", "1")                             \
      POINT("50.000", "0.255", "4")                                                                \
          POINT("100.000", "3002.367", "8") "\nCumulative distribution of latencies:\n" POINT(     \
              "25.000", "0.103", "2") POINT("50.000", "0.255", "4") POINT("75.000", "0.303", "6")  \
              POINT("100.000", "3002.367", "8") "\n"

static const char redis[] = "\rSET: rps=0.0 (overall: 0.0) avg_msec=-nan (overall: -nan)\r    "
                            "\r" TITLE COMPLETED TABLES SUMMARY;

/* Both tables count; what took 3 s or more, and what was not timed, is infinite. */
static void redis_benchmark_prints(void **unused) {
  (void)unused;
  static const char ranges[] = "0-64000:1 63000-104000:1 103000-256000:2 255000-304000:2 +3";
  assert_ranges(FORMAT_HGRM, redis, NULL, ranges);
  assert_ranges(FORMAT_UNKNOWN, redis, "ms", ranges);
  assert_noted(FORMAT_HGRM, redis, NULL, "coordinated omission");
  assert_noted(FORMAT_HGRM, redis, NULL, "no pipeline (-P) was used");
  assert_noted(FORMAT_HGRM, redis, NULL, "3 requests took 3 s or more");
  assert_int_equal(parse_prefixes(FORMAT_HGRM, redis, strlen(redis)), 0);
  parse_damaged(FORMAT_HGRM, redis, strlen(redis));
}

static void bad_redis_benchmark(void **unused) {
  (void)unused;
  bad(FORMAT_HGRM, redis, "us",
      "f:1:1: redis-benchmark's table is always in ms, but the unit is stated to be us on the "
      "command line; leave out --unit");
  bad(FORMAT_HGRM, TITLE COMPLETED SUMMARY TITLE, NULL,
      "f:7:1: found \"====== SET ======\", a second command: each is a component of its own; run "
      "redis-benchmark with one of them (-t) at a time");
  bad(FORMAT_HGRM, TITLE COMPLETED SUMMARY, NULL,
      "f:7:1: there is no table of latencies; run redis-benchmark without -q");
  bad(FORMAT_HGRM, TITLE COMPLETED TABLES, NULL,
      "f:16:1: the line \"throughput summary:\" is missing: the file is truncated; write or copy "
      "it again");
  bad(FORMAT_HGRM, TITLE COMPLETED POINT("0", "0.1", "3") POINT("1", "0.2", "2") SUMMARY, NULL,
      "f:1:1: the counts of the two tables contradict each other; is the file damaged?");
  bad(FORMAT_HGRM, TITLE COMPLETED POINT("0", "0.1", "3") POINT("1", "0.1", "4") SUMMARY, NULL,
      "f:1:1: the counts of the two tables contradict each other; is the file damaged?");
  bad(FORMAT_HGRM, TITLE COMPLETED POINT("0", "0.1", "10") SUMMARY, NULL,
      "f:1:1: 10 requests are counted, but only 9 completed; is the file damaged?");
  bad(FORMAT_HGRM, TITLE COMPLETED "99.50% <= 1 milliseconds\n" SUMMARY, NULL,
      "f:5:1: found \"99.50% <= 1 milliseconds\", a line without a count; measure with "
      "redis-benchmark 6.2 or later");
  static const char csv[] = "\"test\",\"rps\",\"avg_latency_ms\"\n\"SET\",\"1.00\",\"0.273\"\n";
  static const char refused[] = "f:1:1: the file is what redis-benchmark --csv prints, a few "
                                "percentiles and no counts; run it "
                                "without --csv";
  bad(FORMAT_CSV, csv, NULL, refused);
  bad(FORMAT_HGRM, csv, NULL, refused);
  bad(FORMAT_UNKNOWN, csv, NULL, refused);
  bad(FORMAT_CSV, redis, NULL,
      "f:1:1: the name says it is a CSV table, but it is a report of redis-benchmark; rename it "
      "to .hgrm");
}

#define SYSBENCH "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nNumber of threads: 2\n"
#define HISTOGRAM                                                                                  \
  "Latency histogram (values are in milliseconds)\n"                                               \
  "       value  ------------- distribution ------------- count\n"
#define EVENTS(count) " \nGeneral statistics:\n    total number of events:              " count "\n"

static const char sysbench[] =
    SYSBENCH HISTOGRAM "       0.001 |                     1\n"
                       "       4.028 |*************        127\n"
                       "  100000.000 |                     2\n" EVENTS("130");

/* Half a bin and half a unit of the last place either way; the ends are open. */
static void sysbench_prints(void **unused) {
  (void)unused;
  static const char ranges[] = "0-1514:1 3990849-4065160:127 +2";
  assert_ranges(FORMAT_HGRM, sysbench, NULL, ranges);
  assert_ranges(FORMAT_UNKNOWN, sysbench, "ms", ranges);
  assert_noted(FORMAT_HGRM, sysbench, NULL, "coordinated omission");
  assert_noted(FORMAT_HGRM,
               SYSBENCH "Target transaction rate: 20/sec\n" HISTOGRAM " 0.5 | 1\n" EVENTS("1"),
               NULL, "count from when events were due");
  assert_int_equal(parse_prefixes(FORMAT_HGRM, sysbench, strlen(sysbench)), 0);
  parse_damaged(FORMAT_HGRM, sysbench, strlen(sysbench));
}

/* Whatever an event took, counted and printed as sysbench does, what is read brackets it. */
static void sysbench_brackets_the_truth(void **unused) {
  (void)unused;
  double scale = 1023 / log(1e8);
  uint64_t state = 7;
  for (size_t i = 0; i < 2000 / sampled_step(); i++) {
    uint64_t truth = 1 + random_next(&state) % (UINT64_C(1) << (1 + random_next(&state) % 36));
    double bin = floor(log((double)truth / 1e3) * scale + 0.5);
    char bytes[400];
    snprintf(bytes, sizeof bytes, SYSBENCH HISTOGRAM "%12.3f |* 1\n" EVENTS("1"),
             exp((bin < 0 ? 0 : bin) / scale) / 1e3);
    struct parsed parsed = parse_bytes(FORMAT_HGRM, bytes, strlen(bytes), NULL);
    assert_int_equal(parsed.status, STATUS_OK);
    const struct sample_bin *bins = parsed.sample.bins;
    if (bins->lower_ns > truth || bins->upper_ns < truth)
      fail_msg("%" PRIu64 " ns is read as %" PRIu64 " to %" PRIu64, truth, bins->lower_ns,
               bins->upper_ns);
    parsed_clear(&parsed);
  }
}

static void bad_sysbench(void **unused) {
  (void)unused;
  bad(FORMAT_HGRM, SYSBENCH EVENTS("1"), NULL,
      "f:7:1: there is no histogram; run sysbench with --histogram");
  bad(FORMAT_HGRM, SYSBENCH HISTOGRAM " 0.5 | 1\n", NULL,
      "f:7:1: the line \"total number of events:\" is missing: the file is truncated; write or "
      "copy it again");
  bad(FORMAT_HGRM, SYSBENCH HISTOGRAM " 0.5 | 1\n" EVENTS("2"), NULL,
      "f:1:1: the histogram counts 1 events, but there were 2; is the file damaged?");
  bad(FORMAT_HGRM, SYSBENCH HISTOGRAM " 0.5 | x\n" EVENTS("2"), NULL,
      "f:6:2: found \"0.5 | x\", where a line of the histogram such as \"4.028 |*** 127\" is "
      "expected");
  bad(FORMAT_HGRM, SYSBENCH HISTOGRAM " 0.5 | 1\n" EVENTS("1") HISTOGRAM, NULL,
      "f:10:1: a second histogram: events could count twice; keep one run in the file");
  bad(FORMAT_HGRM,
      SYSBENCH HISTOGRAM " 0.5 | 1\n \n    ignored errors:                      3      (0.1 per "
                         "sec.)\n" EVENTS("1"),
      NULL,
      "f:8:5: found \"ignored errors:                 ...\", but which of the times are "
      "theirs is not known; measure a run without them");
  bad(FORMAT_HGRM, sysbench, "s",
      "f:1:1: sysbench's histogram is always in ms, but the unit is stated to be s on the command "
      "line; leave out --unit");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hey_tables),
      cmocka_unit_test(hey_brackets_the_truth),
      cmocka_unit_test(bad_hey),
      cmocka_unit_test(vegeta_tables),
      cmocka_unit_test(bad_vegeta),
      cmocka_unit_test(damage),
      cmocka_unit_test(pgbench_logs),
      cmocka_unit_test(k6_points),
      cmocka_unit_test(ghz_reports),
      cmocka_unit_test(wrk2_prints),
      cmocka_unit_test(redis_benchmark_prints),
      cmocka_unit_test(bad_redis_benchmark),
      cmocka_unit_test(sysbench_prints),
      cmocka_unit_test(sysbench_brackets_the_truth),
      cmocka_unit_test(bad_sysbench),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
