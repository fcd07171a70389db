/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/after.h"

#include <stdlib.h>

#include "trace/event/log.h"
#include "trace/loop/replay.h"
#include "trace/loop/threads.h"
#include "trace/loop/turns.h"

enum { DEPTH_MOST = 30 };

/* A callback or the gap before a turn, and what kind it is of. */
struct kept_run {
  bool gap;
  uint32_t type, place, route; /* names; of a gap the type alone */
  uint32_t depth;  /* callbacks of its request that it follows from; of a gap: the loop was idle */
  uint32_t number; /* row, or turn */
  bool behind;     /* removed work */
  int64_t own;     /* ns; without */
  int64_t took;    /* ns; with what it waited for a processor */
};

/* Work in the pool that is removed: from when it was asked for until it was done. */
struct removed_work {
  uint32_t loop;
  int64_t start, end; /* ns */
};

struct following {
  struct loop_after *after;
  const struct loop_turns *turns;
  const struct loop_scenario *scenario;
  double *pauses;                   /* by pause: factor */
  int64_t *took;                    /* by row, ns: own execution */
  int64_t *waited;                  /* by row, ns: within it for a processor */
  int64_t *waited_gap;              /* by turn, ns: in the gap before it */
  uint32_t *waiting_row;            /* by pause: the row that waited, or EVENT_NONE */
  uint32_t *waiting_gap;            /* by pause: the turn whose gap did, or EVENT_NONE */
  uint8_t *drawn, *drawn_gap;       /* by row; by turn: 1: it takes what others take */
  bool removed;                     /* since the last break of the loop */
  VECTOR(struct removed_work) pool; /* by loop and start; apart */
  size_t work;                      /* the first that may go on */
  VECTOR(struct kept_run) runs;     /* by kind; of each first others, then what is left behind */
};

/* --- what is left behind ---------------------------------------------------------------------- */

static double own_factor(const struct following *f, uint32_t row) {
  return f->scenario->own == NULL ? 1 : f->scenario->own[row];
}

/* Goes on to the first piece that ends after the time, and sees whether any is removed. */
static uint32_t pass(struct following *f, const struct loop_turn *turn, uint32_t piece,
                     int64_t time) {
  for (; piece < turn->piece + turn->pieces; piece++) {
    const struct loop_piece next = loop_piece_of(f->turns, turn, piece);
    if (next.end > time)
      break;
    if (next.kind == PIECE_PAUSE)
      f->removed = f->removed || f->pauses[next.what] <= LOOP_REMOVED;
    else if (next.kind == PIECE_RUN)
      f->removed = f->removed || own_factor(f, next.what) <= LOOP_REMOVED;
  }
  return piece;
}

static int by_start(const void *a, const void *b) {
  const struct removed_work *x = a, *y = b;
  if (x->loop != y->loop)
    return x->loop < y->loop ? -1 : 1;
  return (x->start > y->start) - (x->start < y->start);
}

/* Whether the row waited for work that is removed, and since when. */
static bool is_removed_work(const struct following *f, uint32_t row, struct removed_work *work) {
  uint32_t number = f->turns->turn_of[row];
  if (number == EVENT_NONE || f->scenario->io[row] >= 0 ||
      (f->turns->log->class.data[row] != EVENT_POOL &&
       (f->scenario->threads == NULL || f->scenario->threads->work_of[number] == EVENT_NONE)))
    return false;
  int64_t wait = loop_threads_wait(f->scenario->threads, f->turns, row);
  int64_t since = f->turns->since[row], left = wait + f->scenario->io[row];
  if (f->turns->kept.data[number].first == row) {
    const struct loop_turn turn = loop_turn_at(f->turns, number);
    since = loop_threads_began(f->scenario->threads, &turn, number);
  }
  *work = (struct removed_work){loop_turn_loop(f->turns, number), since, since + wait};
  return wait > 0 && (double)left <= LOOP_REMOVED * (double)wait;
}

static void find_pool(struct following *f) {
  struct removed_work work;
  for (uint32_t row = 0; row < f->turns->log->begin.count && f->scenario->io != NULL; row++)
    if (is_removed_work(f, row, &work))
      vector_push(&f->pool, work);
  if (f->pool.count == 0)
    return;
  struct removed_work *data = f->pool.data;
  qsort(data, f->pool.count, sizeof *data, by_start);
  size_t last = 0;
  for (size_t i = 1; i < f->pool.count; i++)
    if (data[i].loop != data[last].loop || data[i].start > data[last].end)
      data[++last] = data[i];
    else if (data[i].end > data[last].end)
      data[last].end = data[i].end;
  f->pool.count = last + 1;
}

/* Whether removed work in the pool is under way at the time; of a loop times go on. */
static bool pool_works(struct following *f, uint32_t loop, int64_t time) {
  const struct removed_work *data = f->pool.data;
  while (f->work < f->pool.count &&
         (data[f->work].loop < loop || (data[f->work].loop == loop && data[f->work].end <= time)))
    f->work++;
  return f->work < f->pool.count && data[f->work].loop == loop && data[f->work].start <= time;
}

