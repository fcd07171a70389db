/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Load tools that are rows of dist/source/tools.c, fio, and benchmarks: the right times, what failed,
 * several kinds, and damage.
 */
#include "tests/unit/dist/parse.h"

static void bad(const char *bytes, const char *unit, const char *expected) {
  assert_message(FORMAT_UNKNOWN, bytes, strlen(bytes), unit, expected);
}

#define OHA "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n"

static const char oha[] = OHA "0.002,0.0003,0.001,0.002,0.002626127,11,200\n"
                              "0.003,0,0,0.0001,0.0001,11,503\n"
                              "0.004,0,0,0.0005,5.5e-4,11,204\n";

static void oha_tables(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_UNKNOWN, oha, NULL, "550000-550000:1 2626127-2626127:1 +1");
  assert_ranges(FORMAT_CSV, oha, "s", "550000-550000:1 2626127-2626127:1 +1");
  assert_series(FORMAT_CSV, oha, "2626127 inf 550000");
  assert_noted(FORMAT_CSV, oha, NULL, "coordinated omission");
  assert_noted(FORMAT_CSV, oha, NULL, "of 3 requests 1 failed");
  assert_noted(FORMAT_CSV, oha, NULL, "no request failed without an answer");
  /* Of releases that have no Response-delay. */
  assert_ranges(FORMAT_CSV,
                "request-start,DNS,DNS+dialup,request-duration,bytes,status\n0,0,0,0.5,1,200\n",
                NULL, "500000000-500000000:1 +0");
  bad(OHA "0,0,0,0,x,1,200\n", NULL, "f:2:9: found \"x\", where a time in s is expected");
  bad(OHA "0,0,0,0,1,1,\n", NULL, "f:2:13: found \"\", where a status such as 200 is expected");
  bad(OHA "0,0,0,0,1,200\n", NULL, "f:2:1: the row has 6 columns, the header 7; is a row cut off?");
  bad(OHA, NULL, "f:2:1: there is no request in oha's table");
  bad(oha, "ms",
      "f:1:1: oha's table is always in s, but the unit is stated to be ms on the command line; "
      "leave out --unit");
}

#define AB "starttime\tseconds\tctime\tdtime\tttime\twait\n"
#define AB_ROW(time) "Sun Nov 29 03:58:25 2026\t1795924705\t0\t1\t" time "\t1\n"

static const char ab[] = AB AB_ROW("0") AB_ROW("1") AB_ROW("21");

/* (t + 500) / 1000 of us: half a ms either way, and no order. */
static void ab_tables(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_UNKNOWN, ab, NULL, "0-500000:1 500000-1500000:1 20500000-21500000:1 +0");
  assert_series(FORMAT_UNKNOWN, ab, "");
  assert_noted(FORMAT_UNKNOWN, ab, NULL, "every answer was good");
  assert_noted(FORMAT_UNKNOWN, ab, NULL, "rows are sorted by their times");
  assert_noted(FORMAT_UNKNOWN, ab, NULL, "up to 500 us off either way");
  bad(AB "Sun Nov 29 2026\t1795924705000000\t0\t1\t1\t1\n", NULL,
      "f:2:17: found \"1795924705000000\", where seconds since 1970 are expected, in ten digits: "
      "releases that write others have times in other units; write it with a newer one");
}

#define RUN "RUN\tBasic\tbasic\t1700000000000\t \t3.9.5\nUSER\tS\tSTART\t1700000000100\n"

static const char gatling[] =
    RUN "REQUEST\t\tget\t1700000000200\t1700000000253\tOK\t \n"
        "REQUEST\t\tget\t1700000000300\t1700000000301\tKO\tstatus.find.is(200), found 500\n"
        "REQUEST\t\tget\t1700000000400\t1700000000400\tOK\t \n";

static void gatling_logs(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_UNKNOWN, gatling, NULL, "0-1000000:1 52000000-54000000:1 +1");
  assert_series(FORMAT_UNKNOWN, gatling, "54000000 inf 1000000");
  assert_noted(FORMAT_UNKNOWN, gatling, NULL, "of 3 requests 1 failed");
  /* With a scenario and a user, as releases before 3.4. */
  assert_ranges(FORMAT_UNKNOWN, RUN "REQUEST\tS\t1\tg\tget\t1700000000200\t1700000000253\tOK\t \n",
                NULL, "52000000-54000000:1 +0");
  bad(RUN "REQUEST\t\ta\t1\t3\tOK\t \nREQUEST\t\tb\t1\t2\tOK\t \n", NULL,
      "f:4:1: 2 kinds of requests: {name=\"a\"}, {name=\"b\"}; choose one: --select "
      "'NAME={name=\"a\"}', or all of them: --select 'NAME={}'");
  bad(RUN "REQUEST\t\ta\t3\t1\tOK\t \n", NULL,
      "f:3:14: found \"1\", which is before the request began; measure again");
  /* Without blanks at the ends of lines. */
  assert_ranges(FORMAT_UNKNOWN, RUN "REQUEST\t\ta\t1\t3\tOK\n", NULL, "1000000-3000000:1 +0");
  bad(RUN "REQUEST\t\ta\t1\t3\tO\t \n", NULL, "f:3:16: found \"O\", where OK or KO is expected");
  bad(RUN "REQUEST\ta\t1\t3\tOK\n", NULL, "f:3:1: the row has too few columns; is it cut off?");
  bad(RUN, NULL, "f:3:1: there is no request in Gatling's log");
}

