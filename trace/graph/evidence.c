/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/evidence.h"

#include <math.h>
#include <stdlib.h>

#include "trace/graph/graph.h"

static int time_compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static int64_t least_gap(const int64_t *x, const int64_t *y, size_t count) {
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < count; i++)
    least = y[i] - x[i] < least ? y[i] - x[i] : least;
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

/* Both sorted: the share of the ways to pair in which no x is above its y. From the greatest x
 * down, of the y that are at least x those not yet taken are free to be met. */
static double agreeing_share(const int64_t *x, const int64_t *y, size_t count) {
  double log_share = 0;
  size_t below = count; /* y[0 .. below) are less than x[i] */
  for (size_t i = count; i-- > 0;) {
    while (below > 0 && y[below - 1] >= x[i])
      below--;
    log_share += log((double)(i + 1 - below) / (double)(i + 1));
  }
  return exp(log_share);
}

void evidence_of(struct order_evidence *evidence, int64_t *x, int64_t *y, size_t count) {
  int64_t gap = least_gap(x, y, count);
  qsort(x, count, sizeof *x, time_compare);
  qsort(y, count, sizeof *y, time_compare);
  double pairs = (double)count * (double)(count - 1);
  evidence->violated = count < 2 ? 0 : crossed_pairs(x, y, count) / pairs;
  for (size_t i = 0; i < count; i++)
    x[i] += gap;
  evidence->by_chance = agreeing_share(x, y, count);
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
