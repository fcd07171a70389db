/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One thread's asynchronous operations, as Node.js tells of them in the order of time, into rows of
 * an event log. Ticks and microtasks run at the end of the callback that they follow from; they
 * have no rows of their own, but for promises that a callback of an earlier turn awaits: those are
 * rows within the turn that released them. Private to trace/event.
 */
#ifndef TRACE_EVENT_HOOKS_LOOP_H
#define TRACE_EVENT_HOOKS_LOOP_H

#include <stdbool.h>

#include "base/slice.h"
#include "trace/event/hooks_table.h"
#include "trace/event/log.h"

/* A callback that has begun. */
struct hooks_open {
  uint64_t id;
  uint32_t row;
  bool own;      /* the row is its own, not that of the turn */
  bool implicit; /* Node.js does not say that it began: something was registered in it */
  bool bound;    /* its id is known */
};

/* What was odd. */
struct hooks_notes {
  uint64_t unbegun; /* ends of callbacks that did not begin: left out */
  uint64_t again;   /* operations with an id that is in use: they replace the first */
  uint64_t deep;    /* callbacks within more than HOOKS_DEEP others: left out */
};

enum { HOOKS_DEEP = 1000 };

struct hooks_loop {
  uint64_t process, thread;
  struct event_log *log; /* of the whole trace: its names */
  struct event_log part; /* rows, requests and pauses of this loop; row numbers from 0 */
  struct hooks_table operations, requests;
  VECTOR(struct hooks_open) open;
  VECTOR(struct event_pause) paused; /* pauses that have begun */
  uint32_t turn;                     /* row of the latest callback that is no microtask */
  int64_t start, now;                /* ns: of the first and the latest event */
  bool started;
  struct hooks_notes *notes;
};

void hooks_loop_init(struct hooks_loop *loop, struct event_log *log, struct hooks_notes *notes);
void hooks_loop_clear(struct hooks_loop *loop);

/* Time passes; it does not go back. Call it before each of the following. */
void hooks_loop_at(struct hooks_loop *loop, int64_t time);

void hooks_loop_register(struct hooks_loop *loop, uint64_t id, uint32_t type, uint64_t execution);
void hooks_loop_begin(struct hooks_loop *loop, uint64_t id, uint32_t type);
void hooks_loop_end(struct hooks_loop *loop, uint64_t id);
void hooks_loop_destroy(struct hooks_loop *loop, uint64_t id);
void hooks_loop_notice(struct hooks_loop *loop, uint64_t request);
void hooks_loop_answer(struct hooks_loop *loop, uint64_t request, struct slice url,
                       uint16_t status);

/* Rows for what was registered and has not begun, but for promises and ticks. */
void hooks_loop_finish(struct hooks_loop *loop);

/* What an operation of this type waits for: "FSREQCALLBACK" is EVENT_FILE. */
enum event_class hooks_class(const char *type);

#endif
