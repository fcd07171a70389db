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

/* In how many requests an order holds; NULL: it was not counted. */
static void take_order(uint64_t *sure, uint64_t *perhaps, const uint64_t *sums, uint64_t kept,
                       uint64_t requests) {
  bool always = *sure + *perhaps == kept;
  uint64_t counted_perhaps = sums != NULL ? sums[1] : *perhaps;
  uint64_t counted = sums != NULL ? sums[0] : always ? requests - *perhaps : *sure;
  *sure = held_in(counted, *sure, kept, requests);
  if (counted_perhaps > requests - *sure)
    counted_perhaps = requests - *sure;
  *perhaps = always ? counted_perhaps : *perhaps;
}

static void take_pair(const struct fold_counts *counts, struct sibling_pair *pair, uint64_t kept,
                      uint64_t requests) {
  const uint64_t *sums = fold_counts_pair(counts, pair->a, pair->b);
  uint64_t before[] = {sums == NULL ? 0 : sums[0], sums == NULL ? 0 : sums[2]};
  uint64_t after[] = {sums == NULL ? 0 : sums[1], sums == NULL ? 0 : sums[3]};
  take_order(&pair->before, &pair->before_perhaps, sums == NULL ? NULL : before, kept, requests);
  take_order(&pair->after, &pair->after_perhaps, sums == NULL ? NULL : after, kept, requests);
}

static void take_counts(struct flow_making *making, const struct fold_flow *of) {
  struct request_flow *flow = making->flow;
  const struct fold_counts *counts = of->counts;
  making->requests = of->requests;
  flow->clipped = counts->clipped;
  making->beside = counts->others;
  for (size_t p = 1; p < flow->calls.count; p++) {
    if (making->outlived[p] < counts->of_call[p].outlived)
      making->outlived[p] = counts->of_call[p].outlived;
    making->follows[p] |= counts->of_call[p].follows > 0;
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

const struct trace_fold *fold_of_census(const struct span_census *census) {
  return ((const struct fold_census *)census)->fold;
}
