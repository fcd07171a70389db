/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/graph.h"

#include "base/text.h"
#include "trace/graph/alike.h"
#include "trace/graph/flows.h"
#include "trace/graph/making.h"

/* What is late in all flows. Their times are made again later: all at once they might not fit. */
static void find_late(struct late_calls *late, const struct request_graph *graph,
                      const struct span_store *store, const struct graph_options *options) {
  for (size_t f = 0; f < graph->flows.count; f++) {
    struct flow_making making;
    making_init(&making, graph->flows.data[f], store, options);
    making_times(&making);
    if (store->census != NULL)
      store->census->take(store->census, &making);
    late_calls_add(late, &making);
    making_clear(&making);
    graph->flows.data[f]->clipped = 0;
  }
  late_calls_settle(late);
}

/* What was found of a flow is forgotten, but its calls and requests. */
static void forget_orders(struct request_flow *flow) {
  flow->orders.count = flow->limits.count = flow->beside.count = 0;
  flow->clipped = flow->unasked = 0;
  flow->cut = false;
}

/* Its orders; `of` is to be cleared. */
static void begin_flow(struct flow_making *of, struct request_flow *flow,
                       const struct span_store *store, const struct graph_options *options,
                       const struct late_calls *late) {
  making_init(of, flow, store, options);
  making_times(of);
  making_pairs(of);
  if (store->census != NULL)
    store->census->take(store->census, of);
  making_apart(of, late);
  making_orders(of);
}

/* What flows say together. Where undecided orders are no waits it must be known before any flow is
 * finished. */
static void ask_together(struct alike_orders *alike, const struct request_graph *graph,
                         const struct span_store *store, const struct graph_options *options,
                         const struct late_calls *late) {
  for (size_t f = 0; f < graph->flows.count; f++) {
    struct flow_making making;
    begin_flow(&making, graph->flows.data[f], store, options, late);
    alike_orders_add(alike, &making);
    making_clear(&making);
    forget_orders(graph->flows.data[f]);
  }
  alike_orders_settle(alike, options->level);
}

void request_graph_make(struct request_graph *graph, const struct span_store *store,
                        const struct graph_options *options) {
  *graph = (struct request_graph){0};
  flows_make(graph, store);
  struct late_calls *late = late_calls_new();
  struct alike_orders *alike = alike_orders_new();
  bool several = graph->flows.count > 1, first = options->undecided == UNDECIDED_FREE;
  if (several)
    find_late(late, graph, store, options);
  if (several && first)
    ask_together(alike, graph, store, options, late);
  for (size_t f = 0; f < graph->flows.count; f++) {
    struct flow_making making;
    begin_flow(&making, graph->flows.data[f], store, options, late);
    if (several && !first)
      alike_orders_add(alike, &making);
    making_pools(&making, options->level / (double)graph->flows.count);
    making_joins(&making);
    making_streams(&making);
    if (first)
      graph->alike += alike_orders_apply(alike, graph->flows.data[f]);
    making_read(&making);
    making_activities(&making);
    making_clear(&making);
  }
  if (!first) {
    alike_orders_settle(alike, options->level);
    for (size_t f = 0; f < graph->flows.count; f++)
      graph->alike += alike_orders_apply(alike, graph->flows.data[f]);
  }
  alike_orders_free(alike);
  late_calls_free(late);
}

void request_graph_clear(struct request_graph *graph) {
  for (size_t f = 0; f < graph->flows.count; f++)
    flow_free(graph->flows.data[f]);
  vector_clear(&graph->flows);
}

static bool has_namesake(const struct request_flow *flow, uint32_t position) {
  const struct flow_call *call = &flow->calls.data[position];
  for (size_t p = position + 1; p < flow->calls.count; p++) {
    const struct flow_call *other = &flow->calls.data[p];
    if (other->parent == SPAN_NONE || other->parent < call->parent)
      return false;
    if (other->parent == call->parent)
      return other->service == call->service && other->operation == call->operation;
  }
  return false;
}

void flow_call_name(struct text *text, const struct request_flow *flow, uint32_t position,
                    const struct span_names *names) {
  const struct flow_call *call = &flow->calls.data[position];
  if (call->service != 0)
    text_format(text, "%s/", names_text(names, call->service));
  text_append(text, names_text(names, call->operation));
  if (call->ordinal > 0 || has_namesake(flow, position))
    text_format(text, " #%u", call->ordinal + 1);
}

static int64_t latest(const int64_t *finish, const uint32_t *waits, size_t count) {
  int64_t ready = 0;
  for (size_t i = 0; i < count; i++)
    ready = finish[waits[i]] > ready ? finish[waits[i]] : ready;
  return ready;
}

/* The least finish that at least `rank` of all do not exceed. */
static int64_t ranked(const int64_t *finish, const uint32_t *waits, size_t count, size_t rank) {
  int64_t ready = INT64_MAX;
  for (size_t i = 0; i < count; i++) {
    size_t within = 0;
    for (size_t j = 0; j < count; j++)
      within += finish[waits[j]] <= finish[waits[i]];
    if (within >= rank && finish[waits[i]] < ready)
      ready = finish[waits[i]];
  }
  return ready;
}

int64_t flow_ready(const int64_t *finish, const struct request_flow *flow,
                   const struct activity *activity) {
  const uint32_t *waits = flow->waits.data + activity->wait_first;
  if (activity->rank == activity->wait_count)
    return latest(finish, waits, activity->wait_count);
  return ranked(finish, waits, activity->wait_count, activity->rank);
}

int64_t flow_finish(int64_t *finish, const struct request_flow *flow, const int64_t *durations) {
  size_t count = flow->activities.count;
  for (size_t a = 0; a < count; a++)
    finish[a] = flow_ready(finish, flow, &flow->activities.data[a]) + durations[a];
  return finish[count - 1];
}
