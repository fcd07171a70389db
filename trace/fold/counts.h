/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is counted over all requests of a flow, whichever of them are kept. Sums of whole numbers
 * only, so that they add up to the same in any order.
 *
 * Orders are told as in trace/graph/making.h. Pairs are counted among the calls of a caller with at
 * most MAKING_PAIRS_ALL of them; of callers with more calls the kept requests have to do.
 */
#ifndef TRACE_FOLD_COUNTS_H
#define TRACE_FOLD_COUNTS_H

#include "base/slice.h"
#include "base/text.h"
#include "trace/fold/histogram.h"

struct request_flow;
struct span_store;

enum { LATENCY_BITS = 10, DURATION_BITS = 7, PAIR_COUNTS = 4 };

/* Of one call. */
struct call_counts {
  uint64_t outlived; /* requests whose times refute that its caller waits for its end */
  uint64_t follows;  /* FOLLOWS_FROM its caller */
  uint64_t failed;   /* SPAN_ERROR */
  struct fold_histogram durations; /* ns: from the span's start to its end */
};

/* Of a < b, calls of one caller, as struct sibling_pair. */
struct fold_counts {
  size_t calls;
  struct call_counts *of_call; /* by position */
  uint64_t clipped, others;    /* as request_flow; spans beside the root's tree */
  struct fold_histogram latencies;
  uint32_t *parent, *place; /* by position: its caller; its place among that one's calls */
  uint32_t *children;       /* by position: calls of it */
  uint32_t *next;           /* by position: the next call of its caller, or 0 */
  size_t *pair_first;       /* by caller: its first pair, or SIZE_MAX: not counted */
  uint64_t *pairs;          /* PAIR_COUNTS each; by caller, by a, by b */
  size_t pair_count;
};

/* parents[p] of `calls` positions; SPAN_NONE first. */
struct fold_counts *fold_counts_new(const uint32_t *parents, size_t calls);
void fold_counts_free(struct fold_counts *counts);

/* Adds all requests of the flow; calls of it have the same positions. */
void fold_counts_add(struct fold_counts *counts, struct request_flow *flow,
                     const struct span_store *store);

/* False when a count would pass 2^64 - 1. */
bool fold_counts_merge(struct fold_counts *counts, const struct fold_counts *other);

/* The counts of a pair, before and after, and those two perhaps; NULL when it is not counted. */
uint64_t *fold_counts_pair(const struct fold_counts *counts, uint32_t a, uint32_t b);

/* Appends them as lines; lines of nothing but zeros are left out. */
void fold_counts_print(struct text *text, const struct fold_counts *counts);

/* Takes one such line in; false when it is none, or contradicts `requests`. */
bool fold_counts_parse(struct fold_counts *counts, struct slice line, uint64_t requests);

/* Whether the durations of each call, and the latencies, are as many as there are requests. */
bool fold_counts_are_whole(const struct fold_counts *counts, uint64_t requests);

#endif
