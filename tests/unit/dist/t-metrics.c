/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Metrics of servers and collectors: selection, differences, the answers of a Prometheus server,
 * native and exponential histograms, OTLP and DDSketch.
 */
#include "dist/source/power.h"
#include "tests/unit/dist/parse.h"

#include <math.h>

struct asked {
  const char *bytes, *since, *unit, *select;
  uint64_t time_ms;
};

static struct parsed ask(struct asked asked) {
  struct parsed parsed = {.status = STATUS_OK};
  sample_init(&parsed.sample);
  source_notes_init(&parsed.notes);
  text_init(&parsed.message);
  const struct source_page page = {
      .name = "f", .bytes = asked.bytes, .length = strlen(asked.bytes)};
  const struct source_page since = {.name = "f",
                                    .bytes = asked.since,
                                    .length = asked.since == NULL ? 0 : strlen(asked.since),
                                    .time_ms = asked.time_ms};
  const struct source_options options = {
      .unit = asked.unit, .select = asked.select, .since = asked.since == NULL ? NULL : &since};
  parsed.status = source_read_page(&parsed.sample, &parsed.notes, &page, &options, &parsed.message);
  parsed_check(&parsed, asked.bytes, strlen(asked.bytes));
  return parsed;
}

static void gives(struct asked asked, const char *expected) {
  struct parsed parsed = ask(asked);
  if (parsed.status != STATUS_OK)
    fail_msg("%s", text_get(&parsed.message));
  parsed_has(parsed, expected);
}

static void refuses(struct asked asked, const char *words) {
  struct parsed parsed = ask(asked);
  if (parsed.status != STATUS_DATA || strstr(text_get(&parsed.message), words) == NULL)
    fail_msg("status %d, \"%s\", where \"%s\" is expected", parsed.status,
             text_get(&parsed.message), words);
  parsed_clear(&parsed);
}

#define SET(metric, labels, one, two, all)                                                         \
  metric "_bucket{" labels "le=\"+Inf\"} " all "\n" metric "_bucket{" labels "le=\"1\"} " one      \
         "\n" metric "_bucket{" labels "le=\"2\"} " two "\n"

static const char page[] = SET("a_seconds", "m=\"Put\",i=\"1\",", "1", "3", "4")
    SET("a_seconds", "m=\"Put\",i=\"2\",", "10", "30", "40")
        SET("a_seconds", "m=\"Get\",i=\"1\",", "100", "300", "400") SET("b_s", "", "7", "7", "7");

