/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Families of flows: those of one shape (trace/graph/shape.h), which differ only in how often calls
 * are repeated.
 *
 * Calls of one name by one caller are a loop where each waits for the one before, and where some flow has LOOP_LEAST of them or more and flows have
 * different numbers of them, or LOOP_MANY however many others have. Three calls instead of one are
 * rather a retry, which is a way of its own. All or none: calls of one name in two places of one
 * caller are no loop.
 *
 * An activity of the shape waits for another if it does, through others perhaps, in all flows that
 * make both calls. So what was recorded of each is possible in the shape, and the latencies are
 * those recorded.
 */
#ifndef TRACE_GRAPH_FAMILY_H
#define TRACE_GRAPH_FAMILY_H

#include "trace/graph/family_list.h"
#include "trace/graph/shape.h"

enum {
  LOOP_LEAST = 4,
  LOOP_MANY = 16,
  LOOP_SHAPE_MAX = 512 /* calls of a shape with loops; larger flows have none */
};

struct flow_family {
  struct flow_shape shape;
  VECTOR(struct shape_fit) fits; /* one for each flow, the most frequent first */
  uint64_t requests;
};

/* Fills `families`, the most frequent first. The graph must outlive them. */
void flow_families_make(flow_families *families, const struct request_graph *graph);
void flow_families_clear(flow_families *families);

/* The least and the most calls of a request of the family. */
struct family_calls {
  size_t least, most;
};
struct family_calls flow_family_calls(const struct flow_family *family);

#endif
