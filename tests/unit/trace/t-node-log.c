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

#define MS INT64_C(1000000)
#include "tests/unit/trace/node_sane.h"
#include "trace/event/node_log.h"

/* --- reading it --- */

static enum status read_bytes(struct event_log *log, const unsigned char *data, size_t count) {
  struct folder folder;
  struct text message;
  folder_init(&folder);
  text_init(&message);
  event_log_init(log);
  const char *path = folder_add(&folder, "4711.0.tpn", data, count);
  enum status status = node_log_read(log, &path, 1, &message);
  assert_true((status == STATUS_OK) == (text_get(&message)[0] == '\0'));
  check_sane(log);
  text_clear(&message);
  folder_clear(&folder);
  return status;
}

static size_t count_state(const struct event_log *log, enum event_request_state state) {
  size_t count = 0;
  for (size_t i = 0; i < log->requests.count; i++)
    count += log->requests.data[i].state == state;
  return count;
}

/* A connection is accepted; a request on it reads a file and is answered in its callback. */
static void write_file_request(struct bytes *bytes) {
  text(bytes, 1, "TCPSERVERWRAP");
  text(bytes, 2, "HTTPINCOMINGMESSAGE");
  text(bytes, 3, "FSREQCALLBACK");
  text(bytes, 4, "GET /file");
  init(bytes, 1, 5, 10);
  init(bytes, 2, 6, 120);
  run(bytes, 0, 5, 100, 150);
  request(bytes, 1, 210, 4);
  init(bytes, 3, 9, 250);
  run(bytes, 0, 6, 200, 300);
  response(bytes, 1, 760, 200);
  run(bytes, 0, 9, 700, 800);
}

enum { FILE_RECORDS = 8 };

static void make_file_request(struct bytes *bytes) {
  begin_file(bytes, 0, 0);
  begin_chunk(bytes, "TPNC", 0, 0, 0);
  write_file_request(bytes);
  end_chunk(bytes);
}

static void test_request(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  make_file_request(&bytes);
  assert_int_equal(read_bytes(&log, bytes.data, bytes.count), STATUS_OK);
  assert_int_equal(log.loops.count, 1);
  assert_string_equal(names_text(&log.names, log.loops.data[0].name), "app.js");
  assert_int_equal(log.loops.data[0].process, 4711);
  assert_int_equal(log.loops.data[0].count, 3);
  assert_int_equal(log.loops.data[0].dropped, 0);
  assert_int_equal(log.registered.data[2], BASE + 250);
  assert_int_equal(log.begin.data[2], BASE + 700);
  assert_int_equal(log.end.data[2], BASE + 800);
  assert_int_equal(log.registrar.data[2], 1);
  assert_int_equal(log.registrar.data[1], 0);
  assert_int_equal(log.class.data[2], EVENT_FILE);
  assert_int_equal(log.ready_source.data[2], EVENT_READY_UNKNOWN);
  assert_int_equal(log.requests.count, 1);
  const struct event_request *one = &log.requests.data[0];
  assert_string_equal(names_text(&log.names, one->route), "GET /file");
  assert_int_equal(one->source, 1);
  assert_int_equal(one->sink, 2);
  assert_int_equal(one->noticed, BASE + 210);
  assert_int_equal(one->responded, BASE + 760);
  assert_int_equal(one->state, EVENT_ANSWERED);
  assert_int_equal(one->status, 200);
  event_log_clear(&log);
}

