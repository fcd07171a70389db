/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/loops.h"
#include "trace/loop/chain.h"
#include "trace/loop/replay.h"
#include "trace/loop/turns.h"

enum { REPORT, FIRST, SECOND, ANSWER, FIRST_GOES_ON, SECOND_GOES_ON, ROWS };

struct scene {
  struct event_log log;
  struct event_chains chains;
  struct loop_turns turns;
};

static void add_row(struct event_log *log, uint8_t class, int64_t registered, int64_t begin,
                    int64_t end, uint32_t registrar, uint32_t releaser) {
  static const char *const types[] = {
      [EVENT_SOCKET] = "TCPWRAP", [EVENT_PROMISE] = "PROMISE", [EVENT_TICK] = "Immediate"};
  uint32_t row = (uint32_t)log->begin.count;
  bool arrives = class == EVENT_SOCKET && registrar == EVENT_NONE && row < ANSWER;
  vector_push(&log->registered, registered * LOOPS_US);
  vector_push(&log->ready_low, (arrives || class == EVENT_TICK ? registered : begin) * LOOPS_US);
  vector_push(&log->ready_high, (arrives || class == EVENT_TICK ? registered : begin) * LOOPS_US);
  vector_push(&log->begin, begin * LOOPS_US);
  vector_push(&log->end, end * LOOPS_US);
  vector_push(&log->resource, row + 1);
  vector_push(&log->type, loops_name(&log->names, types[class]));
  vector_push(&log->place, 0);
  vector_push(&log->registrar, registrar);
  vector_push(&log->releaser, releaser);
  vector_push(&log->inside, EVENT_NONE);
  vector_push(&log->class, class);
  vector_push(&log->ready_source, EVENT_READY_KERNEL);
}

static void add_request(struct event_log *log, uint32_t source, uint32_t sink) {
  vector_push(&log->requests, (struct event_request){.route = loops_name(&log->names, "GET /page"),
                                                     .source = source,
                                                     .sink = sink,
                                                     .arrived_low = log->registered.data[source],
                                                     .arrived_high = log->registered.data[source],
                                                     .noticed = log->begin.data[source],
                                                     .responded = log->end.data[sink],
                                                     .status = 200});
}

/* A report takes 20 ms. One request comes 1 ms after it has begun, and asks a database at 20.2 ms;
 * one comes at 20.5 ms and asks at 20.7. Both are answered in one read at 22 ms. */
static void scene_make(struct scene *s) {
  *s = (struct scene){0};
  event_log_init(&s->log);
  add_row(&s->log, EVENT_TICK, 0, 0, 20000, EVENT_NONE, EVENT_NONE);
  add_row(&s->log, EVENT_SOCKET, 1000, 20000, 20200, EVENT_NONE, EVENT_NONE);
  add_row(&s->log, EVENT_SOCKET, 20500, 20500, 20700, EVENT_NONE, EVENT_NONE);
  add_row(&s->log, EVENT_SOCKET, 0, 22000, 22100, EVENT_NONE, EVENT_NONE);
  add_row(&s->log, EVENT_PROMISE, 20200, 22100, 22200, FIRST, ANSWER);
  add_row(&s->log, EVENT_PROMISE, 20700, 22200, 22300, SECOND, ANSWER);
  add_request(&s->log, FIRST, FIRST_GOES_ON);
  add_request(&s->log, SECOND, SECOND_GOES_ON);
  vector_push(&s->log.loops, (struct event_loop){.count = ROWS, .end = 30 * LOOPS_MS});
  event_chains_make(&s->chains, &s->log);
  loop_turns_make(&s->turns, &s->log, &s->chains, LOOP_EARLY);
  assert_int_equal(s->chains.states[CHAIN_COMPLETE], 2);
  assert_int_equal(s->chains.shared, 2);
  assert_int_equal(loop_replay_check(&s->turns, &s->chains, NULL), 0);
}

static void scene_clear(struct scene *s) {
  loop_turns_clear(&s->turns);
  event_chains_clear(&s->chains);
  event_log_clear(&s->log);
}

/* Without the report the first asks at 1.2 ms and is answered 1.8 ms later. The second, which is
 * not there yet, is answered when it was. */
static void test_the_read_of_two(void **state) {
  (void)state;
  struct scene s;
  struct loop_replay replay;
  struct loop_scenario scenario = loop_scenario_none();
  double own[ROWS] = {0, 1, 1, 1, 1, 1};
  scene_make(&s);
  scenario.own = own;
  loop_replay_run(&replay, &s.turns, &s.chains, &scenario);
  assert_int_equal(replay.latency[0], 2200 * LOOPS_US);
  assert_int_equal(replay.latency[1], 1800 * LOOPS_US);
  loop_replay_clear(&replay);
  scene_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_read_of_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
