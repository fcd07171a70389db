/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/loops.h"
#include "trace/loop/after.h"
#include "trace/loop/chain.h"
#include "trace/loop/contention.h"
#include "trace/loop/replay.h"
#include "trace/loop/turns.h"

enum { ROUNDS = 60 };

static const int64_t cycle = 100 * LOOPS_MS;

struct scene {
  struct event_log log;
  struct event_chains chains;
  struct loop_turns turns;
  struct loop_scenario scenario;
  double *own;
};

/* A callback of a file, or a request that is answered in it if it has a route. */
static uint32_t add_callback(struct event_log *log, const char *route, int64_t ready, int64_t begin,
                             int64_t took) {
  uint32_t row = (uint32_t)log->begin.count;
  vector_push(&log->registered, ready);
  vector_push(&log->ready_low, ready);
  vector_push(&log->ready_high, ready);
  vector_push(&log->begin, begin);
  vector_push(&log->end, begin + took);
  vector_push(&log->resource, row + 1);
  vector_push(&log->type, loops_name(&log->names, route == NULL ? "FSREQCALLBACK" : "HTTP"));
  vector_push(&log->place, route == NULL ? 0 : loops_name(&log->names, route));
  vector_push(&log->registrar, EVENT_NONE);
  vector_push(&log->releaser, EVENT_NONE);
  vector_push(&log->inside, EVENT_NONE);
  vector_push(&log->class, route == NULL ? EVENT_FILE : EVENT_SOCKET);
  vector_push(&log->ready_source, EVENT_READY_KERNEL);
  if (route != NULL)
    vector_push(&log->requests, (struct event_request){.route = loops_name(&log->names, route),
                                                       .source = row,
                                                       .sink = row,
                                                       .arrived_low = ready,
                                                       .arrived_high = ready,
                                                       .noticed = begin,
                                                       .responded = begin + took,
                                                       .status = 200});
  return row;
}

/* It is registered in another from then on, and answers the request that is so far from the last.
 */
static void registers(struct event_log *log, size_t back, uint32_t registrar, uint32_t row,
                      int64_t since) {
  struct event_request *request = &log->requests.data[log->requests.count - back];
  log->registered.data[row] = since;
  log->registrar.data[row] = registrar;
  request->sink = row;
  request->responded = log->end.data[row];
}

/* Three pages in each cycle. The first comes while the other route's report runs, the third while
 * the second one runs. They begin 10 us after the loop could, but behind the report `gap` after
 * that. They take 0.2 ms, and behind the report `behind`. They read a file for 0.3 ms, behind the
 * report for `read`. */
static void scene_make(struct scene *s, int64_t gap, int64_t behind, int64_t read) {
  *s = (struct scene){.scenario = loop_scenario_none()};
  event_log_init(&s->log);
  for (int64_t i = 0; i < ROUNDS; i++) {
    int64_t at = i * cycle + LOOPS_MS, free = at + 20 * LOOPS_MS + gap, run = 200 * LOOPS_US;
    add_callback(&s->log, "GET /report", at, at, 20 * LOOPS_MS);
    uint32_t page = add_callback(&s->log, "GET /page", at + LOOPS_MS, free, behind);
    uint32_t file = add_callback(&s->log, NULL, free + behind + read, free + behind + read, run);
    registers(&s->log, 1, page, file, free + behind);
    at += 60 * LOOPS_MS;
    page = add_callback(&s->log, "GET /page", at - 10 * LOOPS_US, at, run);
    uint32_t last =
        add_callback(&s->log, "GET /page", at + 100 * LOOPS_US, at + 210 * LOOPS_US, run);
    file = add_callback(&s->log, NULL, at + 500 * LOOPS_US, at + 500 * LOOPS_US, run);
    registers(&s->log, 2, page, file, at + run);
    file = add_callback(&s->log, NULL, at + 710 * LOOPS_US, at + 710 * LOOPS_US, run);
    registers(&s->log, 1, last, file, at + 410 * LOOPS_US);
  }
  vector_push(&s->log.loops,
              (struct event_loop){.count = (uint32_t)s->log.begin.count, .end = ROUNDS * cycle});
  event_chains_make(&s->chains, &s->log);
  loop_turns_make(&s->turns, &s->log, &s->chains, LOOP_EARLY);
  assert_int_equal(s->chains.states[CHAIN_COMPLETE], 4 * ROUNDS);
  assert_int_equal(loop_replay_check(&s->turns, &s->chains, NULL), 0);
  s->own = mem_alloc(s->log.begin.count, sizeof *s->own);
  for (size_t i = 0; i < s->log.begin.count; i++)
    s->own[i] = i % 7 == 0 ? 0 : 1;
  s->scenario.own = s->own;
}

