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

static void put_stamp(struct bytes *bytes, int64_t when, uint64_t age, unsigned kind) {
  put(bytes, (uint64_t)(BASE + when), 8);
  put(bytes, age, 4);
  put(bytes, kind, 2);
  put(bytes, 20, 2);
}

/* It was written to a connection. */
static void put_sent(struct bytes *bytes, int64_t when, unsigned connection) {
  put(bytes, (uint64_t)(BASE + when), 8);
  put(bytes, UINT32_MAX, 4);
  put(bytes, 3, 2);
  put(bytes, connection, 2);
}

static void begin_stamps(struct bytes *stamps, unsigned count) {
  *stamps = (struct bytes){.count = 0};
  put_text(stamps, "TPREADY1", 8);
  put(stamps, 4711, 4);
  put(stamps, 4096, 4);
  put(stamps, count, 8);
  while (stamps->count < 4096)
    put(stamps, 0, 1);
}

static void read_stamped(struct event_log *log, const struct bytes *bytes,
                         const struct bytes *stamps) {
  struct folder folder;
  struct text message;
  folder_init(&folder);
  const char *path = folder_add(&folder, "4711.0.tpn", bytes->data, bytes->count);
  folder_add(&folder, "4711.tpr", stamps->data, stamps->count);
  text_init(&message);
  event_log_init(log);
  assert_int_equal(node_log_read(log, &path, 1, &message), STATUS_OK);
  check_sane(log);
  text_clear(&message);
  folder_clear(&folder);
}

/* The request was at the socket 64 ns before it was read; the first completion that the pool told
 * of was there 320 ns before the loop read that it was woken. */
static void test_stamps(void **state) {
  (void)state;
  struct bytes bytes, stamps;
  struct event_log log;
  begin_stamps(&stamps, 2);
  put_stamp(&stamps, 190, 4, 1);
  put_stamp(&stamps, 690, 20, 2);
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "HTTPINCOMINGMESSAGE");
  text(&bytes, 2, "FSREQCALLBACK");
  text(&bytes, 3, "GET /file");
  init(&bytes, 1, 6, 20);
  run(&bytes, 0, 1, 0, 100);
  request(&bytes, 1, 210, 3);
  init(&bytes, 2, 9, 250);
  run(&bytes, 0, 6, 200, 300);
  response(&bytes, 1, 760, 200);
  run(&bytes, 0, 9, 700, 800);
  end_chunk(&bytes);
  read_stamped(&log, &bytes, &stamps);
  assert_int_equal(log.requests.data[0].arrived_low, BASE + 126);
  assert_int_equal(log.requests.data[0].arrived_high, BASE + 126);
  assert_int_equal(log.ready_source.data[1], EVENT_READY_KERNEL);
  assert_int_equal(log.ready_source.data[2], EVENT_READY_KERNEL);
  assert_int_equal(log.ready_low.data[2], BASE + 370);
  assert_int_equal(log.ready_high.data[2], BASE + 690);
  event_log_clear(&log);
}

/* A connection is accepted; three requests on it, one after the other. */
static void begin_three(struct bytes *bytes) {
  begin_file(bytes, 0, 0);
  begin_chunk(bytes, "TPNC", 0, 0, 0);
  text(bytes, 1, "HTTPINCOMINGMESSAGE");
  text(bytes, 2, "GET /");
  text(bytes, 3, "GET /:id");
  init(bytes, 1, 6, 20);
  run(bytes, 0, 1, 0, 100);
}

static void check_three(const struct event_log *log, const int64_t (*expected)[3]) {
  assert_int_equal(log->begin.count, 4);
  assert_int_equal(log->requests.count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    const struct event_request *one = &log->requests.data[i];
    assert_int_equal(one->source, i + 1);
    assert_int_equal(one->sink, i + 1);
    assert_int_equal(one->arrived_low, BASE + expected[i][0]);
    assert_int_equal(one->arrived_high, BASE + expected[i][0]);
    assert_int_equal(log->begin.data[one->source], BASE + expected[i][1]);
    assert_int_equal(one->responded, BASE + expected[i][2]);
    assert_int_equal(one->state, EVENT_ANSWERED);
  }
}

/* The recorder saw one turn, but the loop read three times: each request came when it was read,
 * also what is told of it later or ran within. */
