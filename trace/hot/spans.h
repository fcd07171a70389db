/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stretches of recorded requests: a call's own work, where it is on the critical path. A span says
 * its process and thread in tags (process.pid, thread.id; pid, tid), or nothing.
 */
#ifndef TRACE_HOT_SPANS_H
#define TRACE_HOT_SPANS_H

#include "trace/graph/graph.h"
#include "trace/hot/stretch.h"

/* Appends those of all requests, in no order; a stretch's request is its rank in `order`. `shift`
 * is added to all times. Returns how many stretches do not say their process. */
size_t hot_stretches_of_spans(hot_stretches *stretches, const struct request_graph *graph,
                              const struct span_store *store, const uint32_t *order, int64_t shift);

#endif
