/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/evaluate/pair.h"

#include <math.h>
#include <stdlib.h>

#include "dist/statistics/rank_correlation.h"

/* The recorded durations of an activity. */
struct series_of {
  uint32_t activity;
  double spread; /* from the least to the greatest, ns */
  uint64_t *ns;
};

static int by_spread(const void *left, const void *right) {
  const struct series_of *a = left, *b = right;
  return a->spread != b->spread ? (a->spread > b->spread ? -1 : 1)
                                : (a->activity < b->activity ? -1 : 1);
}

static double spread_of(const struct request_flow *flow, uint32_t activity) {
  size_t count = flow->activities.count;
  int64_t least = INT64_MAX, most = 0;
  for (size_t i = 0; i < flow->requests.count; i++) {
    int64_t ns = flow->durations.data[i * count + activity];
    least = ns < least ? ns : least;
    most = ns > most ? ns : most;
  }
  return (double)most - (double)least;
}

static void fill(struct series_of *series, const struct request_flow *flow, size_t rows) {
  size_t count = flow->activities.count;
  series->ns = mem_alloc(rows, sizeof *series->ns);
  for (size_t i = 0; i < rows; i++) {
    size_t row = (size_t)((double)i * (double)flow->requests.count / (double)rows);
    series->ns[i] = (uint64_t)flow->durations.data[row * count + series->activity];
  }
}

/* The pair that is farther from 0 than any before. */
static bool look(struct activity_pair *pair, const struct request_flow *flow,
                 const struct series_of *a, const struct series_of *b, size_t rows, size_t pairs) {
  struct rank_correlation found = rank_correlation(a->ns, b->ns, rows);
  if (found.chance * (double)pairs > 0.001 || fabs(found.correlation) <= fabs(pair->correlation))
    return false;
  uint32_t first = flow->activities.data[a->activity].owner;
  uint32_t second = flow->activities.data[b->activity].owner;
  *pair = (struct activity_pair){first < second ? first : second, first < second ? second : first,
                                 found.correlation};
  return true;
}

bool activity_pair_find(struct activity_pair *pair, const struct flow_variant *variant) {
  const struct request_flow *flow = variant->recorded;
  size_t count = flow->activities.count, rows = flow->requests.count;
  struct series_of *all = mem_alloc(count, sizeof *all);
  for (uint32_t i = 0; i < count; i++)
    all[i] = (struct series_of){.activity = i, .spread = spread_of(flow, i)};
  qsort(all, count, sizeof *all, by_spread);
  count = count > PAIR_ACTIVITIES_MAX ? PAIR_ACTIVITIES_MAX : count;
  rows = rows > PAIR_REQUESTS_MAX ? PAIR_REQUESTS_MAX : rows;
  *pair = (struct activity_pair){0};
  bool found = false;
  for (size_t i = 0; i < count; i++)
    fill(&all[i], flow, rows);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < i; k++)
      found = look(pair, flow, &all[k], &all[i], rows, count * (count - 1) / 2) || found;
  for (size_t i = 0; i < count; i++)
    mem_free(all[i].ns);
  mem_free(all);
  return found;
}
