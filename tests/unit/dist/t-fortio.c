/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports of fortio, and the JSON that is refused with a reason.
 */
#include "tests/unit/dist/parse.h"

#define BUCKET(start, end, count)                                                                  \
  "{\"Start\": " start ", \"End\": " end ", \"Percent\": 50, \"Count\": " count "}"
#define REPORT(count, max, buckets, codes)                                                         \
  "{\"RunType\": \"HTTP\", \"RequestedQPS\": \"8\",\n \"DurationHistogram\": {\"Count\": " count   \
  ", \"Min\": 0.001, \"Max\": " max ", \"Data\": [" buckets "]},\n \"RetCodes\": {" codes "}}\n"
#define THREE                                                                                      \
  BUCKET("0.0011", "0.002", "4")                                                                   \
  ", " BUCKET("0.002", "0.003", "3") ", " BUCKET("0.009000000000000001", "0.0095", "3")

static const char whole[] = REPORT("10", "0.0095", THREE, "\"200\": 10");

static void ok(const char *bytes, const char *expected) {
  assert_ranges(FORMAT_JSON, bytes, NULL, expected);
}

static void bad(const char *bytes, const char *unit, const char *expected) {
  assert_message(FORMAT_JSON, bytes, strlen(bytes), unit, expected);
}

/* An end is raised by a ten thousandth of a width that is at least the resolution. */
static void reports(void **unused) {
  (void)unused;
  ok(whole, "1100000-2000101:4 2000000-3000101:3 9000000-9500000:3 +0");
  assert_noted(FORMAT_JSON, whole, NULL, "coordinated omission");
  assert_noted(FORMAT_JSON, whole, NULL, "8 requests/s asked for");
  /* No width to go by: up to the maximum. */
  ok(REPORT("3", "0.25", BUCKET("0.0011", "0.002", "1") "," BUCKET("0.2", "0.25", "2"),
            "\"200\": 3"),
     "1100000-250000000:3 +0");
  ok(REPORT("3", "0.25", BUCKET("0.25", "0.25", "3"), "\"200\": 1, \"204\": 2"),
     "250000000-250000000:3 +0");
  /* no observation is below Min, here 1 ms */
  ok(REPORT("3", "0.5", BUCKET("0", "0.5", "3"), "\"200\": 3"), "1000000-500000000:3 +0");
  /* Min may lie above its bucket's end, by that ten thousandth. */
  ok(REPORT("3", "0.0035",
            BUCKET("0.00200005", "0.002", "1") "," BUCKET("0.002", "0.003",
                                                          "1") "," BUCKET("0.003", "0.0035", "1"),
            "\"200\": 3"),
     "2000050-2000101:1 2000000-3000101:1 3000000-3500000:1 +0");
}

/* Which requests failed is unknown: the bounds hold for every choice of them. */
static void failures(void **unused) {
  (void)unused;
  static const char some[] = REPORT("10", "0.0095", THREE, "\"200\": 7, \"-1\": 1, \"503\": 2");
  ok(some, "1100000-2000101:1 1100000-3000101:3 2000000-9500000:3 +3");
  assert_noted(FORMAT_JSON, some, NULL, "3 of 10 requests failed and are taken as infinite");
  ok(REPORT("10", "0.0095", THREE, "\"500\": 10"), "+10");
  static const uint64_t lower[] = {1100000, 2000000, 9000000};
  static const uint64_t upper[] = {2000101, 3000101, 9500000};
  static const unsigned counts[] = {4, 3, 3};
  struct parsed parsed = parse_bytes(FORMAT_JSON, some, strlen(some), NULL);
  for (unsigned failed = 0; failed < 1u << 10; failed++) {
    if (__builtin_popcount(failed) != 3)
      continue;
    /* The r-th of those that did not fail lies within the r-th range that was read. */
    size_t bin = 0, used = 0;
    for (unsigned i = 0; i < 10; i++) {
      unsigned bucket = i < counts[0] ? 0 : i < counts[0] + counts[1] ? 1 : 2;
      if (failed >> i & 1)
        continue;
      assert_true(parsed.sample.bins[bin].lower_ns <= lower[bucket]);
      assert_true(parsed.sample.bins[bin].upper_ns >= upper[bucket]);
      if (++used == parsed.sample.bins[bin].count)
        bin++, used = 0;
    }
  }
  parsed_clear(&parsed);
}

