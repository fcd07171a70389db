/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/dist/parse.h"

#define TYPE "# TYPE rpc_seconds histogram\n"

static const char whole[] = "# HELP rpc_seconds How long.\n" TYPE "go_threads 8\n"
                            "rpc_seconds_bucket{host=\"a\",le=\"0.005\"} 4\n"
                            "rpc_seconds_bucket{host=\"a\",le=\"0.0100000001\"} 10\n"
                            "rpc_seconds_bucket{host=\"a\",le=\"+Inf\"} 12\n"
                            "rpc_seconds_sum{host=\"a\"} 0.4\n"
                            "rpc_seconds_count{host=\"a\"} 12\n";

static void bad(const char *bytes, const char *unit, const char *expected) {
  assert_message(FORMAT_PROMETHEUS, bytes, strlen(bytes), unit, expected);
}

static void ok(const char *bytes, const char *unit, const char *expected) {
  assert_ranges(FORMAT_PROMETHEUS, bytes, unit, expected);
}

/* An observation lies above the le before and at most at its own; never in between by guess. */
static void buckets(void **unused) {
  (void)unused;
  ok(whole, NULL, "0-5000000:4 5000001-10000001:6 +2");
  ok(whole, "s", "0-5000000:4 5000001-10000001:6 +2");
  assert_noted(FORMAT_PROMETHEUS, whole, NULL, "2 of 12 observations are above the last finite le");
  assert_noted(FORMAT_PROMETHEUS, whole, NULL, "the file is whole (it has no \"# EOF\")");
  ok("a_ms_bucket{le=\"0.5\"} 1\na_ms_bucket{le=\"1e1\"} 1.2e+02\na_ms_bucket{le=\"+Inf\"} 120\n"
     "a_ms_count 120.0\n",
     NULL, "0-500000:1 500001-10000000:119 +0");
  ok("rtt_bucket{le=\"3\"} 1\nrtt_bucket{le=\"+Inf\"} 1\nrtt_count 1\n", "us", "0-3000:1 +0");
  ok("a_seconds_bucket{le=\"0\"} 0\na_seconds_bucket{le=\"1\"} 9223372036854775807\n"
     "a_seconds_bucket{le=\"+Inf\"} 9223372036854775807\na_seconds_count 9223372036854775807\n",
     NULL, "1-1000000000:9223372036854775807 +0");
}

static void layouts(void **unused) {
  (void)unused;
  /* OpenMetrics: an exemplar, a time, an end mark without an end of line. */
  ok("# TYPE a_seconds histogram\n# UNIT a_seconds seconds\n"
     "a_seconds_bucket{le=\"1.0\"} 3 # {trace_id=\"a # b\"} 0.67 1.5\n"
     "a_seconds_bucket{le=\"+Inf\"} 4 1520879607.789\na_seconds_count 4\na_seconds_sum 3.2\n"
     "a_seconds_created 1520430000.123\n# EOF",
     NULL, "0-1000000000:3 +1");
  /* Sum and count first; blanks; le among other labels; escapes. */
  ok("a_seconds_sum{x=\"1\"} 1\na_seconds_count{x=\"1\"} 1\n"
     "a_seconds_bucket { x = \"1\" , le = \"2\" , } 1\na_seconds_bucket{x=\"1\",le=\"+Inf\"} 1\n",
     NULL, "0-2000000000:1 +0");
  ok("a_seconds_bucket{le=\"2\",p=\"}\\\"\\\\\"} "
     "1\r\na_seconds_bucket{le=\"+Inf\",p=\"}\\\"\\\\\"} 1\r\n"
     "a_seconds_count{p=\"}\\\"\\\\\"} 1\r\n",
     NULL, "0-2000000000:1 +0");
  ok("\xef\xbb\xbf" TYPE "rpc_seconds_bucket{le=\"2\"} 1\nrpc_seconds_bucket{le=\"+Inf\"} 1\n"
     "rpc_seconds_count 1\n",
     NULL, "0-2000000000:1 +0");
}

#define SET(label, one, all)                                                                       \
  "rpc_seconds_bucket{" label "le=\"1\"} " one "\nrpc_seconds_bucket{" label "le=\"+Inf\"} " all   \
  "\nrpc_seconds_sum{" label "} 1\nrpc_seconds_count{" label "} " all "\n"