#define K6                                                                                         \
  "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name," \
  "proto,scenario,service,status,subproto,tls_version,url,extra_tags\n"
#define K6_ROW(metric, value, expected, status)                                                    \
  metric ",1700000000," value ",,,," expected ",,GET,http://x/,HTTP/1.1,default,," status          \
         ",,,http://x/,\n"

static const char k6[] = K6 K6_ROW("http_reqs", "1.000000", "true", "200")
    K6_ROW("http_req_duration", "1.500000", "true", "200")
        K6_ROW("http_req_duration", "0.100000", "false", "503")
            K6_ROW("http_req_duration", "2.250000", "true", "302")
                K6_ROW("dropped_iterations", "3.000000", "", "");

static void k6_tables(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_UNKNOWN, k6, NULL, "1500000-1500000:1 2250000-2250000:1 +4");
  assert_noted(FORMAT_UNKNOWN, k6, NULL, "of 6 requests 1 failed and 3 were dropped");
  bad(K6 K6_ROW("http_req_duration", "1", "true", "200") K6_ROW("grpc_req_duration", "1", "", "0"),
      NULL,
      "f:3:1: 2 kinds of requests: {metric_name=\"http_req_duration\"}, "
      "{metric_name=\"grpc_req_duration\"}; choose one: --select "
      "'NAME={metric_name=\"http_req_duration\"}', or all of them: --select 'NAME={}'");
  assert_ranges(FORMAT_UNKNOWN, K6 K6_ROW("grpc_req_duration", "1", "", "0"), NULL,
                "1000000-1000000:1 +0");
  assert_ranges(FORMAT_UNKNOWN, K6 K6_ROW("http_req_duration", "1", "true", "0"), NULL, "+1");
  bad(K6 K6_ROW("http_reqs", "1", "", "200"), NULL, "f:3:1: there is no request in k6's table");
}

#define CRITERION                                                                                  \
  "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_"      \
  "count\n"

static void criterion_files(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_UNKNOWN, CRITERION "g,f,,,,915000.5,ns,1\ng,f,,,,3,ns,1\n", NULL,
                "3-3:1 915000-915001:1 +0");
  assert_ranges(FORMAT_UNKNOWN, CRITERION "g,f,,,,3,us,1\n", NULL, "3000-3000:1 +0");
  bad(CRITERION "g,f,,,,915000,ns,110740\n", NULL,
      "f:2:18: found \"110740\", operations in one measurement: the mean of several says nothing "
      "of "
      "the slow ones; measure them one by one");
  bad(CRITERION "g,f,,,,915000,cycles,1\n", NULL,
      "f:2:15: found \"cycles\", where ns, us, ms or s is expected");
  bad(CRITERION "g,f,,,,915000,,1\n", NULL,
      "f:2:15: found \"\", where ns, us, ms or s is expected");
  assert_ranges(FORMAT_UNKNOWN,
                "{\"sampling_mode\":\"Flat\",\"iters\":[1.0,1],\"times\":[1042.0,17]}", NULL,
                "17-17:1 1042-1042:1 +0");
  bad("{\"sampling_mode\":\"Flat\",\"iters\":[1.0,2.0],\"times\":[1042.0,17]}", NULL,
      "f:1:38: found \"2.0\", calls in one measurement: the mean of several says nothing of the "
      "slow ones; Criterion has no way to time single calls: time them in the program, one a row, "
      "in a .csv");
}

static const char hyperfine[] =
    "{\"results\":[{\"command\":\"x\",\"mean\":1,\"times\":[0.002195781,0.5,1e-3],"
    "\"exit_codes\":[0,1,null]}]}";

static void hyperfine_reports(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_UNKNOWN, hyperfine, NULL, "2195781-2195781:1 +2");
  assert_ranges(FORMAT_JSON, hyperfine, "s", "2195781-2195781:1 +2");
  assert_series(FORMAT_JSON, hyperfine, "2195781 inf inf");
  assert_noted(FORMAT_JSON, hyperfine, NULL, "2 of 3 runs failed");
  bad("{\"results\":[{\"command\":\"x\",\"mean\":1,\"times\":[1,2],\"exit_codes\":[0]}]}", NULL,
      "f:1:48: found \"2\", a run without an exit code; the file is damaged");
  bad("{\"results\":[{\"command\":\"x\",\"mean\":1,\"times\":[1],\"exit_codes\":[0]},"
      "{\"command\":\"y\",\"mean\":1,\"times\":[1],\"exit_codes\":[0]}]}",
      NULL,
      "f:1:79: 2 kinds of requests: {command=\"x\"}, {command=\"y\"}; choose one: --select "
      "'NAME={command=\"x\"}', or all of them: --select 'NAME={}'");
}

