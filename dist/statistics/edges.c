/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/edges.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

static int compare_lower(const void *a, const void *b) {
  const struct sample_bin *x = a, *y = b;
  return (x->lower_ns > y->lower_ns) - (x->lower_ns < y->lower_ns);
}

struct sample_bin *edges_by_lower(const struct sample *sample) {
  struct sample_bin *bins = mem_alloc(sample->count, sizeof *bins);
  bool sorted = true;
  for (size_t i = 0; i < sample->count; i++) {
    bins[i] = sample->bins[i];
    sorted = sorted && (i == 0 || bins[i - 1].lower_ns <= bins[i].lower_ns);
  }
  if (!sorted)
    qsort(bins, sample->count, sizeof *bins, compare_lower);
  return bins;
}
