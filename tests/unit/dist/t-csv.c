/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/dist/parse.h"

static void ok(const char *bytes, const char *unit, const char *expected, size_t notes) {
  assert_parses(FORMAT_CSV, bytes, unit, expected, notes);
}

static void bad(const char *bytes, const char *unit, const char *expected) {
  assert_message(FORMAT_CSV, bytes, strlen(bytes), unit, expected);
}

static void units_are_exact(void **unused) {
  (void)unused;
  ok("latency_ns\n3\n1\n3\n", NULL, "1:1 3:2 +0", 0);
  ok("latency_us\n1.5\n0.0001\n", NULL, "1:1 1500:1 +0", 0);
  ok("a_ms\n7\n", NULL, "7000000:1 +0", 1);
  ok("a_s\n1e-9\n2\n1.0000000000000000000000000001\n", NULL, "1:1 1000000001:1 2000000000:1 +0", 0);
  ok("ms\n12\n", NULL, "12000000:1 +0", 1);
  ok("x\n12\n", "us", "12000:1 +0", 1);
  ok("x_us\n12\n", "us", "12000:1 +0", 1);
  ok("x_\u00B5s\n12\n", "us", "12000:1 +0", 1); /* the sign, and the Greek letter */
  ok("x_\u03BCs\n12\n", "\u00B5s", "12000:1 +0", 1);
  ok("x_ns\n0\n+4\n4.\n.5\n1.5E+3\n100e-2\n0e99999999999\n", NULL, "0:2 1:2 4:2 1500:1 +0", 0);
  ok("x_s\n9223372036.854775807\n", NULL, "9223372036854775807:1 +0", 0);
  ok("x_ns\n9223372036854775807\n9223372036854775806.01\n", NULL, "9223372036854775807:2 +0", 0);
}

/* Every decimal of up to 12 digits against plain integer arithmetic. */
static void random_decimals(void **unused) {
  (void)unused;
  static const char *const units[] = {"x_ns", "x_us", "x_ms", "x_s"};
  uint64_t state = 20;
  for (size_t i = 0; i < 20000 / sampled_step(); i++) {
    uint64_t before = state, tens = 1, scale = 1;
    uint64_t digits = random_next(&state) % 1000000000000;
    unsigned places = (unsigned)(random_next(&state) % 12), unit = (unsigned)(state >> 20) % 4;
    for (unsigned k = 0; k < places; k++)
      tens *= 10;
    for (unsigned k = 0; k < unit; k++)
      scale *= 1000;
    unsigned __int128 exact = (unsigned __int128)digits * scale;
    uint64_t expected = (uint64_t)((exact + tens - 1) / tens);
    bool fits = (exact + tens - 1) / tens <= SAMPLE_NS_MAX;
    char row[100];
    if (i % 2 == 0)
      snprintf(row, sizeof row, "%s\n%" PRIu64 ".%0*" PRIu64 "\n", units[unit], digits / tens,
               (int)places, places == 0 ? 0 : digits % tens);
    else
      snprintf(row, sizeof row, "%s\n%" PRIu64 "e-%u\n", units[unit], digits, places);
    if (i % 2 == 0 && places == 0)
      continue;
    struct parsed parsed = parse_bytes(FORMAT_CSV, row, strlen(row), NULL);
    parsed_check(&parsed, row, strlen(row));
    if (fits != (parsed.status == STATUS_OK) ||
        (fits && (parsed.sample.bins[0].upper_ns != expected ||
                  parsed.sample.bins[0].lower_ns != (uint64_t)(exact / tens))))
      fail_msg("state %" PRIu64 ": %s", before, row);
    parsed_clear(&parsed);
  }
}

static void round_trips_are_halved_upward(void **unused) {
  (void)unused;
  ok("rtt_ns\n3\n4\n0\n", NULL, "0:1 2:2 +0", 1);
  ok("src,dst,rtt_us\na,b,0.0019\n", NULL, "1:1 +0", 1);
  ok("RTT_ns\n9223372036854775807\n", NULL, "4611686018427387904:1 +0", 1);
  struct parsed parsed = parse_bytes(FORMAT_CSV, "rtt_ns\n3\n", 9, NULL);
  assert_string_equal(parsed.notes.lines[0],
                      "f: the delay is taken as half a measured round trip, rounded up (assumes "
                      "symmetric links)");
  parsed_clear(&parsed);
}

/* tcp_info's rttvar is no round trip, whatever it begins with. */
static void only_rtt_is_a_round_trip(void **unused) {
  (void)unused;
  ok("rtt\n3\n", "ns", "2:1 +0", 1);
  ok("rtt2_ns\n3\n", NULL, "2:1 +0", 1);
  bad("rttvar_us\n3\n", NULL,
      "f:1:1: found \"rttvar_us\", a name that only begins as a round trip's; call the column "
      "rtt_us if half of each value is the delay, latency_us if all of it is");
}

