/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/threads.h"

#include <stdlib.h>
#include <string.h>

#include "trace/event/log.h"
#include "trace/loop/pool_work.h"
#include "trace/loop/thread_queue.h"

enum { CONTRADICTED = 100 /* one of so many */ };

/* A turn that waited for work, before it has a number. */
struct asked {
  int64_t time; /* ns */
  uint32_t trigger, turn;
  uint8_t is_name;
};

struct thread_finding {
  struct loop_threads *threads;
  const struct loop_turns *turns;
  const struct event_log *log;
  struct pool_kinds kinds;
  VECTOR(struct asked) asked; /* of one pool, and not contradicted */
  uint8_t *contradicted;      /* by turn */
};

/* --- what was asked for ----------------------------------------------------------------------- */

/* Of two at one time the one that was asked for in the row before; then the first in the log. */
static int by_time(const void *a, const void *b) {
  const struct asked *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->trigger != y->trigger)
    return x->trigger < y->trigger ? -1 : 1;
  return (x->turn > y->turn) - (x->turn < y->turn);
}

/* By the reading; not later than the loop counts as having been able to take it. */
static int64_t done_at(const struct thread_finding *f, const struct loop_turn *turn) {
  int64_t low = f->log->ready_low.data[turn->first], high = f->log->ready_high.data[turn->first];
  int64_t done = f->turns->reading == LOOP_LATE ? high : low;
  done = done < turn->ready ? done : turn->ready;
  return done < turn->eligible ? done : turn->eligible;
}

/* A turn that something else makes ready waits for that. */
static bool waits_for_work(struct thread_finding *f, const struct loop_turn *turn) {
  const struct event_loop *loop = &f->log->loops.data[turn->loop];
  return pool_is_work(&f->kinds, loop, turn->first) && turn->triggers[1] == EVENT_NONE &&
         turn->registered <= done_at(f, turn);
}

static void add_loop(struct thread_finding *f, uint32_t loop) {
  const struct loop_turn_range *range = &f->turns->ranges.data[loop];
  for (uint32_t t = range->turn; t < range->behind; t++) {
    const struct loop_turn turn = loop_turn_at(f->turns, t);
    if (f->contradicted[t] != 0 || !waits_for_work(f, &turn))
      continue;
    bool is_name = pool_kind_of(&f->kinds, turn.first) == POOL_WORK_NAME;
    vector_push(&f->asked, (struct asked){turn.registered, turn.triggers[0], t, is_name});
  }
}

static void find_asked(struct thread_finding *f, uint32_t first) {
  f->asked.count = 0;
  for (uint32_t l = first; l < f->log->loops.count; l++)
    if (pool_first_loop(f->log, l) == first)
      add_loop(f, l);
  if (f->asked.count != 0)
    qsort(f->asked.data, f->asked.count, sizeof *f->asked.data, by_time);
}

/* --- when threads began with it --------------------------------------------------------------- */

static void number_work(struct thread_finding *f, uint32_t threads) {
  struct loop_threads *t = f->threads;
  uint32_t first = (uint32_t)t->work.count;
  for (size_t i = 0; i < f->asked.count; i++) {
    const struct asked *asked = &f->asked.data[i];
    const struct loop_turn turn = loop_turn_at(f->turns, asked->turn);
    vector_push(&t->work,
                (struct loop_thread_work){asked->turn, turn.registered, done_at(f, &turn)});
    vector_push(&t->is_name, asked->is_name);
  }
  vector_push(&t->pools, (struct loop_thread_pool){threads, first, (uint32_t)t->work.count});
}

/* What threads take now; false: some of it was done before. */
static bool begin_work(struct thread_finding *f, struct thread_queue *queue, int64_t now) {
  bool possible = true;
  for (uint32_t i; (i = thread_queue_take(queue)) != THREAD_WORK_NONE;) {
    struct loop_thread_work *work = &f->threads->work.data[i];
    work->began = now;
    if (work->done >= now) {
      thread_queue_end_at(queue, i, work->done);
      continue;
    }
    thread_queue_leave(queue, i);
    f->contradicted[work->turn] = 1;
    f->threads->contradicted++;
    possible = false;
  }
  return possible;
}

/* The recorded times through the queue; false: some cannot be. */
static bool serve(struct thread_finding *f, const struct loop_thread_pool *pool) {
  struct thread_queue queue = {.threads = pool->threads, .is_name = f->threads->is_name.data};
  bool possible = true;
  for (uint32_t i = pool->first; i < pool->behind; i++)
    thread_queue_ask(&queue, f->threads->work.data[i].began, i);
  for (int64_t now; (now = thread_queue_next(&queue)) != INT64_MAX;) {
    thread_queue_step(&queue);
    possible = begin_work(f, &queue, now) && possible;
  }
  thread_queue_clear(&queue);
  return possible;
}

static bool are_too_many(const struct loop_threads *threads) {
  return threads->contradicted * CONTRADICTED > threads->work_count;
}

