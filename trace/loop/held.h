/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a request spent its time on, piece by piece: waiting for I/O, in the queue, executing; and
 * while it was in the queue or was executing, what held the loop. The pieces follow each other from
 * the request's arrival to its answer, so that they add up to its latency.
 *
 * Example. A file is read at 2.0 and its callback begins at 7.0; another request's callback ran
 * until 6.0, with a collection from 3.0 to 5.0:
 *
 *     queue 2.0 .. 3.0 callback    3.0 .. 5.0 pause    5.0 .. 6.0 callback    6.0 .. 7.0 native
 *
 * Where it is known only that a callback became ready in some interval, that is HOLD_EITHER: in I/O
 * or in the queue. An interval in which the loop was idle is I/O all the same: it would have begun.
 *
 * Samples of stacks say more of a callback's piece than the log does (inline caches, native code).
 * They are held against the pieces by time; nothing here guesses at them.
 */
#ifndef TRACE_LOOP_HELD_H
#define TRACE_LOOP_HELD_H

#include "trace/loop/granted.h"
#include "trace/loop/pool.h"
#include "trace/loop/turns.h"

enum hold_phase { HOLD_IO, HOLD_UNSURE, HOLD_QUEUE, HOLD_RUN, HOLD_PHASES };

enum hold_kind {
  HOLD_WAIT,       /* phase IO: for what link->row waits for */
  HOLD_POOL,       /* phase IO: for a thread of the pool (pool.h) */
  HOLD_CONNECTION, /* phase IO: for a connection of a pool of the application's (granted.h) */
  HOLD_EITHER,     /* phase UNSURE: the same, or in the queue */
  HOLD_OWN,        /* a callback of the request itself */
  HOLD_CALLBACK,   /* another's callback */
  HOLD_PAUSE,      /* a collection or compilation */
  HOLD_BETWEEN,    /* no recorded callback: native code of the loop, or the process did not run */
};

struct loop_hold {
  enum hold_phase phase;
  enum hold_kind kind;
  int64_t start, end; /* ns; start < end */
  uint32_t link;      /* of the chain, from 0 */
  uint32_t what;      /* OWN, CALLBACK: row; PAUSE: its index; WAIT, EITHER: the link's row; POOL:
                         the row that holds the threads; CONNECTION: of log->grants; else EVENT_NONE */
  uint32_t turn;      /* in which it happened, or EVENT_NONE: waiting for I/O; POOL,
                         CONNECTION: the number of the stretch in which none is free */
};
typedef VECTOR(struct loop_hold) loop_holds;

/* "waiting for I/O", "I/O or queue, not known which", "in the queue", "executing" */
const char *hold_phase_name(enum hold_phase phase);

/* Appends the pieces of a complete chain. The turns are read early (turns.h). */
void loop_holds_find(loop_holds *holds, const struct loop_turns *turns,
                     const struct loop_pool *pool, const struct loop_granted *granted,
                     const struct event_chains *chains, size_t chain);

#endif
