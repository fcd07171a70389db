/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/turns_kept.h"

#include <stdlib.h>

#include "trace/event/log.h"

/* --- a turn, and a piece of one --------------------------------------------------------------- */

uint32_t loop_turn_loop(const struct loop_turns *turns, uint32_t number) {
  size_t low = 0, high = turns->ranges.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (turns->ranges.data[middle].behind <= number)
      low = middle + 1;
    else
      high = middle;
  }
  return (uint32_t)low;
}

struct loop_turn loop_turn_unsettled(const struct loop_turns *turns, uint32_t number) {
  const struct loop_turn_kept *kept = &turns->kept.data[number];
  const int64_t *begin = turns->log->begin.data;
  struct loop_turn turn = {.loop = loop_turn_loop(turns, number),
                           .first = kept->first,
                           .request = kept->request,
                           .triggers = {kept->triggers[0], kept->triggers[1]},
                           .registered = turns->since[kept->first],
                           .begin = begin[kept->first],
                           .piece = kept->piece};
  const struct loop_turn_range *range = &turns->ranges.data[turn.loop];
  int64_t start = turns->log->loops.data[turn.loop].start;
  turn.count = (number + 1 < range->behind ? kept[1].first : range->row_behind) - turn.first;
  turn.free = number == range->turn
                  ? start < turn.begin ? start : turn.begin
                  : narrow_more(begin[kept[-1].first], narrow_get(&turns->lasted, number - 1));
  turn.end = narrow_more(turn.begin, narrow_get(&turns->lasted, number));
  turn.ready = narrow_less(turn.begin, narrow_get(&turns->waited, number));
  return turn;
}

struct loop_turn loop_turn_at(const struct loop_turns *turns, uint32_t number) {
  struct loop_turn turn = loop_turn_unsettled(turns, number);
  size_t behind =
      number + 1U < turns->kept.count ? turns->kept.data[number + 1].piece : turns->pieces.count;
  turn.pieces = (uint32_t)behind - turn.piece;
  turn.eligible = narrow_less(turn.begin, narrow_get(&turns->queued, number));
  turn.order = narrow_less(turn.begin, narrow_get(&turns->early, number));
  return turn;
}

static int64_t piece_end(const struct loop_turns *turns, const struct loop_turn *turn,
                         uint32_t number) {
  return narrow_less(turn->end, narrow_get(&turns->left, number));
}

struct loop_piece loop_piece_of(const struct loop_turns *turns, const struct loop_turn *turn,
                                uint32_t number) {
  uint32_t kept = turns->pieces.data[number], of = kept & ((UINT32_C(1) << PIECE_KIND_SHIFT) - 1);
  struct loop_piece piece = {.end = piece_end(turns, turn, number),
                             .kind = (enum piece_kind)(kept >> PIECE_KIND_SHIFT)};
  piece.start = number == turn->piece ? turn->free : piece_end(turns, turn, number - 1);
  piece.what = piece.kind == PIECE_RUN     ? turn->first + of
               : piece.kind == PIECE_PAUSE ? of
                                           : EVENT_NONE;
  return piece;
}

/* --- what is asked of them -------------------------------------------------------------------- */

int64_t *loop_own_execution(const struct loop_turns *turns) {
  int64_t *own = mem_alloc(turns->log->begin.count, sizeof *own);
  for (uint32_t t = 0; t < turns->kept.count; t++) {
    const struct loop_turn turn = loop_turn_at(turns, t);
    for (uint32_t i = turn.piece; i < turn.piece + turn.pieces; i++) {
      const struct loop_piece piece = loop_piece_of(turns, &turn, i);
      if (piece.kind == PIECE_RUN)
        own[piece.what] += piece.end - piece.start;
    }
  }
  return own;
}

/* --- breaks ----------------------------------------------------------------------------------- */

/* What a pool was asked for, and how much of it the loop has taken up. */
struct asked_pool {
  VECTOR(int64_t) since; /* ns, in order */
  size_t asked, taken;
  size_t threads;
};

static int by_time(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static bool is_of_pool(const struct loop_turns *turns, uint32_t turn) {
  uint32_t row = turns->kept.data[turn].first;
  return turns->log->class.data[row] == EVENT_FILE || turns->log->class.data[row] == EVENT_POOL;
}

static void asked_init(struct asked_pool *pool, const struct loop_turns *turns, uint32_t loop) {
  const struct loop_turn_range *range = &turns->ranges.data[loop];
  uint32_t threads = turns->log->loops.data[loop].pool;
  *pool = (struct asked_pool){.threads = threads == 0 ? LOOP_POOL_USUAL : threads};
  for (uint32_t t = range->turn; t < range->behind; t++)
    if (is_of_pool(turns, t))
      vector_push(&pool->since, turns->since[turns->kept.data[t].first]);
  if (pool->since.count != 0)
    qsort(pool->since.data, pool->since.count, sizeof *pool->since.data, by_time);
}

/* Whether work waits for a thread all the time that the loop is idle before the turn; turns go on. */
static bool pool_queues(struct asked_pool *pool, const struct loop_turn *turn) {
  while (pool->asked < pool->since.count && pool->since.data[pool->asked] <= turn->free)
    pool->asked++;
  return pool->asked > pool->taken + pool->threads;
}

int64_t *loop_busy_since(const struct loop_turns *turns) {
  int64_t *busy = mem_alloc(turns->kept.count, sizeof *busy);
  for (uint32_t l = 0; l < turns->ranges.count; l++) {
    struct asked_pool pool;
    asked_init(&pool, turns, l);
    for (uint32_t i = turns->ranges.data[l].turn; i < turns->ranges.data[l].behind; i++) {
      const struct loop_turn turn = loop_turn_at(turns, i);
      bool goes_on = turn.eligible - turn.free <= LOOP_BREAK_NS || pool_queues(&pool, &turn);
      busy[i] = goes_on && i != turns->ranges.data[l].turn ? busy[i - 1] : turn.begin;
      pool.taken += is_of_pool(turns, i);
    }
    vector_clear(&pool.since);
  }
  return busy;
}

int64_t loop_wait_of(const struct loop_turns *turns, uint32_t row) {
  const struct event_log *log = turns->log;
  bool listens =
      log->class.data[row] == EVENT_SOCKET && turns->since[row] < log->registered.data[row];
  int64_t wait = log->ready_low.data[row] - turns->since[row];
  return listens || wait < 0 ? 0 : wait;
}

static int64_t turn_end(const struct loop_turns *turns, uint32_t number) {
  return narrow_more(turns->log->begin.data[turns->kept.data[number].first],
                     narrow_get(&turns->lasted, number));
}

uint32_t loop_piece_after(const struct loop_turns *turns, uint32_t loop, int64_t time,
                          uint32_t *piece) {
  const struct loop_turn_range *range = &turns->ranges.data[loop];
  uint32_t low = range->turn, high = range->behind;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (turn_end(turns, middle) <= time)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == range->behind)
    return EVENT_NONE;
  const struct loop_turn turn = loop_turn_at(turns, low);
  for (*piece = turn.piece; *piece < turn.piece + turn.pieces; ++*piece)
    if (piece_end(turns, &turn, *piece) > time)
      break;
  return low;
}