/* A time stamp is no latency, and its column is easily the only one with a unit. */
static void time_stamps_are_refused(void **unused) {
  (void)unused;
  static const char *const when[] = {"timestamp_ms",  "start_s",      "Start_Time_ms", "time_us",
                                     "requestEnd_ns", "epoch-ns_us",  "unix_time_s",   "date_s",
                                     "created_at_ms", "timeStamp_ms", "ts_ns"};
  for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
    char bytes[100], expected[300];
    const char *unit = strrchr(when[i], '_') + 1;
    snprintf(bytes, sizeof bytes, "node,%s\na,5\n", when[i]);
    snprintf(expected, sizeof expected,
             "f:1:6: found \"%s\", a name that says when something was, not how long it took; call "
             "the column latency_%s if it holds times that were taken, or confirm its unit with "
             "--unit NAME=%s",
             when[i], unit, unit);
    bad(bytes, NULL, expected);
    assert_unit(FORMAT_CSV, bytes, unit, unit);
  }
  static const char *const how_long[] = {
      "response_time_ms", "end_to_end_us",      "start_delay_ns",    "time_to_send_us",
      "startup_ms",       "timeout_s",          "timeSinceStart_ms", "ms",
      "cpu_time_us",      "elapsed_at_server_s"};
  for (size_t i = 0; i < sizeof how_long / sizeof *how_long; i++) {
    char bytes[100];
    const char *unit = strrchr(how_long[i], '_');
    snprintf(bytes, sizeof bytes, "node,%s\na,5\n", how_long[i]);
    assert_unit(FORMAT_CSV, bytes, NULL, unit == NULL ? how_long[i] : unit + 1);
  }
}

static void lower_edges_and_series(void **unused) {
  (void)unused;
  assert_ranges(FORMAT_CSV, "x_us\n1.5\n0.0001\n2.0001\n", NULL,
                "0-1:1 1500-1500:1 2000-2001:1 +0");
  assert_ranges(FORMAT_CSV, "rtt_ns\n3\n4\n0\n4.5\n", NULL, "0-0:1 1-2:2 2-3:1 +0");
  assert_series(FORMAT_CSV, "x_us\n2\ntimeout\n1\n", "2000 inf 1000");
  assert_series(FORMAT_CSV, "rtt_ns\n7\n2\n", "4 1");
  assert_noted(FORMAT_CSV, "x_ns\n12", NULL, "the last line has no end");
}

static void layouts(void **unused) {
  (void)unused;
  ok("x_ns\r\n1\r\n2\r\n", NULL, "1:1 2:1 +0", 0);
  ok("x_ns\n1\n2", NULL, "1:1 2:1 +0", 1);
  ok("x_ns\r\n1\r", NULL, "1:1 +0", 1);
  ok("\xef\xbb\xbfx_ns\n1\n", NULL, "1:1 +0", 0);
  ok("\n \nx_ns\n\n  1\t\n\n\n2\n \n", NULL, "1:1 2:1 +0", 0);
  ok("\"x_ns\"\n\"1\"\n 2 \n", NULL, "1:1 2:1 +0", 0);
  ok("node, \"x_ns\",note\n1,2,\"a, \"\"b\"\"\"\n,3,\n", NULL, "2:1 3:1 +0", 0);
  ok("x_ns\ninf\nTimeout\n+INF\ninfinity\n5\n", NULL, "5:1 +4", 1);
  ok("x_ns\ntimeout\n", NULL, "+1", 1);
}

static void bad_headers(void **unused) {
  (void)unused;
  bad("", NULL,
      "f:1:1: the file is empty; its first line names the value and its unit, such as "
      "latency_ns, and one value a line follows");
  bad(" \n\n", NULL,
      "f:1:1: the file is empty; its first line names the value and its unit, such "
      "as latency_ns, and one value a line follows");
  bad("12\n13\n", NULL,
      "f:1:1: found \"12\", where a header is expected; add a first line that "
      "names the value and its unit, such as latency_ns");
  bad("12\n13\n", "us",
      "f:1:1: found \"12\", where a header is expected; add a first line that "
      "names the value and its unit, such as latency_ns");
  bad("latency\n13\n", NULL,
      "f:1:1: found \"latency\", a header that names no unit; end the name of the value column in "
      "_ns, _us, _ms or _s, such as latency_ns");
  bad("a,b\n1,2\n", "us",
      "f:1:1: found \"a,b\", a header that names no unit; end the name of the value column in "
      "_ns, _us, _ms or _s, such as latency_ns");
  bad("\na_ns,b_us\n1,2\n", NULL,
      "f:2:6: found \"b_us\", a second column with a unit, beside "
      "\"a_ns\"; keep one value column to a file");
  bad("a_ns\n1\n", "us",
      "f:1:1: found \"a_ns\", but the unit is stated to be us on the command "
      "line; correct the one that is wrong");
  bad("a_ns\n", NULL,
      "f:2:1: the file has a header and no rows; at least one observation is needed");
  bad("a_ns", NULL, "f:1:5: the file has a header and no rows; at least one observation is needed");
  bad("\"a_ns\n1\n", NULL, "f:1:1: a quote is opened and not closed on this line; close it");
}

