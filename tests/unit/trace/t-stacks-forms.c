/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forms of profiles that others define: speedscope, .cpuprofile, `jfr print`, folded decimals; and
 * what stays of a profile that is written in one form and read again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trace/stacks/merge.h"
#include "trace/stacks/read.h"
#include "trace/stacks/values.h"
#include "trace/stacks/write.h"

static void take(struct stack_profile *profile, struct slice bytes,
                 const struct stack_reading *reading) {
  struct text message = {0};
  stack_profile_init(profile);
  if (stack_profile_read_bytes(profile, bytes, "f", reading, &message) != STATUS_OK)
    fail_msg("%s", text_get(&message));
  text_clear(&message);
}

static void take_text(struct stack_profile *profile, const char *text,
                      const struct stack_reading *reading) {
  take(profile, (struct slice){text, strlen(text)}, reading);
}

static void assert_folded(const struct stack_profile *profile, const char *folded) {
  struct text written = {0};
  stack_write_folded(profile, true, &written);
  assert_string_equal(text_get(&written), folded);
  text_clear(&written);
}

static void check(const char *text, const struct stack_reading *reading, const char *folded) {
  struct stack_profile profile;
  take_text(&profile, text, reading);
  assert_folded(&profile, folded);
  stack_profile_clear(&profile);
}

static void refuse(const char *text, const struct stack_reading *reading, const char *complaint) {
  struct stack_profile profile;
  struct text message = {0};
  stack_profile_init(&profile);
  assert_int_equal(stack_profile_read_bytes(&profile, (struct slice){text, strlen(text)}, "f",
                                            reading, &message),
                   STATUS_DATA);
  if (strstr(text_get(&message), complaint) == NULL)
    fail_msg("%s", text_get(&message));
  text_clear(&message);
  stack_profile_clear(&profile);
}

#define SCOPE(frames, profiles)                                                                    \
  "{\"$schema\":\"https://www.speedscope.app/"                                                     \
  "file-format-schema.json\",\"shared\":{\"frames\":[" frames "]},\"profiles\":[" profiles "]}"
#define ABC "{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"b.c\",\"line\":3},{\"name\":\"c_[k]\"}"
#define SAMPLED(name, unit, samples, weights)                                                      \
  "{\"type\":\"sampled\",\"name\":\"" name "\",\"unit\":\"" unit                                   \
  "\",\"startValue\":0,\"endValue\":9,\"samples\":[" samples "],\"weights\":[" weights "]}"
#define EVENTED(unit, events)                                                                      \
  "{\"type\":\"evented\",\"name\":\"e\",\"unit\":\"" unit                                          \
  "\",\"startValue\":0,\"endValue\":10.5,\"events\":[" events "]}"
#define EVENT(type, frame, at) "{\"type\":\"" type "\",\"frame\":" frame ",\"at\":" at "}"

static void test_speedscope_sampled(void **state) {
  (void)state;
  struct stack_profile profile;
  take_text(&profile, SCOPE(ABC, SAMPLED("x", "none", "[0,1],[0],[0,1,2],[0,1]", "3,1,4,2")), NULL);
  assert_folded(&profile, "a 1\na;b 5\na;b;c_[k] 4\n");
  assert_int_equal(profile.unit, STACK_SAMPLES);
  assert_true(profile.assumed && profile.count == 10);
  stack_profile_clear(&profile);
  take_text(&profile, SCOPE(ABC, SAMPLED("x", "milliseconds", "[0],[1]", "0.25,1e1")), NULL);
  assert_folded(&profile, "a 250000\nb 10000000\n");
  assert_int_equal(profile.unit, STACK_NANOSECONDS);
  assert_int_equal(profile.count, 0);
  assert_string_equal(names_text(&profile.names, profile.event), "time");
  stack_profile_clear(&profile);
  /* several are below their names, or one is chosen */
  const char *two =
      SCOPE(ABC, SAMPLED("x", "bytes", "[0]", "3") "," SAMPLED("y", "bytes", "[0]", "4"));
  check(two, NULL, "x;a 3\ny;a 4\n");
  check(two, &(struct stack_reading){.event = "y"}, "a 4\n");
  refuse(two, &(struct stack_reading){.event = "z"}, "none of its profiles has the name");
  refuse(SCOPE(ABC, SAMPLED("x", "bytes", "[0]", "3") "," SAMPLED("y", "none", "[0]", "4")), NULL,
         "f:1: its profiles are of several units");
  refuse(SCOPE(ABC, SAMPLED("x", "none", "[0,3]", "3")), NULL, "names a frame that shared.frames");
  refuse(SCOPE(ABC, SAMPLED("x", "none", "[0],[1]", "3")), NULL, "more samples than weights");
  refuse(SCOPE(ABC, SAMPLED("x", "none", "[0]", "0.5")), NULL, "no whole number from 0");
  refuse(SCOPE(ABC, SAMPLED("x", "seconds", "[0]", "-1")), NULL, "a weight is no number from 0");
  refuse(SCOPE(ABC, SAMPLED("x", "hours", "[0]", "1")), NULL,
         "a unit that speedscope does not have");
  refuse("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":", NULL,
         "f:1: ");
}

