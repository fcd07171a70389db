/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What threads of the pool did, in logs of a few rows and in random ones that a plain pool wrote;
 * times are in ms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "trace/event/row.h"
#include "trace/loop/chain.h"
#include "trace/loop/thread_queue.h"
#include "trace/loop/threads.h"

static const int64_t MS = 1000000;

struct scene {
  struct event_log log;
  struct event_chains chains;
  struct loop_turns turns;
  struct loop_threads threads;
};

static uint32_t name(struct event_log *log, const char *text) {
  return names_number(&log->names, (struct slice){text, strlen(text)});
}

/* Its callback takes no time; callbacks come in the order of `done`. */
static uint32_t add(struct event_log *log, const char *type, uint8_t class, int64_t asked,
                    int64_t done) {
  struct event_row row = {.registered = asked,
                          .ready_low = done,
                          .ready_high = done,
                          .begin = done,
                          .end = done,
                          .resource = event_log_rows(log) + 1,
                          .type = name(log, type),
                          .registrar = EVENT_NONE,
                          .releaser = EVENT_NONE,
                          .inside = EVENT_NONE,
                          .class = class};
  return event_log_add(log, &row);
}

static void scene_make(struct scene *s, uint32_t threads) {
  struct event_loop loop = {
      .count = event_log_rows(&s->log), .end = INT64_MAX, .pool = threads, .has_asked = true};
  vector_push(&s->log.loops, loop);
  event_chains_make(&s->chains, &s->log);
  loop_turns_make(&s->turns, &s->log, &s->chains, LOOP_EARLY);
  loop_threads_make(&s->threads, &s->turns);
}

static void scene_clear(struct scene *s) {
  loop_threads_clear(&s->threads);
  loop_turns_clear(&s->turns);
  event_chains_clear(&s->chains);
  event_log_clear(&s->log);
}

static int64_t began(const struct scene *s, uint32_t row) {
  uint32_t number = s->turns.turn_of[row];
  const struct loop_turn turn = loop_turn_at(&s->turns, number);
  return loop_threads_began(&s->threads, &turn, number);
}

/* The example of threads.h, and a file that finds a thread. */
static void test_the_example(void **state) {
  (void)state;
  struct scene s = {0};
  event_log_init(&s.log);
  for (int64_t i = 0; i < 4; i++)
    add(&s.log, "PBKDF2REQUEST", EVENT_POOL, i, 100 * MS + i);
  uint32_t file = add(&s.log, "FSREQCALLBACK", EVENT_FILE, 20 * MS, 101 * MS);
  uint32_t free = add(&s.log, "FSREQCALLBACK", EVENT_FILE, 100 * MS + 3, 102 * MS);
  scene_make(&s, 4);
  assert_int_equal(s.threads.state, LOOP_THREADS_KNOWN);
  assert_int_equal(began(&s, file), 100 * MS);
  assert_int_equal(loop_threads_wait(&s.threads, &s.turns, file), MS);
  assert_int_equal(began(&s, free), 100 * MS + 3);
  scene_clear(&s);
}

/* Of two threads one looks up names: the second name waits for the first, and the file does not. */
static void test_names(void **state) {
  (void)state;
  struct scene s = {0};
  event_log_init(&s.log);
  uint32_t file = add(&s.log, "FSREQCALLBACK", EVENT_FILE, 3, 2 * MS);
  add(&s.log, "GETADDRINFOREQWRAP", EVENT_POOL, 1, 100 * MS);
  uint32_t second = add(&s.log, "GETADDRINFOREQWRAP", EVENT_POOL, 2, 150 * MS);
  scene_make(&s, 2);
  assert_int_equal(began(&s, file), 3);
  assert_int_equal(began(&s, second), 100 * MS);
  scene_clear(&s);
}

/* As libuv's threads take them, step by step: the mark of names goes to the end. */
static void test_the_mark(void **state) {
  (void)state;
  static const uint8_t is_name[] = {1, 1, 0, 1, 0};
  struct thread_queue queue = {.threads = 3, .is_name = is_name};
  for (uint32_t i = 0; i < 5; i++)
    thread_queue_ask(&queue, i, i);
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(thread_queue_step(&queue), THREAD_WORK_NONE);
  assert_int_equal(thread_queue_take(&queue), 0);
  assert_int_equal(thread_queue_take(&queue), 2);
  assert_int_equal(thread_queue_take(&queue), 4);
  assert_int_equal(thread_queue_take(&queue), THREAD_WORK_NONE); /* none is free */
  thread_queue_leave(&queue, 2);
  assert_int_equal(thread_queue_take(&queue), 1);
  thread_queue_leave(&queue, 4);
  assert_int_equal(thread_queue_take(&queue), THREAD_WORK_NONE); /* two of three look up names */
  thread_queue_end_at(&queue, 0, 10);
  assert_int_equal(thread_queue_next(&queue), 10);
  assert_int_equal(thread_queue_step(&queue), 0);
  assert_int_equal(thread_queue_take(&queue), 3);
  assert_int_equal(thread_queue_next(&queue), INT64_MAX);
  thread_queue_clear(&queue);
}