/* Several are never added up unless that is asked for. */
static void label_sets(void **unused) {
  (void)unused;
  bad(SET("m=\"Put\",", "1", "2") SET("m=\"Get\",", "4", "8"), NULL,
      "f:5:1: rpc_seconds has 2 label sets: {m=\"Get\"}, {m=\"Put\"}; choose one: --select "
      "'NAME=rpc_seconds{m=\"Get\"}'; or add all of them up: --select "
      "'NAME=rpc_seconds{}'");
  bad(SET("h=\"a\",", "1", "2") SET("h=\"a\",", "1", "2"), NULL,
      "f:5:1: this bucket of its label set stands here a second time; keep one exposition to a "
      "file");
  bad(SET("", "1", "2") "io_seconds_bucket{le=\"+Inf\"} 3\n", NULL,
      "f:5:1: found \"io_seconds\", a second histogram beside \"rpc_seconds\"; choose one: "
      "--select 'NAME=rpc_seconds{}'");
}

/* The page of a server: le sorted as text, no type, no count, labels of the scrape. */
static void federated(void **unused) {
  (void)unused;
  ok("# TYPE rpc_seconds_bucket untyped\n"
     "rpc_seconds_bucket{le=\"+Inf\",instance=\"a:1\",job=\"rpc\"} 12 1700000000123\n"
     "rpc_seconds_bucket{le=\"0.001\",instance=\"a:1\",job=\"rpc\"} 4 1700000000123\n"
     "rpc_seconds_bucket{le=\"10\",instance=\"a:1\",job=\"rpc\"} 11 1700000000123\n"
     "rpc_seconds_bucket{le=\"2\",instance=\"a:1\",job=\"rpc\"} 9 1700000000123\n",
     NULL, "0-1000000:4 1000001-2000000000:5 2000000001-10000000000:2 +1");
}

/* The order of the labels is no part of a label set: twice the same would count double. */
static void order_of_labels(void **unused) {
  (void)unused;
  static const char twice[] = "f:9:1: this bucket of its label set stands here a second time; keep "
                              "one exposition to a file";
  bad(SET("h=\"a\",p=\"b\",", "1", "2") SET("h=\"c\",p=\"b\",", "4", "8")
          SET("p=\"b\", h=\"a\" ,", "1", "2"),
      NULL, twice);
  bad(SET("h=\",p=\\\"\",p=\"b\",", "1", "2") SET("h=\"c\",", "4", "8")
          SET("p=\"b\",h = \",p=\\\"\",", "1", "2"),
      NULL, twice);
  /* within one set the lines may differ */
  ok("a_s_bucket{p=\"b\",le=\"1\",h=\"a\"} 1\na_s_bucket{h=\"a\",p=\"b\",le=\"+Inf\"} 1\n"
     "a_s_count{p=\"b\",h=\"a\"} 1\n",
     NULL, "0-1000000000:1 +0");
  assert_unit(FORMAT_PROMETHEUS, whole, NULL, "s");
}

static void bad_counts(void **unused) {
  (void)unused;
  static const char whole_number[] = "where a count, a whole number from 0 to 2^63-1, is expected";
  static const char *const values[] = {"9223372036854775808", "-1", "1.5", "1e300", "x", "+Inf"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char bytes[200], expected[200];
    snprintf(bytes, sizeof bytes, "a_seconds_bucket{le=\"1\"} %s\n", values[i]);
    snprintf(expected, sizeof expected, "f:1:26: found \"%s\", %s", values[i], whole_number);
    bad(bytes, NULL, expected);
  }
  bad("a_seconds_bucket{le=\"1\"} NaN\n", NULL,
      "f:1:26: found \"NaN\", which is no count; the recorder was fed no number, correct it and "
      "record again");
  bad("a_seconds_bucket{le=\"1\"} {count:3,sum:4,schema:1}\n", NULL,
      "f:1:26: found \"{count:3,sum:4,schema:1}\", a native histogram as text, whose bucket edges "
      "are no decimals and are not read; save the page as protobuf (.pb), or have the server "
      "expose "
      "classic buckets (le)");
  bad("a_seconds_bucket{le=\"1\"} 5\na_seconds_bucket{le=\"2\"} 4\n", NULL,
      "f:2:26: found \"4\", but the bucket before counts 5, and each bucket counts those before "
      "it, too; the file is damaged");
  bad(SET("", "1", "2") "rpc_seconds_count 2\n", NULL,
      "f:5:1: found \"rpc_seconds_count\", a second time for one label set");
  bad("a_seconds_bucket{le=\"1\"} 5\na_seconds_bucket{le=\"+Inf\"} 5\na_seconds_count 6\n", NULL,
      "f:3:17: found \"6\", but le=\"+Inf\" counts 5; the file is damaged or truncated, fetch it "
      "again");
  bad("a_seconds_bucket{le=\"1\"} 5\na_seconds_bucket{le=\"+Inf\"} 5\na_seconds_sum NaN\n", NULL,
      "f:3:15: found \"NaN\", which is no sum of times; the recorder was fed no number, correct it "
      "and record again");
}

