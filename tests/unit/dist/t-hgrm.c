/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/dist/parse.h"

#define HEAD "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
#define FOOT(total)                                                                                \
  "#[Mean    =        0.025, StdDeviation   =        0.120]\n"                                     \
  "#[Max     =        9.420, Total count    =       " total "]\n"                                  \
  "#[Buckets =           27, SubBuckets     =         2048]\n"

static const char whole[] = HEAD "       0.016 0.000000000000          1           1.00\n"
                                 "       0.980 0.500000000000         40           2.00\n"
                                 "       0.980 0.550000000000         40           2.22\n"
                                 "       9.428 1.000000000000         80\n" FOOT("80");

static void bad(const char *bytes, const char *unit, const char *expected) {
  assert_message(FORMAT_HGRM, bytes, strlen(bytes), unit, expected);
}

static void whole_tables(void **unused) {
  (void)unused;
  assert_parses(FORMAT_HGRM, whole, "us", "17:1 981:39 9429:40 +0", 2);
  assert_parses(FORMAT_HGRM, whole, "ms", "17000:1 981000:39 9429000:40 +0", 2);
  assert_parses(FORMAT_HGRM, whole, "ns", "1:40 10:40 +0", 2);
  assert_parses(FORMAT_HGRM,
                "#[Overall]\r\n\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\r\n"
                "1.25,0.0,3,1.00\r\n2.50,1.0,4,Infinity\r\n#[Max = 2.5, Total count = 4]\r\n",
                "us", "1260:3 2510:1 +0", 2);
}

/* The form with commas has no footer; its last field shows that it is whole. */
static void tables_with_commas(void **unused) {
  (void)unused;
  static const char table[] = "\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\n"
                              "1.250,0.500000000000,3,2.00\n2.500,1.000000000000,44,Infinity\n";
  assert_parses(FORMAT_HGRM, table, "us", "1260:3 2510:41 +0", 2);
  assert_int_equal(parse_prefixes(FORMAT_HGRM, table, strlen(table)), 2);
  bad(HEAD "5 1.0 3 Infinity\n", "ns",
      "f:4:1: the footer \"#[Max = ..., Total count = ...]\" is missing: the file is truncated; "
      "write or copy it again");
}

/* Zeros in every row show the recorder's unit: it cuts off more than the last printed digit. */
static void margin_follows_the_decimals_in_use(void **unused) {
  (void)unused;
  assert_parses(FORMAT_HGRM, HEAD "1023.000 0.5 2 2.00\n2047.000 1.0 4 inf\n" FOOT("4"), "us",
                "1024000:2 2048000:2 +0", 2);
  assert_parses(FORMAT_HGRM, HEAD "1023.000 0.5 2 2.00\n2047.100 1.0 4 inf\n" FOOT("4"), "ns",
                "1024:2 2048:2 +0", 2);
  struct parsed parsed = parse_bytes(FORMAT_HGRM, HEAD "7.00 1.0 1 inf\n" FOOT("1"),
                                     strlen(HEAD "7.00 1.0 1 inf\n" FOOT("1")), "ms");
  assert_sample(&parsed.sample, "8000000:1 +0");
  assert_string_equal(parsed.notes.lines[0],
                      "f: each value is raised by 1 ms for what recording and printing cut off");
  parsed_clear(&parsed);
}

/* A row's observations exceed the row before, less what printing rounded. */
static void lower_edges(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_HGRM, whole, "us", "0-17:1 15-981:39 979-9429:40 +0");
  assert_ranges(FORMAT_HGRM, HEAD "0 0.5 2 2.00\n0 0.6 3 2\n7 1.0 4 inf\n" FOOT("4"), "ms",
                "0-1000000:3 0-8000000:1 +0");
}

/* wrk2 prints ms, others us or ns, and nothing in the table says which. */
static void unit_is_asked_for(void **unused) {
  (void)unused;
  bad(whole, NULL,
      "f:1:1: HdrHistogram's percentile table states no unit, and ns, us and ms are all in use; "
      "state the one it was recorded in: --unit NAME=us");
  assert_unit(FORMAT_HGRM, whole, "ms", "ms");
}

