/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold/view.h"

#include <stdlib.h>
#include <string.h>

#include "trace/fold/census.h"
#include "trace/fold/counts.h"
#include "trace/fold/fold.h"
#include "trace/fold/request.h"

static void restore(struct builder *builder, const struct fold_flow *flow) {
  struct fold_call *calls = fold_calls_new(flow->key, flow->calls);
  uint64_t others;
  for (size_t i = 0; i < flow->kept.count; i++) {
    const char *line = flow->kept.data[i].line;
    fold_request_restore(builder, (struct slice){line, strlen(line)}, calls, flow->calls, &others);
  }
  fold_calls_free(calls, flow->calls);
}

/* A flow of the graph with the one of the fold that it shows. */
struct seen_flow {
  struct request_flow *flow;
  const struct fold_flow *of;
};

static int seen_compare(const void *a, const void *b) {
  const struct fold_flow *x = ((const struct seen_flow *)a)->of;
  const struct fold_flow *y = ((const struct seen_flow *)b)->of;
  if (x->requests != y->requests)
    return x->requests > y->requests ? -1 : 1;
  return strcmp(x->key, y->key);
}

static void sort_flows(struct fold_view *view, struct trace_fold *fold) {
  size_t count = view->graph.flows.count;
  struct seen_flow *seen = mem_alloc(count, sizeof *seen);
  struct text key;
  text_init(&key);
  for (size_t f = 0; f < count; f++) {
    key.length = 0;
    fold_key_print(&key, view->graph.flows.data[f], &view->store.names);
    seen[f] =
        (struct seen_flow){view->graph.flows.data[f], fold_flow_of(fold, key.data, key.length)};
  }
  text_clear(&key);
  if (count > 1)
    qsort(seen, count, sizeof *seen, seen_compare);
  for (size_t f = 0; f < count; f++) {
    view->graph.flows.data[f] = seen[f].flow;
    vector_push(&view->flows, seen[f].of);
  }
  mem_free(seen);
}

void fold_view_make(struct fold_view *view, struct trace_fold *fold,
                    const struct graph_options *options) {
  *view = (struct fold_view){0};
  span_store_init(&view->store);
  struct builder *builder = builder_new(&view->store);
  builder_drop_ids(builder);
  for (size_t f = 0; f < fold->flows.count; f++)
    restore(builder, fold->flows.data[f]);
  builder_free(builder);
  view->store.census = fold_census_new(fold, false);
  request_graph_make(&view->graph, &view->store, options);
  sort_flows(view, fold);
}

void fold_view_clear(struct fold_view *view) {
  request_graph_clear(&view->graph);
  span_store_clear(&view->store);
  vector_clear(&view->flows);
}

static bool add_histogram(struct sample *sample, const struct fold_histogram *histogram) {
  struct fold_bin bin = {0};
  while (fold_histogram_next(&bin, histogram))
    if (!sample_add_range(sample, (uint64_t)bin.lower, (uint64_t)bin.upper, bin.count))
      return false;
  return true;
}

static bool add_exact(struct sample *sample, int64_t ns) {
  return sample_add_range(sample, (uint64_t)ns, (uint64_t)ns, 1);
}

bool fold_view_latencies(struct sample *sample, const struct fold_view *view, size_t f) {
  const struct request_flow *flow = view->graph.flows.data[f];
  const struct fold_counts *counts = view->flows.data[f]->counts;
  if (counts != NULL)
    return add_histogram(sample, &counts->latencies);
  for (size_t i = 0; i < flow->requests.count; i++) {
    const struct request *request = &view->store.requests.data[flow->requests.data[i]];
    if (!add_exact(sample, span_store_latency(&view->store, request)))
      return false;
  }
  return true;
}

bool fold_view_durations(struct sample *sample, const struct fold_view *view, size_t f,
                         uint32_t position) {
  const struct request_flow *flow = view->graph.flows.data[f];
  const struct fold_counts *counts = view->flows.data[f]->counts;
  if (counts != NULL)
    return add_histogram(sample, &counts->of_call[position].durations);
  for (size_t i = 0; i < flow->requests.count; i++) {
    uint32_t row = flow->rows.data[i * flow->calls.count + position];
    if (!add_exact(sample, view->store.end.data[row] - view->store.start.data[row]))
      return false;
  }
  return true;
}