static void bad_edges(void **unused) {
  (void)unused;
  bad("a_seconds_bucket{le=\"2\"} 5\na_seconds_bucket{le=\"1\"} 6\na_seconds_bucket{le=\"+Inf\"} "
      "6\n",
      NULL,
      "f:1:26: found \"5\", but the bucket before counts 6, and each bucket counts those before "
      "it, "
      "too; the file is damaged");
  bad("a_seconds_bucket{le=\"2\"} 5\na_seconds_bucket{le=\"2.0\"} 6\na_seconds_bucket{le=\"+Inf\"} "
      "6\n",
      NULL,
      "f:2:1: this bucket of its label set stands here a second time; keep one exposition to a "
      "file");
  bad("a_seconds_bucket{le=\"-1\"} 5\n", NULL,
      "f:1:22: found \"-1\", a negative le, but no time is negative");
  bad("a_seconds_bucket{le=\"NaN\"} 5\n", NULL,
      "f:1:22: found \"NaN\", where a le such as \"0.005\" or \"+Inf\" is expected");
  bad("a_seconds_bucket{le=\"1e10\"} 5\n", NULL,
      "f:1:22: found \"1e10\", which is above 2^63-1 ns (292 years) in s; is the unit right?");
  bad("a_seconds_bucket{le=\"+Inf\"} 5\na_seconds_count 5\n", NULL,
      "f:1:1: every observation is in le=\"+Inf\" only (a native histogram written as text loses "
      "its buckets); save the page as protobuf, or have the program expose classic buckets (le)");
  bad("a_seconds_bucket{le=\"1\"} 5\na_seconds_bucket 5\n", NULL,
      "f:2:1: found \"a_seconds_bucket\", a bucket without the label le");
}

static void units(void **unused) {
  (void)unused;
  bad("a_bucket{le=\"1\"} 5\n", NULL,
      "f:1:1: found \"a\", a name that ends in no unit (_seconds, _milliseconds, ...); state the "
      "unit of le: --unit NAME=s");
  bad("a_seconds_bucket{le=\"1\"} 5\n", "ms",
      "f:1:1: found \"a_seconds\", but the unit is stated to be ms on the command line; correct "
      "the one that is wrong");
}

static void bad_files(void **unused) {
  (void)unused;
  static const char none[] = "the file holds no histogram; lines such as "
                             "rpc_seconds_bucket{le=\"0.005\"} 17 are expected";
  char expected[300];
  snprintf(expected, sizeof expected, "f:1:1: %s", none);
  bad("", NULL, expected);
  bad("go_threads 8\n", NULL, expected);
  bad("a{quantile=\"0.5\"} 8\n", NULL,
      "f:1:1: the file holds a summary and no histogram; a summary's quantiles have no error "
      "bound: have the program expose a histogram");
  bad("a {count:3,sum:4}\n", NULL,
      "f:1:1: the file holds a native histogram as text, whose bucket edges are no decimals and "
      "are not read; save the page as protobuf (.pb), or have the server expose classic buckets "
      "(le)");
  bad(SET("", "1", "2") "# EOF\nmore 1\n", NULL,
      "f:6:1: found \"more 1\", behind \"# EOF\", which ends an exposition");
  bad("a_seconds_bucket{le=\"1\"} 5\na_seconds_count 5\n", NULL,
      "f:1:1: the label set that starts here has no bucket le=\"+Inf\": the file is truncated; "
      "fetch it again");
  bad("# TYPE a_seconds histogram\na_seconds_bucket{le=\"1\"} 5\na_seconds_bucket{le=\"+Inf\"} 5\n",
      NULL,
      "f:2:1: the label set that starts here has no _count: the file is truncated; fetch it "
      "again");
  bad(SET("", "1", "2") "rpc_seconds_count{x=\"y\"} 1\n", NULL,
      "f:5:1: the buckets of this label set are missing");
  static const char *const lines[] = {"1a 2",      "a{le=1} 2", "a{le=\"1\" 2", "a{le=\"1} 2",
                                      "a{le} 2",   "a",         "a{b=\"c\"}",   "a 1 2 3",
                                      "a 1 later", "a{,} 1",    "a+b 1"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char bytes[100];
    snprintf(bytes, sizeof bytes, "%s\n", lines[i]);
    snprintf(expected, sizeof expected,
             "f:1:1: found \"%s\", where a line of a Prometheus exposition is expected, such as "
             "rpc_seconds_bucket{le=\"0.005\"} 17",
             lines[i]);
    bad(bytes, NULL, expected);
  }
}

