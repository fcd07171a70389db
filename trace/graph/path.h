/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The critical path of a request: from its end back, each time to what was waited for last. The
 * times of its steps add up to the latency exactly.
 */
#ifndef TRACE_GRAPH_PATH_H
#define TRACE_GRAPH_PATH_H

#include "trace/graph/graph.h"

struct path_step {
  uint32_t activity;
  int64_t duration; /* ns */
  uint32_t waited;  /* the activity it waited for, which is the next step; SPAN_NONE: for none */
  uint32_t order;   /* the undecided order in flow->orders by which it waited; SPAN_NONE: decided */
  uint32_t rival;   /* if undecided: another activity that had ended by then, and that it may have
                       waited for instead; SPAN_NONE: none */
  bool tied;        /* another activity that it waited for ended at the same moment */
};

struct request_path {
  VECTOR(struct path_step) steps; /* the end of the request first */
};

void request_path_clear(struct request_path *path);

/* The path of a request with these durations; `finish` is what flow_finish gave for them. Of
 * several that ended together the one that started first is taken. */
void flow_path(struct request_path *path, const struct request_flow *flow, const int64_t *finish,
               const int64_t *durations);

#define SLACK_ANY INT64_MAX

/* slack[a]: how much longer activity a alone could take, at least, with the latency unchanged;
 * SLACK_ANY when nothing waits for it. 0 for each step of the path. */
void flow_slack(int64_t *slack, const struct request_flow *flow, const int64_t *finish,
                const int64_t *durations);

#endif