/* Kinds 0 to 3 are collections; of kind 4 the name of what was compiled follows. */
static void test_pauses(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  write_file_request(&bytes);
  text(&bytes, 5, "app/table.js");
  pause_of(&bytes, 4, 710, 60);
  number(&bytes, 5);
  pause_of(&bytes, 1, 220, 50);
  pause_of(&bytes, 9, 650, 10); /* of a later recorder */
  end_chunk(&bytes);
  assert_int_equal(read_bytes(&log, bytes.data, bytes.count), STATUS_OK);
  static const enum event_pause_kind kinds[] = {EVENT_PAUSE_MAJOR, EVENT_PAUSE_MAJOR,
                                                EVENT_PAUSE_COMPILE};
  assert_int_equal(log.pauses.count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(log.pauses.data[i].kind, kinds[i]);
    assert_string_equal(names_text(&log.names, log.pauses.data[i].name),
                        i < 2 ? "" : "app/table.js");
  }
  assert_int_equal(log.pauses.data[2].start, BASE + 710);
  assert_int_equal(log.pauses.data[2].end, BASE + 770);
  event_log_clear(&log);
}

/* The continuation was registered in turn 0, and continues in the turn of the timer; a callback
 * that was called within it registers what comes next. */
static void test_within(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "Timeout");
  text(&bytes, 2, "FSREQPROMISE");
  text(&bytes, 3, "other");
  timer(&bytes, 1, 7, 20, 1);
  init(&bytes, 3, 8, 30);
  run(&bytes, 0, 1, 0, 100);
  promise(&bytes, 90, 1500100, 1500400);
  init(&bytes, 2, 9, 1500250);
  run(&bytes, 1, 8, 1500200, 1500300);
  run(&bytes, 0, 7, 1500000, 1500500);
  run(&bytes, 0, 9, 1600000, 1600100);
  end_chunk(&bytes);
  assert_int_equal(read_bytes(&log, bytes.data, bytes.count), STATUS_OK);
  assert_int_equal(log.begin.count, 5);
  assert_int_equal(log.class.data[0], EVENT_PROGRAM);
  assert_int_equal(log.ready_high.data[1], BASE + 1000020);
  assert_int_equal(log.ready_source.data[1], EVENT_READY_TIMER);
  assert_int_equal(log.class.data[2], EVENT_PROMISE);
  assert_int_equal(log.registrar.data[2], 0);
  assert_int_equal(log.releaser.data[2], 1);
  assert_int_equal(log.inside.data[2], 1);
  assert_int_equal(log.inside.data[3], 2);
  assert_int_equal(log.registrar.data[4], 3);
  event_log_clear(&log);
}

/* A timer that was cancelled has no row, one that can still ring has. */
static void test_never(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "Timeout");
  timer(&bytes, 1, 7, 20, 0);
  timer(&bytes, 1, 8, 30, 1000);
  run(&bytes, 0, 1, 0, 100);
  end_chunk(&bytes);
  assert_int_equal(read_bytes(&log, bytes.data, bytes.count), STATUS_OK);
  assert_int_equal(log.begin.count, 2);
  assert_int_equal(log.resource.data[1], 8);
  assert_int_equal(log.begin.data[1], EVENT_NEVER);
  event_log_clear(&log);
}

/* Between the chunks two records are missing, and one was left out. */
static void test_missing(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "GET /");
  text(&bytes, 2, "HTTPINCOMINGMESSAGE");
  init(&bytes, 2, 6, 10);
  request(&bytes, 1, 110, 1);
  run(&bytes, 0, 6, 100, 200);
  end_chunk(&bytes);
  begin_chunk(&bytes, "TPNC", 1, 5, 1);
  response(&bytes, 1, 350, 200);
  run(&bytes, 0, 6, 300, 400);
  end_chunk(&bytes);
  assert_int_equal(read_bytes(&log, bytes.data, bytes.count), STATUS_OK);
  assert_int_equal(log.loops.data[0].dropped, 3);
  assert_int_equal(log.requests.data[0].state, EVENT_BROKEN);
  event_log_clear(&log);
}