static uint32_t depth_of(const struct loop_turns *turns, uint32_t row) {
  const uint32_t *registrar = turns->log->registrar.data;
  uint32_t depth = 0;
  for (; depth < DEPTH_MOST; depth++, row = registrar[row])
    if (registrar[row] == EVENT_NONE || registrar[row] >= row ||
        turns->owner[registrar[row]] != turns->owner[row])
      break;
  return depth;
}

static void add_run(struct following *f, uint32_t row) {
  const struct event_log *log = f->turns->log;
  uint32_t request = f->turns->owner[row];
  struct kept_run run = {.type = log->type.data[row],
                         .place = log->place.data[row],
                         .route = request == EVENT_NONE ? 0 : log->requests.data[request].route,
                         .depth = depth_of(f->turns, row),
                         .number = row,
                         .behind = f->removed,
                         .own = f->took[row],
                         .took = f->took[row] + f->waited[row]};
  if (f->took[row] > 0 && own_factor(f, row) == 1)
    vector_push(&f->runs, run);
}

/* What is left of a turn that is removed as a whole: the most that is left of a row; else 1. */
static double left_of(const struct following *f, const struct loop_turn *turn) {
  double left = 0;
  for (uint32_t row = turn->first; row < turn->first + turn->count; row++)
    left = own_factor(f, row) > left ? own_factor(f, row) : left;
  return left <= LOOP_REMOVED ? left : 1;
}

static void add_gap(struct following *f, const struct loop_turn *turn, uint32_t number) {
  double left = left_of(f, turn);
  if (left <= LOOP_REMOVED) {
    f->after->gap[number] *= left;
    return;
  }
  struct kept_run run = {.gap = true,
                         .type = f->turns->log->type.data[turn->first],
                         .depth = turn->eligible > turn->free,
                         .number = number,
                         .behind = f->removed};
  int64_t native = 0;
  for (uint32_t i = turn->piece; i < turn->piece + turn->pieces; i++) {
    const struct loop_piece piece = loop_piece_of(f->turns, turn, i);
    if (piece.end <= turn->begin && piece.kind == PIECE_NATIVE)
      native += piece.end - piece.start;
  }
  run.own = native;
  run.took = native + f->waited_gap[number];
  if (native > 0)
    vector_push(&f->runs, run);
}

static void add_turn(struct following *f, const struct loop_turn *turn, uint32_t number) {
  uint32_t piece = turn->piece;
  bool counts = loop_counts_from(f->turns, f->scenario, turn->loop) <= turn->begin;
  for (uint32_t row = turn->first; row < turn->first + turn->count; row++) {
    int64_t begin = f->turns->log->begin.data[row];
    piece = pass(f, turn, piece, begin);
    f->removed = f->removed || pool_works(f, turn->loop, begin);
    if (counts && row == turn->first)
      add_gap(f, turn, number);
    if (counts)
      add_run(f, row);
  }
  pass(f, turn, piece, INT64_MAX);
}

static void find_runs(struct following *f) {
  int64_t *busy = loop_busy_since(f->turns);
  for (uint32_t t = 0; t < f->turns->kept.count; t++) {
    const struct loop_turn turn = loop_turn_at(f->turns, t);
    f->removed = f->removed && busy[t] != turn.begin;
    add_turn(f, &turn, t);
  }
  mem_free(busy);
}

/* --- waiting for a processor ------------------------------------------------------------------ */

/* The innermost row of the turn that goes on at the time, or EVENT_NONE. */
static uint32_t row_at(const struct following *f, const struct loop_turn *turn, int64_t time) {
  const struct event_log *log = f->turns->log;
  for (uint32_t row = turn->first + turn->count; row-- > turn->first;)
    if (log->begin.data[row] <= time && time < log->end.data[row])
      return row;
  return EVENT_NONE;
}

static void find_waiting(struct following *f) {
  const struct event_log *log = f->turns->log;
  for (size_t i = 0; i < log->pauses.count; i++) {
    const struct event_pause *pause = &log->pauses.data[i];
    uint32_t piece, number = EVENT_NONE;
    f->waiting_row[i] = f->waiting_gap[i] = EVENT_NONE;
    if (f->scenario->threads != NULL && pause->kind == EVENT_PAUSE_WAITING && f->pauses[i] == 1)
      number = loop_piece_after(f->turns, pause->loop, pause->start, &piece);
    if (number == EVENT_NONE)
      continue;
    const struct loop_turn turn = loop_turn_at(f->turns, number);
    f->waiting_row[i] = row_at(f, &turn, pause->start);
    if (f->waiting_row[i] != EVENT_NONE)
      f->waited[f->waiting_row[i]] += pause->end - pause->start;
    else if (pause->start < turn.begin)
      f->waited_gap[f->waiting_gap[i] = number] += pause->end - pause->start;
  }
}