static void scene_clear(struct scene *s) {
  mem_free(s->own);
  loop_turns_clear(&s->turns);
  event_chains_clear(&s->chains);
  event_log_clear(&s->log);
}

/* Of the pages that came while the report ran. */
static void assert_latency(struct scene *s, const struct loop_after *after, const int64_t *io,
                           int64_t wanted) {
  struct loop_replay replay;
  struct loop_scenario scenario = s->scenario;
  scenario.own = after->own;
  scenario.gap = after->gap;
  scenario.io = io;
  loop_replay_run(&replay, &s->turns, &s->chains, &scenario);
  for (size_t i = 0; i < ROUNDS; i++)
    assert_int_equal(replay.latency[4 * i + 1], wanted);
  loop_replay_clear(&replay);
}

/* Slower or faster behind the report: without it they take what others take. */
static void test_callbacks_behind_it(void **state) {
  (void)state;
  int64_t took[] = {5 * LOOPS_MS, 50 * LOOPS_US}, gap[] = {3 * LOOPS_MS, 1 * LOOPS_US};
  for (size_t i = 0; i < 2; i++) {
    struct scene s;
    struct loop_after after;
    scene_make(&s, gap[i], took[i], 300 * LOOPS_US);
    loop_after_make(&after, &s.turns, &s.scenario);
    assert_int_equal(after.callbacks, 2 * ROUNDS);
    assert_int_equal(after.lawless, 0);
    assert_int_equal(after.recorded_ns, ROUNDS * (gap[i] + took[i] + 200 * LOOPS_US));
    assert_int_equal(after.other_ns, (int64_t)ROUNDS * 410 * LOOPS_US);
    assert_latency(&s, &after, NULL, 710 * LOOPS_US);
    loop_after_clear(&after);
    scene_clear(&s);
  }
}

/* After a break nothing is behind it any more: a read of 2 ms is one. */
static void test_a_break_ends_it(void **state) {
  (void)state;
  struct scene s;
  struct loop_after after;
  scene_make(&s, 10 * LOOPS_US, 5 * LOOPS_MS, 2 * LOOPS_MS);
  loop_after_make(&after, &s.turns, &s.scenario);
  assert_int_equal(after.callbacks, ROUNDS);
  loop_after_clear(&after);
  scene_clear(&s);
}

/* A wait that begins behind the report takes what others take. */
static void test_waits_behind_it(void **state) {
  (void)state;
  struct scene s;
  struct loop_after after;
  struct loop_contention contention;
  scene_make(&s, 10 * LOOPS_US, 5 * LOOPS_MS, 900 * LOOPS_US);
  loop_after_make(&after, &s.turns, &s.scenario);
  loop_contention_make(&contention, &s.turns, &s.scenario);
  assert_int_equal(contention.verdict, CONTENTION_NONE);
  assert_int_equal(contention.behind, ROUNDS);
  assert_latency(&s, &after, NULL, 1310 * LOOPS_US);
  assert_latency(&s, &after, contention.behind_io, 710 * LOOPS_US);
  assert_latency(&s, &after, contention.io, 710 * LOOPS_US);
  loop_contention_clear(&contention);
  loop_after_clear(&after);
  scene_clear(&s);
}

/* What is not removed leaves nothing behind; nor has a kind a law that is met behind it only. */
static void test_nothing_to_compare(void **state) {
  (void)state;
  struct scene s;
  struct loop_after after;
  scene_make(&s, 10 * LOOPS_US, 5 * LOOPS_MS, 300 * LOOPS_US);
  for (size_t i = 0; i < s.log.begin.count; i += 7)
    s.own[i] = 0.5;
  loop_after_make(&after, &s.turns, &s.scenario);
  assert_int_equal(after.callbacks + after.lawless, 0);
  loop_after_clear(&after);
  for (size_t i = 0; i < s.log.begin.count; i++) {
    s.own[i] = i % 7 == 0 ? 0 : 1;
    if (i % 7 == 1)
      s.log.place.data[i] = 0;
  }
  loop_after_make(&after, &s.turns, &s.scenario);
  assert_int_equal(after.callbacks, ROUNDS);
  assert_int_equal(after.lawless, ROUNDS);
  loop_after_clear(&after);
  scene_clear(&s);
}