static void selection(void **unused) {
  (void)unused;
  gives((struct asked){.bytes = page, .select = "a_seconds{m=\"Get\"}"},
        "0-1000000000:100 1000000001-2000000000:200 +100");
  gives((struct asked){.bytes = page, .select = "a_seconds{ m = \"Put\" , i != \"1\" }"},
        "0-1000000000:10 1000000001-2000000000:20 +10");
  gives((struct asked){.bytes = page, .select = "a_seconds_bucket{m=\"Put\"}"},
        "0-1000000000:11 1000000001-2000000000:22 +11");
  gives((struct asked){.bytes = page, .select = "a_seconds{other=\"\"}"},
        "0-1000000000:111 1000000001-2000000000:222 +111");
  gives((struct asked){.bytes = page, .select = "b_s"}, "0-1000000000:7 +0");
  refuses((struct asked){.bytes = page, .select = "a_seconds{m=\"Del\"}"},
          "no label set of a_seconds");
  refuses((struct asked){.bytes = page, .select = "c_seconds{}"},
          "no histogram \"c_seconds\"; there is a_seconds, b_s");
  static const char many[] =
      SET("a_s", "i=\"1\",", "1", "1", "9223372036854775807") SET("a_s", "i=\"2\",", "1", "1", "1");
  refuses((struct asked){.bytes = many, .select = "a_s{}"}, "add up to more than 2^63-1");
  static const char *const wrong[] = {"", "a{", "a{m}", "a{m=Put}", "a{m=\"Put}", "a{m=\"P\"} x"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    refuses((struct asked){.bytes = page, .select = wrong[i]}, "is no choice of label sets");
}

/* Anchored, as in Prometheus; of values as they are, not as they are escaped. */
static void regular_selection(void **unused) {
  (void)unused;
  static const char put[] = "0-1000000000:11 1000000001-2000000000:22 +11";
  static const char get[] = "0-1000000000:100 1000000001-2000000000:200 +100";
  static const char *const puts[] = {"a_seconds{m=~\"P.*\"}", "a_seconds{m=~\"Del|Put\"}",
                                     "a_seconds{m!~\"[F-H]et\"}", "a_seconds{m =~ \"(P)u+t\"}"};
  for (size_t i = 0; i < sizeof puts / sizeof *puts; i++)
    gives((struct asked){.bytes = page, .select = puts[i]}, put);
  gives((struct asked){.bytes = page, .select = "a_seconds{m!~\"P.*\",i=~\"1|\"}"}, get);
  gives((struct asked){.bytes = page, .select = "a_seconds{m=\"Get\",other=~\"\"}"}, get);
  refuses((struct asked){.bytes = page, .select = "a_seconds{m=~\"u\"}"},
          "no label set of a_seconds");
  static const char dots[] =
      SET("a_s", "m=\"x.y\",", "1", "1", "1") SET("a_s", "m=\"x\\\\y\",", "2", "2", "2");
  gives((struct asked){.bytes = dots, .select = "a_s{m=~\"x\\\\.y\"}"}, "0-1000000000:1 +0");
  gives((struct asked){.bytes = dots, .select = "a_s{m=~\"x\\\\\\\\y\"}"}, "0-1000000000:2 +0");
  static const char *const wrong[] = {
      "a{m=~\"(\"}",       "a{m=~\"(?i)x\"}", "a{m=~\"x+?\"}", "a{m=~\"\\\\d\"}",
      "a{m=~\"[\\\\.]\"}", "a{m~\"x\"}",      "a{m=~x}",       "a{m=~\"\\\\\\\\(?i)\"}",
      "a{m=~\"x\\\\\"}",   "a{m=~\"a{9,1}\"}"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    refuses((struct asked){.bytes = page, .select = wrong[i]}, "is no choice of label sets");
}

static void differences(void **unused) {
  (void)unused;
  static const char one[] = SET("a_seconds", "", "1", "3", "4");
  static const char two[] = SET("a_seconds", "", "2", "9", "14");
  gives((struct asked){.bytes = two, .since = one}, "0-1000000000:1 1000000001-2000000000:5 +4");
  refuses((struct asked){.bytes = one, .since = two}, "started anew in between");
  refuses((struct asked){.bytes = two, .since = two}, "nothing was counted in between");
  refuses((struct asked){.bytes = SET("a_seconds", "i=\"1\",", "2", "9", "14"), .since = one},
          "page alone: its program was started or ended in between");
  refuses((struct asked){.bytes = two, .since = SET("b_seconds", "", "1", "3", "4")},
          "but that of the other page is a_seconds");
  refuses((struct asked){.bytes = two, .since = "<html>"}, "f:1:7: the last line has no end");
  /* the sum grew, one bucket did not: a restart that the count alone would not show */
  refuses((struct asked){.bytes = SET("a_seconds", "", "0", "9", "14"), .since = one},
          "started anew in between");
}

#define ANSWER(type, result)                                                                       \
  "{\"status\":\"success\",\"data\":{\"resultType\":\"" type "\",\"result\":[" result "]}}"
#define SERIES(le, points)                                                                         \
  "{\"metric\":{\"__name__\":\"a_seconds_bucket\",\"job\":\"x\",\"le\":\"" le "\"}," points "}"

static void answers(void **unused) {
  (void)unused;
  static const char now[] =
      ANSWER("vector", SERIES("+Inf", "\"value\":[1700000100,\"9\"]") "," SERIES(
                           "0.5", "\"value\":[1700000100,\"7\"]"));
  static const char range[] = ANSWER(
      "matrix", SERIES("0.5", "\"values\":[[1700000000,\"2\"],[1700000050,\"5\"]]") "," SERIES(
                    "+Inf", "\"values\":[[1700000000,\"3\"],[1700000050,\"6\"]]"));
  gives((struct asked){.bytes = now}, "0-500000000:7 +2");
  gives((struct asked){.bytes = range}, "0-500000000:3 +0");
  gives((struct asked){.bytes = now, .since = range, .time_ms = 1700000000000}, "0-500000000:5 +1");
  refuses((struct asked){.bytes = now, .since = range, .time_ms = 1699999999000},
          "the series begins 1.000 s after the time asked for");
  refuses(
      (struct asked){
          .bytes = ANSWER("matrix", SERIES("0.5", "\"values\":[[1,\"9\"],[2,\"1\"],[3,\"10\"]]"))},
      "found \"1\", which is less than before");
  refuses(
      (struct asked){.bytes = ANSWER("vector", "{\"metric\":{\"le\":\"1\"},\"value\":[1,\"2\"]}")},
      "a series without a name: functions such as rate()");
  refuses((struct asked){.bytes = ANSWER("vector", SERIES("1", "\"value\":[1,\"2.5\"]"))},
          "a whole number");
  refuses((struct asked){.bytes = ANSWER("vector", SERIES("1", "\"value\":[1,\"NaN\"]"))},
          "is no count");
  refuses((struct asked){.bytes = ANSWER("vector", SERIES("1", "\"value\":[1,\"2\"]"))},
          "truncated");
  refuses((struct asked){.bytes = ANSWER("vector", "")}, "found no series");
  refuses((struct asked){.bytes = ANSWER("scalar", "1,\"2\"")}, "where \"matrix\" or \"vector\"");
  refuses(
      (struct asked){
          .bytes = "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"no \\\"x\\\"\"}"},
      "the server says bad_data: no \"x\"");
  refuses((struct asked){.bytes = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\""},
          "truncated");
}

static void windows(void **unused) {
  (void)unused;
  /* "1" is written "1.0" from 2 on, and 0.5 is there from 2 on only */
  static const char anew[] = ANSWER(
      "matrix",
      SERIES("1", "\"values\":[[1,\"2\"]]") "," SERIES(
          "1.0",
          "\"values\":[[2,\"3\"],[3,\"7\"]"
          "]") "," SERIES("0.5",
                          "\"values\":[[2,\"1\"],[3,\"4\"]]") "," SERIES("2",
                                                                         "\"values\":[[1,\"4\"],[2,"
                                                                         "\"4\"],[3,"
                                                                         "\"11\"]]") "," SERIES("+I"
                                                                                                "n"
                                                                                                "f",
                                                                                                "\""
                                                                                                "va"
                                                                                                "lu"
                                                                                                "es"
                                                                                                "\""
                                                                                                ":["
                                                                                                "["
                                                                                                "1,"
                                                                                                "\""
                                                                                                "4"
                                                                                                "\""
                                                                                                "],"
                                                                                                "[2"
                                                                                                ","
                                                                                                "\""
                                                                                                "5"
                                                                                                "\""
                                                                                                "],"
                                                                                                "[3"
                                                                                                ","
                                                                                                "\""
                                                                                                "12"
                                                                                                "\""
                                                                                                "]"
                                                                                                "]"));
  gives((struct asked){.bytes = anew}, "0-1000000000:5 1000000001-2000000000:2 +1");
  refuses((struct asked){.bytes = ANSWER("matrix",
                                         SERIES("1", "\"values\":[[1,\"1\"],[2,\"1\"]]") "," SERIES(
                                             "+Inf", "\"values\":[[2,\"9\"]]"))},
          "was there for a part of the window only");
  refuses((struct asked){.bytes = ANSWER("matrix",
                                         SERIES("1", "\"values\":[[1,\"4\"],[2,\"5\"]]") "," SERIES(
                                             "+Inf", "\"values\":[[1,\"3\"],[2,\"9\"]]"))},
          "this bucket counts 3 at first, but the bucket before 4");
}

#define NATIVE(points) "{\"metric\":{\"__name__\":\"a_seconds\"}," points "}"

static void native(void **unused) {
  (void)unused;
  static const char now[] =
      ANSWER("vector", NATIVE("\"histogram\":[9,{\"count\":\"6\",\"sum\":\"2\",\"buckets\":[[3,"
                              "\"-0.001\",\"0.001\",\"1\"],[0,\"0.5\",\"1\",\"5\"]]}]"));
  static const char before[] = ANSWER(
      "matrix", NATIVE("\"histograms\":[[1,{\"count\":\"2\",\"sum\":\"2\",\"buckets\":[[0,\"0.5\","
                       "\"0.7071067811865475\",\"2\"]]}]]"));
  gives((struct asked){.bytes = now}, "0-1000001:1 499999999-1000000001:5 +0");
  /* the client has halved its resolution in between */
  gives((struct asked){.bytes = now, .since = before}, "0-1000001:1 499999999-1000000001:3 +0");
  refuses((struct asked){.bytes = ANSWER("vector",
                                         NATIVE("\"histogram\":[9,{\"count\":\"7\",\"buckets\":[[0,"
                                                "\"0.5\",\"1\",\"5\"]]}]"))},
          "but the buckets count another number");
  refuses((struct asked){.bytes = ANSWER("vector",
                                         NATIVE("\"histogram\":[9,{\"count\":\"5\",\"buckets\":[[1,"
                                                "\"-1\",\"-0.5\",\"5\"]]}]"))},
          "no negative bucket");
}

/* Against floating point, which is right to some 15 digits. */
static void powers(void **unused) {
  (void)unused;
  uint64_t lower, upper;
  power_round(&lower, &upper, power_of_two(0, 10), 0);
  assert_true(lower == 1024 && upper == 1024);
  power_round(&lower, &upper, power_of_two(3, -8), 9);
  assert_true(lower == 500000000 && upper == 500000000);
  power_round(&lower, &upper, power_of_two(-2, 40), 9);
  assert_true(lower == UINT64_MAX && upper == UINT64_MAX);
  power_round(&lower, &upper, power_of_two(20, -1000000000), 9);
  assert_true(lower == 0 && upper == 1);
  uint64_t state = 7;
  struct power gamma;
  assert_true(power_read(&gamma, (struct slice){"1.02", 4}));
  for (size_t i = 0; i < 2000; i++) {
    int scale = (int)(random_next(&state) % 31) - 10;
    int64_t index = (int64_t)floor(ldexp((double)(random_next(&state) % 60000) / 1000 - 30, scale));
    double exact = 1e9 * exp2(ldexp((double)index, -scale));
    power_round(&lower, &upper, power_of_two(scale, index), 9);
    assert_true((double)lower <= exact * (1 + 1e-13) && (double)lower >= exact * (1 - 1e-13) - 1);
    assert_true((double)upper >= exact * (1 - 1e-13) && (double)upper <= exact * (1 + 1e-13) + 1);
    index = (int64_t)(random_next(&state) % 2000) - 1000;
    exact = 1e9 * pow(1.02, (double)index);
    power_round(&lower, &upper, power_raise(gamma, index), 9);
    assert_true((double)lower <= exact * (1 + 1e-12) && (double)lower >= exact * (1 - 1e-12) - 1);
    assert_true((double)upper >= exact * (1 - 1e-12) && (double)upper <= exact * (1 + 1e-12) + 1);
  }
}

#define OTLP(metric)                                                                               \
  "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":\"host\",\"value\":{"             \
  "\"stringValue\":\"h\"}}]},\"scopeMetrics\":[{\"metrics\":[" metric "]}]}]}"
#define HISTOGRAM(temporality, points)                                                             \
  "{\"name\":\"rpc.duration\",\"unit\":\"ms\",\"histogram\":{"                                     \
  "\"aggregationTemporality\":" temporality ",\"dataPoints\":[" points "]}}"
#define POINT(start, end, one, two, all)                                                           \
  "{\"startTimeUnixNano\":\"" start "\",\"timeUnixNano\":\"" end "\",\"count\":\"" all             \
  "\",\"explicitBounds\":[5],\"bucketCounts\":[\"" one "\"," two "]}"

#define MOST(one, two, all, most)                                                                  \
  "{\"count\":\"" all "\",\"explicitBounds\":[5],\"bucketCounts\":[\"" one "\"," two               \
  "],\"max\":" most "}"

static void otlp(void **unused) {
  (void)unused;
  gives((struct asked){.bytes = OTLP(HISTOGRAM("2", POINT("1", "2", "3", "4", "7")))},
        "0-5000000:3 +4");
  gives((struct asked){.bytes = OTLP(HISTOGRAM("2", POINT("1", "2", "3", "4", "7"))) "\n" OTLP(
                           HISTOGRAM("2", POINT("1", "9", "5", "4", "9"))) "\n"},
        "0-5000000:5 +4");
  gives((struct asked){.bytes = OTLP(HISTOGRAM("1", POINT("1", "2", "3", "4", "7"))) "\n" OTLP(
                           HISTOGRAM("1", POINT("2", "3", "5", "4", "9"))) "\n"},
        "0-5000000:8 +8");
  /* the greatest ends the last bucket */
  gives((struct asked){.bytes = OTLP(HISTOGRAM("2", MOST("3", "4", "7", "9.5")))},
        "0-5000000:3 5000001-9500000:4 +0");
  gives((struct asked){.bytes = OTLP(HISTOGRAM("2", MOST("3", "0", "3", "4")))}, "0-5000000:3 +0");
  gives((struct asked){.bytes = OTLP(HISTOGRAM("2", MOST("3", "4", "7", "\"NaN\"")))},
        "0-5000000:3 +4");
  refuses((struct asked){.bytes = OTLP(HISTOGRAM("2", MOST("3", "4", "7", "4")))},
          "a greatest value that is in the last bucket");
  refuses((struct asked){.bytes = OTLP(HISTOGRAM("2", POINT("1", "2", "3", "4", "7") "," POINT(
                                                          "5", "6", "1", "1", "2")))},
          "started anew in between");
  refuses((struct asked){.bytes = OTLP(HISTOGRAM("2", POINT("1", "2", "3", "4", "8")))},
          "\"count\" is 8, but the buckets count 7");
  refuses((struct asked){.bytes = OTLP("{\"name\":\"x\",\"gauge\":{}}")}, "no histogram");
  /* scale 0, index 0: above 1 s, at most 2 s */
  gives(
      (struct asked){
          .bytes = OTLP(
              "{\"name\":\"rpc\",\"unit\":\"s\",\"exponentialHistogram\":{\"dataPoints\":[{"
              "\"count\":"
              "\"6\",\"zeroCount\":\"1\",\"scale\":0,\"positive\":{\"offset\":0,\"bucketCounts\":["
              "\"2\","
              "3]}}]}}")},
      "0-1:1 999999999-2000000001:2 1999999999-4000000001:3 +0");
  refuses((struct asked){.bytes = OTLP(
                             "{\"name\":\"rpc\",\"unit\":\"s\",\"exponentialHistogram\":{"
                             "\"dataPoints\":[{\"count\":\"1\",\"negative\":{\"bucketCounts\":[1]}"
                             "}]}}")},
          "no negative value");
}

/* 2 ms, 3 times, by either rounding of the index: within the bracket and its neighbours. */
static void ddsketch(void **unused) {
  (void)unused;
  char sketch[400];
  for (int up = 0; up < 2; up++) {
    double index = log(2) / log(1.02);
    snprintf(sketch, sizeof sketch,
             "{\"mapping\":{\"gamma\":1.02,\"indexOffset\":0,\"interpolation\":\"NONE\"},"
             "\"positiveValues\":{\"binCounts\":{\"0\":1,\"%d\":3.0}},\"zeroCount\":2}",
             (int)(up ? ceil(index) : floor(index)));
    struct parsed parsed = ask((struct asked){.bytes = sketch, .unit = "ms"});
    assert_int_equal(parsed.status, STATUS_OK);
    assert_int_equal(parsed.sample.total, 6);
    const struct sample_bin *bin = &parsed.sample.bins[parsed.sample.count - 1];
    assert_true(bin->count == 3 && bin->lower_ns <= 2000000 && bin->upper_ns >= 2000000);
    assert_true(bin->lower_ns >= 1900000 && bin->upper_ns <= 2100000);
    parsed_clear(&parsed);
  }
  refuses((struct asked){.bytes = sketch}, "a DDSketch states no unit");
  refuses((struct asked){.bytes = "{\"mapping\":{\"gamma\":1.02,\"interpolation\":\"CUBIC\"}}",
                         .unit = "s"},
          "found \"CUBIC\"");
  refuses((struct asked){.bytes = "{\"mapping\":{\"gamma\":0.5}}", .unit = "s"}, "a gamma above 1");
  refuses(
      (struct asked){
          .bytes = "{\"mapping\":{\"gamma\":1.5},\"positiveValues\":{\"binCounts\":{\"0\":1.5}}}",
          .unit = "s"},
      "a whole number");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(selection),   cmocka_unit_test(regular_selection),
      cmocka_unit_test(differences), cmocka_unit_test(answers),
      cmocka_unit_test(windows),     cmocka_unit_test(native),
      cmocka_unit_test(powers),      cmocka_unit_test(otlp),
      cmocka_unit_test(ddsketch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