static void test_speedscope_evented(void **state) {
  (void)state;
  check(SCOPE(ABC, EVENTED("microseconds",
                           EVENT("O", "0", "1") "," EVENT("O", "1", "2.5") "," EVENT(
                               "C", "1", "4") "," EVENT("C", "0", "5") "," EVENT("O", "2", "7"))),
        NULL, "a 2500\na;b 1500\nc_[k] 3500\n");
  struct stack_profile profile;
  take_text(&profile, SCOPE(ABC, EVENTED("none", EVENT("O", "0", "1") "," EVENT("C", "0", "5"))),
            NULL);
  assert_int_equal(profile.unit, STACK_WEIGHTS); /* moments without a unit are no samples */
  assert_int_equal(profile.total, 4);
  stack_profile_clear(&profile);
  refuse(SCOPE(ABC, EVENTED("seconds", EVENT("O", "0", "1") "," EVENT("C", "1", "2"))), NULL,
         "closes a frame that is not the innermost one");
  refuse(SCOPE(ABC, EVENTED("seconds", EVENT("O", "0", "2") "," EVENT("C", "0", "1"))), NULL,
         "an event comes before the one");
  refuse(SCOPE(ABC, EVENTED("seconds", EVENT("X", "0", "2"))), NULL, "neither opens nor closes");
}

#define CALL(id, name, url, more)                                                                  \
  "{\"id\":" id ",\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"1\",\"url\":\"" url  \
  "\",\"lineNumber\":4,\"columnNumber\":11},\"hitCount\":2" more "}"

static void test_cpuprofile(void **state) {
  (void)state;
  static const char nodes[] = "{\"nodes\":[" CALL("7", "h", "file:///srv/work.js", "") "," CALL(
      "1", "(root)", "", ",\"children\":[5,3]") "," CALL("3", "(idle)", "",
                                                         "") "," CALL("5", "",
                                                                      "file:///srv/work.js",
                                                                      ",\"children\":[7]") "]";
  struct stack_profile profile;
  struct text text = {0};
  text_format(
      &text,
      "%s,\"startTime\":100,\"endTime\":190,\"samples\":[5,7,3,7],\"timeDeltas\":[10,20,-5,30]}",
      nodes);
  take_text(&profile, text.data, NULL);
  /* at 110, 130, 130 and 160, up to 190 */
  assert_folded(&profile, "(anonymous) work.js:5:12 20000\n"
                          "(anonymous) work.js:5:12;h work.js:5:12 30000\n(idle) 30000\n");
  assert_int_equal(profile.unit, STACK_NANOSECONDS);
  assert_string_equal(names_text(&profile.names, profile.event), "wall");
  assert_int_equal(profile.count, 4);
  assert_int_equal(profile.samples.data[3].time, 160000);
  assert_int_equal(profile.end - profile.start, 90000);
  stack_profile_clear(&profile);
  text.length = 0;
  text_format(&text, "%s}", nodes);
  take_text(&profile, text.data, NULL);
  assert_int_equal(profile.unit, STACK_SAMPLES);
  assert_true(profile.count == 8 && !profile.assumed);
  stack_profile_clear(&profile);
  text.length = 0;
  text_format(&text, "%s,\"samples\":[9],\"timeDeltas\":[1]}", nodes);
  refuse(text.data, NULL, "a sample is of no node, or has no time");
  text_clear(&text);
  refuse("{\"nodes\":[" CALL("1", "a", "", ",\"children\":[2]") "," CALL("2", "b", "",
                                                                         ",\"children\":[1]") "]}",
         NULL, "nodes are each other's children");
  refuse("{\"nodes\":[" CALL("1", "a", "", "") "," CALL("1", "b", "", "") "]}", NULL,
         "a node has no id of its own");
  refuse("{\"nodes\":[" CALL("1", "a", "", ",\"children\":[2]") "]}", NULL, "is the child of none");
}