static void test_read_in_one_turn(void **state) {
  (void)state;
  struct bytes bytes, stamps;
  struct event_log log;
  begin_three(&bytes);
  request(&bytes, 1, 200, 2);
  response(&bytes, 1, 280, 200);
  request(&bytes, 2, 310, 2);
  about_request(&bytes, 7 | 5 << 3, 2); /* its route */
  number(&bytes, 3);
  response(&bytes, 2, 380, 200);
  request(&bytes, 3, 415, 2);
  run(&bytes, 1, 9, 420, 430);
  response(&bytes, 3, 480, 200);
  run(&bytes, 0, 6, 200, 490);
  end_chunk(&bytes);
  begin_stamps(&stamps, 4);
  put_stamp(&stamps, 195, 4, 1);
  put_stamp(&stamps, 300, 1, 1);
  put_stamp(&stamps, 350, 1, 2);
  put_stamp(&stamps, 410, 2, 1);
  read_stamped(&log, &bytes, &stamps);
  static const int64_t expected[][3] = {{131, 200, 280}, {284, 300, 380}, {378, 410, 480}};
  assert_int_equal(log.begin.count, 5);
  assert_int_equal(log.inside.data[4], 3);
  assert_int_equal(log.begin.data[4], BASE + 420);
  for (size_t i = 1; i < 4; i++)
    assert_int_equal(log.end.data[i], i < 3 ? log.begin.data[i + 1] : BASE + 490);
  assert_string_equal(names_text(&log.names, log.requests.data[1].route), "GET /:id");
  log.begin.count--; /* of the turns alone */
  check_three(&log, expected);
  event_log_clear(&log);
}

/* What was read twice in a turn in which nothing else is told of is two turns. */
static void test_read_of_nothing(void **state) {
  (void)state;
  struct bytes bytes, stamps;
  struct event_log log;
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "TCPWRAP");
  put(&bytes, 7 | 3 << 3, 1); /* a connection from before */
  difference(&bytes, &bytes.id, 6);
  number(&bytes, 1);
  run(&bytes, 0, 6, 100, 200);
  end_chunk(&bytes);
  begin_stamps(&stamps, 2);
  put_stamp(&stamps, 90, 1, 1);
  put_stamp(&stamps, 150, 1, 1);
  read_stamped(&log, &bytes, &stamps);
  assert_int_equal(log.begin.count, 2);
  assert_int_equal(log.end.data[0], BASE + 150);
  assert_int_equal(log.begin.data[1], BASE + 150);
  event_log_clear(&log);
}

/* One read held three requests, whose handlers are turns that follow each other. */
static void test_read_at_once(void **state) {
  (void)state;
  struct bytes bytes, stamps;
  struct event_log log;
  begin_three(&bytes);
  for (int64_t i = 1; i <= 3; i++) {
    request(&bytes, i, 100 + 100 * i, 2);
    response(&bytes, i, 180 + 100 * i, 200);
    run(&bytes, 0, 6, 100 + 100 * i, 190 + 100 * i);
  }
  end_chunk(&bytes);
  begin_stamps(&stamps, 1);
  put_stamp(&stamps, 195, 4, 1);
  read_stamped(&log, &bytes, &stamps);
  static const int64_t expected[][3] = {{131, 200, 280}, {131, 300, 380}, {131, 400, 480}};
  check_three(&log, expected);
  event_log_clear(&log);
}

/* The loop is held from 100 to 500 and then accepts two connections, one after the other. What the
 * clients sent was there at 300 and 310: so were the connections, also before the first of them was
 * accepted. */
static void test_accepted(void **state) {
  (void)state;
  struct bytes bytes, stamps;
  struct event_log log;
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "TCPSERVERWRAP");
  text(&bytes, 2, "HTTPINCOMINGMESSAGE");
  text(&bytes, 3, "GET /");
  init(&bytes, 1, 5, 20);
  run(&bytes, 0, 1, 0, 500);
  for (int64_t i = 0; i < 2; i++) {
    init(&bytes, 2, 6 + i, 515 + 30 * i);
    run(&bytes, 0, 5, 510 + 30 * i, 520 + 30 * i);
  }
  for (int64_t i = 0; i < 2; i++) {
    request(&bytes, 1 + i, 605 + 100 * i, 3);
    response(&bytes, 1 + i, 680 + 100 * i, 200);
    run(&bytes, 0, 6 + i, 600 + 100 * i, 690 + 100 * i);
  }
  end_chunk(&bytes);
  begin_stamps(&stamps, 2);
  put_stamp(&stamps, 588, 18, 1);
  put_stamp(&stamps, 694, 24, 1);
  read_stamped(&log, &bytes, &stamps);
  assert_int_equal(log.registered.data[1], BASE + 20);
  assert_int_equal(log.ready_low.data[1], BASE + 20);
  assert_int_equal(log.ready_high.data[1], BASE + 300);
  assert_int_equal(log.registered.data[2], BASE + 310);
  assert_int_equal(log.ready_low.data[2], BASE + 310);
  assert_int_equal(log.ready_high.data[2], BASE + 310);
  assert_int_equal(log.ready_source.data[2], EVENT_READY_KERNEL);
  event_log_clear(&log);
}

