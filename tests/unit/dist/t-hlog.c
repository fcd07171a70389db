/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Logs of random values read back, logs written by hand, and logs that are damaged.
 */
#include "tests/unit/dist/hlog_writer.h"
#include "tests/unit/sampled.h"

static void put_legend(struct text *log) {
  text_append(log, "#[Histogram log format version 1.3]\n#[StartTime: 1.5 (seconds since epoch)]\n"
                   "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                   "\"Interval_Compressed_Histogram\"\n");
}

static void check_random(uint64_t seed) {
  static const uint64_t lows[] = {1, 1, 1000, 3, 1024};
  static const char *const units[] = {"ns", "ns", "us"};
  uint64_t state = seed, scale = seed % 3 == 2 ? 1000 : 1;
  struct sample expected;
  struct text log;
  sample_init(&expected);
  text_init(&log);
  put_legend(&log);
  for (size_t interval = 0; interval < 1 + seed % 3; interval++) {
    struct histogram histogram;
    uint64_t highest = UINT64_C(3600000000) << seed % 18;
    histogram_init(&histogram, lows[seed % 5], highest, seed % 5 == 3 ? seed % 4 : 3);
    for (size_t i = 0; i < 300; i++) {
      uint64_t value = (random_next(&state) >> (1 + random_next(&state) % 62)) % (highest + 1);
      uint64_t count = 1 + (random_next(&state) >> (10 + random_next(&state) % 54));
      uint64_t lower, edge;
      size_t index;
      histogram_record(&histogram, value, count);
      find_bucket(&histogram, value, &index, &lower, &edge);
      assert_true(lower <= value && edge > value);
      if (edge > highest)
        assert_true(sample_add_beyond(&expected, count));
      else if (edge * scale / scale == edge && edge * scale <= SAMPLE_NS_MAX)
        assert_true(sample_add_range(&expected, lower * scale, edge * scale, count));
      else
        fail_msg("seed %" PRIu64 ": the test's range is too large", seed);
    }
    put_histogram(&log, seed % 2 ? "Tag=A," : "", &histogram);
    mem_free(histogram.counts);
  }
  sample_finish(&expected);
  struct parsed parsed = parse_bytes(FORMAT_HLOG, log.data, log.length, units[seed % 3]);
  if (parsed.status != STATUS_OK)
    fail_msg("seed %" PRIu64 ": %s", seed, text_get(&parsed.message));
  bool same =
      parsed.sample.count == expected.count && parsed.sample.beyond == expected.beyond &&
      memcmp(parsed.sample.bins, expected.bins, expected.count * sizeof *expected.bins) == 0;
  if (!same)
    fail_msg("seed %" PRIu64 ": %zu bins, %zu expected", seed, parsed.sample.count, expected.count);
  parsed_clear(&parsed);
  sample_clear(&expected);
  text_clear(&log);
}

static void random_logs(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 60; seed++)
    check_random(seed);
}

/* Edges by hand: three digits, so 2048 buckets of one unit, then 1024 of two, of four, ... */
static void buckets_by_hand(void **unused) {
  (void)unused;
  struct histogram histogram;
  struct text log;
  histogram_init(&histogram, 1, 3600000000, 3);
  text_init(&log);
  histogram.counts[0] = 1;     /* [0, 1) */
  histogram.counts[2047] = 2;  /* [2047, 2048) */
  histogram.counts[2048] = 3;  /* [2048, 2050) */
  histogram.counts[3071] = 4;  /* [4094, 4096) */
  histogram.counts[3072] = 5;  /* [4096, 4100) */
  histogram.counts[23255] = 6; /* [3598712832, 3600809984) holds the highest value */
  histogram.used = 23256;
  put_histogram(&log, "", &histogram);
  assert_parses(FORMAT_HLOG, log.data, "ns", "1:1 2048:2 2050:3 4096:4 4100:5 +6", 2);
  assert_parses(FORMAT_HLOG, log.data, "s",
                "1000000000:1 2048000000000:2 2050000000000:3 4096000000000:4 4100000000000:5 +6",
                2);
  histogram.lowest = 1000; /* in units of 512 */
  log.length = 0;
  histogram.counts[23255] = 0;
  histogram.used = 3073;
  put_histogram(&log, "", &histogram);
  assert_parses(FORMAT_HLOG, log.data, "ns", "512:1 1048576:2 1049600:3 2097152:4 2099200:5 +0", 1);
  text_clear(&log);
  mem_free(histogram.counts);
}

/* A histogram that resizes itself says "1 to 2" until its first counters overflow. */
static void growing_histogram(void **unused) {
  (void)unused;
  struct histogram histogram;
  struct text log;
  histogram_init(&histogram, 1, 2, 3);
  text_init(&log);
  histogram_record(&histogram, 1500, 7);
  put_histogram(&log, "", &histogram);
  assert_parses(FORMAT_HLOG, log.data, "ns", "1501:7 +0", 1);
  text_clear(&log);
  mem_free(histogram.counts);
}

