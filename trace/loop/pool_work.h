/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What of an event log is work of Node.js's thread pool.
 *
 * Files, keys, names of hosts, and pieces that streams compress are; each process has one pool for
 * all its loops, which takes what is asked for in that order. Names of hosts are looked up by half
 * of the threads at most (libuv's UV__WORK_SLOW_IO). Of name servers that are asked by the loop
 * itself the pool knows nothing. Native addons may have threads of their own, so what they ask for
 * is no work that is known; nor are files that are watched. Private to trace/loop.
 */
#ifndef TRACE_LOOP_POOL_WORK_H
#define TRACE_LOOP_POOL_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "trace/event/log.h"

enum { POOL_THREADS_MOST = 1024 /* as libuv's */ };

enum pool_work {
  POOL_WORK_UNKNOWN,
  POOL_WORK_NONE,
  POOL_WORK_FILE,
  POOL_WORK_NAME,
  POOL_WORK_OTHER
};

/* Kinds of types that were asked for. */
struct pool_kinds {
  const struct event_log *log;
  VECTOR(uint8_t) of; /* by type: enum pool_work */
};

/* What the row's type is; not POOL_WORK_UNKNOWN. */
enum pool_work pool_kind_of(struct pool_kinds *kinds, uint32_t row);
void pool_kinds_clear(struct pool_kinds *kinds);

/* Whether the row of the loop ran, is work of a pool, and says when it was asked for. A stream that
 * compresses is there before it asks for anything, and asks many times. Each time is in newer logs;
 * else it counts as registered when the callback before ended, which is no such row. */
bool pool_is_work(struct pool_kinds *kinds, const struct event_loop *loop, uint32_t row);

/* Whether both loops are of one process. */
bool pool_is_shared(const struct event_loop *a, const struct event_loop *b);

/* The first loop of the loop's process. */
uint32_t pool_first_loop(const struct event_log *log, uint32_t loop);

/* So many of a pool's threads look up names at most. */
uint32_t pool_threads_for_names(uint32_t threads);

#endif
