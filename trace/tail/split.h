/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which requests are slow: those above a threshold, or those that a label calls so.
 */
#ifndef TRACE_TAIL_SPLIT_H
#define TRACE_TAIL_SPLIT_H

#include <stdbool.h>

#include "trace/tail/causes.h"

struct tail_split {
  size_t requests;
  enum tail_side *sides;
  size_t slow, rest;
  bool by_label;
  bool both_ways;    /* what is faster in the slow ones is looked for, too */
  uint32_t *cluster; /* by request, 0 .. clusters - 1: those with one number are delayed by the same
                        thing, so that they are one observation; NULL: each request is one */
  size_t clusters;
  int64_t threshold; /* ns: slow is what takes longer; by label, what tells the two best apart */
  int64_t
      *thresholds; /* by request, in place of it, where they are of kinds of requests; or NULL */
};

/* All rest. */
void tail_split_init(struct tail_split *split, size_t requests);
void tail_split_clear(struct tail_split *split);

/* Numbers the clusters anew, from any numbers by request. */
void tail_split_cluster(struct tail_split *split, const uint32_t *cluster);

/* The values of one observation for each cluster and side, the means of its requests, with the
 * split they have; both to be freed by the caller. In the order of the first of them. */
int64_t *tail_split_collapse(struct tail_split *collapsed, const struct tail_split *split,
                             const int64_t *values);

/* Slow: above the threshold. */
void tail_split_above(struct tail_split *split, const int64_t *latency, int64_t threshold);

/* Slow: above the percentile of the requests of the same kind, a number by request. */
void tail_split_above_kinds(struct tail_split *split, const int64_t *latency, const uint32_t *kinds,
                            double percent);

/* What a request takes longer than, if it is slow by time. */
static inline int64_t tail_split_threshold(const struct tail_split *split, size_t request) {
  return split->thresholds == NULL ? split->threshold : split->thresholds[request];
}

/* The latency at a percentage (99.9; 0 < percent < 100): the least that at least that part of the
 * requests does not exceed. */
int64_t tail_percentile(const int64_t *latency, size_t requests, double percent);

/* The sides are set: counts them, and finds the threshold that most of the slow and fewest of the
 * rest exceed (the largest difference of the two shares; Youden, Cancer 3, 1950). */
void tail_split_labelled(struct tail_split *split, const int64_t *latency);

#endif
