/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chains and turns are kept as differences of 32 bits; here are logs whose times are further apart
 * than that holds, which is 4.29 s.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/event/row.h"
#include "trace/loop/chain.h"
#include "trace/loop/replay.h"
#include "trace/loop/turns.h"

/* What fits last, and what does not. */
#define FITS INT64_C(4294967294)

struct scene {
  struct event_log log;
  struct event_chains chains;
  struct loop_turns turns;
};

/* A request that computes for `run`, reads a file for `io`, waits in the queue for `queue` and
 * answers `run` later. */
static void add_request(struct event_log *log, int64_t arrived, int64_t run, int64_t io,
                        int64_t queue) {
  int64_t read = arrived + run, ready = read + io, begin = ready + queue;
  struct event_row source = {.registered = arrived,
                             .ready_low = arrived,
                             .ready_high = arrived,
                             .begin = arrived,
                             .end = read,
                             .resource = 1,
                             .registrar = EVENT_NONE,
                             .releaser = EVENT_NONE,
                             .inside = EVENT_NONE,
                             .class = EVENT_SOCKET};
  struct event_row file = source;
  file.registrar = event_log_add(log, &source);
  file.registered = read;
  file.ready_low = file.ready_high = ready;
  file.begin = begin;
  file.end = begin + run;
  file.resource = 2;
  file.class = EVENT_FILE;
  uint32_t sink = event_log_add(log, &file);
  vector_push(&log->requests, (struct event_request){.source = file.registrar,
                                                     .sink = sink,
                                                     .arrived_low = arrived,
                                                     .arrived_high = arrived,
                                                     .noticed = arrived,
                                                     .responded = file.end,
                                                     .state = EVENT_ANSWERED});
}

static void scene_make(struct scene *scene, int64_t arrived, int64_t run, int64_t io,
                       int64_t queue) {
  event_log_init(&scene->log);
  add_request(&scene->log, arrived, run, io, queue);
  vector_push(&scene->log.loops, (struct event_loop){.count = 2, .start = 0, .end = INT64_MAX});
  event_chains_make(&scene->chains, &scene->log);
  loop_turns_make(&scene->turns, &scene->log, &scene->chains, LOOP_EARLY);
}

static void scene_clear(struct scene *scene) {
  loop_turns_clear(&scene->turns);
  event_chains_clear(&scene->chains);
  event_log_clear(&scene->log);
}

static void check_links(const struct scene *s, int64_t arrived, int64_t run, int64_t io,
                        int64_t queue) {
  const struct event_chain *chain = &s->chains.chains.data[0];
  assert_int_equal(chain->state, CHAIN_COMPLETE);
  assert_int_equal(chain->count, 2);
  const struct event_link source = event_link_at(&s->chains, &s->log, chain, 0);
  const struct event_link file = event_link_at(&s->chains, &s->log, chain, 1);
  assert_true(source.row == 0 && source.registered == arrived && source.begin == arrived);
  assert_true(source.stop == arrived + run && file.registered == source.stop);
  assert_true(file.row == 1 && file.ready_low == file.registered + io);
  assert_true(file.ready_high == file.ready_low && file.begin == file.ready_high + queue);
  assert_true(file.stop == file.begin + run && chain->answer == file.stop);
}

static void check_turns(const struct scene *s, int64_t arrived, int64_t run, int64_t io) {
  const struct loop_turn source = loop_turn_at(&s->turns, 0), file = loop_turn_at(&s->turns, 1);
  assert_int_equal(s->turns.kept.count, 2);
  assert_true(source.free == 0 && source.ready == arrived && source.begin == arrived);
  assert_true(source.eligible == arrived && source.order == arrived);
  assert_true(source.end == arrived + run && source.first == 0 && source.count == 1);
  assert_true(file.free == source.end && file.registered == source.end);
  assert_true(file.ready == file.registered + io && file.begin == s->log.begin.data[1]);
  assert_true(file.eligible == file.ready && file.order == file.ready);
  assert_true(file.end == file.begin + run && file.first == 1 && file.count == 1);
  assert_true(file.triggers[0] == 0 && file.triggers[1] == EVENT_NONE);
}

