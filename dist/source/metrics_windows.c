/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counters that were looked at again and again: what they counted in each window between two looks.
 */
#include <stdlib.h>

#include "dist/source/metrics.h"

enum { NUMBERS_MOST = 1 << 24 };

static int compare_edges(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

typedef VECTOR(uint64_t) edge_list;

/* Finite upper edges of all points, each once, rising. */
static void find_edges(edge_list *edges, const struct metric_page *metrics) {
  size_t kept = 0;
  for (size_t i = 0; i < metrics->all.count; i++)
    for (size_t k = 0; k < metrics->all.data[i].points.count; k++) {
      const metrics_buckets *counts = &metrics->all.data[i].points.data[k].counts;
      bool again = k > 0 && counts->count == metrics->all.data[i].points.data[k - 1].counts.count;
      for (size_t b = 0; b < counts->count; b++)
        if (counts->data[b].upper_ns != METRICS_INFINITE &&
            (!again || counts->data[b].upper_ns !=
                           metrics->all.data[i].points.data[k - 1].counts.data[b].upper_ns))
          vector_push(edges, counts->data[b].upper_ns);
    }
  if (edges->count != 0)
    qsort(edges->data, edges->count, sizeof *edges->data, compare_edges);
  for (size_t i = 0; i < edges->count; i++)
    if (kept == 0 || edges->data[i] != edges->data[kept - 1])
      edges->data[kept++] = edges->data[i];
  edges->count = kept;
}

static bool are_at_once(const struct metric_page *metrics) {
  size_t count = metrics->all.count == 0 ? 0 : metrics->all.data[0].points.count;
  for (size_t i = 1; i < metrics->all.count; i++) {
    if (metrics->all.data[i].points.count != count)
      return false;
    for (size_t k = 0; k < count; k++)
      if (metrics->all.data[i].points.data[k].ms != metrics->all.data[0].points.data[k].ms)
        return false;
  }
  return count > 1;
}

static void add_bucket(struct sample_windows *windows, size_t window,
                       const struct metrics_bucket *bucket) {
  uint64_t *counts = windows->within + window * windows->edge_count;
  windows->totals[window] += bucket->count;
  if (bucket->upper_ns == METRICS_INFINITE)
    return;
  size_t low = 0, high = windows->edge_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (windows->edges_ns[middle] < bucket->upper_ns)
      low = middle + 1;
    else
      high = middle;
  }
  counts[low] += bucket->count;
}

static bool add_histogram(struct sample_windows *windows,
                          const struct metrics_histogram *histogram) {
  bool good = true;
  for (size_t k = 1; k < histogram->points.count && good; k++) {
    const metrics_buckets *now = &histogram->points.data[k].counts;
    metrics_buckets grown = {0};
    for (size_t b = 0; b < now->count; b++)
      vector_push(&grown, now->data[b]);
    good = metrics_subtract(&grown, &histogram->points.data[k - 1].counts);
    for (size_t b = 0; b < grown.count && good; b++)
      add_bucket(windows, k - 1, &grown.data[b]);
    vector_clear(&grown);
  }
  return good;
}

struct sample_windows *metrics_windows(const struct metric_page *metrics) {
  edge_list edges = {0};
  if (!are_at_once(metrics))
    return NULL;
  find_edges(&edges, metrics);
  size_t count = metrics->all.data[0].points.count - 1;
  if (edges.count == 0 || count > NUMBERS_MOST / edges.count) {
    vector_clear(&edges);
    return NULL;
  }
  struct sample_windows *windows = mem_alloc(1, sizeof *windows);
  *windows = (struct sample_windows){.count = count,
                                     .edge_count = edges.count,
                                     .edges_ns = edges.data,
                                     .totals = mem_alloc(count, sizeof(uint64_t)),
                                     .within = mem_alloc(count * edges.count, sizeof(uint64_t))};
  bool good = true;
  for (size_t i = 0; i < metrics->all.count && good; i++)
    good = add_histogram(windows, &metrics->all.data[i]);
  for (size_t w = 0; w < count; w++)
    for (size_t e = 1; e < edges.count; e++)
      windows->within[w * edges.count + e] += windows->within[w * edges.count + e - 1];
  if (good)
    return windows;
  sample_windows_free(windows);
  return NULL;
}