static void kinds_of_success(void **unused) {
  (void)unused;
  static const char one[] = "{\"RunType\": \"%s\", \"DurationHistogram\": {\"Count\": 1, \"Max\": "
                            "0.5, \"Data\": [" BUCKET("0.5", "0.5", "1") "]}%s}";
  static const char *const cases[][3] = {
      {"GRPC Ping", ", \"RetCodes\": {\"1\": 1}", "500000000-500000000:1 +0"},
      {"GRPC Health", ", \"RetCodes\": {\"SERVING\": 1}", "500000000-500000000:1 +0"},
      {"HTTP", ", \"RetCodes\": {\"1\": 1}", "+1"},
      {"TCP", ", \"RetCodes\": {\"OK\": 1}", "500000000-500000000:1 +0"},
      {"TCP", ", \"RetCodes\": {\"short read\": 1}", "+1"},
      {"any", "", "500000000-500000000:1 +0"},
      {"any", ", \"ErrorsDurationHistogram\": {\"Count\": 1}", "+1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char bytes[500];
    snprintf(bytes, sizeof bytes, one, cases[i][0], cases[i][1]);
    ok(bytes, cases[i][2]);
  }
  char bytes[500];
  snprintf(bytes, sizeof bytes, one, "any", "");
  assert_noted(FORMAT_JSON, bytes, NULL, "every request is taken as answered");
}

/* Numbers as fortio bins them: ends of a resolution's multiples, values up to 1e-4 of it beyond. */
static void random_reports(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    uint64_t state = seed, resolution = 1000 + random_next(&state) % 2000000;
    uint64_t values[60], counts[40] = {0}, least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < 60; i++) {
      uint64_t k = 1 + random_next(&state) % 35;
      values[i] = random_next(&state) % 2 ? k * resolution + resolution / 10000
                                          : k * resolution - random_next(&state) % resolution;
      size_t bucket = 0; /* the values above bucket * resolution + slack */
      while (10000 * values[i] > 10000 * bucket * resolution + resolution)
        bucket++;
      counts[bucket]++;
      least = values[i] < least ? values[i] : least;
      most = values[i] > most ? values[i] : most;
    }
    struct text file;
    text_init(&file);
    size_t last = 39;
    while (counts[last] == 0)
      last--;
    bool first = true;
    text_format(&file, "{\"DurationHistogram\": {\"Count\": 60, \"Max\": %.9f, \"Data\": [",
                (double)most / 1e9);
    for (size_t i = 0; i <= last; i++)
      if (counts[i] != 0) {
        text_format(&file, "%s{\"Start\": %.9f, \"End\": %.9f, \"Count\": %" PRIu64 "}",
                    first ? "" : ",", (double)(first ? least : (i - 1) * resolution) / 1e9,
                    (double)(i == last ? most : i * resolution) / 1e9, counts[i]);
        first = false;
      }
    text_append(&file, "]}}");
    struct parsed parsed = parse_bytes(FORMAT_JSON, file.data, file.length, NULL);
    if (parsed.status != STATUS_OK)
      fail_msg("seed %" PRIu64 ": %s", seed, text_get(&parsed.message));
    for (size_t i = 0; i < 60; i++) { /* no value's rank is read too low or too high */
      uint64_t below = 0, upper = 0, lower = 0, ranked = 0;
      for (size_t k = 0; k < 60; k++)
        below += values[k] < values[i];
      for (size_t b = 0; b < parsed.sample.count && ranked <= below; b++) {
        ranked += parsed.sample.bins[b].count;
        upper = parsed.sample.bins[b].upper_ns;
        lower = parsed.sample.bins[b].lower_ns;
      }
      if (upper < values[i] || lower > values[i])
        fail_msg("seed %" PRIu64 ": %" PRIu64 " is read as %" PRIu64 " to %" PRIu64, seed,
                 values[i], lower, upper);
    }
    parsed_clear(&parsed);
    text_clear(&file);
  }
}