/* Pieces have no gap, and each is what it is. */
static void check_pieces(const struct scene *s) {
  int64_t at = 0;
  for (uint32_t t = 0; t < s->turns.kept.count; t++) {
    const struct loop_turn turn = loop_turn_at(&s->turns, t);
    for (uint32_t i = turn.piece; i < turn.piece + turn.pieces; i++) {
      const struct loop_piece piece = loop_piece_of(&s->turns, &turn, i);
      assert_true(piece.start == at && piece.end > at);
      assert_int_equal(piece.kind, piece.end <= turn.eligible ? PIECE_IDLE
                                   : piece.end <= turn.begin  ? PIECE_NATIVE
                                                              : PIECE_RUN);
      assert_int_equal(piece.what, piece.kind == PIECE_RUN ? t : EVENT_NONE);
      uint32_t found;
      assert_int_equal(loop_piece_after(&s->turns, 0, at, &found), t);
      assert_int_equal(found, i);
      at = piece.end;
    }
    assert_true(at == turn.end);
  }
}

static void test_times_around_the_limit(void **state) {
  (void)state;
  static const int64_t lengths[] = {1, FITS - 1, FITS, FITS + 1, FITS + 2, 20 * FITS};
  enum { LENGTHS = sizeof lengths / sizeof *lengths };
  for (size_t k = 0; k < LENGTHS * LENGTHS * LENGTHS; k++) {
    int64_t run = lengths[k % LENGTHS], io = lengths[k / LENGTHS % LENGTHS];
    int64_t queue = lengths[k / LENGTHS / LENGTHS], arrived = lengths[(k + 1) % LENGTHS];
    struct scene scene;
    scene_make(&scene, arrived, run, io, queue);
    check_links(&scene, arrived, run, io, queue);
    check_turns(&scene, arrived, run, io);
    check_pieces(&scene);
    assert_int_equal(loop_replay_check(&scene.turns, &scene.chains, NULL), 0);
    scene_clear(&scene);
  }
}

/* Two loops: the first turn of the second is not behind the last of the first. */
static void test_each_loop_begins_anew(void **state) {
  (void)state;
  struct scene s;
  event_log_init(&s.log);
  for (uint32_t loop = 0; loop < 3; loop++) {
    if (loop != 1) /* which has none */
      add_request(&s.log, 100 + loop, 10, 20, 5 * FITS);
    uint32_t rows = event_log_rows(&s.log);
    vector_push(&s.log.loops, (struct event_loop){.first = loop == 0 ? 0 : 2,
                                                  .count = rows - (loop == 0 ? 0 : 2),
                                                  .start = loop,
                                                  .end = INT64_MAX});
  }
  s.log.requests.data[1].loop = 2;
  event_chains_make(&s.chains, &s.log);
  loop_turns_make(&s.turns, &s.log, &s.chains, LOOP_EARLY);
  assert_int_equal(s.turns.kept.count, 4);
  static const uint32_t loops[] = {0, 0, 2, 2};
  for (uint32_t t = 0; t < 4; t++) {
    const struct loop_turn turn = loop_turn_at(&s.turns, t);
    assert_int_equal(turn.loop, loops[t]);
    assert_int_equal(loop_turn_loop(&s.turns, t), loops[t]);
    assert_int_equal(turn.count, 1);
    assert_true(turn.free == (t % 2 == 0 ? loops[t] : s.log.end.data[t - 1]));
  }
  uint32_t piece;
  assert_int_equal(loop_piece_after(&s.turns, 1, 0, &piece), EVENT_NONE);
  assert_int_equal(loop_piece_after(&s.turns, 0, s.log.end.data[1], &piece), EVENT_NONE);
  assert_int_equal(loop_piece_after(&s.turns, 2, 0, &piece), 2);
  assert_int_equal(loop_replay_check(&s.turns, &s.chains, NULL), 0);
  scene_clear(&s);
}

/* A callback of a resource, which does not nest. */
static uint32_t add_row(struct event_log *log, uint32_t resource, uint8_t class, int64_t registered,
                        int64_t low, int64_t high, int64_t begin, int64_t end) {
  uint32_t last = EVENT_NONE, rows = event_log_rows(log);
  for (uint32_t row = 0; row < rows; row++)
    if (log->resource.data[row] == resource)
      last = row;
  struct event_row row = {.registered = registered,
                          .ready_low = low,
                          .ready_high = high,
                          .begin = begin,
                          .end = end,
                          .resource = resource,
                          .registrar = last,
                          .releaser = EVENT_NONE,
                          .inside = EVENT_NONE,
                          .class = class};
  return event_log_add(log, &row);
}

static void add_answered(struct event_log *log, uint32_t row, int64_t arrived, int64_t responded) {
  vector_push(&log->requests, (struct event_request){
                                  .source = row,
                                  .sink = row,
                                  .arrived_low = arrived,
                                  .arrived_high = arrived,
                                  .noticed = log->begin.data[row],
                                  .responded = responded,
                                  .state = responded == EVENT_NEVER ? EVENT_OPEN : EVENT_ANSWERED});
}

