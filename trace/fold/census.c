/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold/census.h"

#include "trace/fold/counts.h"
#include "trace/graph/making.h"

struct fold_census {
  struct span_census base;
  struct trace_fold *fold;
  bool owned;
};

static void census_clear(struct span_census *base) {
  struct fold_census *census = (struct fold_census *)base;
  if (census->owned) {
    fold_clear(census->fold);
    mem_free(census->fold);
  }
  mem_free(census);
}

/* How many of all requests have an order: so many are counted (or, where that was not counted, all
 * if each of the kept ones has it), but those without it that were seen are none of them. */
static uint64_t held_in(uint64_t counted, uint64_t seen, uint64_t kept, uint64_t requests) {
  uint64_t most = requests - (kept - seen);
  return counted < most ? counted : most;
}

static void take_pair(const struct fold_counts *counts, struct sibling_pair *pair, uint64_t kept,
                      uint64_t requests) {
  const uint64_t *sums = fold_counts_pair(counts, pair->a, pair->b);
  uint64_t before = sums != NULL ? sums[0] : pair->before == kept ? requests : pair->before;
  uint64_t after = sums != NULL ? sums[1] : pair->after == kept ? requests : pair->after;
  pair->before = held_in(before, pair->before, kept, requests);
  pair->after = held_in(after, pair->after, kept, requests);
}

static void take_counts(struct flow_making *making, const struct fold_flow *of) {
  struct request_flow *flow = making->flow;
  const struct fold_counts *counts = of->counts;
  making->requests = of->requests;
  flow->clipped = counts->clipped;
  flow->apart = counts->others;
  for (size_t p = 1; p < flow->calls.count; p++) {
    if (making->outlived[p] < counts->of_call[p].outlived)
      making->outlived[p] = counts->of_call[p].outlived;
    making->follows[p] |= counts->of_call[p].follows > 0;
    flow->calls.data[p].apart = making->follows[p] || making->outlived[p] > 0;
    flow->apart += flow->calls.data[p].apart ? of->requests : 0;
  }
  for (size_t i = 0; i < making->pairs.count; i++)
    take_pair(counts, &making->pairs.data[i], flow->requests.count, of->requests);
}

static void census_take(struct span_census *base, struct flow_making *making) {
  struct fold_census *census = (struct fold_census *)base;
  struct text key;
  text_init(&key);
  fold_key_print(&key, making->flow, &making->store->names);
  struct fold_flow *flow = fold_flow_of(census->fold, key.data, key.length);
  text_clear(&key);
  if (flow->requests == making->flow->requests.count)
    return;
  if (flow->counts == NULL)
    fold_flow_count(flow);
  take_counts(making, flow);
}

struct span_census *fold_census_new(struct trace_fold *fold, bool owned) {
  struct fold_census *census = mem_alloc(1, sizeof *census);
  *census = (struct fold_census){{fold_requests(fold), census_clear, census_take}, fold, owned};
  return &census->base;
}
