/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/rank_correlation.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dist/statistics/serial.h"

struct placed {
  uint64_t value;
  size_t at;
};

static int by_value(const void *left, const void *right) {
  const struct placed *a = left, *b = right;
  return a->value < b->value ? -1 : a->value > b->value;
}

/* Ranks less their mean, ties at the middle of theirs; the caller frees them. */
static double *centred_ranks(const uint64_t *series, size_t count) {
  struct placed *placed = mem_alloc(count, sizeof *placed);
  double *ranks = mem_alloc(count, sizeof *ranks);
  for (size_t i = 0; i < count; i++)
    placed[i] = (struct placed){series[i], i};
  qsort(placed, count, sizeof *placed, by_value);
  for (size_t from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && placed[to].value == placed[from].value; to++)
      ;
    for (size_t i = from; i < to; i++)
      ranks[placed[i].at] = (double)(from + to - 1) / 2 - (double)(count - 1) / 2;
  }
  mem_free(placed);
  return ranks;
}

static double mean_square(const double *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += values[i] * values[i];
  return sum / (double)count;
}

struct rank_correlation rank_correlation(const uint64_t *a, const uint64_t *b, size_t count) {
  struct rank_correlation result = {.chance = 1};
  if (count < RANK_CORRELATION_LEAST)
    return result;
  double *ranks = centred_ranks(a, count), *others = centred_ranks(b, count);
  double spread = sqrt(mean_square(ranks, count) * mean_square(others, count)), mean = 0;
  for (size_t i = 0; i < count; i++) {
    ranks[i] *= others[i];
    mean += ranks[i] / (double)count;
  }
  if (spread > 0) {
    double inflation = serial_of(ranks, count).inflation;
    double error = spread * sqrt(inflation / (double)(count - 1));
    result.correlation = mean / spread;
    result.chance = erfc(fabs(mean) / error / sqrt(2));
  }
  mem_free(ranks);
  mem_free(others);
  return result;
}
