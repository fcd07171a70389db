/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Flows as tests write them: calls, activities and what each waits for, and the durations of each
 * request. No graph is learned; what is tested is what is made of one.
 */
#ifndef TESTS_UNIT_TRACE_FLOWS_H
#define TESTS_UNIT_TRACE_FLOWS_H

#include <stdlib.h>

#include "tests/unit/trace/spans.h"
#include "trace/graph/graph.h"

/* A call; an operation of NULL ends the table. Each has a lead and a tail but the root, the first.
 */
struct call_row {
  const char *service, *operation;
  uint32_t parent;
};

/* An activity; waits "" for none, NULL ends the table. The root's tail is last. */
struct activity_row {
  uint32_t position;
  bool is_lead;
  const char *waits; /* "0 3" */
  uint32_t rank;     /* 0: all of them */
};

/* A store and a graph of hand-made flows. */
struct recorded {
  struct span_store store;
  struct request_graph graph;
};

static inline void recorded_init(struct recorded *r) {
  *r = (struct recorded){0};
  span_store_init(&r->store);
}

static inline void recorded_clear(struct recorded *r) {
  for (size_t i = 0; i < r->graph.flows.count; i++) {
    struct request_flow *flow = r->graph.flows.data[i];
    vector_clear(&flow->calls);
    vector_clear(&flow->activities);
    vector_clear(&flow->waits);
    vector_clear(&flow->orders);
    vector_clear(&flow->requests);
    vector_clear(&flow->durations);
    mem_free(flow);
  }
  vector_clear(&r->graph.flows);
  span_store_clear(&r->store);
}

static inline void flow_add_activity(struct request_flow *flow, const struct activity_row *row) {
  struct activity activity = {.position = row->position,
                              .is_lead = row->is_lead,
                              .owner = row->position,
                              .wait_first = (uint32_t)flow->waits.count};
  struct flow_call *call = &flow->calls.data[row->position];
  if (row->is_lead)
    activity.owner = call->parent;
  *(row->is_lead ? &call->lead : &call->tail) = (uint32_t)flow->activities.count;
  char *end;
  for (const char *at = row->waits; *at != 0; at = end + strspn(end, " ")) {
    vector_push(&flow->waits, (uint32_t)strtoul(at, &end, 10));
    activity.wait_count++;
  }
  activity.rank = row->rank != 0 ? row->rank : activity.wait_count;
  vector_push(&flow->activities, activity);
}

static inline struct request_flow *recorded_flow(struct recorded *r, const struct call_row *calls,
                                                 const struct activity_row *activities) {
  struct request_flow *flow = mem_alloc(1, sizeof *flow);
  for (; calls->operation != NULL; calls++)
    vector_push(
        &flow->calls,
        (struct flow_call){.service = names_number(&r->store.names, span_slice(calls->service)),
                           .operation = names_number(&r->store.names, span_slice(calls->operation)),
                           .parent = flow->calls.count == 0 ? SPAN_NONE : calls->parent,
                           .lead = SPAN_NONE});
  for (; activities->waits != NULL; activities++)
    flow_add_activity(flow, activities);
  vector_push(&r->graph.flows, flow);
  return flow;
}

/* A request of the flow that starts then, with as many durations as there are activities. */
static inline void recorded_request(struct recorded *r, struct request_flow *flow, int64_t start_ns,
                                    const int64_t *durations) {
  struct span_row rows[] = {{"1", NULL, "s", "root", start_ns, start_ns, SPAN_SERVER, 0}, {0}};
  struct builder *builder = builder_new(&r->store);
  size_t request = spans_request(builder, "t", rows);
  builder_free(builder);
  vector_push(&flow->requests, (uint32_t)request);
  for (size_t i = 0; i < flow->activities.count; i++)
    vector_push(&flow->durations, durations[i]);
}

#endif