/* In ms: a request from 0 to 1; the loop is held from 1 to 50; then the system runs something else,
 * or nothing is to be done, until 60, when a file is read whose wait ends somewhere; and then a
 * request that came at 20, on the connection of the first one, of which the loop reads since
 * `reads`. The first one came together with another, which is answered at `other`. Whether the loop
 * counts as idle from 50 to 60. */
static bool is_idle(int64_t reads, int64_t responded, int64_t other) {
  struct scene s;
  event_log_init(&s.log);
  const int64_t ms = 1000000;
  uint32_t first = add_row(&s.log, 1, EVENT_SOCKET, 0, 0, 0, 0, ms);
  add_row(&s.log, 2, EVENT_TIMER, 0, 0, 0, ms, 50 * ms);
  add_row(&s.log, 3, EVENT_FILE, ms, ms, 60 * ms, 60 * ms, 61 * ms);
  int64_t ready = reads > 20 * ms ? reads : 20 * ms;
  uint32_t second = add_row(&s.log, 1, EVENT_SOCKET, reads, ready, ready, 61 * ms, 62 * ms);
  add_answered(&s.log, first, 0, responded);
  add_answered(&s.log, first, 0, other);
  add_answered(&s.log, second, 20 * ms, 62 * ms);
  vector_push(&s.log.loops, (struct event_loop){.count = 4, .start = 0, .end = INT64_MAX});
  event_chains_make(&s.chains, &s.log);
  loop_turns_make(&s.turns, &s.log, &s.chains, LOOP_EARLY);
  assert_int_equal(loop_replay_check(&s.turns, &s.chains, NULL), 0);
  const struct loop_turn file = loop_turn_at(&s.turns, 2), request = loop_turn_at(&s.turns, 3);
  assert_true(file.free == 50 * ms && request.ready == 20 * ms);
  bool idle = file.eligible == 60 * ms;
  assert_true(idle || file.eligible == 50 * ms);
  assert_true(request.eligible == (idle ? 60 * ms : 20 * ms));
  scene_clear(&s);
  return idle;
}

/* An idle loop begins what is there. It was not idle while a request was, whatever it did instead,
 * unless it was not reading from the connection. */
static void test_not_idle_while_a_request_is_there(void **state) {
  (void)state;
  const int64_t ms = 1000000;
  assert_false(is_idle(ms, ms, ms));
  assert_false(is_idle(50 * ms, ms, ms));
  assert_true(is_idle(51 * ms, ms, ms)); /* it began to read later */
  assert_true(is_idle(ms, 60 * ms, ms)); /* the one before was not yet answered */
  assert_true(is_idle(ms, EVENT_NEVER, ms));
  assert_true(is_idle(ms, ms, 60 * ms)); /* nor was what came together with it */
}

/* In ms: a timer from 0 to 1 asks for so many files, of which the first is read at 5 and the others
 * at once behind it, by a pool of so many threads (0: not known). Whether the loop takes a break
 * until 5. */
static bool takes_break(uint32_t files, uint32_t threads) {
  struct scene s;
  event_log_init(&s.log);
  const int64_t ms = 1000000;
  add_row(&s.log, 1, EVENT_TIMER, 0, 0, 0, 0, ms);
  for (uint32_t i = 0; i < files; i++)
    add_row(&s.log, 2 + i, EVENT_FILE, ms, 5 * ms, 5 * ms, 5 * ms + i, 5 * ms + i + 1);
  vector_push(&s.log.loops,
              (struct event_loop){.count = files + 1, .pool = threads, .end = INT64_MAX});
  event_chains_make(&s.chains, &s.log);
  loop_turns_make(&s.turns, &s.log, &s.chains, LOOP_EARLY);
  int64_t *busy = loop_busy_since(&s.turns);
  assert_int_equal(busy[0], 0);
  for (uint32_t i = 1; i <= files; i++)
    assert_true(busy[i] == 0 || busy[i] == 5 * ms);
  bool taken = busy[files] != 0;
  mem_free(busy);
  scene_clear(&s);
  return taken;
}

/* What came together while the loop was held waits for the pool's threads together, too. */
static void test_no_break_while_the_pool_has_a_queue(void **state) {
  (void)state;
  assert_true(takes_break(1, 4));
  assert_true(takes_break(4, 4));
  assert_false(takes_break(5, 4));
  assert_true(takes_break(5, 8));
  assert_true(takes_break(4, 0));
  assert_false(takes_break(5, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_times_around_the_limit),
                                     cmocka_unit_test(test_not_idle_while_a_request_is_there),
                                     cmocka_unit_test(test_no_break_while_the_pool_has_a_queue),
                                     cmocka_unit_test(test_each_loop_begins_anew)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
