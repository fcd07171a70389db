/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold/counts.h"

#include "trace/graph/making.h"

static void link_siblings(struct fold_counts *counts) {
  uint32_t *first = mem_alloc(counts->calls, sizeof *first);
  for (size_t p = counts->calls; p-- > 1;) {
    counts->next[p] = first[counts->parent[p]];
    first[counts->parent[p]] = (uint32_t)p;
  }
  mem_free(first);
}

struct fold_counts *fold_counts_new(const uint32_t *parents, size_t calls) {
  struct fold_counts *counts = mem_alloc(1, sizeof *counts);
  *counts = (struct fold_counts){
      .calls = calls,
      .of_call = mem_alloc(calls, sizeof *counts->of_call),
      .parent = mem_alloc(calls, sizeof *counts->parent),
      .place = mem_alloc(calls, sizeof *counts->place),
      .children = mem_alloc(calls, sizeof *counts->children),
      .next = mem_alloc(calls, sizeof *counts->next),
      .pair_first = mem_alloc(calls, sizeof *counts->pair_first),
  };
  fold_histogram_init(&counts->latencies, LATENCY_BITS);
  for (size_t p = 0; p < calls; p++) {
    fold_histogram_init(&counts->of_call[p].durations, DURATION_BITS);
    counts->parent[p] = parents[p];
    if (p > 0)
      counts->place[p] = counts->children[parents[p]]++;
  }
  link_siblings(counts);
  for (size_t p = 0; p < calls; p++) {
    size_t children = counts->children[p];
    counts->pair_first[p] = children > MAKING_PAIRS_ALL ? SIZE_MAX : counts->pair_count;
    counts->pair_count +=
        children > MAKING_PAIRS_ALL || children < 2 ? 0 : children * (children - 1) / 2;
  }
  counts->pairs = mem_alloc(PAIR_COUNTS * counts->pair_count, sizeof *counts->pairs);
  return counts;
}

void fold_counts_free(struct fold_counts *counts) {
  if (counts == NULL)
    return;
  for (size_t p = 0; p < counts->calls; p++)
    fold_histogram_clear(&counts->of_call[p].durations);
  fold_histogram_clear(&counts->latencies);
  mem_free(counts->of_call);
  mem_free(counts->parent);
  mem_free(counts->place);
  mem_free(counts->children);
  mem_free(counts->next);
  mem_free(counts->pair_first);
  mem_free(counts->pairs);
  mem_free(counts);
}

uint64_t *fold_counts_pair(const struct fold_counts *counts, uint32_t a, uint32_t b) {
  size_t caller = counts->parent[a];
  if (counts->pair_first[caller] == SIZE_MAX)
    return NULL;
  size_t i = counts->place[a], j = counts->place[b], children = counts->children[caller];
  return counts->pairs +
         PAIR_COUNTS * (counts->pair_first[caller] + i * (2 * children - i - 1) / 2 + (j - i - 1));
}

/* ---- added up */

static void add_call(struct fold_counts *counts, const struct flow_making *making, size_t request,
                     uint32_t p) {
  const struct request_flow *flow = making->flow;
  uint32_t row = flow->rows.data[request * counts->calls + p];
  struct call_counts *call = &counts->of_call[p];
  call->follows += (making->store->mark.data[row] & SPAN_FOLLOWS) != 0;
  call->failed += making->store->status.data[row] == SPAN_ERROR;
  fold_histogram_add(&call->durations,
                     making->store->end.data[row] - making->store->start.data[row], 1);
}

static void add_request(struct fold_counts *counts, const struct flow_making *making,
                        size_t request) {
  const struct request_flow *flow = making->flow;
  const struct request *of = &making->store->requests.data[flow->requests.data[request]];
  for (uint32_t p = 0; p < counts->calls; p++)
    add_call(counts, making, request, p);
  fold_histogram_add(&counts->latencies, span_store_latency(making->store, of), 1);
  counts->others += of->count - counts->calls;
}

void fold_counts_add(struct fold_counts *counts, struct request_flow *flow,
                     const struct span_store *store) {
  struct flow_making making;
  uint64_t clipped = flow->clipped;
  making_init(&making, flow, store, NULL);
  making_times(&making);
  making_pairs(&making);
  for (size_t i = 0; i < flow->requests.count; i++)
    add_request(counts, &making, i);
  for (uint32_t p = 1; p < counts->calls; p++)
    counts->of_call[p].outlived += making.outlived[p];
  for (size_t i = 0; i < making.pairs.count; i++) {
    const struct sibling_pair *pair = &making.pairs.data[i];
    uint64_t *sums = fold_counts_pair(counts, pair->a, pair->b);
    if (sums == NULL)
      continue;
    sums[0] += pair->before;
    sums[1] += pair->after;
    sums[2] += pair->before_perhaps;
    sums[3] += pair->after_perhaps;
  }
  counts->clipped += flow->clipped - clipped;
  flow->clipped = clipped;
  making_clear(&making);
}

static bool add(uint64_t *sum, uint64_t more) {
  return !__builtin_add_overflow(*sum, more, sum);
}

bool fold_counts_merge(struct fold_counts *counts, const struct fold_counts *other) {
  bool fits = add(&counts->clipped, other->clipped) && add(&counts->others, other->others) &&
              fold_histogram_merge(&counts->latencies, &other->latencies);
  for (size_t p = 0; p < counts->calls && fits; p++) {
    struct call_counts *call = &counts->of_call[p];
    const struct call_counts *more = &other->of_call[p];
    fits = add(&call->outlived, more->outlived) && add(&call->follows, more->follows) &&
           add(&call->failed, more->failed) &&
           fold_histogram_merge(&call->durations, &more->durations);
  }
  for (size_t i = 0; i < PAIR_COUNTS * counts->pair_count && fits; i++)
    fits = add(&counts->pairs[i], other->pairs[i]);
  return fits;
}

bool fold_counts_are_whole(const struct fold_counts *counts, uint64_t requests) {
  for (size_t p = 0; p <= counts->calls; p++) {
    const struct fold_histogram *histogram =
        p < counts->calls ? &counts->of_call[p].durations : &counts->latencies;
    struct fold_bin bin = {0};
    uint64_t sum = 0;
    while (fold_histogram_next(&bin, histogram))
      if (!add(&sum, bin.count))
        return false;
    if (sum != requests)
      return false;
  }
  return true;
}