static void bad_tables(void **unused) {
  (void)unused;
  bad("", NULL,
      "f:1:1: the file holds no table; a percentile table starts with \"Value Percentile "
      "TotalCount 1/(1-Percentile)\"");
  bad("1 2 3\n", NULL,
      "f:1:1: found \"1 2 3\", where the header \"Value Percentile TotalCount "
      "1/(1-Percentile)\" of a percentile table is expected");
  bad(HEAD "1 0.5\n", "ns",
      "f:3:1: found \"1 0.5\", where a row \"Value Percentile TotalCount "
      "1/(1-Percentile)\" is expected");
  bad(HEAD "1 0.5 3 4 5\n", "ns",
      "f:3:1: found \"1 0.5 3 4 5\", where a row \"Value Percentile "
      "TotalCount 1/(1-Percentile)\" is expected");
  bad(HEAD "1 1.5 3 2\n", "ns", "f:3:3: found \"1.5\", where a percentile from 0 to 1 is expected");
  bad(HEAD "-1 0.5 3 2\n", "ns", "f:3:1: found \"-1\", where a non-negative value is expected");
  bad(HEAD "9e18 1.0 3 2\n" FOOT("3"), "us",
      "f:3:1: found \"9e18\", which is above 2^63-1 ns (292 years) in us; is the unit right?");
  bad(HEAD "5 0.5 3 2\n4 1.0 4\n" FOOT("4"), "ns",
      "f:4:1: found \"4\", but the row before has a larger value; the file is damaged");
  bad(HEAD "5 0.5 3 2\n6 1.0 2\n" FOOT("3"), "ns",
      "f:4:1: found \"6\", a row whose TotalCount is below the 3 of the row before; the file is "
      "damaged");
  bad(HEAD "5 0.5 3 2\n6 1.0 4\n" FOOT("5"), "ns",
      "f:6:50: found \"5\", but the rows count 4 observations; the file is damaged, write or copy "
      "it again");
  bad(HEAD "5 0.5 3 2\n" FOOT("3"), "ns",
      "f:3:1: the last row is not percentile 1: the file is truncated; write or copy it again");
  bad(HEAD "5 1.0 3\n", "ns",
      "f:4:1: the footer \"#[Max = ..., Total count = ...]\" is missing: the file is truncated; "
      "write or copy it again");
  bad(HEAD FOOT("0"), "ns", "f:1:1: the table counts no observation; at least one is needed");
  bad(HEAD "5 1.0 3\n#[Max = 1, Total count = x]\n", "ns",
      "f:4:26: found \"x\", where \"= COUNT]\" is expected behind \"Total count\"");
  bad(HEAD "0,005 0,500 3 2,00\n", "ns",
      "f:3:7: found \"0,500\", where a percentile from 0 to 1 is expected");
}

static void damage(void **unused) {
  (void)unused;
  /* Whole once the total is there; the last line may be missing. */
  assert_int_equal(parse_prefixes(FORMAT_HGRM, whole, strlen(whole)),
                   strlen("\n#[Buckets =           27, SubBuckets     =         2048]\n") + 1);
  parse_damaged(FORMAT_HGRM, whole, strlen(whole));
}

/* Observations truncated to the recorder's unit, printed as HdrHistogram prints them (largest
 * equivalent value over the scale, 3 decimals): what is read dominates the observations. */
static void random_tables(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    uint64_t state = seed, scale = seed % 2 ? 1000 : 1, seen = 0, top = 0;
    struct text table;
    text_init(&table);
    text_append(&table, HEAD);
    struct sample truth;
    sample_init(&truth);
    for (size_t i = 0; i < 30; i++) {
      uint64_t below = i == 0 ? 0 : top + 1; /* and above the integers before */
      top += 1 + random_next(&state) % (UINT64_C(1) << random_next(&state) % 40);
      uint64_t count = random_next(&state) % 5 + (i == 29);
      assert_true(sample_add_range(&truth, below, top + 1,
                                   count)); /* observations up to, not at, top + 1 */
      seen += count;
      text_format(&table, "%12.3f %.12f %10" PRIu64 "\n", (double)top / (double)scale,
                  i == 29 ? 1.0 : 0.0, seen);
    }
    text_format(&table, "#[Max = 1, Total count = %" PRIu64 "]\n", seen);
    sample_finish(&truth);
    struct parsed parsed =
        parse_bytes(FORMAT_HGRM, table.data, table.length, scale == 1 ? "ns" : "us");
    if (parsed.status != STATUS_OK || parsed.sample.count != truth.count)
      fail_msg("seed %" PRIu64 ": %s", seed, text_get(&parsed.message));
    for (size_t i = 0; i < truth.count; i++)
      if (parsed.sample.bins[i].upper_ns < truth.bins[i].upper_ns ||
          parsed.sample.bins[i].upper_ns > truth.bins[i].upper_ns + 1000 ||
          parsed.sample.bins[i].lower_ns > truth.bins[i].lower_ns ||
          parsed.sample.bins[i].count != truth.bins[i].count)
        fail_msg("seed %" PRIu64 ": bin %zu ends at %" PRIu64, seed, i,
                 parsed.sample.bins[i].upper_ns);
    parsed_clear(&parsed);
    sample_clear(&truth);
    text_clear(&table);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_tables),
      cmocka_unit_test(tables_with_commas),
      cmocka_unit_test(margin_follows_the_decimals_in_use),
      cmocka_unit_test(lower_edges),
      cmocka_unit_test(bad_tables),
      cmocka_unit_test(unit_is_asked_for),
      cmocka_unit_test(damage),
      cmocka_unit_test(random_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
