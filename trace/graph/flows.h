/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorts requests by the calls they make: each list of calls (trace/graph/call_list.h) is a flow.
 */
#ifndef TRACE_GRAPH_FLOWS_H
#define TRACE_GRAPH_FLOWS_H

#include "trace/graph/graph.h"

/* Fills graph->flows, the most frequent first, equally frequent ones by the names of their calls;
 * of each flow the calls (without their activities), the requests and their rows. */
void flows_make(struct request_graph *graph, const struct span_store *store);

void flow_free(struct request_flow *flow);

#endif
