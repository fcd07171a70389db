/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/rank_correlation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "dist/statistics/serial.h"
#include "dist/statistics/special.h"

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

/* The `rank`-th smallest, from 0; the list is put into another order. By Hoare (1961), "Find", with
 * three parts, since values may be alike. */
static uint64_t find_ranked(uint64_t *list, size_t count, size_t rank) {
  struct random random = {1};
  size_t first = 0, last = count - 1;
  while (first < last) {
    uint64_t pivot = list[first + random_below(&random, last - first + 1)];
    size_t less = first, more = last;
    for (size_t i = first; i <= more;) {
      uint64_t value = list[i];
      if (value < pivot) {
        list[i++] = list[less];
        list[less++] = value;
      } else if (value > pivot) {
        list[i] = list[more];
        list[more--] = value;
      } else {
        i++;
      }
    }
    if (rank >= less && rank <= more)
      return pivot;
    first = rank < less ? first : more + 1;
    last = rank < less ? less - 1 : last;
  }
  return list[first];
}

/* What all but `slowest` are at most. */
static uint64_t threshold(const uint64_t *series, size_t count, size_t slowest) {
  uint64_t *list = mem_alloc(count, sizeof *list);
  memcpy(list, series, count * sizeof *list);
  uint64_t found = find_ranked(list, count, count - 1 - slowest);
  mem_free(list);
  return found;
}

static struct coincidence slowest_of(const uint64_t *a, const uint64_t *b, size_t count,
                                     size_t slowest) {
  uint64_t at_a = threshold(a, count, slowest), at_b = threshold(b, count, slowest);
  double *both = mem_alloc(count, sizeof *both);
  struct coincidence found = {.chance = 1};
  for (size_t i = 0; i < count; i++) {
    both[i] = a[i] > at_a && b[i] > at_b;
    found.slow_a += a[i] > at_a;
    found.slow_b += b[i] > at_b;
    found.together += both[i] > 0;
  }
  found.expected = (double)found.slow_a * (double)found.slow_b / (double)count;
  double worth = found.together == 0 ? 1 : serial_of(both, count).inflation;
  uint64_t together = (uint64_t)((double)found.together / worth);
  uint64_t marked = (uint64_t)ceil((double)found.slow_a / worth);
  uint64_t draws = (uint64_t)ceil((double)found.slow_b / worth);
  uint64_t all = (uint64_t)((double)count / worth);
  if (together > 0 && marked < all && draws < all)
    found.chance = special_hypergeometric_from(together, marked, all - marked, draws);
  mem_free(both);
  return found;
}

struct coincidence coincidence(const uint64_t *a, const uint64_t *b, size_t count) {
  enum { ROWS_LEAST = 100, ROWS_OF_HUNDREDTH = 1000 };
  struct coincidence found = {.chance = 1};
  if (count < ROWS_LEAST)
    return found;
  found = slowest_of(a, b, count, count / 20);
  if (count >= ROWS_OF_HUNDREDTH) {
    struct coincidence rare = slowest_of(a, b, count, count / 100);
    found = rare.chance < found.chance ? rare : found;
  }
  found.chance = fmin(1, 2 * found.chance);
  return found;
}
