/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/evidence.h"

#include <math.h>
#include <stdlib.h>

#include "trace/graph/graph.h"

static int time_compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* From the greatest x down: of the y that are at least x, those not yet taken are free to be met.
 */
void evidence_of(struct order_evidence *evidence, int64_t *x, int64_t *y, size_t count) {
  qsort(x, count, sizeof *x, time_compare);
  qsort(y, count, sizeof *y, time_compare);
  double log_share = 0, violated = 0;
  size_t below = count; /* y[0 .. below) are less than x[i] */
  for (size_t i = count; i-- > 0;) {
    while (below > 0 && y[below - 1] >= x[i])
      below--;
    size_t taken = count - 1 - i, left = count - taken;
    log_share += log((double)(left - below) / (double)left);
    violated += (double)below;
  }
  evidence->by_chance = exp(log_share);
  evidence->violated = count < 2 ? 0 : violated / ((double)count * (double)(count - 1));
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