static void expect_bad(const char *log, const char *expected) {
  assert_message(FORMAT_HLOG, log, strlen(log), "us", expected);
}

static void intervals_and_tags(void **unused) {
  (void)unused;
  struct histogram histogram;
  struct text log;
  histogram_init(&histogram, 1, 1000000, 2);
  text_init(&log);
  put_legend(&log);
  histogram_record(&histogram, 5, 1);
  put_histogram(&log, "", &histogram);
  put_histogram(&log, "Tag=reads,", &histogram);
  text_append(&log, "\r\n# done\n");
  expect_bad(log.data, "f:5:1: 2 kinds of requests: {tag=\"\"}, {tag=\"reads\"}; choose one: "
                       "--select 'NAME={tag=\"\"}', or all of them: --select 'NAME={}'");
  struct parsed parsed = parse_selected(FORMAT_HLOG, log.data, "ns", "{}");
  assert_sample(&parsed.sample, "6:2 +0");
  assert_int_equal(parsed.notes.count, 3);
  assert_string_equal(parsed.notes.lines[0],
                      "f: 2 of 2 requests are chosen by --select {}; several kinds of them are "
                      "taken as one measurement");
  assert_string_equal(parsed.notes.lines[2],
                      "f: all 2 intervals that are chosen are taken as one measurement");
  parsed_clear(&parsed);
  text_clear(&log);
  mem_free(histogram.counts);
}

/* Written by hdr-histogram-js 3.0.1: one log of a histogram that resizes itself, one of the range 1
 * to 3600000000 with its highest value in it. */
static const char javascript[] =
    "#[Logged with hdr-histogram-js 3.0.1]\n#[Histogram log format version 1.3]\n"
    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
    "1700000000.000,1.000,123.456,HISTFAAAADR4nJNpmSzMwMAgxMDAwMjAwMDMAAGMEPL/fxj/MzPTTW6Ws/xM0UxM"
    "B4WZTnsxAQC4DQho\n";
static const char javascript_range[] =
    "1700000000.000,1.000,3600000.000,HISTFAAAADp4nJNpmSzMwMAgxsDAwMjAwMDMAAEgNsO1yUsYYPzPzEw3uVnO"
    "8jNFMzEdFGY67cV0+Q0jEwDlmgo8\n";

/* It recorded 250, 1000 twice, 2000, 2047, 2048, 5000 and 123456, in us, say. */
static void logs_of_javascript(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_HLOG, javascript, "us",
                "250000-251000:1 1000000-1001000:2 2000000-2001000:1 2047000-2048000:1 "
                "2048000-2050000:1 5000000-5004000:1 123456000-123520000:1 +0");
  assert_noted(
      FORMAT_HLOG, javascript, "us",
      "nothing was shifted: the normalizing index offset 1 is what hdr-histogram-js always "
      "writes");
  assert_ranges(FORMAT_HLOG, javascript_range, "ns",
                "250-251:1 1000-1001:2 2000-2001:1 2047-2048:1 2048-2050:1 5000-5004:1 "
                "123456-123520:1 +1");
  struct histogram histogram;
  struct text log;
  histogram_init(&histogram, 1, 1000000, 3);
  text_init(&log);
  histogram_record(&histogram, 1500, 7);
  histogram.offset = 1; /* with the ratio 1.0: another recorder's shift */
  put_histogram(&log, "", &histogram);
  expect_bad(log.data, "f:1:19: the histogram's values were shifted (normalizing index offset 1), "
                       "which recorders encode in different ways; write the log unshifted");
  log.length = 0;
  histogram.offset = 1024;
  histogram.ratio = 1;
  put_histogram(&log, "", &histogram);
  expect_bad(log.data, "f:1:19: the histogram's values were shifted (normalizing index offset "
                       "1024), which recorders encode in different ways; write the log unshifted");
  text_clear(&log);
  mem_free(histogram.counts);
}

static void unit_is_asked_for(void **unused) {
  (void)unused;
  assert_message(
      FORMAT_HLOG, javascript, strlen(javascript), NULL,
      "f:1:1: a HdrHistogram log states no unit, and ns, us and ms are all in use; state "
      "the one it was recorded in: --unit NAME=us");
  assert_unit(FORMAT_HLOG, javascript, "us", "us");
}

