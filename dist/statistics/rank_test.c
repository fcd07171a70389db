/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/rank_test.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dist/statistics/special.h"

struct ranked {
  uint64_t value;
  double below, with; /* how many observations are below it, and at most it */
};

/* One of the two series. */
struct group {
  const struct rank_series *given;
  double n;              /* observations */
  struct ranked *sorted; /* owned; as many as values */
  double *placements;    /* owned; of each value: the share of the others below, ties half */
  double mean, variance;
  struct serial serial;
};

static double count_of(const struct rank_series *s, size_t i) {
  return s->counts == NULL ? 1 : (double)s->counts[i];
}

static int compare(const void *x, const void *y) {
  uint64_t a = ((const struct ranked *)x)->value, b = ((const struct ranked *)y)->value;
  return (a > b) - (a < b);
}

static void group_init(struct group *g, const struct rank_series *given) {
  *g = (struct group){.given = given,
                      .sorted = mem_alloc(given->count, sizeof *g->sorted),
                      .placements = mem_alloc(given->count, sizeof *g->placements)};
  for (size_t i = 0; i < given->count; i++)
    g->sorted[i] = (struct ranked){given->values[i], 0, count_of(given, i)};
  qsort(g->sorted, given->count, sizeof *g->sorted, compare);
  for (size_t i = 0; i < given->count; i++) {
    g->sorted[i].below = g->n;
    g->n += g->sorted[i].with;
    g->sorted[i].with = g->n;
  }
}

static void group_clear(struct group *g) {
  mem_free(g->sorted);
  mem_free(g->placements);
}

/* How many of the sorted observations are below x; at most x if `with`. */
static double count_below(const struct group *g, uint64_t x, bool with) {
  size_t low = 0, high = g->given->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (g->sorted[middle].value < x || (with && g->sorted[middle].value == x))
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? 0 : g->sorted[low - 1].with;
}

static void judge_order(struct group *g) {
  const struct rank_series *given = g->given;
  if (given->counts != NULL) {
    g->serial = (struct serial){.settled = true, .inflation = fmax(1, g->n / given->worth)};
    return;
  }
  g->serial = serial_of(g->placements, given->count);
  g->serial.settled = g->serial.settled && serial_at(given->values, given->count, 0.5).settled;
}

static void place(struct group *g, const struct group *other) {
  for (size_t i = 0; i < g->given->count; i++) {
    uint64_t x = g->given->values[i];
    g->placements[i] =
        (count_below(other, x, false) + count_below(other, x, true)) / (2 * other->n);
    g->mean += g->placements[i] * count_of(g->given, i) / g->n;
  }
  for (size_t i = 0; i < g->given->count; i++) {
    double off = g->placements[i] - g->mean;
    g->variance += off * off * count_of(g->given, i);
  }
  g->variance /= fmax(1, g->n - 1);
  judge_order(g);
}

/* Of the mean placement. The least that a mean of this many can be known to: half of one of them
 * the other way round. */
static double variance_of_mean(const struct group *g) {
  double worth = g->n / g->serial.inflation, step = 0.5 / worth;
  return fmax(g->variance / worth, step * step / worth);
}

/* Satterthwaite's degrees of freedom. */
static double freedom_of(const struct group *g, const struct group *h) {
  double x = variance_of_mean(g), y = variance_of_mean(h);
  double nx = fmax(1, g->n / g->serial.inflation - 1);
  double ny = fmax(1, h->n / h->serial.inflation - 1);
  return (x + y) * (x + y) / (x * x / nx + y * y / ny);
}

static enum rank_verdict verdict_of(const struct rank_test *r, double least) {
  if (least < RANK_TEST_LEAST)
    return RANK_UNDECIDED;
  if (!r->a.settled || !r->b.settled)
    return RANK_CANNOT_TELL;
  return r->least > 0.5 ? RANK_B_SLOWER : r->most < 0.5 ? RANK_A_SLOWER : RANK_UNDECIDED;
}

struct rank_test rank_test_of(const struct rank_series *a, const struct rank_series *b,
                              double alpha) {
  struct group x, y;
  group_init(&x, a);
  group_init(&y, b);
  place(&x, &y);
  place(&y, &x);
  double error = sqrt(variance_of_mean(&x) + variance_of_mean(&y));
  double reach = error * special_student_quantile_above(alpha / 2, freedom_of(&x, &y));
  struct rank_test r = {.b_greater = y.mean,
                        .least = fmax(0, y.mean - reach),
                        .most = fmin(1, y.mean + reach),
                        .a = x.serial,
                        .b = y.serial};
  r.verdict = verdict_of(&r, fmin(x.n, y.n));
  group_clear(&x);
  group_clear(&y);
  return r;
}

struct rank_test rank_test(const uint64_t *a, size_t na, const uint64_t *b, size_t nb,
                           double alpha) {
  struct rank_series x = {.values = a, .count = na}, y = {.values = b, .count = nb};
  return rank_test_of(&x, &y, alpha);
}
