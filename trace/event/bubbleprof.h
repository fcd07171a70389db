/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The data of clinic bubbleprof as an event log: asynchronous operations in groups of one place.
 *
 *     {"data": [{"clusterId": 1, "nodes": [{"aggregateId": 1, "type": "Timeout", "frames": [...],
 *       "sources": [{"asyncId": 9, "executionAsyncId": 4, "init": 1.2, "before": [2.5],
 *                    "after": [2.6], ...}]}]}]}
 *
 * Times are ms. It has no requests. An operation's place is the innermost function in a file of the
 * application: neither Node.js's own nor of node_modules. Private to trace/event.
 */
#ifndef TRACE_EVENT_BUBBLEPROF_H
#define TRACE_EVENT_BUBBLEPROF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/asker.h"
#include "base/ledger.h"
#include "trace/event/log.h"

/* Adds one loop. STATUS_DATA with FILE:LINE:COLUMN; what was odd goes into the ledger. */
enum status bubbleprof_read(struct event_log *log, const char *path, struct ledger *ledger,
                            const struct asker *asker);

#endif
