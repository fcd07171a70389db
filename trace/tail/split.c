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
  *split = (struct tail_split){0};
}

static void count_sides(struct tail_split *split) {
  split->slow = split->rest = 0;
  for (size_t i = 0; i < split->requests; i++) {
    split->slow += split->sides[i] == TAIL_SLOW;
    split->rest += split->sides[i] == TAIL_REST;
  }
}

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
