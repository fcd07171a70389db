/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store of spans and the graph made of it, as tests of trace/graph use them.
 */
#ifndef TESTS_UNIT_TRACE_GRAPHS_H
#define TESTS_UNIT_TRACE_GRAPHS_H

#include "base/text.h"
#include "tests/unit/trace/spans.h"
#include "trace/graph/graph.h"

struct graphed {
  struct span_store store;
  struct builder *builder;
  struct request_graph graph;
  struct text shown;
  bool made;
};

static inline int graphed_set_up(void **state) {
  struct graphed *graphed = mem_alloc(1, sizeof *graphed);
  span_store_init(&graphed->store);
  graphed->builder = builder_new(&graphed->store);
  text_init(&graphed->shown);
  *state = graphed;
  return 0;
}

static inline int graphed_tear_down(void **state) {
  struct graphed *graphed = *state;
  if (graphed->made)
    request_graph_clear(&graphed->graph);
  builder_free(graphed->builder);
  span_store_clear(&graphed->store);
  text_clear(&graphed->shown);
  mem_free(graphed);
  return 0;
}

/* The activities are in order, no duration is negative, and each latency comes out again. */
static inline void graphed_check(struct graphed *graphed) {
  for (size_t f = 0; f < graphed->graph.flows.count; f++) {
    const struct request_flow *flow = graphed->graph.flows.data[f];
    size_t count = flow->activities.count;
    assert_int_equal(count, 2 * flow->calls.count - 1);
    for (size_t a = 0; a < count; a++) {
      const struct activity *activity = &flow->activities.data[a];
      assert_true(activity->rank <= activity->wait_count);
      assert_int_equal(activity->rank == 0, activity->wait_count == 0);
      for (size_t w = 0; w < activity->wait_count; w++)
        assert_true(flow->waits.data[activity->wait_first + w] < a);
    }
    int64_t *finish = mem_alloc(count, sizeof *finish);
    for (size_t i = 0; i < flow->requests.count; i++) {
      const struct request *request = &graphed->store.requests.data[flow->requests.data[i]];
      for (size_t a = 0; a < count; a++)
        assert_true(flow->durations.data[i * count + a] >= 0);
      assert_int_equal(flow_finish(finish, flow, flow->durations.data + i * count),
                       span_store_latency(&graphed->store, request));
    }
    mem_free(finish);
  }
}

static inline void graphed_make(struct graphed *graphed, enum undecided_reading reading) {
  if (graphed->made)
    request_graph_clear(&graphed->graph);
  request_graph_make(&graphed->graph, &graphed->store,
                     &(struct graph_options){.undecided = reading, .level = 0.05});
  graphed->made = true;
  graphed_check(graphed);
}

static inline void graphed_add(struct graphed *graphed, const struct span_row *rows) {
  spans_request(graphed->builder, "t", rows);
}

/* The position of a call by its operation; calls of the tests have one of their own. */
static inline uint32_t graphed_call(const struct graphed *graphed, size_t flow,
                                    const char *operation) {
  const struct request_flow *of = graphed->graph.flows.data[flow];
  uint32_t name = names_find(&graphed->store.names, span_slice(operation));
  for (uint32_t p = 0; p < of->calls.count; p++)
    if (of->calls.data[p].operation == name)
      return p;
  fail_msg("no call %s", operation);
  return 0;
}

/* "main=2 <a b": how long the activity took in request 0, and the calls whose ends it waits for;
 * "1 of a b" with a rank below all. The lead of a call unless `is_lead` is false. */
static inline const char *graphed_show(struct graphed *graphed, const char *operation,
                                       bool is_lead) {
  const struct request_flow *flow = graphed->graph.flows.data[0];
  const struct flow_call *call = &flow->calls.data[graphed_call(graphed, 0, operation)];
  const struct activity *activity = &flow->activities.data[is_lead ? call->lead : call->tail];
  size_t index = (size_t)(activity - flow->activities.data);
  text_clear(&graphed->shown);
  text_format(&graphed->shown, "%lld", (long long)flow->durations.data[index]);
  if (activity->rank < activity->wait_count)
    text_format(&graphed->shown, " %u of", activity->rank);
  for (size_t w = 0; w < activity->wait_count; w++) {
    const struct activity *other =
        &flow->activities.data[flow->waits.data[activity->wait_first + w]];
    text_append(&graphed->shown, other->is_lead ? " >" : " ");
    flow_call_name(&graphed->shown, flow, other->position, &graphed->store.names);
  }
  return text_get(&graphed->shown);
}

static inline const struct order *graphed_order(const struct graphed *graphed, const char *before,
                                                const char *after) {
  const struct request_flow *flow = graphed->graph.flows.data[0];
  uint32_t a = graphed_call(graphed, 0, before), b = graphed_call(graphed, 0, after);
  for (size_t i = 0; i < flow->orders.count; i++)
    if (flow->orders.data[i].before == a && flow->orders.data[i].after == b)
      return &flow->orders.data[i];
  return NULL;
}

#endif