/* Three requests, each a turn, and stamps of reads and writes. */
static void make_sent(struct bytes *bytes, struct bytes *stamps, unsigned code) {
  begin_three(bytes);
  for (int64_t i = 1; i <= 3; i++) {
    request(bytes, i, 100 + 100 * i, 2);
    response_of(bytes, code, i, 180 + 100 * i, 200);
    run(bytes, 0, 6, 100 + 100 * i, 190 + 100 * i);
  }
  end_chunk(bytes);
  begin_stamps(stamps, 9);
  put_stamp(stamps, 195, 4, 1);
  put_sent(stamps, 240, 20);
  put_sent(stamps, 250, 20);
  put_sent(stamps, 260, 30);
  put_sent(stamps, 285, 20);
  put_stamp(stamps, 295, 4, 1);
  put_stamp(stamps, 395, 4, 1);
  put_sent(stamps, 480, 20);
  put_sent(stamps, 485, 20);
}

/* The last byte was handed over before the server told of it: of the connection that the request
 * came from, in its turn, and neither before it was noticed nor behind what is told. Stamps of
 * others, of the past, and of later answers do not count. */
static void test_sent(void **state) {
  (void)state;
  struct bytes bytes, stamps;
  struct event_log log;
  make_sent(&bytes, &stamps, 0);
  read_stamped(&log, &bytes, &stamps);
  static const int64_t expected[][3] = {{131, 200, 250}, {231, 300, 380}, {331, 400, 480}};
  check_three(&log, expected);
  event_log_clear(&log);
}

/* What a connection wrote last may be another stream's. */
static void test_sent_by_streams(void **state) {
  (void)state;
  struct bytes bytes, stamps;
  struct event_log log;
  make_sent(&bytes, &stamps, 1);
  read_stamped(&log, &bytes, &stamps);
  static const int64_t expected[][3] = {{131, 200, 280}, {231, 300, 380}, {331, 400, 480}};
  check_three(&log, expected);
  event_log_clear(&log);
}

/* Where a connection goes to is part of its kind, from when that is known; of what is no connection
 * nothing of the kind is told. */
static void test_peers(void **state) {
  (void)state;
  struct bytes bytes, stamps;
  struct event_log log;
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "TCPWRAP");
  text(&bytes, 2, "Timeout");
  text(&bytes, 3, "10.0.0.2:6379");
  for (int64_t id = 5; id <= 7; id++)
    init(&bytes, id == 7 ? 2 : 1, id, 10 * id);
  run(&bytes, 0, 1, 0, 100);
  for (int64_t id = 5; id <= 8; id++) {
    if (id == 6)
      continue;
    peer(&bytes, id, 3);
  }
  for (int64_t id = 5; id <= 7; id++)
    run(&bytes, 0, id, 100 * id, 100 * id + 50);
  peer(&bytes, 6, 3); /* too late */
  run(&bytes, 0, 6, 800, 850);
  end_chunk(&bytes);
  begin_stamps(&stamps, 0);
  read_stamped(&log, &bytes, &stamps);
  static const char *const types[] = {"program", "TCPWRAP 10.0.0.2:6379", "TCPWRAP", "Timeout",
                                      "TCPWRAP"};
  assert_int_equal(log.begin.count, 5);
  assert_int_equal(log.loops.data[0].dropped, 0);
  for (size_t i = 0; i < 5; i++)
    assert_string_equal(names_text(&log.names, log.type.data[i]), types[i]);
  assert_int_equal(log.class.data[1], EVENT_SOCKET);
  event_log_clear(&log);
}

/* Stamps that are no stamps, or cut off, are left out, and that is told. */
static void test_damaged(void **state) {
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    struct bytes bytes, stamps;
    struct event_log log;
    begin_three(&bytes);
    end_chunk(&bytes);
    begin_stamps(&stamps, 1);
    put_stamp(&stamps, 195, 4, 1);
    if (i == 1)
      stamps.data[0] ^= 1;
    else if (i > 1)
      stamps.count -= i == 2 ? 1 : 20;
    read_stamped(&log, &bytes, &stamps);
    assert_int_equal(log.loops.data[0].lost_stamps, i > 0);
    event_log_clear(&log);
  }
}