/* The number of observations is what confidence rests on. */
static void an_interval_counts_once(void **unused) {
  (void)unused;
  struct histogram histogram;
  struct text log;
  histogram_init(&histogram, 1, 1000000, 2);
  text_init(&log);
  put_histogram(&log, "", &histogram); /* two without observations are harmless */
  put_histogram(&log, "", &histogram);
  histogram_record(&histogram, 5, 1);
  put_histogram(&log, "Tag=a,", &histogram);
  histogram_record(&histogram, 7, 1);
  put_histogram(&log, "Tag=a,", &histogram);
  histogram.counts[5] = 0;
  histogram.counts[7] = 0;
  histogram_record(&histogram, 5, 1);
  assert_parses(FORMAT_HLOG, log.data, "ns", "6:2 8:1 +0", 2);
  put_histogram(&log, "Tag=b,", &histogram); /* another tag: another measurement */
  parsed_has(parse_selected(FORMAT_HLOG, log.data, "ns", "b"), "5-6:1 +0");
  put_histogram(&log, "Tag=b,", &histogram);
  parsed_has(parse_selected(FORMAT_HLOG, log.data, "ns", "a"), "5-6:2 7-8:1 +0");
  assert_selection_fails(
      FORMAT_HLOG, log.data, "ns", "b",
      "f:6:1: this interval stands in the log a second time, and its observations "
      "would count twice; keep each line once");
  text_clear(&log);
  mem_free(histogram.counts);
}

static void bad_lines(void **unused) {
  (void)unused;
  expect_bad("", "f:1:1: the log holds 0 intervals and no observation; at least one is needed");
  expect_bad("#[a]\n1,2", "f:2:4: the line ends before the interval's histogram: it is truncated");
  expect_bad("1,2,3,", "f:1:7: the histogram has 0 bytes where at least 8 are expected: it is "
                       "truncated");
  expect_bad("1,x,3,HISTFAAA", "f:1:3: found \"x\", where an interval's start, length and maximum "
                               "(three numbers) and its histogram are expected");
  expect_bad("1,2,3,HISTFA?A", "f:1:13: found \"?A\", which does not belong to base64; the log is "
                               "damaged");
  expect_bad("1,2,3,HISTF", "f:1:7: the base64 has 5 characters, not a multiple of 4: the line is "
                            "truncated");
}

struct damage {
  uint64_t lowest, highest, digits, offset, ratio, cookie, outer_cookie;
  const char *payload;
  size_t payload_length;
  const char *expected;
};

#define ONE UINT64_C(0x3ff0000000000000)

static const struct damage damages[] = {
    {1, 1000, 3, 0, ONE, 0x1c849303, 0x1c849302, "\x02", 1,
     "the histogram is in encoding V0 or V1 and only V2 is read; write the log anew with "
     "HdrHistogram 2.1 or later"},
    {1, 1000, 3, 0, ONE, 0x1c849301, 0x1c849304, "\x02", 1,
     "the histogram is in encoding V0 or V1 and only V2 is read; write the log anew with "
     "HdrHistogram 2.1 or later"},
    {1, 1000, 3, 0, ONE, 0x1c849303, 0x0c72124f, "\x02", 1,
     "the histogram is a DoubleHistogram, whose values have no fixed unit; record into a "
     "Histogram of integers"},
    {1, 1000, 3, 0, ONE, 0xdeadbeef, 0x1c849304, "\x02", 1,
     "the payload starts with 0xdeadbeef, which is no HdrHistogram; the log is damaged"},
    {1, 1000, 3, UINT32_MAX, ONE, 0x1c849303, 0x1c849304, "\x02", 1,
     "the histogram's values were shifted (normalizing index offset -1), which recorders encode "
     "in different ways; write the log unshifted"},
    {1, 1000, 3, 0, ONE + 1, 0x1c849303, 0x1c849304, "\x02", 1,
     "the histogram states a conversion ratio other than 1; record in whole nanoseconds and "
     "write the log without one"},
    {1, 1000, 6, 0, ONE, 0x1c849303, 0x1c849304, "\x02", 1,
     "the range 1 to 1000 with 6 digits is none of a histogram; the log is damaged"},
    {0, 1000, 3, 0, ONE, 0x1c849303, 0x1c849304, "\x02", 1,
     "the range 0 to 1000 with 3 digits is none of a histogram; the log is damaged"},
    {600, 1000, 3, 0, ONE, 0x1c849303, 0x1c849304, "\x02", 1,
     "the range 600 to 1000 with 3 digits is none of a histogram; the log is damaged"},
    {1, UINT64_MAX, 3, 0, ONE, 0x1c849303, 0x1c849304, "\x02", 1,
     "the range 1 to 18446744073709551615 with 3 digits is none of a histogram; the log is "
     "damaged"},
    {1, 1000, 0, 0, ONE, 0x1c849303, 0x1c849304, "\x02\x80", 2,
     "the last counter is cut off; the log is damaged"},
    {1, 10, 0, 0, ONE, 0x1c849303, 0x1c849304, "\x0b\x02", 2,
     "there are more counters than the 5 of the histogram's range; the log is damaged"},
    {1, 10, 0, 0, ONE, 0x1c849303, 0x1c849304, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9,
     "there are more counters than the 5 of the histogram's range; the log is damaged"},
    {1, 10, 0, 0, ONE, 0x1c849303, 0x1c849304,
     "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
     "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
     "\x00\x00\x00\x00\x00\x00",
     46, "the payload of 46 bytes is longer than its 5 counters; the log is damaged"},
    {1, 1000, 3, 0, ONE, 0x1c849303, 0x1c849304, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10,
     "the counts up to here add up to more than 2^63-1; the file is damaged"},
};

