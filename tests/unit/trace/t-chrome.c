/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/reading.h"

#define X(name, time, duration)                                                                    \
  "{\"ph\":\"X\",\"name\":\"" name "\",\"cat\":\"c\",\"pid\":7,\"tid\":1,\"ts\":" time             \
  ",\"dur\":" duration "}"
#define AT(phase, name, time)                                                                      \
  "{\"ph\":\"" phase "\",\"name\":\"" name "\",\"cat\":\"c\",\"pid\":7,\"tid\":1,\"ts\":" time "}"
#define ASYNC(phase, name, id, time)                                                               \
  "{\"ph\":\"" phase "\",\"name\":\"" name "\",\"cat\":\"net\",\"id\":" id ",\"pid\":7,\"tid\":2," \
  "\"ts\":" time "}"
#define PROCESS "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"node\"}}"

static void test_slices_of_a_thread_are_nested_by_time(void **state) {
  (void)state;
  check_read("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[" X("c", "20.5", "1.25") "," X(
                 "b", "20", "5") "," X("a", "10", "90") "," X("z", "100", "1") "],\"x\":1}",
             "7/1#1:\n00000000 7/a 10000+90000 internal\n"
             "00000001<00000000 7/b 20000+5000 internal\n"
             "00000002<00000001 7/c 20500+1250 internal\n\n"
             "7/1#2:\n00000003 7/z 100000+1000 internal\n");
}

static void test_beginnings_and_ends(void **state) {
  (void)state;
  check_read("[" PROCESS "," AT("B", "a", "1") "," AT("B", "b", "2") "," AT("E", "", "3") "," AT(
                 "E", "", "4") "," AT("I", "mark", "5") "]",
             "7/1#1:\n00000000 node/a 1000+3000 internal\n"
             "00000001<00000000 node/b 2000+1000 internal\n");
  const char *loose = "[" AT("E", "", "1") "," AT("B", "a", "2") "," X("b", "3", "4") "]";
  check_read(loose, "7/1#1:\n00000000 7/a 2000+5000 internal unfinished\n"
                    "00000001<00000000 7/b 3000+4000 internal\n");
  check_noted(loose, "1 ends of slices have no beginning");
  check_noted(loose, "1 spans have no end");
}

/* Ids may be numbers or strings. */
static void test_asynchronous_tracks(void **state) {
  (void)state;
  check_read("[" ASYNC("b", "get", "\"0x1\"", "1") "," ASYNC("b", "other", "2", "2") "," ASYNC(
                 "b", "dns", "\"0x1\"", "3") "," ASYNC("e", "dns", "\"0x1\"", "4") "," //
             ASYNC("e", "get", "\"0x1\"", "9") "," ASYNC("e", "other", "2", "3") "]",
             "net/0x1#1:\n00000000 7/get 1000+8000 internal\n"
             "00000001<00000000 7/dns 3000+1000 internal\n\n"
             "net/2#1:\n00000000 7/other 2000+1000 internal\n");
}

/* t1 begins within t0 and ends after it: each end is that of its name, and t1 is within what lasts
 * as long. An end that nobody's name fits ends the latest, and is counted. */
static void test_asynchronous_slices_may_overlap(void **state) {
  (void)state;
  check_read("[" ASYNC("b", "all", "1", "0") "," ASYNC("b", "t0", "1", "0") "," ASYNC(
                 "b", "t1", "1", "1") "," ASYNC("e", "t0", "1", "3") "," //
             ASYNC("e", "t1", "1", "4") "," ASYNC("e", "all", "1", "5") "]",
             "net/1#1:\n00000000 7/all 0+5000 internal\n"
             "00000001<00000000 7/t0 0+3000 internal\n"
             "00000002<00000000 7/t1 1000+3000 internal\n");
  const char *odd = "[" ASYNC("b", "a", "1", "0") "," ASYNC("b", "b", "1", "1") "," ASYNC(
      "e", "c", "1", "2") "," ASYNC("e", "a", "1", "4") "]";
  check_read(odd, "net/1#1:\n00000000 7/a 0+4000 internal\n"
                  "00000001<00000000 7/b 1000+1000 internal\n");
  check_noted(odd, "1 ends of slices have the name of none that is open");
}

static void test_a_list_without_end(void **state) {
  (void)state;
  const char *shown = "7/1#1:\n00000000 7/a 10000+5000 internal\n";
  check_read("[" X("a", "10", "5"), shown);
  check_read("[" X("a", "10", "5") ",\n", shown);
  check_read("{\"traceEvents\":[" X("a", "10", "5") ",{\"ph\":\"X\",\"na", shown);
  check_noted("[" X("a", "10", "5") ",{\"ph\":\"X\",\"na", "1 files end within an event");
}

static void test_what_is_wrong(void **state) {
  (void)state;
  check_refused("[" X("a", "10", "5") "," X("a", "1e30", "5") "]",
                ":1:118: the ts 1e30 is outside of the years 1824 to 2116; check its unit");
  check_refused("[" X("a", "10", "5") " 5]",
                ":1:66: '5' stands where a comma or ] is expected; the JSON is damaged");
  check_refused("{\"traceEvents\":5}",
                ":1:16: '5' stands where a list, [...], is expected; the JSON is damaged");
}

static void test_every_beginning_of_a_file(void **state) {
  (void)state;
  const char *whole = "[" PROCESS "," X("a", "10", "5") "," ASYNC("b", "get", "\"0x1\"", "1") "]";
  for (size_t i = 0; i <= strlen(whole); i++) {
    struct reading *reading = reading_of_bytes(whole, i);
    assert_true(reading->status == STATUS_OK || i < 7);
    assert_true((reading->said.length != 0) == (reading->status != STATUS_OK));
    reading_free(reading);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slices_of_a_thread_are_nested_by_time),
      cmocka_unit_test(test_beginnings_and_ends),
      cmocka_unit_test(test_asynchronous_tracks),
      cmocka_unit_test(test_asynchronous_slices_may_overlap),
      cmocka_unit_test(test_a_list_without_end),
      cmocka_unit_test(test_what_is_wrong),
      cmocka_unit_test(test_every_beginning_of_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
