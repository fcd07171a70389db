/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/rank_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dist/statistics/special.h"

/* One of the two series. */
struct group {
  const uint64_t *values;
  size_t count;
  uint64_t *sorted;   /* owned */
  double *placements; /* owned; of each value: the share of the others below, ties half */
  double mean, variance;
  struct serial serial;
};

static int compare(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return (a > b) - (a < b);
}

static void group_init(struct group *g, const uint64_t *values, size_t count) {
  *g = (struct group){.values = values,
                      .count = count,
                      .sorted = mem_alloc(count, sizeof *g->sorted),
                      .placements = mem_alloc(count, sizeof *g->placements)};
  memcpy(g->sorted, values, count * sizeof *values);
  qsort(g->sorted, count, sizeof *g->sorted, compare);
}

static void group_clear(struct group *g) {
  mem_free(g->sorted);
  mem_free(g->placements);
}

/* How many of the sorted values are below x; at most x if `with`. */
static size_t count_below(const struct group *g, uint64_t x, bool with) {
  size_t low = 0, high = g->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (g->sorted[middle] < x || (with && g->sorted[middle] == x))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void place(struct group *g, const struct group *other) {
  double n = (double)g->count;
  for (size_t i = 0; i < g->count; i++) {
    size_t twice = count_below(other, g->values[i], false) + count_below(other, g->values[i], true);
    g->placements[i] = (double)twice / (2 * (double)other->count);
    g->mean += g->placements[i] / n;
  }
  for (size_t i = 0; i < g->count; i++)
    g->variance += (g->placements[i] - g->mean) * (g->placements[i] - g->mean);
  g->variance /= fmax(1, n - 1);
  g->serial = serial_of(g->placements, g->count);
  g->serial.settled = g->serial.settled && serial_at(g->values, g->count, 0.5).settled;
}

/* Of the mean placement. The least that a mean of this many can be known to: half of one of them
 * the other way round. */
static double variance_of_mean(const struct group *g) {
  double worth = (double)g->count / g->serial.inflation, step = 0.5 / worth;
  return fmax(g->variance / worth, step * step / worth);
}

/* Satterthwaite's degrees of freedom. */
static double freedom_of(const struct group *g, const struct group *h) {
  double x = variance_of_mean(g), y = variance_of_mean(h);
  double nx = fmax(1, (double)g->count / g->serial.inflation - 1);
  double ny = fmax(1, (double)h->count / h->serial.inflation - 1);
  return (x + y) * (x + y) / (x * x / nx + y * y / ny);
}

static enum rank_verdict verdict_of(const struct rank_test *r, size_t least) {
  if (least < RANK_TEST_LEAST)
    return RANK_UNDECIDED;
  if (!r->a.settled || !r->b.settled)
    return RANK_CANNOT_TELL;
  return r->least > 0.5 ? RANK_B_SLOWER : r->most < 0.5 ? RANK_A_SLOWER : RANK_UNDECIDED;
}

struct rank_test rank_test(const uint64_t *a, size_t na, const uint64_t *b, size_t nb,
                           double alpha) {
  struct group x, y;
  group_init(&x, a, na);
  group_init(&y, b, nb);
  place(&x, &y);
  place(&y, &x);
  double error = sqrt(variance_of_mean(&x) + variance_of_mean(&y));
  double reach = error * special_student_quantile_above(alpha / 2, freedom_of(&x, &y));
  struct rank_test r = {.b_greater = y.mean,
                        .least = fmax(0, y.mean - reach),
                        .most = fmin(1, y.mean + reach),
                        .a = x.serial,
                        .b = y.serial};
  r.verdict = verdict_of(&r, na < nb ? na : nb);
  group_clear(&x);
  group_clear(&y);
  return r;
}