/* A chunk that was written when it was half full and again when it was full counts once. */
static void test_written_twice(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "TCPSERVERWRAP");
  init(&bytes, 1, 5, 10);
  end_chunk(&bytes);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  write_file_request(&bytes);
  end_chunk(&bytes);
  assert_int_equal(read_bytes(&log, bytes.data, bytes.count), STATUS_OK);
  assert_int_equal(log.begin.count, 3);
  assert_int_equal(log.loops.data[0].dropped, 0);
  assert_int_equal(count_state(&log, EVENT_ANSWERED), 1);
  event_log_clear(&log);
}

static void test_ends_of_requests(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "GET /");
  text(&bytes, 2, "GET /users/:id");
  for (int64_t i = 1; i <= 3; i++)
    request(&bytes, i, 100 + i, 1);
  put(&bytes, 7 | 2 << 3, 1); /* an upgrade */
  difference(&bytes, &bytes.time, BASE + 150);
  number(&bytes, 1);
  about_request(&bytes, 7 | 1 << 3, 2); /* went away */
  about_request(&bytes, 7 | 5 << 3, 3); /* its route */
  number(&bytes, 2);
  response(&bytes, 3, 180, 404);
  run(&bytes, 0, 6, 100, 200);
  end_chunk(&bytes);
  assert_int_equal(read_bytes(&log, bytes.data, bytes.count), STATUS_OK);
  assert_int_equal(log.requests.data[0].state, EVENT_OPEN);
  assert_int_equal(log.requests.data[1].state, EVENT_ABORTED);
  assert_int_equal(log.requests.data[2].state, EVENT_ANSWERED);
  assert_int_equal(log.requests.data[2].status, 404);
  assert_string_equal(names_text(&log.names, log.requests.data[2].route), "GET /users/:id");
  assert_int_equal(log.requests.data[3].state, EVENT_UPGRADED);
  event_log_clear(&log);
}

/* Three requests of two routes; the loop is looked at in the last one. */
static void write_looked(struct bytes *bytes, uint32_t thread, bool looked) {
  begin_file(bytes, thread, 0);
  if (looked) {
    begin_chunk(bytes, "TPNS", 0, 0, 0);
    text(bytes, 1, "app.js:7:3 slow;app.js:20:1 handler");
    put(bytes, 7 | 4 << 3, 1);
    difference(bytes, &bytes->time, BASE + 350);
    number(bytes, 1);
    end_chunk(bytes);
  }
  begin_chunk(bytes, "TPNC", 0, 0, 0);
  text(bytes, 1, "GET /slow");
  text(bytes, 2, "GET /fast");
  for (int64_t i = 1; i <= 3; i++) {
    request(bytes, i, i * 100 + 10, i == 2 ? 2 : 1);
    run(bytes, 0, 6, i * 100, i * 100 + 90);
  }
  end_chunk(bytes);
}

/* What was seen is of that run alone: another one of its route, or of another loop, may have been
 * in something else. No row has a place by it. */
static void test_looks(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  struct folder folder;
  struct text message;
  const char *paths[2];
  folder_init(&folder);
  write_looked(&bytes, 0, false);
  paths[0] = folder_add(&folder, "4711.0.tpn", bytes.data, bytes.count);
  write_looked(&bytes, 3, true);
  paths[1] = folder_add(&folder, "4711-3.0.tpn", bytes.data, bytes.count);
  text_init(&message);
  event_log_init(&log);
  assert_int_equal(node_log_read(&log, paths, 2, &message), STATUS_OK);
  assert_int_equal(log.looks.count, 1);
  assert_int_equal(log.looks.data[0].row, log.loops.data[1].first + 2);
  assert_string_equal(names_text(&log.names, log.looks.data[0].stack),
                      "app.js:7:3 slow;app.js:20:1 handler");
  for (size_t row = 0; row < log.place.count; row++)
    assert_int_equal(log.place.data[row], 0);
  event_log_clear(&log);
  text_clear(&message);
  folder_clear(&folder);
}

/* An interval runs again, a timer that its own callback sets anew is one, too; other timers that
 * run once are timers and no more. */
