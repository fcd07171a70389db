/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/trace/node_bytes.h"
#include "tests/unit/trace/node_sane.h"
#include "trace/event/node_log.h"

enum { US = 1000, MS = 1000000 };

/* In a chunk of its own, as the recorder's thread writes it. */
static void delay(struct bytes *bytes, int64_t from, int64_t to, int64_t waited, int64_t throttled,
                  int64_t stopped) {
  begin_chunk(bytes, "TPNS", 0, 0, 0);
  put(bytes, 7 | 7 << 3, 1);
  difference(bytes, &bytes->time, BASE + from);
  number(bytes, to - from);
  number(bytes, waited);
  number(bytes, throttled);
  number(bytes, stopped);
  end_chunk(bytes);
}

/* Timers of 1 ms, registered at 0, that begin and end then. */
static void turns(struct bytes *bytes, const int64_t (*times)[2], size_t count) {
  begin_file(bytes, 0, 0);
  begin_chunk(bytes, "TPNC", 0, 0, 0);
  text(bytes, 1, "Timeout");
  for (size_t i = 0; i < count; i++)
    timer(bytes, 1, 10 + (int64_t)i, 0, 1);
  run(bytes, 0, 1, 0, 10);
  for (size_t i = 0; i < count; i++)
    run(bytes, 0, 10 + (int64_t)i, times[i][0], times[i][1]);
}

static void read_all(struct event_log *log, const struct bytes *bytes) {
  struct folder folder;
  struct text message;
  folder_init(&folder);
  text_init(&message);
  event_log_init(log);
  const char *path = folder_add(&folder, "4711.0.tpn", bytes->data, bytes->count);
  assert_int_equal(node_log_read(log, &path, 1, &message), STATUS_OK);
  check_sane(log);
  text_clear(&message);
  folder_clear(&folder);
}

static const struct event_pause *pause_of_kind(const struct event_log *log,
                                               enum event_pause_kind kind) {
  const struct event_pause *found = NULL;
  for (size_t i = 0; i < log->pauses.count; i++)
    if (log->pauses.data[i].kind == kind) {
      assert_null(found);
      found = &log->pauses.data[i];
    }
  assert_non_null(found);
  return found;
}

static void assert_pause(const struct event_log *log, enum event_pause_kind kind, int64_t start,
                         int64_t end) {
  const struct event_pause *pause = pause_of_kind(log, kind);
  assert_int_equal(pause->start, BASE + start);
  assert_int_equal(pause->end, BASE + end);
}

/* The turn that is long is the one that had no processor, and not those around it. */
static void test_the_long_turn(void **state) {
  (void)state;
  static const int64_t times[][2] = {
      {1 * MS, 1200 * US}, {2 * MS, 92400 * US}, {95 * MS, 95100 * US}};
  struct bytes bytes;
  struct event_log log;
  turns(&bytes, times, 3);
  end_chunk(&bytes);
  delay(&bytes, 0, 100 * MS, 90 * MS, 0, 0);
  read_all(&log, &bytes);
  assert_pause(&log, EVENT_PAUSE_WAITING, 2 * MS, 92 * MS);
  assert_int_equal(log.loops.data[0].waited, 90 * MS);
  assert_int_equal(log.loops.data[0].throttled, 0);
  event_log_clear(&log);
}

/* A timer whose time has come waits until its turn begins; what is not due waits for nothing. */
static void test_before_a_turn(void **state) {
  (void)state;
  static const int64_t times[][2] = {{71 * MS, 72 * MS}};
  struct bytes bytes;
  struct event_log log;
  turns(&bytes, times, 1);
  end_chunk(&bytes);
  delay(&bytes, 0, 100 * MS, 60 * MS, 60 * MS, 0);
  read_all(&log, &bytes);
  assert_pause(&log, EVENT_PAUSE_THROTTLED, 11 * MS, 71 * MS);
  assert_int_equal(log.loops.data[0].throttled, 60 * MS);
  event_log_clear(&log);
  turns(&bytes, times, 1);
  end_chunk(&bytes);
  delay(&bytes, 80 * MS, 100 * MS, 15 * MS, 0, 0); /* nothing that is known was ready then */
  read_all(&log, &bytes);
  assert_int_equal(log.pauses.count, 0);
  assert_int_equal(log.loops.data[0].waited, 15 * MS);
  event_log_clear(&log);
}

/* The recorder looked twice within a wait and behind it: what is told later does not lie where something was placed. */
static void test_overlapping(void **state) {
  (void)state;
  static const int64_t times[][2] = {{2 * MS, 12 * MS}, {20 * MS, 95 * MS}};
  struct bytes bytes;
  struct event_log log;
  turns(&bytes, times, 2);
  end_chunk(&bytes);
  delay(&bytes, 90 * MS, 100 * MS, 3 * MS, 0, 0);
  delay(&bytes, 0, 90 * MS, 10 * MS, 0, 0);
  delay(&bytes, 15 * MS, 100 * MS, 60 * MS, 60 * MS, 0);
  read_all(&log, &bytes);
  assert_pause(&log, EVENT_PAUSE_THROTTLED, 30 * MS, 90 * MS);
  assert_int_equal(log.pauses.count, 3);
  for (size_t i = 0; i < log.pauses.count; i++)
    for (size_t j = 0; j < i; j++)
      assert_true(log.pauses.data[i].end <= log.pauses.data[j].start ||
                  log.pauses.data[j].end <= log.pauses.data[i].start);
  event_log_clear(&log);
}