/* Work in the thread pool until the first page has begun: what begins meanwhile is behind it. */
static void test_work_in_the_pool(void **state) {
  (void)state;
  struct scene s;
  struct loop_after after;
  scene_make(&s, 10 * LOOPS_US, 5 * LOOPS_MS, 300 * LOOPS_US);
  size_t rows = s.log.begin.count;
  int64_t *io = mem_alloc(rows, sizeof *io);
  for (size_t i = 0; i < rows; i += 7) {
    s.own[i] = 1;
    s.log.class.data[i] = EVENT_POOL;
    s.log.ready_low.data[i] = s.log.begin.data[i + 1] + LOOPS_US;
    io[i] = -loop_wait_of(&s.turns, (uint32_t)i);
  }
  loop_after_make(&after, &s.turns, &s.scenario);
  assert_int_equal(after.callbacks + after.lawless, 0);
  loop_after_clear(&after);
  s.scenario.io = io;
  loop_after_make(&after, &s.turns, &s.scenario);
  assert_int_equal(after.callbacks, 2 * ROUNDS);
  loop_after_clear(&after);
  mem_free(io);
  scene_clear(&s);
}

/* The loop takes 10 us to begin the report. Of that as much is left as of the report itself; where
 * that is much, the gap stays. */
static void test_gap_before_it(void **state) {
  (void)state;
  const double left[] = {0, 0.0625, 0.5}, gaps[] = {0, 0.0625, 1};
  for (size_t k = 0; k < 3; k++) {
    struct scene s;
    struct loop_after after;
    scene_make(&s, 10 * LOOPS_US, 200 * LOOPS_US, 300 * LOOPS_US);
    loop_turns_clear(&s.turns);
    for (size_t i = 0; i < ROUNDS; i++) {
      struct event_request *report = &s.log.requests.data[4 * i];
      report->arrived_low = report->arrived_high = report->arrived_low - 10 * LOOPS_US;
      s.own[7 * i] = left[k];
    }
    loop_turns_make(&s.turns, &s.log, &s.chains, LOOP_EARLY);
    loop_after_make(&after, &s.turns, &s.scenario);
    for (size_t i = 0; i < ROUNDS; i++)
      assert_true(after.gap[s.turns.turn_of[7 * i]] == gaps[k]);
    loop_after_clear(&after);
    scene_clear(&s);
  }
}

/* What is skipped is no measure of others: the first half of it took 40 times as long. */
static void test_what_is_skipped(void **state) {
  (void)state;
  struct scene s;
  struct loop_after after;
  struct loop_contention contention;
  scene_make(&s, 10 * LOOPS_US, 5 * LOOPS_MS, 900 * LOOPS_US);
  for (size_t i = 0; i < 7 * (ROUNDS / 2); i++)
    if (i % 7 == 3 || i % 7 == 4 || i % 7 == 6)
      s.log.end.data[i] = s.log.begin.data[i] + (i % 7 == 3 ? 100 * LOOPS_US : 8 * LOOPS_MS);
  loop_turns_clear(&s.turns);
  loop_turns_make(&s.turns, &s.log, &s.chains, LOOP_EARLY);
  for (int64_t half = 0; half < 2; half++) {
    s.scenario.skip = half * (ROUNDS / 2) * cycle;
    loop_after_make(&after, &s.turns, &s.scenario);
    loop_contention_make(&contention, &s.turns, &s.scenario);
    assert_int_equal(after.callbacks, half ? ROUNDS : 2 * ROUNDS);
    assert_int_equal(contention.behind, half ? ROUNDS / 2 : ROUNDS);
    assert_true((after.other_ns == (int64_t)ROUNDS / 2 * 410 * LOOPS_US) == (half == 1));
    loop_contention_clear(&contention);
    loop_after_clear(&after);
  }
  scene_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_callbacks_behind_it), cmocka_unit_test(test_a_break_ends_it),
      cmocka_unit_test(test_waits_behind_it),     cmocka_unit_test(test_nothing_to_compare),
      cmocka_unit_test(test_work_in_the_pool),    cmocka_unit_test(test_gap_before_it),
      cmocka_unit_test(test_what_is_skipped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