static void bad_reports(void **unused) {
  (void)unused;
  bad(whole, "ms",
      "f:1:1: a report of fortio is always in s, but the unit is stated to be ms on the command "
      "line; leave out --unit");
  bad(REPORT("9", "0.0095", THREE, "\"200\": 10"), NULL,
      "f:2:23: found \"{\", a histogram whose \"Count\" is 9 and whose buckets count 10; the file "
      "is damaged");
  bad(REPORT("10", "0.0095", THREE, "\"200\": 9"), NULL,
      "f:3:14: found \"{\", \"RetCodes\" that count 9 answers, but the histogram counts 10; the "
      "file is damaged");
  bad(REPORT("10", "0.0095", THREE, "\"200\": 9223372036854775808"), NULL,
      "f:3:22: found \"9223372036854775808\", where a count, a whole number from 0 to 2^63-1, is "
      "expected");
  bad(REPORT("10", "0.0095", THREE, "\"200\": 9223372036854775807, \"201\": 1"), NULL,
      "f:3:50: the counts up to here add up to more than 2^63-1; the file is damaged");
  bad(REPORT("1", "0.0095", BUCKET("0.002", "0.003", "-1"), ""), NULL,
      "f:2:129: found \"-1\", where a count, a whole number from 0 to 2^63-1, is expected");
  bad(REPORT("1", "0.0095", BUCKET("0.002", "0.003", "NaN"), ""), NULL,
      "f:2:129: found \"NaN\", which is no number; measure again");
  bad(REPORT("1", "0.0095", BUCKET("-0.002", "0.003", "1"), ""), NULL,
      "f:2:84: found \"-0.002\", a negative time; the clock was set back, measure again");
  bad(REPORT("1", "0.0095", BUCKET("1e10", "0.003", "1"), ""), NULL,
      "f:2:84: found \"1e10\", which is above 2^63-1 ns (292 years); is the file damaged?");
  bad(REPORT("2", "0.0095", BUCKET("0.002", "0.003", "1") "," BUCKET("0.001", "0.002", "1"), ""),
      NULL, "f:2:132: found \"{\", a bucket that overlaps the one before; the file is damaged");
  bad(REPORT("1", "0.0025", BUCKET("0.002", "0.003", "1"), ""), NULL,
      "f:2:73: found \"[\", a list in which bucket 1 does not lie below \"Max\"; the file is "
      "damaged");
  bad("{\"DurationHistogram\": {\"Count\": 1, \"Max\": 1}}", NULL,
      "f:1:23: found \"{\", a \"DurationHistogram\" without its one list \"Data\"; percentiles "
      "alone have no error bound, keep fortio's whole report");
  bad("{\"DurationHistogram\": {\"Count\": 1, \"Data\": []}}", NULL,
      "f:1:23: found \"{\", where an object of fortio with one \"Max\" is expected; is the report "
      "whole?");
  bad("{\"DurationHistogram\": {\"Count\": 0, \"Max\": 1, \"Data\": []}}", NULL,
      "f:1:1: the file counts no observation; at least one is needed");
  bad(REPORT("10", "0.0095", THREE, "\"200\": 10}, \"RetCodes\": {\"500\": 10"), NULL,
      "f:3:14: found \"{\", \"RetCodes\" for the first of two times; the file is damaged");
  bad("{\"DurationHistogram\": 5}", NULL,
      "f:1:23: found \"5\", where the one object \"DurationHistogram\" is expected");
}