/* A collection in which the thread waited did not take so long itself; nor what lies within it. */
static void test_within_a_collection(void **state) {
  (void)state;
  static const int64_t times[][2] = {{1 * MS, 60 * MS}};
  struct bytes bytes;
  struct event_log log;
  turns(&bytes, times, 1);
  pause_of(&bytes, 0, 3 * MS, 51 * MS);
  pause_of(&bytes, 3, 4 * MS, 49500 * US);
  end_chunk(&bytes);
  delay(&bytes, 0, 61 * MS, 0, 0, 50 * MS);
  read_all(&log, &bytes);
  assert_pause(&log, EVENT_PAUSE_STOPPED, 3 * MS, 53 * MS);
  assert_pause(&log, EVENT_PAUSE_MINOR, 53 * MS, 54 * MS);
  assert_pause(&log, EVENT_PAUSE_WEAK, 53 * MS, 53500 * US);
  assert_int_equal(log.loops.data[0].halted, 50 * MS);
  event_log_clear(&log);
}

/* Of one turn several stretches tell; what it says is never more than the stretch. */
static void test_one_turn_of_many_stretches(void **state) {
  (void)state;
  static const int64_t times[][2] = {{5 * MS, 45 * MS}};
  struct bytes bytes;
  struct event_log log;
  int64_t sum = 0;
  turns(&bytes, times, 1);
  end_chunk(&bytes);
  for (int i = 0; i < 5; i++)
    delay(&bytes, i * 10 * MS, (i + 1) * 10 * MS, (int64_t)1 << 50, 3 * MS, 2 * MS);
  read_all(&log, &bytes);
  for (size_t i = 0; i < log.pauses.count; i++) {
    const struct event_pause *pause = &log.pauses.data[i];
    assert_true(pause->start == BASE || pause->start >= BASE + 1 * MS);
    assert_true(pause->end <= BASE + 45 * MS);
    sum += pause->end - pause->start;
  }
  assert_int_equal(sum, 44 * MS + 10); /* it was due at 1 ms; the program ran for 10 ns */
  assert_int_equal(log.loops.data[0].waited, 40 * MS);
  assert_int_equal(log.loops.data[0].halted, 10 * MS);
  event_log_clear(&log);
}

/* A look of the recorder is a pause of its own, in the callback that it names. */
static void test_a_look(void **state) {
  (void)state;
  static const int64_t times[][2] = {{5 * MS, 45 * MS}};
  struct bytes bytes;
  struct event_log log;
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNS", 0, 0, 0);
  pause_of(&bytes, 5, 14 * MS, 2 * MS);
  text(&bytes, 1, "app.js:3:14 spin");
  put(&bytes, 7 | 4 << 3, 1);
  difference(&bytes, &bytes.time, BASE + 14 * MS);
  number(&bytes, 1);
  end_chunk(&bytes);
  struct bytes rest;
  turns(&rest, times, 1);
  end_chunk(&rest);
  size_t head = NODE_FILE_HEADER + 8;
  put_text(&bytes, (const char *)rest.data + head, rest.count - head);
  read_all(&log, &bytes);
  assert_pause(&log, EVENT_PAUSE_LOOK, 14 * MS, 16 * MS);
  assert_int_equal(log.looks.data[0].row, 1);
  assert_string_equal(names_text(&log.names, log.looks.data[0].stack), "app.js:3:14 spin");
  event_log_clear(&log);
}

/* What the process used, and how large it was then. */
static void test_use(void **state) {
  (void)state;
  static const int64_t times[][2] = {{5 * MS, 45 * MS}};
  struct bytes bytes;
  struct event_log log;
  turns(&bytes, times, 1);
  end_chunk(&bytes);
  begin_chunk(&bytes, "TPNS", 0, 0, 0);
  put(&bytes, 7 | 9 << 3, 1);
  difference(&bytes, &bytes.time, BASE + 10 * MS);
  number(&bytes, 500 * MS);
  number(&bytes, 120 * MS);
  number(&bytes, 2048);
  end_chunk(&bytes);
  read_all(&log, &bytes);
  assert_int_equal(log.uses.count, 1);
  assert_int_equal(log.uses.data[0].start, BASE + 10 * MS);
  assert_int_equal(log.uses.data[0].end, BASE + 510 * MS);
  assert_int_equal(log.uses.data[0].processor, 120 * MS);
  assert_int_equal(log.uses.data[0].memory, 2048 * 1024);
  event_log_clear(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_long_turn),
      cmocka_unit_test(test_before_a_turn),
      cmocka_unit_test(test_overlapping),
      cmocka_unit_test(test_within_a_collection),
      cmocka_unit_test(test_one_turn_of_many_stretches),
      cmocka_unit_test(test_a_look),
      cmocka_unit_test(test_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
