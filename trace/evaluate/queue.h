/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests that share servers: first come, first served, with the calls of all requests in one
 * queue. Each request starts when it was recorded to start; what it calls, it calls when what it
 * waited for has ended. A call has its server from its start to the end of all that it waits for.
 */
#ifndef TRACE_EVALUATE_QUEUE_H
#define TRACE_EVALUATE_QUEUE_H

#include "trace/evaluate/scenario.h"

struct queued_request {
  const struct flow_variant *variant;
  int64_t start_ns;
  const int64_t *durations; /* as flow_finish takes them */
  int64_t latency_ns;       /* set by queue_run */
};

struct queue_use { /* of one limit */
  uint64_t calls, waited;
  uint64_t most;    /* that were there at once, served or not */
  double waited_ns; /* of all together */
};

/* `servers` and `use` by change; servers 0: no limit. Requests in any order; at one moment the
 * earlier one in the list comes first. False when calls wait for each other's servers and none can
 * go on. About log(calls under way) steps for each activity. */
bool queue_run(struct queued_request *requests, size_t count, const uint64_t *servers,
               struct queue_use *use, size_t change_count);

#endif
