/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/held.h"

#include "trace/event/log.h"
#include "trace/loop/chain.h"

struct cause_search {
  loop_holds *holds;
  const struct loop_turns *turns;
  const struct loop_pool *pool;
  const struct loop_granted *granted;
  const struct event_chains *chains;
  const struct event_chain *chain;
  uint32_t request; /* of the log */
  uint32_t link;    /* of the chain */
};

static void add(struct cause_search *f, enum hold_phase phase, enum hold_kind kind, int64_t start,
                int64_t end, uint32_t what, uint32_t turn) {
  if (start < end)
    vector_push(f->holds, (struct loop_hold){phase, kind, start, end, f->link, what, turn});
}

static enum hold_kind kind_of(const struct cause_search *f, const struct loop_piece *piece) {
  if (piece->kind == PIECE_PAUSE)
    return HOLD_PAUSE;
  if (piece->kind != PIECE_RUN)
    return HOLD_BETWEEN;
  return f->turns->owner[piece->what] == f->request ? HOLD_OWN : HOLD_CALLBACK;
}

/* What the loop of the row did in that time. */
static void add_pieces(struct cause_search *f, enum hold_phase phase, int64_t start, int64_t end,
                       uint32_t row) {
  const struct loop_turns *turns = f->turns;
  uint32_t of = turns->turn_of[row], loop = loop_turn_loop(turns, of), i = 0;
  uint32_t behind = turns->ranges.data[loop].behind;
  for (uint32_t t = loop_piece_after(turns, loop, start, &i); t < behind && start < end; t++) {
    const struct loop_turn turn = loop_turn_at(turns, t);
    if (turn.free >= end)
      break;
    for (; i < turn.piece + turn.pieces && start < end; i++) {
      const struct loop_piece piece = loop_piece_of(turns, &turn, i);
      if (piece.start >= end)
        break;
      add(f, phase, HOLD_BETWEEN, start, piece.start, EVENT_NONE, t);
      start = piece.start > start ? piece.start : start;
      int64_t until = piece.end < end ? piece.end : end;
      add(f, phase, kind_of(f, &piece), start, until, piece.what, t);
      start = until;
    }
  }
  add(f, phase, HOLD_BETWEEN, start, end, EVENT_NONE, of);
}

static bool has_no_processor(const struct loop_turns *turns, const struct loop_piece *piece) {
  return piece->kind == PIECE_PAUSE &&
         turns->log->pauses.data[piece->what].kind >= EVENT_PAUSE_WAITING;
}

/* Nobody knows whether it waited for I/O or in the queue; but while the loop had no processor
 * something was ready for it. */
static void add_unsure(struct cause_search *f, int64_t start, int64_t end, uint32_t row) {
  uint32_t number = f->turns->turn_of[row];
  const struct loop_turn turn = loop_turn_at(f->turns, number);
  for (uint32_t i = turn.piece; i < turn.piece + turn.pieces && start < end; i++) {
    const struct loop_piece piece = loop_piece_of(f->turns, &turn, i);
    if (piece.start >= end)
      break;
    if (piece.end <= start || !has_no_processor(f->turns, &piece))
      continue;
    add(f, HOLD_UNSURE, HOLD_EITHER, start, piece.start, row, EVENT_NONE);
    start = piece.start > start ? piece.start : start;
    int64_t until = piece.end < end ? piece.end : end;
    add(f, HOLD_QUEUE, HOLD_PAUSE, start, until, piece.what, number);
    start = until;
  }
  add(f, HOLD_UNSURE, HOLD_EITHER, start, end, row, EVENT_NONE);
}

/* The least that `ready` can be: an idle loop would have begun it. */
static int64_t ready_least(const struct cause_search *f, const struct event_link *link) {
  const struct loop_turn turn = loop_turn_at(f->turns, f->turns->turn_of[link->row]);
  int64_t least = link->ready_low;
  if (turn.first == link->row && turn.eligible > least)
    least = turn.eligible;
  const struct loop_grant_wait *wait = loop_granted_find(f->granted, f->chain->first + f->link);
  if (wait != NULL && wait->called && turn.ready > least)
    least = turn.ready;
  return least < link->ready_high ? least : link->ready_high;
}

/* For a thread of the pool, and then for the work itself. */
static void add_wait(struct cause_search *f, int64_t start, int64_t end, uint32_t row) {
  int64_t wait = loop_pool_wait(f->pool, row, start);
  if (wait != 0) {
    int64_t until = start + wait < end ? start + wait : end;
    add(f, HOLD_IO, HOLD_POOL, start, until, f->pool->behind[row], f->pool->stretch[row]);
    start = until;
  }
  add(f, HOLD_IO, HOLD_WAIT, start, end, row, EVENT_NONE);
}

/* For a connection, and then for what was asked by it. */
static void add_asked(struct cause_search *f, int64_t start, int64_t end, uint32_t row) {
  const struct loop_grant_wait *wait = loop_granted_find(f->granted, f->chain->first + f->link);
  if (wait != NULL && wait->from < end && wait->until > start) {
    int64_t from = wait->from > start ? wait->from : start;
    int64_t until = wait->until < end ? wait->until : end;
    add_wait(f, start, from, row);
    add(f, HOLD_IO, HOLD_CONNECTION, from, until, wait->grant, f->granted->stretch[wait->grant]);
    start = until;
  }
  add_wait(f, start, end, row);
}

static void add_link(struct cause_search *f) {
  const struct event_link link = event_link_at(f->chains, f->turns->log, f->chain, f->link);
  int64_t least = ready_least(f, &link);
  add_asked(f, link.registered, least, link.row);
  add_unsure(f, least, link.ready_high, link.row);
  add_pieces(f, HOLD_QUEUE, link.ready_high, link.begin, link.row);
  add_pieces(f, HOLD_RUN, link.begin, link.stop, link.row);
}

const char *hold_phase_name(enum hold_phase phase) {
  static const char *const names[] = {"waiting for I/O", "I/O or queue, not known which",
                                      "in the queue", "executing"};
  return names[phase];
}

void loop_holds_find(loop_holds *holds, const struct loop_turns *turns,
                     const struct loop_pool *pool, const struct loop_granted *granted,
                     const struct event_chains *chains, size_t chain) {
  const struct event_chain *of = &chains->chains.data[chain];
  struct cause_search finding = {holds, turns, pool, granted, chains, of, of->request, 0};
  for (; finding.link < of->count; finding.link++)
    add_link(&finding);
}