static void damage(void **unused) {
  (void)unused;
  assert_int_equal(parse_prefixes(FORMAT_PROMETHEUS, whole, strlen(whole)), 1);
  parse_damaged(FORMAT_PROMETHEUS, whole, strlen(whole));
  static const char two[] = TYPE SET("h=\"a\",", "1", "2") SET("h=\"b\",", "4", "18") "# EOF\n";
  /* Only between the two label sets, which the ledger says: both are more than one. */
  assert_int_equal(parse_prefixes(FORMAT_PROMETHEUS, two, strlen(two)), 1);
  parse_damaged(FORMAT_PROMETHEUS, two, strlen(two));
}

static void very_long_lines(void **unused) {
  (void)unused;
  size_t length = 4u << 20;
  char *bytes = mem_alloc(length + 1, 1);
  static const char *const starts[] = {"a_seconds_bucket{le=\"", "a_seconds_bucket{le=\"1\"} 5",
                                       "a", "a{", "#"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    memset(bytes, '7', length);
    memcpy(bytes, starts[i], strlen(starts[i]));
    bytes[length - 1] = '\n';
    struct parsed parsed = parse_bytes(FORMAT_PROMETHEUS, bytes, length, NULL);
    parsed_check(&parsed, bytes, 40);
    assert_int_equal(parsed.status, STATUS_DATA);
    assert_true(parsed.message.length < 300);
    parsed_clear(&parsed);
  }
  mem_free(bytes);
}

/* Random observations put into random buckets, as a client library does: what is read brackets
 * them, and counts beyond what exceeds the last le. */
static void random_histograms(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    uint64_t state = seed, edges[12], counts[13] = {0}, edge = 0, total = 0;
    struct text file, expected;
    text_init(&file);
    text_init(&expected);
    for (size_t i = 0; i < 12; i++)
      edges[i] = edge += 1 + random_next(&state) % (UINT64_C(1) << random_next(&state) % 40);
    for (size_t i = 0; i < 200; i++) {
      uint64_t value = random_next(&state) % (edges[random_next(&state) % 12] + 20);
      size_t bucket = 0;
      while (bucket < 12 && value > edges[bucket])
        bucket++;
      counts[bucket]++;
    }
    for (size_t i = 0; i < 12; i++) {
      total += counts[i];
      text_format(&file, "x_seconds_bucket{le=\"%" PRIu64 ".%09" PRIu64 "\"} %" PRIu64 "\n",
                  edges[i] / 1000000000, edges[i] % 1000000000, total);
      if (counts[i] != 0)
        text_format(&expected, "%" PRIu64 "-%" PRIu64 ":%" PRIu64 " ",
                    i == 0 ? 0 : edges[i - 1] + 1, edges[i], counts[i]);
    }
    text_format(&file, "x_seconds_bucket{le=\"+Inf\"} %d\nx_seconds_count %d\n", 200, 200);
    text_format(&expected, "+%" PRIu64, counts[12]);
    ok(file.data, NULL, expected.data);
    text_clear(&file);
    text_clear(&expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buckets),         cmocka_unit_test(layouts),
      cmocka_unit_test(bad_counts),      cmocka_unit_test(label_sets),
      cmocka_unit_test(federated),       cmocka_unit_test(order_of_labels),
      cmocka_unit_test(bad_edges),       cmocka_unit_test(units),
      cmocka_unit_test(bad_files),       cmocka_unit_test(damage),
      cmocka_unit_test(very_long_lines), cmocka_unit_test(random_histograms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