static void bad_json(void **unused) {
  (void)unused;
  bad("", NULL,
      "f:1:1: the JSON document is not closed: the file is truncated; write or copy it again");
  bad("{\"a\": 1, }", NULL,
      "f:1:10: found \"}\", where a key in quotes is expected; the JSON is "
      "damaged");
  bad("[1 2]", NULL, "f:1:4: found \"2\", where a comma or ] is expected; the JSON is damaged");
  bad("[01]", NULL, "f:1:2: found \"01\", where a value is expected; the JSON is damaged");
  bad("[1.]", NULL, "f:1:2: found \"1.\", where a value is expected; the JSON is damaged");
  bad("[+1]", NULL, "f:1:2: found \"+1\", where a value is expected; the JSON is damaged");
  bad("[tru]", NULL, "f:1:2: found \"tru\", where a value is expected; the JSON is damaged");
  bad("{\"a\" 1}", NULL,
      "f:1:6: found \"1\", where a colon behind the key is expected; the JSON "
      "is damaged");
  bad("[\"a\nb\"]", NULL,
      "f:1:4: found \"\\x0a\", where a closing quote is expected; the JSON is "
      "damaged");
  bad("[\"\\x\"]", NULL,
      "f:1:5: found \"\"\", where an escape such as \\n is expected; the JSON is "
      "damaged");
  bad("[1] []", NULL, "f:1:5: the JSON document ends before this; keep one document to a file");
  struct text deep;
  text_init(&deep);
  for (size_t i = 0; i < 100000; i++)
    text_append(&deep, "[");
  bad(deep.data, NULL, "f:1:65: found \"[\", but JSON nested deeper than 64 levels is not read");
  text_clear(&deep);
}

#define REMEDY "record the observations (.csv) or a histogram (.hlog, .prom, .tph) instead"

static void sketches_are_refused(void **unused) {
  (void)unused;
  static const char tdigest[] = "f:1:1: the file is a t-digest, which keeps means of clusters and "
                                "nothing that bounds the error of its quantiles; record the "
                                "observations (.csv) or a histogram (.hlog, .prom, .tph) instead";
  bad("{\"compression\": 100, \"centroids\": [{\"mean\": 1, \"count\": 2}]}", NULL, tdigest);
  bad("{\"means\": [1], \"weights\": [2]}", NULL, tdigest);
  assert_message(FORMAT_TDIGEST, "\0\0\0\1", 4, NULL, tdigest);
  assert_message(FORMAT_TDIGEST, "x_ns\n1\n", 7, NULL, tdigest);
  bad("{\"mapping\": {\"gamma\": 1.02}, \"positiveValues\": {}}", NULL,
      "f:1:1: a DDSketch states no unit, and ns, us and ms are all in use; state the one it was "
      "recorded in: --unit NAME=us");
  bad("{\"k\": 200, \"compactors\": []}", NULL,
      "f:1:1: the file is a KLL sketch, which keeps a random part of the observations and bounds "
      "its error with some probability; " REMEDY);
  bad("{\"attack\":\"\",\"seq\":0,\"code\":200,\"latency\":5,\"bytes_in\":1}\n", NULL,
      "f:1:1: the file is what vegeta writes as JSON; write it as CSV: vegeta encode --to csv f");
  bad("[1]", NULL,
      "f:1:1: the JSON is no report of a load tool that is known here (fortio, ghz, k6, hyperfine, "
      "fio, memtier_benchmark), no answer of a Prometheus server, no metrics of OpenTelemetry and "
      "no DDSketch; convert it to a .csv, one observation a row");
}

static void damage(void **unused) {
  (void)unused;
  assert_int_equal(parse_prefixes(FORMAT_JSON, whole, strlen(whole)), 2);
  parse_damaged(FORMAT_JSON, whole, strlen(whole));
}

static void very_long_lines(void **unused) {
  (void)unused;
  size_t length = 4u << 20;
  char *bytes = mem_alloc(length + 1, 1);
  static const char *const starts[] = {"[", "[\"", "{\"DurationHistogram\": ", "{", "[-"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    memset(bytes, '7', length);
    memcpy(bytes, starts[i], strlen(starts[i]));
    struct parsed parsed = parse_bytes(FORMAT_JSON, bytes, length, NULL);
    parsed_check(&parsed, bytes, 40);
    assert_int_equal(parsed.status, STATUS_DATA);
    assert_true(parsed.message.length < 300);
    parsed_clear(&parsed);
  }
  mem_free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reports),          cmocka_unit_test(failures),
      cmocka_unit_test(kinds_of_success), cmocka_unit_test(random_reports),
      cmocka_unit_test(bad_reports),      cmocka_unit_test(bad_json),
      cmocka_unit_test(damage),           cmocka_unit_test(sketches_are_refused),
      cmocka_unit_test(very_long_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
