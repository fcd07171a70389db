/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which calls of flows are rounds of loops (trace/graph/family.h). For the files of trace/graph
 * only.
 *
 * Calls are alike where they and all above them have the same names; that is their path.
 */
#ifndef TRACE_GRAPH_LOOPS_H
#define TRACE_GRAPH_LOOPS_H

#include "base/index.h"
#include "trace/graph/graph.h"

/* Calls that are alike, in all flows. */
struct call_path {
  uint32_t caller; /* path, or SPAN_NONE */
  uint32_t service, operation;
  uint32_t least, most; /* how many one caller makes in a row; most 0: nowhere in a row */
  bool loop;
  bool whole;                       /* what is below is not one row, the same in each */
  const struct request_flow *model; /* the first call looked at; NULL: none was */
  uint32_t model_call;
};

struct call_paths {
  VECTOR(struct call_path) paths;
  struct index index;
};

/* The calls of one flow. */
struct flow_rounds {
  const struct request_flow *flow;
  uint32_t *path; /* by position */
  uint32_t *end;  /* by position: the first behind all below it */
  bool *in_row;   /* by position: it and those of its name by its caller are a row, perhaps of one;
                     in a shape it is a round if its path is a loop */
};

void call_paths_find(struct call_paths *paths, const struct request_graph *graph);
void call_paths_clear(struct call_paths *paths);

void flow_rounds_make(struct flow_rounds *rounds, struct call_paths *paths,
                      const struct request_flow *flow);
void flow_rounds_clear(struct flow_rounds *rounds);

/* Whether the call is a round of a loop. */
static inline bool flow_is_round(const struct flow_rounds *rounds, const struct call_paths *paths,
                                 uint32_t position) {
  return position > 0 && rounds->in_row[position] && paths->paths.data[rounds->path[position]].loop;
}

#endif
