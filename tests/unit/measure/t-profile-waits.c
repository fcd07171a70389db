/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/profile/event.h"
#include "measure/profile/waits.h"

enum { P = 100, T = 101, U = 102 };

static void test_from_leaving_to_return(void **state) {
  (void)state;
  struct waits waits;
  struct blocked_time wait;
  waits_init(&waits, 1000, 50);
  waits_stack(&waits, P, T, 5, 77);
  waits_leave(&waits, P, T, 2000, false);
  assert_true(waits_return(&waits, P, T, 2050, &wait));
  assert_int_equal(wait.end - wait.of.since, 50);
  assert_int_equal(wait.of.node, 5);
  assert_int_equal(wait.of.place, 77);
  assert_true(wait.of.has_stack && !wait.of.preempted);
  /* its stack is not that of the next one */
  waits_leave(&waits, P, T, 3000, true);
  assert_true(waits_return(&waits, P, T, 4000, &wait));
  assert_true(!wait.of.has_stack && wait.of.preempted);
  /* too short a one is counted */
  waits_leave(&waits, P, T, 5000, false);
  assert_false(waits_return(&waits, P, T, 5049, &wait));
  assert_int_equal(waits.counts.brief, 1);
  assert_int_equal(waits.counts.brief_ns, 49);
  waits_clear(&waits);
}

static void test_the_ends_of_a_recording(void **state) {
  (void)state;
  struct waits waits;
  struct blocked_time wait;
  size_t next = 0;
  waits_init(&waits, 1000, 50);
  assert_false(waits_return(&waits, P, T, 1300, &wait)); /* it waited when that began */
  assert_int_equal(waits.counts.begun, 1);
  assert_int_equal(waits.counts.begun_ns, 300);
  waits_stack(&waits, P, U, 6, 0);
  waits_leave(&waits, P, U, 1500, false);
  assert_true(waits_cut(&waits, &next, 1800, &wait));
  assert_int_equal(wait.of.thread, U);
  assert_int_equal(wait.end - wait.of.since, 300);
  assert_false(waits_cut(&waits, &next, 1800, &wait)); /* T runs */
  assert_int_equal(waits.counts.cut, 1);
  assert_int_equal(waits.counts.cut_ns, 300);
  waits_clear(&waits);
}

static void test_threads_begin_and_end(void **state) {
  (void)state;
  struct waits waits;
  struct blocked_time wait;
  waits_init(&waits, 1000, 50);
  waits_begin(&waits, P, T, 2000);
  assert_true(waits_return(&waits, P, T, 2100, &wait)); /* for its first processor */
  assert_true(wait.of.preempted);
  waits_leave(&waits, P, T, 2200, false);
  waits_end(&waits, T);
  waits_end(&waits, T);
  waits_begin(&waits, P + 1, T, 3000); /* another one of that number */
  assert_true(waits_return(&waits, P + 1, T, 3100, &wait));
  assert_int_equal(wait.end - wait.of.since, 100);
  assert_int_equal(wait.of.process, P + 1);
  waits_clear(&waits);
}

static void test_no_wait_over_missing_records(void **state) {
  (void)state;
  struct waits waits;
  struct blocked_time wait;
  waits_init(&waits, 1000, 0);
  waits_leave(&waits, P, T, 2000, false);
  waits_lost(&waits, 2100, 2200);
  waits_forget(&waits);                                  /* not while one is open */
  assert_false(waits_return(&waits, P, T, 9000, &wait)); /* it may have run meanwhile */
  assert_int_equal(waits.counts.doubtful, 1);
  waits_leave(&waits, P, T, 9100, false);
  assert_true(waits_return(&waits, P, T, 9200, &wait));
  waits_leave(&waits, P, T, 9300, false);
  waits_forget(&waits);
  assert_int_equal(waits.losses.count, 0);
  /* back without having left: a record is missing */
  assert_true(waits_return(&waits, P, T, 9400, &wait));
  assert_false(waits_return(&waits, P, T, 9500, &wait));
  assert_int_equal(waits.counts.doubtful, 2);
  waits_clear(&waits);
}

static void test_records_of_switches(void **state) {
  (void)state;
  struct {
    struct perf_event_header header;
    uint32_t process, thread;
    uint64_t time;
  } record = {{PERF_RECORD_SWITCH, 0, sizeof record}, P, T, 123456};
  struct ring_event event;
  const unsigned char *bytes = (const unsigned char *)&record;
  assert_true(event_decode(&event, bytes, sizeof record, true));
  assert_int_equal(event.kind, EVENT_SWITCH);
  assert_true(!event.out && !event.preempted);
  assert_int_equal(event.process, P);
  assert_int_equal(event.thread, T);
  assert_int_equal(event.time, 123456);
  record.header.misc = PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
  assert_true(event_decode(&event, bytes, sizeof record, true));
  assert_true(event.out && event.preempted);
  record.header.size = 16;
  assert_false(event_decode(&event, bytes, 16, true));
  /* of a processor: the other thread stands in the body, and does not count */
  struct {
    struct perf_event_header header;
    uint32_t other_process, other_thread, process, thread;
    uint64_t time;
  } wide = {{PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT, sizeof wide}, 1, 2, P, U, 5};
  assert_true(event_decode(&event, (const unsigned char *)&wide, sizeof wide, true));
  assert_true(event.kind == EVENT_SWITCH && event.out && !event.preempted);
  assert_int_equal(event.thread, U);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_from_leaving_to_return),
      cmocka_unit_test(test_the_ends_of_a_recording),
      cmocka_unit_test(test_threads_begin_and_end),
      cmocka_unit_test(test_no_wait_over_missing_records),
      cmocka_unit_test(test_records_of_switches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
