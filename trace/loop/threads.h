/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When threads of Node.js's pool began with what they were asked for, in a recorded loop.
 *
 * Example. Four threads, all of them deriving keys from 0 to 100 ms, when a file is asked for at 20
 * that is read at 101: a thread began with it at 100, and it takes 1 ms. Without the keys it would
 * have been read at 21.
 *
 * The log says when work was asked for and when it was done, and how many threads there are; the
 * queue (thread_queue.h) says when each began. Nothing is assumed of how long work takes. Where the
 * queue contradicts the log, so that work was done before a thread can have begun with it, the
 * threads did not have that work, or the log does not have all of it: then it takes none, and if
 * that is so for more than one of a hundred, nothing is said.
 *
 * When work was done is known as an interval, of which the reading of the turns takes an end.
 */
#ifndef TRACE_LOOP_THREADS_H
#define TRACE_LOOP_THREADS_H

#include <stdint.h>

#include "base/vector.h"
#include "trace/loop/turns.h"

enum loop_threads_state {
  LOOP_THREADS_KNOWN,
  LOOP_THREADS_SIZE,         /* not known how many there are */
  LOOP_THREADS_ADDONS,       /* native addons asked for work, which may have been theirs */
  LOOP_THREADS_STREAMS,      /* streams that compress do not say when they asked */
  LOOP_THREADS_CONTRADICTED, /* the queue contradicts the log */
};

/* Work of a turn that was asked for by one before, or from outside. */
struct loop_thread_work {
  uint32_t turn;
  int64_t began, done; /* ns: registered <= began <= done; by the reading */
};

/* What one process asks for, in the order in which it does. */
struct loop_thread_pool {
  uint32_t threads;
  uint32_t first, behind; /* its work */
};

struct loop_threads {
  enum loop_threads_state state;
  VECTOR(struct loop_thread_work) work;
  VECTOR(uint8_t) is_name; /* by work: 1: a name of a host */
  VECTOR(struct loop_thread_pool) pools;
  uint32_t *pool_of;   /* by loop; EVENT_NONE: it asked for nothing */
  uint32_t *work_of;   /* by turn; EVENT_NONE: none, or it took no thread */
  uint64_t others;     /* pieces of work that are no files */
  uint64_t work_count; /* all of it, with what took no thread: */
  uint64_t contradicted;
};

/* Unless the state is LOOP_THREADS_KNOWN there is no work. */
void loop_threads_make(struct loop_threads *threads, const struct loop_turns *turns);
void loop_threads_clear(struct loop_threads *threads);

/* When a thread began with what the turn waited for, ns; when that was registered, where it is no
 * work, or there are no threads (NULL). `number` is the turn's. */
int64_t loop_threads_began(const struct loop_threads *threads, const struct loop_turn *turn,
                           uint32_t number);

/* How long the row waited for I/O or a timer; of work, how long it took its thread, by the reading.
 * `threads` may be NULL. */
int64_t loop_threads_wait(const struct loop_threads *threads, const struct loop_turns *turns,
                          uint32_t row);

#endif