static void test_timers_that_run_again(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  const char *const types[] = {"Timeout 700 ms", "Timeout 30 ms", "Timeout", "Timeout 700 ms",
                               "Timeout 30 ms"};
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "Timeout");
  timer(&bytes, 1, 6, 10, 700);
  timer(&bytes, 1, 7, 20, 30);
  timer(&bytes, 1, 8, 30, 50);
  run(&bytes, 0, 1, 0, 100);
  run(&bytes, 0, 6, 700 * MS + 100, 700 * MS + 200);
  timer(&bytes, 1, 9, 731 * MS, 30);
  run(&bytes, 0, 7, 730 * MS, 732 * MS);
  run(&bytes, 0, 8, 750 * MS, 751 * MS);
  run(&bytes, 0, 6, 1400 * MS + 200, 1400 * MS + 300);
  run(&bytes, 0, 9, 1450 * MS, 1451 * MS);
  end_chunk(&bytes);
  assert_int_equal(read_bytes(&log, bytes.data, bytes.count), STATUS_OK);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    assert_string_equal(names_text(&log.names, log.type.data[i + 1]), types[i]);
  event_log_clear(&log);
}

/* Parts of one log in any order, and a worker thread's. */
static void test_parts(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  struct folder folder;
  struct text message;
  const char *paths[3];
  folder_init(&folder);
  begin_file(&bytes, 0, 1);
  begin_chunk(&bytes, "TPNC", 1, FILE_RECORDS, 0);
  run(&bytes, 0, 6, 900, 1000);
  end_chunk(&bytes);
  paths[0] = folder_add(&folder, "4711.1.tpn", bytes.data, bytes.count);
  make_file_request(&bytes);
  paths[1] = folder_add(&folder, "4711.0.tpn", bytes.data, bytes.count);
  begin_file(&bytes, 3, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  write_file_request(&bytes);
  end_chunk(&bytes);
  paths[2] = folder_add(&folder, "4711-3.0.tpn", bytes.data, bytes.count);
  text_init(&message);
  event_log_init(&log);
  assert_int_equal(node_log_read(&log, paths, 3, &message), STATUS_OK);
  check_sane(&log);
  assert_int_equal(log.loops.count, 2);
  assert_int_equal(log.loops.data[0].count, 4);
  assert_int_equal(log.loops.data[0].dropped, 0);
  assert_int_equal(log.loops.data[1].thread, 3);
  assert_int_equal(log.requests.count, 2);
  event_log_clear(&log);
  text_clear(&message);
  folder_clear(&folder);
}

/* Recordings of two machines, each of a process of the same number: two loops of the same time. */
static void test_folders(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  struct folder folder[2];
  struct text message;
  const char *paths[3];
  make_file_request(&bytes);
  for (size_t i = 0; i < 2; i++) {
    folder_init(&folder[i]);
    paths[2 * i] = folder_add(&folder[i], "1.0.tpn", bytes.data, bytes.count);
  }
  begin_file(&bytes, 0, 1);
  begin_chunk(&bytes, "TPNC", 1, FILE_RECORDS, 0);
  run(&bytes, 0, 6, 900, 1000);
  end_chunk(&bytes);
  paths[1] = folder_add(&folder[1], "1.1.tpn", bytes.data, bytes.count);
  text_init(&message);
  event_log_init(&log);
  assert_int_equal(node_log_read(&log, paths, 3, &message), STATUS_OK);
  check_sane(&log);
  assert_int_equal(log.loops.count, 2);
  assert_int_equal(log.loops.data[0].folder, 0);
  assert_int_equal(log.loops.data[1].folder, 1);
  assert_int_equal(log.loops.data[1].count, log.loops.data[0].count + 1);
  for (size_t l = 0; l < 2; l++)
    assert_int_equal(log.loops.data[l].dropped, 0);
  assert_int_equal(log.requests.count, 2);
  event_log_clear(&log);
  text_clear(&message);
  for (size_t i = 0; i < 2; i++)
    folder_clear(&folder[i]);
}

/* --- any bytes --- */

static void test_truncated(void **state) {
  (void)state;
  struct bytes bytes;
  make_file_request(&bytes);
  begin_chunk(&bytes, "TPNC", 1, FILE_RECORDS, 0);
  request(&bytes, 2, 910, 4);
  response(&bytes, 2, 920, 200);
  run(&bytes, 0, 6, 900, 1000);
  end_chunk(&bytes);
  for (size_t count = 0; count < bytes.count; count++) {
    struct event_log log;
    enum status status = read_bytes(&log, bytes.data, count);
    assert_true(status == STATUS_OK || (status == STATUS_DATA && count < 72));
    assert_true(log.requests.count <= 1);
    event_log_clear(&log);
  }
}

/* A flipped bit is found by the checksum; in a file whose checksums are right again any bits are
 * read without harm. */
static void test_flipped(void **state) {
  (void)state;
  struct bytes bytes;
  make_file_request(&bytes);
  for (size_t bit = 8 * 72; bit < 8 * bytes.count; bit++) {
    struct event_log log;
    struct bytes copy = bytes;
    copy.data[bit / 8] ^= (unsigned char)(1U << bit % 8);
    assert_int_equal(read_bytes(&log, copy.data, copy.count), STATUS_OK);
    assert_int_equal(log.requests.count, 0);
    event_log_clear(&log);
    if (bit / 8 < copy.chunk + NODE_CHUNK_HEADER)
      continue;
    memset(copy.data + copy.chunk + 8, 0, 4);
    uint32_t sum = node_checksum(copy.data + copy.chunk, (copy.count - copy.chunk) / 4);
    for (unsigned i = 0; i < 4; i++)
      copy.data[copy.chunk + 8 + i] = (unsigned char)(sum >> 8 * i);
    assert_int_equal(read_bytes(&log, copy.data, copy.count), STATUS_OK);
    event_log_clear(&log);
  }
}

/* A recording that stopped early says so in the head of its newest part. */
static void test_stopped(void **state) {
  (void)state;
  struct bytes bytes;
  struct event_log log;
  make_file_request(&bytes);
  assert_int_equal(read_bytes(&log, bytes.data, bytes.count), STATUS_OK);
  assert_int_equal(log.loops.data[0].stopped, 0);
  event_log_clear(&log);
  bytes.data[52] = 28;
  bytes.data[57] = 0x10; /* 4096 ns */
  assert_int_equal(read_bytes(&log, bytes.data, bytes.count), STATUS_OK);
  assert_int_equal(log.loops.data[0].stopped, 28);
  assert_int_equal(log.loops.data[0].stopped_at, 4096);
  assert_int_equal(log.loops.data[0].dropped, 0);
  event_log_clear(&log);
}

static void test_no_log(void **state) {
  (void)state;
  struct event_log log;
  struct text message;
  const char *path = "/nonexistent/4711.0.tpn";
  text_init(&message);
  event_log_init(&log);
  assert_int_equal(node_log_read(&log, &path, 1, &message), STATUS_NO_INPUT);
  assert_non_null(strstr(text_get(&message), path));
  event_log_clear(&log);
  text_clear(&message);
  assert_int_equal(read_bytes(&log, (const unsigned char *)"{\"traceEvents\":[", 16), STATUS_DATA);
  event_log_clear(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_request),
      cmocka_unit_test(test_within),
      cmocka_unit_test(test_pauses),
      cmocka_unit_test(test_never),
      cmocka_unit_test(test_missing),
      cmocka_unit_test(test_written_twice),
      cmocka_unit_test(test_ends_of_requests),
      cmocka_unit_test(test_looks),
      cmocka_unit_test(test_timers_that_run_again),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_folders),
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_flipped),
      cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_no_log),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