/* Whatever the stamps are, what is read makes sense. */
static void test_flipped(void **state) {
  (void)state;
  struct bytes bytes, stamps;
  make_sent(&bytes, &stamps, 0);
  for (size_t bit = 8 * 4096; bit < 8 * stamps.count; bit++) {
    struct event_log log;
    struct bytes copy = stamps;
    copy.data[bit / 8] ^= (unsigned char)(1U << bit % 8);
    read_stamped(&log, &bytes, &copy);
    assert_int_equal(log.requests.count, 3);
    event_log_clear(&log);
  }
}

static void expect_pause(const struct event_log *log, size_t number, int64_t start, int64_t end,
                         const char *text) {
  const struct event_pause *pause = &log->pauses.data[number];
  assert_int_equal(pause->kind, EVENT_PAUSE_MESSAGE);
  assert_true(pause->start == BASE + start && pause->end == BASE + end);
  assert_string_equal(names_text(&log->names, pause->name), text);
}

/* The loop is woken at 20000, makes objects of a message until 50000 and calls back; then of a
 * second until 80000, with a collection in it. The third was there before it was woken, at 90000
 * for what takes too little to be told. It had no processor for the last 20000 of 95000 .. 145000,
 * in which a fourth was made; of the fifth nobody saw that it was woken. */
static void test_messages(void **state) {
  (void)state;
  struct bytes bytes, stamps;
  struct event_log log;
  begin_stamps(&stamps, 3);
  put_stamp(&stamps, 20000, 10, 2);
  put_stamp(&stamps, 90000, 10, 2);
  put_stamp(&stamps, 95000, 10, 2);
  begin_file(&bytes, 0, 0);
  begin_chunk(&bytes, "TPNS", 0, 0, 0);
  put(&bytes, 7 | 7 << 3, 1);
  difference(&bytes, &bytes.time, BASE + 95000);
  for (size_t i = 0; i < 4; i++)
    number(&bytes, (const int64_t[]){60000, 20000, 0, 0}[i]);
  end_chunk(&bytes);
  begin_chunk(&bytes, "TPNC", 0, 0, 0);
  text(&bytes, 1, "MESSAGEPORT");
  text(&bytes, 2, "worker 2 (app.js:7)");
  text(&bytes, 3, "Immediate");
  init(&bytes, 1, 6, 20);
  init(&bytes, 3, 8, 30);
  run(&bytes, 0, 1, 0, 100);
  peer(&bytes, 6, 2);
  run(&bytes, 0, 6, 50000, 51000);
  pause_of(&bytes, 0, 60000, 5000);
  run(&bytes, 0, 6, 80000, 81000);
  run(&bytes, 0, 6, 90100, 91000);
  run(&bytes, 0, 6, 145000, 146000);
  run(&bytes, 0, 8, 200000, 201000);
  run(&bytes, 0, 6, 250000, 251000);
  end_chunk(&bytes);
  read_stamped(&log, &bytes, &stamps);
  assert_string_equal(names_text(&log.names, log.type.data[1]), "MESSAGEPORT worker 2 (app.js:7)");
  assert_true(log.ready_low.data[1] == BASE + 19840 && log.ready_high.data[1] == BASE + 20000);
  assert_int_equal(log.pauses.count, 5);
  size_t first = 0;
  expect_pause(&log, first++, 20000, 50000, "worker 2 (app.js:7)");
  expect_pause(&log, first++, 51000, 80000, "worker 2 (app.js:7)");
  assert_int_equal(log.pauses.data[first++].kind, EVENT_PAUSE_MINOR);
  expect_pause(&log, first++, 95000, 125000, "worker 2 (app.js:7)");
  assert_int_equal(log.pauses.data[first++].kind, EVENT_PAUSE_WAITING);
  event_log_clear(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stamps),
                                     cmocka_unit_test(test_messages),
                                     cmocka_unit_test(test_damaged),
                                     cmocka_unit_test(test_read_in_one_turn),
                                     cmocka_unit_test(test_read_of_nothing),
                                     cmocka_unit_test(test_read_at_once),
                                     cmocka_unit_test(test_sent),
                                     cmocka_unit_test(test_sent_by_streams),
                                     cmocka_unit_test(test_accepted),
                                     cmocka_unit_test(test_peers),
                                     cmocka_unit_test(test_flipped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