/* Other events are no samples; what was printed of 5 frames has callers that nobody knows. */
static void test_jfr_print(void **state) {
  (void)state;
  static const char text[] =
      "jdk.ExecutionSample {\n  startTime = 12:48:10.942\n  sampledThread = \"main\" (javaThreadId "
      "= 1)\n"
      "  state = \"STATE_RUNNABLE\"\n  stackTrace = [\n    J.h(long) line: 1\n"
      "    J.main(String[]) line:4\n  ]\n}\n\n"
      "jdk.NativeMethodSample {\n  stackTrace = [\n    J.read() line: 9\n  ]\n}\n\n"
      "jdk.ExecutionSample {\n  stackTrace = [\n    J.fib(int) line: 3\n    ...\n  ]\n}\n";
  struct stack_profile profile;
  take_text(&profile, text, NULL);
  assert_folded(&profile, "J.main(String[]);J.h(long) 1\n[unknown];J.fib(int) 1\n");
  assert_true(profile.unit == STACK_SAMPLES && profile.count == 2 && !profile.assumed &&
              !profile.torn);
  assert_non_null(strstr(text_get(&profile.left_out), "outer callers of 1 of 2 stacks"));
  stack_profile_clear(&profile);
  refuse("jdk.CPULoad {\n  jvmUser = 1\n}\n", NULL, "holds no jdk.ExecutionSample; print it with");
  take(&profile, (struct slice){text, strlen(text) - 3}, NULL);
  assert_true(profile.torn && profile.count == 1);
  stack_profile_clear(&profile);
}

static void test_stackprof(void **state) {
  (void)state;
  static const char head[] =
      "{\"version\":1.2,\"mode\":\"cpu\",\"interval\":1000,\"samples\":7,"
      "\"gc_samples\":0,\"missed_samples\":0,\"frames\":{\"11\":{\"name\":\"main\"},"
      "\"12\":{\"name\":\"A#b\",\"file\":\"/a.rb\"}}";
  struct stack_profile profile;
  struct text text = {0};
  text_format(&text, "%s,\"raw\":[2,11,12,5,1,11,2]}", head);
  take_text(&profile, text.data, NULL);
  assert_folded(&profile, "main 2\nmain;A#b 5\n");
  assert_true(profile.unit == STACK_SAMPLES && profile.count == 7 && profile.rate == 1000);
  stack_profile_clear(&profile);
  text.length = 0;
  text_format(&text, "%s,\"raw\":[2,11,13,5]}", head);
  refuse(text.data, NULL, "names a frame that is not there");
  text.length = 0;
  text_format(&text, "%s,\"raw\":[1,11]}", head);
  refuse(text.data, NULL, "does not say how often it was seen");
  text.length = 0;
  text_format(&text, "%s}", head);
  refuse(text.data, NULL, "has no stacks; record with StackProf.run(raw: true)");
  text_clear(&text);
}

static void test_folded_decimals(void **state) {
  (void)state;
  struct stack_reading ms = {
      .weight = {.said = true, .time = true, .multiply = 1000000, .sample = 1}};
  check("a;b 1.5\na 0.0000019\n", &ms, "a 1\na;b 1500000\n");
  check("a;b 3.0\na 2\n", NULL, "a 2\na;b 3\n");
}

/* --- what is written and read again --- */

enum form { FOLDED, PPROF, SPEEDSCOPE };

static void write_as(enum form form, const struct stack_profile *profile, struct text *out) {
  if (form == PPROF)
    stack_write_pprof(profile, out);
  else if (form == SPEEDSCOPE)
    stack_write_speedscope(profile, "x", out);
  else {
    stack_unit_write(profile, out);
    stack_write_folded(profile, true, out);
  }
}