/* What is contradicted is left out, and then more may be, or less. */
static void find_pool(struct thread_finding *f, uint32_t first) {
  struct loop_threads *t = f->threads;
  bool possible = false;
  find_asked(f, first);
  t->work_count += f->asked.count;
  for (uint32_t l = first; f->asked.count != 0 && l < f->log->loops.count; l++)
    if (pool_first_loop(f->log, l) == first)
      t->pool_of[l] = (uint32_t)t->pools.count;
  while (!possible && f->asked.count != 0 && !are_too_many(t)) {
    number_work(f, f->log->loops.data[first].pool);
    const struct loop_thread_pool pool = t->pools.data[t->pools.count - 1];
    possible = serve(f, &pool);
    if (possible)
      break;
    t->pools.count--;
    t->work.count = t->is_name.count = pool.first;
    find_asked(f, first);
  }
}

/* --- what is not known ------------------------------------------------------------------------ */

/* Of a row that ran. */
static enum loop_threads_state state_of(struct thread_finding *f, uint32_t loop, uint32_t row) {
  const struct event_loop *of = &f->log->loops.data[loop];
  const char *type = names_text(&f->log->names, f->log->type.data[row]);
  if (f->log->class.data[row] == EVENT_POOL && strncmp(type, "NATIVE ", 7) == 0)
    return LOOP_THREADS_ADDONS;
  if (pool_kind_of(&f->kinds, row) == POOL_WORK_NONE)
    return LOOP_THREADS_KNOWN;
  if (strcmp(type, "ZLIB") == 0 && !of->has_asked)
    return LOOP_THREADS_STREAMS;
  return of->pool == 0 || of->pool > POOL_THREADS_MOST ? LOOP_THREADS_SIZE : LOOP_THREADS_KNOWN;
}

static enum loop_threads_state find_state(struct thread_finding *f) {
  for (uint32_t l = 0; l < f->log->loops.count; l++) {
    const struct event_loop *loop = &f->log->loops.data[l];
    for (uint32_t row = loop->first; row < loop->first + loop->count; row++) {
      enum loop_threads_state state =
          f->turns->turn_of[row] == EVENT_NONE ? LOOP_THREADS_KNOWN : state_of(f, l, row);
      if (state != LOOP_THREADS_KNOWN)
        return state;
    }
  }
  return LOOP_THREADS_KNOWN;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void forget(struct loop_threads *threads) {
  threads->work.count = threads->is_name.count = threads->pools.count = 0;
}

void loop_threads_make(struct loop_threads *threads, const struct loop_turns *turns) {
  size_t loops = turns->log->loops.count, count = turns->kept.count;
  *threads = (struct loop_threads){.pool_of = mem_alloc(loops, sizeof *threads->pool_of),
                                   .work_of = mem_alloc(count, sizeof *threads->work_of)};
  struct thread_finding f = {.threads = threads,
                             .turns = turns,
                             .log = turns->log,
                             .kinds = {.log = turns->log},
                             .contradicted = mem_alloc(count, 1)};
  for (size_t l = 0; l < loops; l++)
    threads->pool_of[l] = EVENT_NONE;
  for (size_t t = 0; t < count; t++)
    threads->work_of[t] = EVENT_NONE;
  threads->state = find_state(&f);
  for (uint32_t l = 0; l < loops && threads->state == LOOP_THREADS_KNOWN; l++)
    if (pool_first_loop(f.log, l) == l)
      find_pool(&f, l);
  if (are_too_many(threads)) {
    threads->state = LOOP_THREADS_CONTRADICTED;
    forget(threads);
  }
  for (uint32_t i = 0; i < threads->work.count; i++) {
    uint32_t turn = threads->work.data[i].turn;
    threads->work_of[turn] = i;
    threads->others += pool_kind_of(&f.kinds, turns->kept.data[turn].first) != POOL_WORK_FILE;
  }
  mem_free(f.contradicted);
  vector_clear(&f.asked);
  pool_kinds_clear(&f.kinds);
}

void loop_threads_clear(struct loop_threads *threads) {
  vector_clear(&threads->work);
  vector_clear(&threads->is_name);
  vector_clear(&threads->pools);
  mem_free(threads->pool_of);
  mem_free(threads->work_of);
  *threads = (struct loop_threads){0};
}

int64_t loop_threads_began(const struct loop_threads *threads, const struct loop_turn *turn,
                           uint32_t number) {
  uint32_t work =
      threads == NULL || threads->work_of == NULL ? EVENT_NONE : threads->work_of[number];
  return work == EVENT_NONE ? turn->registered : threads->work.data[work].began;
}

int64_t loop_threads_wait(const struct loop_threads *threads, const struct loop_turns *turns,
                          uint32_t row) {
  uint32_t number = turns->turn_of[row];
  uint32_t work = EVENT_NONE;
  if (threads != NULL && number != EVENT_NONE && turns->kept.data[number].first == row)
    work = threads->work_of[number];
  if (work == EVENT_NONE)
    return loop_wait_of(turns, row);
  return threads->work.data[work].done - threads->work.data[work].began;
}