/* What others take has what they waited. */
static void drop_waiting(struct following *f) {
  for (size_t i = 0; i < f->turns->log->pauses.count; i++) {
    uint32_t row = f->waiting_row[i], gap = f->waiting_gap[i];
    bool drawn =
        (row != EVENT_NONE && f->drawn[row] != 0) || (gap != EVENT_NONE && f->drawn_gap[gap] != 0);
    f->after->unpaused[i] =
        drawn || (f->scenario->unpaused != NULL && f->scenario->unpaused[i] != 0);
  }
}

/* --- the law of one kind ---------------------------------------------------------------------- */

static int by_kind(const struct kept_run *x, const struct kept_run *y) {
  if (x->gap != y->gap)
    return x->gap ? 1 : -1;
  if (x->type != y->type)
    return x->type < y->type ? -1 : 1;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  if (x->route != y->route)
    return x->route < y->route ? -1 : 1;
  return (x->depth > y->depth) - (x->depth < y->depth);
}

static int by_rank(const void *a, const void *b) {
  const struct kept_run *x = a, *y = b;
  int kind = by_kind(x, y);
  if (kind != 0)
    return kind;
  if (x->behind != y->behind)
    return x->behind ? 1 : -1;
  if (x->took != y->took)
    return x->took < y->took ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Runs of one kind: `others`, and behind them those that are left behind. */
static void take_kind(struct following *f, const struct kept_run *runs, size_t others,
                      size_t count) {
  const struct kept_run *left = runs + others;
  size_t behind = count - others;
  if (others < AFTER_OTHERS) {
    f->after->lawless += runs->gap ? 0 : behind;
    for (size_t i = 0; i < behind && !runs->gap; i++)
      f->after->own[left[i].number] *= f->scenario->lawless;
    return;
  }
  f->after->callbacks += runs->gap ? 0 : behind;
  for (size_t i = 0; i < behind; i++) {
    size_t rank = (size_t)(((double)i + 0.5) / (double)behind * (double)others);
    f->after->recorded_ns += left[i].took;
    f->after->other_ns += runs[rank].took;
    double *factors = left[i].gap ? f->after->gap : f->after->own;
    factors[left[i].number] = (double)runs[rank].took / (double)left[i].own;
    (left[i].gap ? f->drawn_gap : f->drawn)[left[i].number] = 1;
  }
}

static void take_kinds(struct following *f) {
  const struct kept_run *runs = f->runs.data;
  size_t count = f->runs.count;
  if (count != 0)
    qsort(f->runs.data, count, sizeof *f->runs.data, by_rank);
  for (size_t from = 0, to = 0; from < count; from = to) {
    size_t others = 0;
    for (; to < count && by_kind(&runs[from], &runs[to]) == 0; to++)
      others += !runs[to].behind;
    take_kind(f, runs + from, others, to - from);
  }
}

/* --- all of it -------------------------------------------------------------------------------- */

static void clear(struct following *f) {
  mem_free(f->pauses);
  mem_free(f->took);
  mem_free(f->waited);
  mem_free(f->waited_gap);
  mem_free(f->waiting_row);
  mem_free(f->waiting_gap);
  mem_free(f->drawn);
  mem_free(f->drawn_gap);
  vector_clear(&f->runs);
  vector_clear(&f->pool);
}

void loop_after_make(struct loop_after *after, const struct loop_turns *turns,
                     const struct loop_scenario *scenario) {
  size_t rows = turns->log->begin.count;
  size_t turn_count = turns->kept.count, pauses = turns->log->pauses.count;
  struct following f = {
      .after = after,
      .turns = turns,
      .scenario = scenario,
      .pauses = loop_pause_factors(turns, scenario),
      .took = loop_own_execution(turns),
      .waited = mem_alloc(rows, sizeof *f.waited),
      .waited_gap = mem_alloc(turn_count, sizeof *f.waited_gap),
      .waiting_row = mem_alloc(pauses, sizeof *f.waiting_row),
      .waiting_gap = mem_alloc(pauses, sizeof *f.waiting_gap),
      .drawn = mem_alloc(rows, 1),
      .drawn_gap = mem_alloc(turn_count, 1),
  };
  *after = (struct loop_after){.own = mem_alloc(rows, sizeof *after->own),
                               .gap = mem_alloc(turn_count, sizeof *after->gap),
                               .unpaused = mem_alloc(pauses, 1)};
  for (size_t i = 0; i < turn_count; i++)
    after->gap[i] = scenario->gap == NULL ? 1 : scenario->gap[i];
  for (uint32_t row = 0; row < rows; row++)
    after->own[row] = own_factor(&f, row);
  find_waiting(&f);
  find_pool(&f);
  find_runs(&f);
  take_kinds(&f);
  drop_waiting(&f);
  clear(&f);
}

void loop_after_clear(struct loop_after *after) {
  mem_free(after->own);
  mem_free(after->gap);
  mem_free(after->unpaused);
  *after = (struct loop_after){0};
}