/* Counts, units and what intervals rest on are the same in all forms. */
static void test_round_trips(void **state) {
  (void)state;
  static const char *const texts[] = {
      "# unit=samples samples=99 heaviest=1 rate=99 unseen=7 event=cpu-clock\na;b_[k] 90\na;c 9\n",
      "# unit=ns samples=416 heaviest=40404040 pruned=5 event=cpu-clock\na;b_[k] 900000001\na;c "
      "9\n",
      "# unit=ns samples=20 heaviest=90 lost=2 torn=1 event=off-cpu\na;b 900\n",
      "# unit=periods samples=3 heaviest=250000 throttled=1 event=cycles\na;b 600000\n",
      "# unit=periods event=alloc_space measure=bytes\na;b 600000\n",
      "# unit=unknown\na;b 600000\n",
      "# unit=samples samples=9 heaviest=1 assumed=1\na;b_[i];c_[j] 9\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (enum form form = FOLDED; form <= SPEEDSCOPE; form++) {
      struct stack_profile profile, again;
      struct text out = {0}, text = {0};
      take_text(&profile, texts[i], NULL);
      write_as(form, &profile, &out);
      take(&again, (struct slice){out.data, out.length}, NULL);
      write_as(FOLDED, &again, &text);
      assert_string_equal(text_get(&text), texts[i]);
      assert_int_equal(again.left_out.length, 0);
      text_clear(&out);
      text_clear(&text);
      stack_profile_clear(&profile);
      stack_profile_clear(&again);
    }
}

static void test_pprof_has_samples_and_time(void **state) {
  (void)state;
  struct stack_profile profile, again;
  struct text out = {0}, twice = {0};
  take_text(&profile, "# unit=samples samples=99 heaviest=1 rate=99\na;b 90\na;c 9\n", NULL);
  profile.start = 5000000000;
  profile.end = 6000000000;
  profile.realtime = 1700000000000000000;
  stack_write_pprof(&profile, &out);
  take(&again, (struct slice){out.data, out.length}, NULL);
  assert_int_equal(again.unit, STACK_SAMPLES);
  assert_int_equal(again.values.count, 1);
  assert_string_equal(names_text(&again.names, again.values.data[0].type), "cpu");
  assert_int_equal(again.period, 10101010);
  assert_int_equal(stack_profile_time(&again), 1700000005000000000);
  assert_int_equal(stack_profile_duration(&again), 1000000000);
  stack_write_pprof(&again, &twice);
  assert_true(out.length == twice.length && memcmp(out.data, twice.data, out.length) == 0);
  stack_profile_clear(&again);
  take(&again, (struct slice){out.data, out.length}, &(struct stack_reading){.event = "cpu"});
  assert_int_equal(again.total, 1000000000); /* 90 and 9 times 10101010.1 */
  assert_int_equal(again.unit, STACK_NANOSECONDS);
  text_clear(&out);
  text_clear(&twice);
  stack_profile_clear(&profile);
  stack_profile_clear(&again);
}

/* Each other value is summed up; one that a file does not have is left out, in any order. */
static void test_values_are_merged(void **state) {
  (void)state;
  struct stack_profile files[3];
  struct text first = {0};
  for (int i = 0; i < 3; i++) {
    take_text(&files[i], "# unit=periods event=alloc_space measure=bytes\na;b 600\na 1\n", NULL);
    size_t objects = stack_value_find(&files[i], (struct slice){"alloc_objects", 13},
                                      (struct slice){"count", 5});
    stack_value_add(&files[i], objects, 2, 10);
    if (i != 1)
      stack_value_add(
          &files[i],
          stack_value_find(&files[i], (struct slice){"in", 2}, (struct slice){"bytes", 5}), 1, 1);
  }
  for (int turn = 0; turn < 3; turn++) {
    struct stack_profile sum;
    struct text out = {0}, message = {0};
    stack_profile_init(&sum);
    for (int i = 0; i < 3; i++)
      assert_true(stack_profile_merge(&sum, &files[(turn + i) % 3], &message));
    assert_int_equal(sum.values.count, 1);
    uint64_t objects = 0;
    for (uint32_t node = 0; node < sum.nodes.count; node++)
      objects += stack_value_of(&sum.values.data[0], node);
    assert_int_equal(objects, 30);
    assert_non_null(
        strstr(text_get(&sum.left_out), "values that only some of the files have (in)"));
    stack_write_pprof(&sum, &out);
    if (turn == 0)
      text_append_bytes(&first, out.data, out.length);
    assert_true(out.length == first.length && memcmp(out.data, first.data, out.length) == 0);
    text_clear(&out);
    stack_profile_clear(&sum);
  }
  text_clear(&first);
  for (int i = 0; i < 3; i++)
    stack_profile_clear(&files[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_speedscope_sampled), cmocka_unit_test(test_speedscope_evented),
      cmocka_unit_test(test_cpuprofile),         cmocka_unit_test(test_jfr_print),
      cmocka_unit_test(test_stackprof),          cmocka_unit_test(test_folded_decimals),
      cmocka_unit_test(test_round_trips),        cmocka_unit_test(test_pprof_has_samples_and_time),
      cmocka_unit_test(test_values_are_merged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
