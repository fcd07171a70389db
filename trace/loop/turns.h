/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a loop did, one thing after the other: turns, and the pieces that they consist of.
 *
 * A turn is what the loop does before it looks for the next thing that is ready: a callback with
 * the ticks and continuations of promises that follow it at once. Turns of a loop do not overlap.
 *
 * Example. A callback runs from 5 to 9 ms, with a collection from 6 to 7 and a tick from 9 to 10;
 * the loop was idle from 3. The turn is 5 .. 10, and its pieces are idle 3 .. 5, callback 5 .. 6,
 * collection 6 .. 7, callback 7 .. 9, tick 9 .. 10.
 *
 * When a callback became ready may be known as an interval only; `reading` says which end is taken.
 * Whichever it is, an idle loop does not let wait what is ready: where the loop was idle later than
 * that, the turn was not `eligible` before. What became ready within 1 ms of the end of the turn
 * before, while a turn that was served later was surely ready already, did not find the loop idle,
 * which went from one to the next. It counts as eligible at that end, and is served as long after
 * it. That holds however long it took where the turn that was served later is a request, and the
 * loop was reading from its connection: an idle loop would have taken it. A timer is surely ready
 * at its time, unless the loop took a break of 1 ms between that time and its begin: then it was
 * refreshed, which no log tells.
 */
#ifndef TRACE_LOOP_TURNS_H
#define TRACE_LOOP_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/narrow.h"
#include "base/vector.h"

struct event_chains; /* trace/loop/chain.h */
struct event_log;    /* trace/event/log.h */

enum loop_reading {
  LOOP_EARLY, /* ready as early as can be: the rest of the wait is the queue's */
  LOOP_LATE,  /* as late as can be: the wait is for I/O */
};

enum piece_kind {
  PIECE_RUN,    /* a callback's own execution */
  PIECE_PAUSE,  /* a collection, or compilation */
  PIECE_NATIVE, /* the loop is busy, or not scheduled, outside of any recorded callback */
  PIECE_IDLE,   /* nothing was ready */
};

/* In the order of time within a loop, without gaps from its start to the end of its last turn. */
struct loop_piece {
  int64_t start, end; /* ns */
  uint32_t what;      /* RUN: row; PAUSE: index of the pause; else EVENT_NONE */
  enum piece_kind kind;
};

struct loop_turn {
  uint32_t loop;
  uint32_t first, count; /* rows */
  uint32_t request;      /* that it works for, or EVENT_NONE: none */
  uint32_t triggers[2];  /* rows: in which what it waits for was registered, and that made it
                            ready; EVENT_NONE. Without any it comes from outside, at its own time */
  int64_t registered;    /* ns: when the first of them was; the second was at `ready` */
  int64_t free;          /* ns: the loop had ended the turn before, or starts */
  int64_t ready, eligible, begin, end; /* ns; ready, eligible <= begin <= end */
  int64_t order;          /* ns, not falling within a loop: turns are served in the order of this */
  uint32_t piece, pieces; /* those that lie before its begin, to that of the turn before, as well */
};

/* What is kept of a turn. A log of 500 MB has a million of them, so what follows from the log, or
 * from the turn before or behind, is not kept, and times are told by what lies between them. */
struct loop_turn_kept {
  uint32_t first, request, triggers[2], piece;
};

/* The turns of a loop, of all turns, and the row behind their last. */
struct loop_turn_range {
  uint32_t turn, behind, row_behind;
};

struct loop_turns {
  const struct event_log *log;
  enum loop_reading reading;
  VECTOR(struct loop_turn_kept) kept;    /* by turn; of each loop in the order of begin */
  struct narrow lasted;                  /* by turn, ns: end - begin */
  struct narrow waited;                  /* begin - ready */
  struct narrow queued;                  /* begin - eligible */
  struct narrow early;                   /* begin - order */
  VECTOR(struct loop_turn_range) ranges; /* by loop */
  VECTOR(uint32_t)
  pieces;             /* of each turn in the order of time: kind in the highest two bits, and
                         below the row less the turn's first, or the number of the pause */
  struct narrow left; /* by piece, ns: end of the turn - end of the piece */
  uint32_t *turn_of;  /* by row; EVENT_NONE: it never began */
  uint32_t *owner;    /* by row: the request that it works for, or EVENT_NONE */
  int64_t *since;     /* by row, ns: when it was registered, by what it waits for */
  uint64_t uncertain; /* turns of requests whose ready is an interval of more than a millisecond */
};

/* The log must outlive the turns; it has EVENT_ROWS_MOST rows and pauses at most, which event_read
 * sees to. What a link of a chain waited for is what its chain says; of
 * other rows, what registered them, and what released them. */
void loop_turns_make(struct loop_turns *turns, const struct event_log *log,
                     const struct event_chains *chains, enum loop_reading reading);
void loop_turns_clear(struct loop_turns *turns);

/* The turn of that number, below turns->kept.count. */
struct loop_turn loop_turn_at(const struct loop_turns *turns, uint32_t number);

/* Its loop alone. */
uint32_t loop_turn_loop(const struct loop_turns *turns, uint32_t number);

/* A piece of the turn: turn->piece <= number < turn->piece + turn->pieces. */
struct loop_piece loop_piece_of(const struct loop_turns *turns, const struct loop_turn *turn,
                                uint32_t number);

/* By row, ns: own execution. For mem_free. */
int64_t *loop_own_execution(const struct loop_turns *turns);

/* A loop that is idle for longer takes a break, unless more work of its pool is under way all the
 * time than that has threads: then what came while the loop was held is not done. */
enum { LOOP_BREAK_NS = 1000000, LOOP_POOL_USUAL = 4 /* threads, where the log does not say */ };

/* By turn, ns: its loop took no break between then and the turn's begin. For mem_free. */
int64_t *loop_busy_since(const struct loop_turns *turns);

/* How long the row waited for I/O or a timer, in ns, at least as far as known. 0 where nobody knows
 * since when: what came on a socket that is listened to all the time, for no chain. */
int64_t loop_wait_of(const struct loop_turns *turns, uint32_t row);

/* The first turn of the loop that ends after a time, EVENT_NONE: none; the first of its pieces that
 * does is in *piece. */
uint32_t loop_piece_after(const struct loop_turns *turns, uint32_t loop, int64_t time,
                          uint32_t *piece);

#endif