static void bad_rows(void **unused) {
  (void)unused;
  bad("a_ns\n1\nabc\n", NULL,
      "f:3:1: found \"abc\", where a number is expected, such as 1250 or 12.5");
  bad("a_us\n1\n2.5ms\n", NULL,
      "f:3:1: found \"2.5ms\", a number with a unit; all values are in us, as the header says: "
      "convert this one and write the number alone");
  bad("a_us\n1\n  3 \xc2\xb5s\n", NULL,
      "f:3:3: found \"3 \\xc2\\xb5s\", a number with a unit; all values are in us, as the header "
      "says: convert this one and write the number alone");
  bad("a_ns\n1\n  -3\n", NULL,
      "f:3:3: found \"-3\", a negative time; correct the clock it came "
      "from, or leave the row out with a reason");
  bad("a_ns\nNaN\n", NULL,
      "f:2:1: found \"NaN\", which is no time; write \"timeout\" for one that "
      "never came, or leave the row out with a reason");
  bad("a_ns\n9223372036854775808\n", NULL,
      "f:2:1: found \"9223372036854775808\", which is above 2^63-1 ns (292 years); is the unit of "
      "\"a_ns\" right?");
  bad("a_s\n9223372037\n", NULL,
      "f:2:1: found \"9223372037\", which is above 2^63-1 ns (292 "
      "years); is the unit of \"a_s\" right?");
  bad("a_ns\n9223372036854775807.1\n", NULL,
      "f:2:1: found \"9223372036854775807.1\", which is above 2^63-1 ns (292 years); is the unit "
      "of "
      "\"a_ns\" right?");
  bad("a_ns\n1e400\n", NULL,
      "f:2:1: found \"1e400\", which is above 2^63-1 ns (292 years); is the "
      "unit of \"a_ns\" right?");
  bad("a_ns,b\n1,2\n3\n", NULL,
      "f:3:1: the row has 1 column, the header 2; is a row cut off, or a "
      "comma meant as a decimal point?");
  bad("a_ns\n1,5\n", NULL,
      "f:2:1: the row has 2 columns, the header 1; is a row cut off, or a "
      "comma meant as a decimal point?");
  bad("a_ns,b\n,2\n", NULL,
      "f:2:1: the value is empty; write a number, or \"timeout\" for one "
      "that never came");
  bad("a_ns\n\x01\x7f\n", NULL,
      "f:2:1: found \"\\x01\\x7f\", where a number is expected, such as 1250 or 12.5");
  bad("a_ns\n\"1\n2\n", NULL, "f:2:1: a quote is opened and not closed on this line; close it");
  bad("a_ns\n\"1\"2\n", NULL,
      "f:2:1: found \"\"1\"2\", where a number is expected, such as 1250 or 12.5");
  bad("a_ns\n-inf\n", NULL,
      "f:2:1: found \"-inf\", where a number is expected, such as 1250 or 12.5");
  bad("a_ns\n1e\n", NULL, "f:2:1: found \"1e\", where a number is expected, such as 1250 or 12.5");
  bad("a_ns\n.\n", NULL, "f:2:1: found \".\", where a number is expected, such as 1250 or 12.5");
  assert_message(FORMAT_CSV, "a_ns\n1\0\n", 8, NULL,
                 "f:2:2: found a zero byte, which no text holds; is this a binary file, or text in "
                 "UTF-16? Save it as plain text");
}

static void very_long_lines(void **unused) {
  (void)unused;
  size_t length = 10u << 20;
  char *bytes = mem_alloc(length + 1, 1);
  memset(bytes, '7', length);
  memcpy(bytes, "a_ns\n", 5);
  assert_message(FORMAT_CSV, bytes, length, NULL,
                 "f:2:1: found \"77777777777777777777777777777777...\", which is above 2^63-1 ns "
                 "(292 years); is the unit of \"a_ns\" right?");
  memset(bytes + 6, '0', length - 6);
  bytes[6] = '.';
  struct parsed parsed = parse_bytes(FORMAT_CSV, bytes, length, NULL);
  assert_int_equal(parsed.status, STATUS_OK);
  assert_sample(&parsed.sample, "7:1 +0");
  parsed_clear(&parsed);
  memset(bytes, 'x', length);
  parsed = parse_bytes(FORMAT_CSV, bytes, length, NULL);
  parsed_check(&parsed, bytes, 10);
  assert_true(parsed.message.length < 300);
  parsed_clear(&parsed);
  mem_free(bytes);
}

static void damage(void **unused) {
  (void)unused;
  static const char bytes[] = "node,\"rtt_us\"\r\na,1.5\n\"b,\"\"\",inf\nc,20e1\n";
  assert_true(parse_prefixes(FORMAT_CSV, bytes, strlen(bytes)) > 3);
  parse_damaged(FORMAT_CSV, bytes, strlen(bytes));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_are_exact),
      cmocka_unit_test(random_decimals),
      cmocka_unit_test(round_trips_are_halved_upward),
      cmocka_unit_test(only_rtt_is_a_round_trip),
      cmocka_unit_test(time_stamps_are_refused),
      cmocka_unit_test(lower_edges_and_series),
      cmocka_unit_test(layouts),
      cmocka_unit_test(bad_headers),
      cmocka_unit_test(bad_rows),
      cmocka_unit_test(very_long_lines),
      cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