static void bad_histograms(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    const struct damage *c = &damages[i];
    struct histogram histogram = {c->lowest, c->highest,      c->digits, c->offset, c->ratio,
                                  c->cookie, c->outer_cookie, NULL,      0};
    struct text plain, payload, log, expected;
    text_init(&plain);
    text_init(&payload);
    text_init(&log);
    text_init(&expected);
    text_append_bytes(&payload, c->payload, c->payload_length);
    put_plain(&plain, &histogram, &payload);
    put_interval(&log, "", c->outer_cookie, &plain);
    text_format(&expected, "f:1:19: %s", c->expected);
    expect_bad(log.data, text_get(&expected));
    text_clear(&plain);
    text_clear(&payload);
    text_clear(&log);
    text_clear(&expected);
  }
}

/* A megabyte of zeros behind a small header must be refused, not unpacked. */
static void compressed_bomb(void **unused) {
  (void)unused;
  struct histogram histogram;
  histogram_init(&histogram, 1, 1000, 0);
  struct text plain, payload, log;
  text_init(&plain);
  text_init(&payload);
  text_init(&log);
  text_append_bytes(&payload, "\x02", 1);
  put_plain(&plain, &histogram, &payload);
  for (size_t i = 0; i < 1 << 20; i++)
    text_append_bytes(&plain, "", 1);
  put_interval(&log, "", 0x1c849304, &plain);
  expect_bad(log.data, "f:1:19: the compressed histogram is damaged or cut off; write or copy the "
                       "log again");
  text_clear(&plain);
  text_clear(&payload);
  text_clear(&log);
  mem_free(histogram.counts);
}

/* Random headers and counters under a right checksum, which damage to a log's bytes never has. */
static void random_payloads(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 20000 / sampled_step(); seed++) {
    uint64_t state = seed;
    struct histogram histogram = {.lowest = 1 + (random_next(&state) >> (random_next(&state) % 64)),
                                  .highest = random_next(&state) >> random_next(&state) % 64,
                                  .digits = random_next(&state) % 7,
                                  .ratio = UINT64_C(0x3ff0000000000000),
                                  .cookie = 0x1c849303};
    if (seed % 3 != 0)
      histogram.lowest = 1 + seed % 5;
    struct text plain, payload, log;
    text_init(&plain);
    text_init(&payload);
    text_init(&log);
    for (size_t i = random_next(&state) % 12; i-- != 0;)
      put_number(&payload, (int64_t)random_next(&state) >> random_next(&state) % 64);
    payload.length -= payload.length != 0 && seed % 11 == 0;
    put_plain(&plain, &histogram, &payload);
    put_interval(&log, "", 0x1c849304, &plain);
    struct parsed parsed = parse_bytes(FORMAT_HLOG, log.data, log.length, seed % 2 ? "us" : "ns");
    parsed_check(&parsed, log.data, log.length);
    parsed_clear(&parsed);
    text_clear(&plain);
    text_clear(&payload);
    text_clear(&log);
  }
}

static void damage(void **unused) {
  (void)unused;
  struct histogram histogram;
  struct text log;
  histogram_init(&histogram, 1, 1000000, 1);
  text_init(&log);
  put_legend(&log);
  histogram_record(&histogram, 5, 1);
  histogram_record(&histogram, 50000, 1000);
  histogram_record(&histogram, 1000000, 3);
  put_histogram(&log, "", &histogram);
  histogram_record(&histogram, 6, 1);
  put_histogram(&log, "", &histogram);
  /* Whole only at the end of either interval (with or without its newline), or before the next
   * line begins. */
  assert_int_equal(parse_prefixes(FORMAT_HLOG, log.data, log.length), 4);
  parse_damaged(FORMAT_HLOG, log.data, log.length);
  text_clear(&log);
  mem_free(histogram.counts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_logs),       cmocka_unit_test(buckets_by_hand),
      cmocka_unit_test(growing_histogram), cmocka_unit_test(intervals_and_tags),
      cmocka_unit_test(bad_lines),         cmocka_unit_test(logs_of_javascript),
      cmocka_unit_test(unit_is_asked_for), cmocka_unit_test(an_interval_counts_once),
      cmocka_unit_test(bad_histograms),    cmocka_unit_test(compressed_bomb),
      cmocka_unit_test(random_payloads),   cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
