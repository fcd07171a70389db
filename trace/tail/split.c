/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tail_split_init(struct tail_split *split, size_t requests) {
  *split = (struct tail_split){.requests = requests,
                               .sides = mem_alloc(requests, sizeof(enum tail_side))};
}

void tail_split_clear(struct tail_split *split) {
  mem_free(split->sides);
  mem_free(split->cluster);
  mem_free(split->thresholds);
  *split = (struct tail_split){0};
}

static void count_sides(struct tail_split *split) {
  split->slow = split->rest = 0;
  for (size_t i = 0; i < split->requests; i++) {
    split->slow += split->sides[i] == TAIL_SLOW;
    split->rest += split->sides[i] == TAIL_REST;
  }
}

/* --- clusters --------------------------------------------------------------------------------- */

struct clustered {
  uint32_t number;
  uint32_t request;
};

static int by_number(const void *a, const void *b) {
  const struct clustered *x = a, *y = b;
  if (x->number != y->number)
    return x->number < y->number ? -1 : 1;
  return (x->request > y->request) - (x->request < y->request);
}

void tail_split_cluster(struct tail_split *split, const uint32_t *cluster) {
  struct clustered *sorted = mem_alloc(split->requests, sizeof *sorted);
  for (uint32_t i = 0; i < split->requests; i++)
    sorted[i] = (struct clustered){cluster[i], i};
  qsort(sorted, split->requests, sizeof *sorted, by_number);
  split->cluster = mem_alloc(split->requests, sizeof *split->cluster);
  split->clusters = 0;
  for (size_t i = 0; i < split->requests; i++) {
    split->clusters += i == 0 || sorted[i].number != sorted[i - 1].number;
    split->cluster[sorted[i].request] = (uint32_t)split->clusters - 1;
  }
  mem_free(sorted);
}

int64_t *tail_split_collapse(struct tail_split *collapsed, const struct tail_split *split,
                             const int64_t *values) {
  size_t *places = mem_alloc(2 * split->clusters, sizeof *places);
  uint64_t *counts = mem_alloc(split->requests, sizeof *counts);
  double *sums = mem_alloc(split->requests, sizeof *sums);
  tail_split_init(collapsed, split->requests);
  collapsed->requests = 0;
  collapsed->by_label = split->by_label;
  collapsed->both_ways = split->both_ways;
  collapsed->threshold = split->threshold;
  for (size_t i = 0; i < split->requests; i++) {
    if (split->sides[i] == TAIL_NEITHER)
      continue;
    size_t *place = &places[2 * split->cluster[i] + (split->sides[i] == TAIL_SLOW)];
    if (*place == 0) {
      collapsed->sides[collapsed->requests] = split->sides[i];
      *place = ++collapsed->requests;
    }
    counts[*place - 1]++;
    sums[*place - 1] += (double)values[i];
  }
  int64_t *means = mem_alloc(collapsed->requests, sizeof *means);
  for (size_t i = 0; i < collapsed->requests; i++)
    means[i] = (int64_t)llround(sums[i] / (double)counts[i]);
  count_sides(collapsed);
  mem_free(places);
  mem_free(counts);
  mem_free(sums);
  return means;
}

/* --- what is slow ----------------------------------------------------------------------------- */

void tail_split_above(struct tail_split *split, const int64_t *latency, int64_t threshold) {
  split->threshold = threshold;
  for (size_t i = 0; i < split->requests; i++)
    split->sides[i] = latency[i] > threshold ? TAIL_SLOW : TAIL_REST;
  count_sides(split);
}

static int by_latency(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int64_t tail_percentile(const int64_t *latency, size_t requests, double percent) {
  int64_t *sorted = mem_alloc(requests, sizeof *sorted);
  memcpy(sorted, latency, requests * sizeof *sorted);
  qsort(sorted, requests, sizeof *sorted, by_latency);
  double rank = ceil(percent / 100 * (double)requests - 1e-9);
  int64_t value = sorted[rank < 1 ? 0 : (size_t)rank - 1];
  mem_free(sorted);
  return value;
}

struct sided {
  int64_t latency; /* first, so that by_latency sorts it */
  enum tail_side side;
};

void tail_split_labelled(struct tail_split *split, const int64_t *latency) {
  split->by_label = true;
  count_sides(split);
  struct sided *sorted = mem_alloc(split->requests, sizeof *sorted);
  for (size_t i = 0; i < split->requests; i++)
    sorted[i] = (struct sided){latency[i], split->sides[i]};
  qsort(sorted, split->requests, sizeof *sorted, by_latency);
  double slow = 0, rest = 0, best = -2;
  for (size_t i = 0; i < split->requests; i++) {
    slow += sorted[i].side == TAIL_SLOW;
    rest += sorted[i].side == TAIL_REST;
    bool last = i + 1 == split->requests || sorted[i + 1].latency != sorted[i].latency;
    double gap = rest / fmax(1, (double)split->rest) - slow / fmax(1, (double)split->slow);
    if (last && gap > best) {
      best = gap;
      split->threshold = sorted[i].latency;
    }
  }
  mem_free(sorted);
}

struct of_kind {
  int64_t latency;
  uint32_t kind, request;
};

static int by_kind(const void *a, const void *b) {
  const struct of_kind *x = a, *y = b;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return (x->latency > y->latency) - (x->latency < y->latency);
}

void tail_split_above_kinds(struct tail_split *split, const int64_t *latency, const uint32_t *kinds,
                            double percent) {
  struct of_kind *sorted = mem_alloc(split->requests, sizeof *sorted);
  for (uint32_t i = 0; i < split->requests; i++)
    sorted[i] = (struct of_kind){latency[i], kinds[i], i};
  qsort(sorted, split->requests, sizeof *sorted, by_kind);
  mem_free(split->thresholds);
  split->thresholds = mem_alloc(split->requests, sizeof *split->thresholds);
  for (size_t from = 0, to; from < split->requests; from = to) {
    for (to = from + 1; to < split->requests && sorted[to].kind == sorted[from].kind; to++)
      ;
    double rank = ceil(percent / 100 * (double)(to - from) - 1e-9);
    int64_t threshold = sorted[from + (rank < 1 ? 0 : (size_t)rank - 1)].latency;
    for (size_t i = from; i < to; i++) {
      split->thresholds[sorted[i].request] = threshold;
      split->sides[sorted[i].request] = sorted[i].latency > threshold ? TAIL_SLOW : TAIL_REST;
    }
  }
  mem_free(sorted);
  count_sides(split);
}