#define FIO(part)                                                                                  \
  "{\"fio version\":\"fio-3.33\",\"jobs\":[{\"jobname\":\"x\",\"error\":0," part "}]}"
#define CLAT(n, max, bins)                                                                         \
  "{\"total_ios\":" n ",\"clat_ns\":{\"max\":" max ",\"N\":" n ",\"bins\":{" bins                  \
  "}},\"lat_ns\":{\"max\":9,\"N\":" n "}}"

static void fio_reports(void **unused) {
  (void)unused;
  /* 127 stands for itself; 129 for 128 and 129; 37120 for 512 values; the greatest is 38000. */
  assert_ranges(FORMAT_UNKNOWN,
                FIO("\"read\":" CLAT("6", "38000", "\"127\":1,\"129\":2,\"37120\":3")), NULL,
                "127-127:1 128-129:2 36864-38000:3 +0");
  assert_noted(FORMAT_UNKNOWN, FIO("\"read\":" CLAT("1", "42", "\"42\":1")), NULL, "(clat)");
  assert_ranges(FORMAT_UNKNOWN,
                FIO("\"read\":{\"total_ios\":1,\"clat_ns\":{\"max\":3,\"N\":1,\"bins\":{\"3\":1}},"
                    "\"lat_ns\":{\"max\":5,\"N\":1,\"bins\":{\"5\":1}}}"),
                NULL, "5-5:1 +0");
  bad(FIO("\"read\":" CLAT("2", "42", "\"42\":1")), NULL,
      "f:1:115: the buckets count 1 requests, but \"N\" says 2; the file is damaged");
  bad(FIO("\"read\":" CLAT("1", "42", "\"130\":1")), NULL,
      "f:1:117: found \"130\", which is no middle of a bucket of fio; the file is damaged");
  bad(FIO("\"read\":" CLAT("1", "4", "\"4\":1") ",\"write\":" CLAT("1", "4", "\"4\":1")), NULL,
      "f:1:157: 2 kinds of requests: {io=\"read\"}, {io=\"write\"}; choose one: --select "
      "'NAME={io=\"read\"}', or all of them: --select 'NAME={}'");
  bad(FIO("\"read\":{\"total_ios\":1,\"clat_ns\":{\"max\":3,\"N\":1}}"), NULL,
      "f:1:67: there are no \"bins\" with the counts of times; run fio 3 with "
      "--output-format=json+");
}

static void go_benchmarks(void **unused) {
  (void)unused;
  static const char go[] = "goos: linux\nBenchmarkA-8   \t       1\t      1042 ns/op\n"
                           "BenchmarkA-8   \t       1\t        17 ns/op\t 3 B/op\nPASS\n";
  assert_ranges(FORMAT_UNKNOWN, go, NULL, "17-17:1 1042-1042:1 +0");
  assert_series(FORMAT_UNKNOWN, go, "1042 17");
  bad("goos: linux\nBenchmarkA-8   \t  1000\t      1042 ns/op\nPASS\n", NULL,
      "f:2:19: found \"1000\", calls in one measurement: the mean of several says nothing of the "
      "slow ones; run it with -benchtime=1x -count=1000");
  bad("BenchmarkA-8   \t  1\t  1042 ns/op\nBenchmarkB-8   \t  1\t  1042 ns/op\nPASS\n", NULL,
      "f:2:1: 2 kinds of requests: {benchmark=\"BenchmarkA-8\"}, {benchmark=\"BenchmarkB-8\"}; "
      "choose one: --select 'NAME={benchmark=\"BenchmarkA-8\"}', or all of them: --select "
      "'NAME={}'");
  bad("BenchmarkA-8   \t  1\t  1042 ns/op\n--- FAIL: BenchmarkB-8\nFAIL\n", NULL,
      "f:2:1: found \"--- FAIL: BenchmarkB-8\", so that benchmarks are missing; run it again");
}

/* Nothing but a whole row less is another measurement. */
static void damage(void **unused) {
  (void)unused;
  assert_int_equal(parse_prefixes(FORMAT_CSV, oha, strlen(oha)), 3);
  parse_damaged(FORMAT_CSV, oha, strlen(oha));
  parse_damaged(FORMAT_CSV, ab, strlen(ab));
  parse_damaged(FORMAT_CSV, gatling, strlen(gatling));
  parse_damaged(FORMAT_CSV, k6, strlen(k6));
  parse_damaged(FORMAT_JSON, hyperfine, strlen(hyperfine));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(oha_tables),      cmocka_unit_test(ab_tables),
      cmocka_unit_test(gatling_logs),    cmocka_unit_test(k6_tables),
      cmocka_unit_test(criterion_files), cmocka_unit_test(hyperfine_reports),
      cmocka_unit_test(fio_reports),     cmocka_unit_test(go_benchmarks),
      cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
