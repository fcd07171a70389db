/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of queues, for the files of trace/evaluate that find them and take the waiting out of
 * them (waiting.h). Times are ns on the clock of the store.
 */
#ifndef TRACE_EVALUATE_WAITING_INSIDE_H
#define TRACE_EVALUATE_WAITING_INSIDE_H

#include "trace/evaluate/waiting.h"

struct waiting_call {
  uint32_t flow, request, position; /* request: of the flow */
  int64_t ready;                    /* what its lead waits for was over */
  int64_t start, end;
  int64_t free; /* when its place was free */
  bool waited;
};

struct waiting_calls {
  VECTOR(struct waiting_call) all; /* in the order of their starts */
};

/* Sets `free` and `waited` of each; returns how many had to wait, at least as they were served. */
uint64_t waiting_judge(struct waiting_calls *calls, uint64_t servers);

/* How many of so many intervals there are at once at most; both are sorted. */
uint64_t waiting_most(int64_t *starts, int64_t *ends, size_t count);

#endif