/* --- random pools ----------------------------------------------------------------------------- */

enum { PIECES = 400, THREADS = 3 };

/* Files and keys alone: the thread that is free first takes what was asked for first. */
static void run_pool(int64_t *begin, const int64_t *asked, const int64_t *length) {
  int64_t free[THREADS] = {0};
  for (size_t i = 0; i < PIECES; i++) {
    size_t best = 0;
    for (size_t t = 1; t < THREADS; t++)
      best = free[t] < free[best] ? t : best;
    begin[i] = free[best] > asked[i] ? free[best] : asked[i];
    free[best] = begin[i] + length[i];
  }
}

/* `claimed` threads in the log of a pool that has THREADS. */
static void random_scene(struct scene *s, uint64_t seed, uint32_t claimed, uint32_t *rows,
                         int64_t *begin) {
  struct random random = {seed};
  int64_t asked[PIECES], length[PIECES], now = 0;
  bool added[PIECES] = {false};
  for (size_t i = 0; i < PIECES; i++) {
    asked[i] = now += (int64_t)random_below(&random, 1000) + 1;
    length[i] = (int64_t)random_below(&random, 2500) + 1;
  }
  run_pool(begin, asked, length);
  *s = (struct scene){0};
  event_log_init(&s->log);
  for (size_t n = 0; n < PIECES; n++) { /* in the order in which they are done */
    size_t first = PIECES;
    for (size_t i = 0; i < PIECES; i++)
      if (!added[i] && (first == PIECES || begin[i] + length[i] < begin[first] + length[first]))
        first = i;
    added[first] = true;
    rows[first] =
        first % 3 == 0
            ? add(&s->log, "PBKDF2REQUEST", EVENT_POOL, asked[first], begin[first] + length[first])
            : add(&s->log, "FSREQCALLBACK", EVENT_FILE, asked[first], begin[first] + length[first]);
  }
  scene_make(s, claimed);
}

static void test_random(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct scene s;
    uint32_t rows[PIECES];
    int64_t begin[PIECES];
    random_scene(&s, seed, THREADS, rows, begin);
    assert_int_equal(s.threads.state, LOOP_THREADS_KNOWN);
    assert_int_equal(s.threads.contradicted, 0);
    for (size_t i = 0; i < PIECES; i++)
      assert_int_equal(began(&s, rows[i]), begin[i]);
    scene_clear(&s);
  }
}

/* --- what is not known ------------------------------------------------------------------------ */

static void assert_state(struct scene *s, uint32_t threads, enum loop_threads_state state) {
  scene_make(s, threads);
  assert_int_equal(s->threads.state, state);
  assert_int_equal(s->threads.work.count, 0);
  scene_clear(s);
}

static void test_what_is_not_known(void **state) {
  (void)state;
  struct scene s = {0};
  uint32_t rows[PIECES];
  int64_t begin[PIECES];
  event_log_init(&s.log);
  add(&s.log, "PBKDF2REQUEST", EVENT_POOL, 1, MS);
  assert_state(&s, 0, LOOP_THREADS_SIZE);
  s = (struct scene){0};
  event_log_init(&s.log);
  add(&s.log, "FSREQCALLBACK", EVENT_FILE, 1, MS);
  add(&s.log, "NATIVE bcrypt", EVENT_POOL, 1, 2 * MS);
  assert_state(&s, 4, LOOP_THREADS_ADDONS);
  random_scene(&s, 1, THREADS - 1, rows, begin);
  assert_int_equal(s.threads.state, LOOP_THREADS_CONTRADICTED);
  assert_int_equal(s.threads.work.count, 0);
  scene_clear(&s);
}

/* One piece of many that no thread can have had takes none, and the rest is known. */
static void test_one_that_had_no_thread(void **state) {
  (void)state;
  struct scene s = {0};
  event_log_init(&s.log);
  uint32_t other = add(&s.log, "FSREQCALLBACK", EVENT_FILE, 20 * MS, 50 * MS);
  add(&s.log, "PBKDF2REQUEST", EVENT_POOL, 1, 100 * MS);
  uint32_t file = add(&s.log, "FSREQCALLBACK", EVENT_FILE, 21 * MS, 101 * MS);
  for (int64_t i = 0; i < 200; i++)
    add(&s.log, "FSREQCALLBACK", EVENT_FILE, (200 + i) * MS, (200 + i) * MS + 10);
  scene_make(&s, 1);
  assert_int_equal(s.threads.state, LOOP_THREADS_KNOWN);
  assert_int_equal(s.threads.contradicted, 1);
  assert_int_equal(began(&s, other), 20 * MS);
  assert_int_equal(began(&s, file), 100 * MS);
  scene_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_example),       cmocka_unit_test(test_names),
      cmocka_unit_test(test_the_mark),          cmocka_unit_test(test_random),
      cmocka_unit_test(test_what_is_not_known), cmocka_unit_test(test_one_that_had_no_thread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
