/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/rank_exact.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dist/source/sample.h"

bool rank_exact_can(size_t a, size_t b) {
  size_t few = a < b ? a : b;
  return few >= 1 && few <= RANK_EXACT_FEW && a + b <= RANK_EXACT_ALL;
}

/* --- the law of a sum of ranks ---------------------------------------------------------------- */

/* Twice the rank of each of two sets, the middle of its ties: a's first. */
static void rank_all(uint32_t *twice, const uint64_t *a, size_t na, const uint64_t *b, size_t nb) {
  for (size_t i = 0; i < na + nb; i++) {
    uint64_t x = i < na ? a[i] : b[i - na];
    uint32_t below = 0, equal = 0;
    for (size_t k = 0; k < na + nb; k++) {
      uint64_t y = k < na ? a[k] : b[k - na];
      below += y < x;
      equal += y == x;
    }
    twice[i] = 2 * below + equal + 1;
  }
}

/* Of all choices of `chosen` of the ranks, the share with a sum of at least `least`. */
static double share_from(const uint32_t *twice, size_t count, size_t chosen, uint64_t least) {
  uint64_t most = 0;
  for (size_t i = 0; i < count; i++)
    most += twice[i];
  if (least > most)
    return 0;
  size_t width = (size_t)most + 1;
  double *ways = mem_alloc((chosen + 1) * width, sizeof *ways), all = 0, above = 0;
  ways[0] = 1;
  for (size_t i = 0; i < count; i++)
    for (size_t k = i + 1 < chosen ? i + 1 : chosen; k > 0; k--)
      for (size_t sum = twice[i]; sum < width; sum++)
        ways[k * width + sum] += ways[(k - 1) * width + sum - twice[i]];
  for (size_t sum = 0; sum < width; sum++) {
    all += ways[chosen * width + sum];
    above += sum >= least ? ways[chosen * width + sum] : 0;
  }
  mem_free(ways);
  return above / all;
}

/* The chance that b's ranks are at least as large as they are. By the smaller set: the sum of the
 * other is what is left. */
static double chance_above(const uint64_t *a, size_t na, const uint64_t *b, size_t nb) {
  uint32_t twice[RANK_EXACT_ALL];
  uint64_t of_a = 0, of_b = 0;
  rank_all(twice, a, na, b, nb);
  for (size_t i = 0; i < na + nb; i++)
    *(i < na ? &of_a : &of_b) += twice[i];
  if (nb <= na)
    return share_from(twice, na + nb, nb, of_b);
  for (size_t i = 0; i < na + nb; i++) /* as if the order were turned round */
    twice[i] = 2 * (uint32_t)(na + nb + 1) - twice[i];
  return share_from(twice, na + nb, na, 2 * na * (na + nb + 1) - of_a);
}

/* --- the factor ------------------------------------------------------------------------------- */

/* How many of the ratios are left out at each end, so that the factor is beyond with chance alpha / 2
 * at most. */
static size_t outside(size_t na, size_t nb, double alpha) {
  uint32_t twice[RANK_EXACT_ALL];
  size_t few = na < nb ? na : nb, left = 0, pairs = na * nb;
  for (size_t i = 0; i < na + nb; i++)
    twice[i] = 2 * (uint32_t)(i + 1);
  uint64_t least = few * (few + 1); /* twice the smallest sum */
  while (left < pairs / 2 &&
         share_from(twice, na + nb, few, least + 2 * (pairs - left)) <= alpha / 2)
    left++;
  return left;
}

static double ratio(uint64_t b, uint64_t a) {
  if (a == b)
    return 1;
  if (b == SAMPLE_NS_MAX || a == 0)
    return INFINITY;
  return a == SAMPLE_NS_MAX ? 0 : (double)b / (double)a;
}

static int by_size(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static double ratio_at(const uint64_t *a, size_t na, const uint64_t *b, size_t nb, size_t at) {
  double *ratios = mem_alloc(na * nb, sizeof *ratios);
  for (size_t i = 0; i < na * nb; i++)
    ratios[i] = ratio(b[i % nb], a[i / nb]);
  qsort(ratios, na * nb, sizeof *ratios, by_size);
  double found = ratios[at];
  mem_free(ratios);
  return found;
}

struct rank_exact rank_exact(const struct rank_exact_set *a, const struct rank_exact_set *b,
                             double alpha) {
  if (!rank_exact_can(a->count, b->count))
    bug("sets too large to count choices of");
  struct rank_exact r = {.b_slower = chance_above(a->upper, a->count, b->lower, b->count),
                         .a_slower = chance_above(b->upper, b->count, a->lower, a->count),
                         .factor_most = INFINITY};
  size_t left = outside(a->count, b->count, alpha);
  if (left == 0)
    return r;
  size_t pairs = a->count * b->count;
  r.factor_least = ratio_at(a->upper, a->count, b->lower, b->count, left - 1) * (1 - 0x1p-50);
  r.factor_most = ratio_at(a->lower, a->count, b->upper, b->count, pairs - left) * (1 + 0x1p-50);
  return r;
}
