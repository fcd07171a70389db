/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/common_edges.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/invariant.h"
#include "base/vector.h"
#include "dist/survival/wide.h"

enum { TERMS_MOST = 1 << 20 };
#define NUMBER_MOST (UINT64_C(1) << 40)

static long double log_choose(uint64_t n, uint64_t k) {
  return lgammal((long double)n + 1) - lgammal((long double)k + 1) -
         lgammal((long double)(n - k) + 1);
}

/* P(X = k + 1) / P(X = k), falling in k. */
static long double ratio(uint64_t k, uint64_t first, uint64_t second, uint64_t marked) {
  long double up = (long double)(first - k) * (long double)(marked - k);
  return up / ((long double)(k + 1) * ((long double)second - (long double)(marked - k) + 1));
}

double hypergeometric_from(uint64_t k, uint64_t first, uint64_t second, uint64_t marked) {
  invariant(first <= NUMBER_MOST && second <= NUMBER_MOST && marked <= first + second);
  uint64_t least = marked > second ? marked - second : 0, most = marked < first ? marked : first;
  if (k <= least)
    return 1;
  if (k > most)
    return 0;
  long double start =
      log_choose(first, k) + log_choose(second, marked - k) - log_choose(first + second, marked);
  /* nine values of lgammal, each off by a few units of the last place */
  long double error = 64 * LDBL_EPSILON * (lgammal((long double)(first + second) + 2) + 1);
  long double sum = 1, term = 1;
  for (uint64_t i = k; i < most; i++) {
    long double next = ratio(i, first, second, marked);
    if (next < 1 && (term * next < sum * 1e-12L * (1 - next) || i - k == TERMS_MOST)) {
      sum += term * next / (1 - next); /* all that follow, by the first of them */
      break;
    }
    if (i - k == TERMS_MOST)
      return 1;
    term *= next;
    sum += term;
  }
  double chance = (double)expl(start + error + logl(sum) + 1e-9L);
  return chance < 1 ? chance : 1;
}

/* --- edges ------------------------------------------------------------------------------------ */

typedef VECTOR(uint64_t) edge_list;

static int compare_edges(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Both ends of each bin: what is above the first is at least its lower edge. */
static void add_edges(edge_list *edges, const struct sample *sample) {
  for (size_t i = 0; i < sample->count; i++) {
    vector_push(edges, sample->bins[i].upper_ns);
    if (sample->bins[i].lower_ns > 0)
      vector_push(edges, sample->bins[i].lower_ns - 1);
  }
}

/* How many are above the edge; false: some are on either side, nobody knows how many. */
static bool count_above(uint64_t *above, const struct sample *sample, uint64_t edge) {
  *above = sample->beyond;
  for (size_t i = 0; i < sample->count; i++) {
    if (sample->bins[i].upper_ns <= edge)
      continue;
    if (sample->bins[i].lower_ns <= edge)
      return false;
    *above += sample->bins[i].count;
  }
  return true;
}

/* `count` of the sample's total, as of `worth` observations, rounded up or down. */
static uint64_t of_worth(const struct sample *sample, uint64_t worth, uint64_t count, bool up) {
  uint128 scaled = (uint128)count * worth + (up ? sample->total - 1 : 0);
  return (uint64_t)(scaled / sample->total);
}

/* That at least so many of the first are above the edge. */
static double chance_of(const struct sample *first, uint64_t first_worth, uint64_t first_above,
                        const struct sample *second, uint64_t second_worth, uint64_t second_above) {
  uint64_t n = first_worth < NUMBER_MOST ? first_worth : NUMBER_MOST;
  uint64_t m = second_worth < NUMBER_MOST ? second_worth : NUMBER_MOST;
  uint64_t k = of_worth(first, n, first_above, false);
  return hypergeometric_from(k, n, m, k + of_worth(second, m, second_above, true));
}

bool common_edges_find(struct common_edges *edges, const struct sample *a, uint64_t a_worth,
                       const struct sample *b, uint64_t b_worth) {
  edge_list all = {0};
  bool few = true;
  edges->count = 0;
  add_edges(&all, a);
  add_edges(&all, b);
  if (all.count != 0)
    qsort(all.data, all.count, sizeof *all.data, compare_edges);
  for (size_t i = 0; i < all.count && few; i++) {
    struct common_edge edge = {.ns = all.data[i]};
    if ((i > 0 && all.data[i - 1] == edge.ns) || !count_above(&edge.a_above, a, edge.ns) ||
        !count_above(&edge.b_above, b, edge.ns) || (edge.a_above == 0 && edge.b_above == 0) ||
        (edge.a_above == a->total && edge.b_above == b->total))
      continue;
    few = edges->count < COMMON_EDGES_MOST;
    if (!few)
      break;
    edge.a_chance = chance_of(a, a_worth, edge.a_above, b, b_worth, edge.b_above);
    edge.b_chance = chance_of(b, b_worth, edge.b_above, a, a_worth, edge.a_above);
    edges->all[edges->count++] = edge;
  }
  vector_clear(&all);
  return few && edges->count != 0;
}
