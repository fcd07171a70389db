/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/evidence.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/graph/graph.h"

static int time_compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* The least y - x but for the `against` least ones. */
static int64_t least_gap(const int64_t *x, const int64_t *y, size_t count, size_t against) {
  if (against == 0) {
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < count; i++)
      least = y[i] - x[i] < least ? y[i] - x[i] : least;
    return least;
  }
  int64_t *gaps = mem_alloc(count, sizeof *gaps);
  for (size_t i = 0; i < count; i++)
    gaps[i] = y[i] - x[i];
  qsort(gaps, count, sizeof *gaps, time_compare);
  int64_t least = gaps[against];
  mem_free(gaps);
  return least;
}

/* Both sorted: the number of pairs with x > y. */
static double crossed_pairs(const int64_t *x, const int64_t *y, size_t count) {
  double crossed = 0;
  for (size_t i = 0, below = 0; i < count; i++) {
    while (below < count && y[below] < x[i])
      below++;
    crossed += (double)below;
  }
  return crossed;
}

/* The natural logarithm of the ways to choose k of n, and of the price of trying k at all. */
static double log_choices(size_t n, size_t k) {
  if (k == 0)
    return 0;
  double dn = (double)n, dk = (double)k;
  return lgamma(dn + 1) - lgamma(dk + 1) - lgamma(dn - dk + 1) + log((dk + 1) * (dk + 2));
}

/* Both sorted: at most the share of the ways to pair in which no x, but for `against` of them, is
 * above its y. From the greatest x down, of the y that are at least x those not yet taken are free
 * to be met. The greatest x are those that are passed over: that leaves the most ways. */
static double agreeing_share(const int64_t *x, const int64_t *y, size_t count, size_t against) {
  double log_share = log_choices(count, against);
  size_t below = count, free = count - against; /* y[0 .. below) are less than x[i] */
  for (size_t i = free; i-- > 0;) {
    while (below > 0 && y[below - 1] >= x[i])
      below--;
    size_t taken = free - 1 - i;
    if (count - below <= taken)
      return 0;
    log_share += log((double)(count - below - taken) / (double)(count - taken));
  }
  return log_share < 0 ? exp(log_share) : 1;
}

void evidence_of(struct order_evidence *evidence, int64_t *x, int64_t *y, size_t count,
                 size_t against) {
  if (against >= count) {
    *evidence = (struct order_evidence){.by_chance = 1};
    return;
  }
  int64_t gap = least_gap(x, y, count, against);
  qsort(x, count, sizeof *x, time_compare);
  qsort(y, count, sizeof *y, time_compare);
  double pairs = (double)count * (double)(count - 1);
  evidence->violated = count < 2 ? 0 : crossed_pairs(x, y, count) / pairs;
  for (size_t i = 0; i < count; i++)
    x[i] += gap;
  evidence->by_chance = agreeing_share(x, y, count, against);
}

uint64_t evidence_needed(const struct order_evidence *evidence, uint64_t count, double level) {
  enum { MANY = 20 }; /* without one violation among so many requests crossed, none is expected */
  double violated = evidence->violated;
  if (violated <= 0) {
    if (count >= MANY)
      return ORDER_NEVER;
    violated = 1 / ((double)count * (double)(count - 1) + 2);
  }
  double all = violated < 1 ? log(level) / log1p(-violated) : 1;
  return all <= (double)count + 1 ? 1 : (uint64_t)ceil(all) - count;
}
