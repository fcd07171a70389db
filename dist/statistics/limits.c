/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/limits.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/certify.h"
#include "dist/statistics/certify_beta.h"
#include "dist/statistics/edges.h"
#include "dist/statistics/special.h"
#include "dist/survival/survival.h"

/* More draws are taken for as many as this: the certificates take a step each. */
#define WORTH_MOST (UINT64_C(1) << 24)

static double part_of(uint64_t units) {
  return (double)units / (double)SURVIVAL_ONE;
}

static uint64_t tail_of(const struct rational *share, enum survival_side side) {
  uint64_t tail;
  if (!survival_tail_of_side(&tail, share, side))
    bug("a quantile outside of 0 to 1");
  return tail;
}

/* How many k have P(Binomial(n, tail) <= k - 1) <= alpha, guessed: k - 1 is the greatest such. */
static uint64_t guess_few(uint64_t n, double tail, double alpha) {
  uint64_t low = 0, high = n; /* `low` of them are right */
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (special_binomial_to(middle - 1, tail, n) <= alpha)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* The least k with P(Binomial(n, tail) >= k) <= alpha, guessed; n + 1 when there is none. */
static uint64_t guess_many(uint64_t n, double tail, double alpha) {
  uint64_t low = 1, high = n + 1;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (special_binomial_from(middle, tail, n) <= alpha)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* One more than a k, about the greatest, that is certified; 0: there is none. */
static uint64_t count_few(uint64_t n, uint64_t tail, uint64_t alpha) {
  uint64_t few = guess_few(n, part_of(tail), part_of(alpha));
  for (uint64_t step = 1; few > 0 && !certify_binomial(few - 1, n, tail, alpha); step *= 2)
    few = few > step ? few - step : 0;
  while (few < n && certify_binomial(few, n, tail, alpha))
    few++;
  return few;
}

/* A k, about the least, that is certified; n + 1: there is none. */
static uint64_t count_many(uint64_t n, uint64_t tail, uint64_t alpha) {
  uint64_t many = guess_many(n, part_of(tail), part_of(alpha));
  for (uint64_t step = 1; many <= n && !certify_binomial_above(many, n, tail, alpha); step *= 2)
    many = n - many < step ? n + 1 : many + step;
  while (many > 1 && certify_binomial_above(many - 1, n, tail, alpha))
    many--;
  return many;
}

/* Whether `above` of the sample are at most k of n, and at least. */
static bool is_at_most(uint64_t above, const struct sample *sample, uint64_t k, uint64_t n) {
  return (uint128)above * n <= (uint128)k * sample->total;
}

static bool is_at_least(uint64_t above, const struct sample *sample, uint64_t k, uint64_t n) {
  return (uint128)above * n >= (uint128)k * sample->total;
}

/* --- dependent draws: counts that are no whole numbers ---------------------------------------- */

/* How many of the sample may exceed, guessed: the chance falls as they get fewer. */
static uint64_t guess_dependent_few(const struct sample *sample, double n, double tail,
                                    double alpha) {
  uint64_t low = 0, high = sample->total;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    double k = (double)middle * n / (double)sample->total;
    if (k < n && special_beta_above(tail, k + 1, n - k) <= alpha)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint64_t guess_dependent_many(const struct sample *sample, double n, double tail,
                                     double alpha) {
  uint64_t low = 1, high = sample->total + 1;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    double k = (double)middle * n / (double)sample->total;
    if (k > 0 && special_beta_below(tail, k, n - k + 1) <= alpha)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static bool few_do(uint64_t above, const struct sample *sample, uint64_t worth, uint64_t tail,
                   uint64_t alpha) {
  struct certify_count counted = {above, sample->total, worth};
  if (tail == SURVIVAL_ONE)
    return above < sample->total;
  return tail > 0 && certify_beta(&counted, tail, alpha);
}

static bool many_do(uint64_t reached, const struct sample *sample, uint64_t worth, uint64_t tail,
                    uint64_t alpha) {
  struct certify_count counted = {reached, sample->total, worth};
  if (tail == 0)
    return reached > 0;
  return tail < SURVIVAL_ONE && certify_beta_above(&counted, tail, alpha);
}

/* One more than a number, about the greatest, that is certified; 0: none. */
static uint64_t dependent_few(const struct sample *sample, uint64_t worth, uint64_t tail,
                              uint64_t alpha) {
  uint64_t few = guess_dependent_few(sample, (double)worth, part_of(tail), part_of(alpha));
  for (uint64_t step = 1; few > 0 && !few_do(few - 1, sample, worth, tail, alpha); step *= 2)
    few = few > step ? few - step : 0;
  while (few < sample->total && few_do(few, sample, worth, tail, alpha))
    few++;
  return few;
}

/* A number, about the least, that is certified; one more than all: none. */
static uint64_t dependent_many(const struct sample *sample, uint64_t worth, uint64_t tail,
                               uint64_t alpha) {
  uint64_t most = sample->total + 1;
  uint64_t many = guess_dependent_many(sample, (double)worth, part_of(tail), part_of(alpha));
  for (uint64_t step = 1; many < most && !many_do(many, sample, worth, tail, alpha); step *= 2)
    many = most - many < step ? most : many + step;
  while (many > 1 && many_do(many - 1, sample, worth, tail, alpha))
    many--;
  return many;
}

/* --- limits ----------------------------------------------------------------------------------- */

bool limit_upper(uint64_t *ns, const struct sample *sample, const struct rational *share,
                 uint64_t worth, uint64_t alpha) {
  if (alpha == 0)
    return sample_quantile(ns, sample, share);
  if (sample->total == 0 || worth == 0)
    bug("a limit from no observation");
  uint64_t tail = tail_of(share, SIDE_UPPER), few, above = sample->total;
  if (worth < sample->real) {
    few = dependent_few(sample, worth, tail, alpha);
    worth = sample->total;
  } else {
    worth = worth < WORTH_MOST ? worth : WORTH_MOST;
    few = count_few(worth, tail, alpha);
  }
  for (size_t i = 0; few > 0 && i < sample->count; i++) {
    above -= sample->bins[i].count;
    if (is_at_most(above, sample, few - 1, worth)) {
      *ns = sample->bins[i].upper_ns;
      return true;
    }
  }
  return false;
}

/* The greatest lower edge that at least k of n reach; those beyond count at the last, or at what they
 * are at least. 0: none. */
static uint64_t lower_edge(const struct sample *sample, uint64_t k, uint64_t n) {
  struct sample_bin *bins = edges_by_lower(sample);
  uint64_t reached = sample->beyond, found = 0;
  for (size_t i = sample->count; i > 0; i--) {
    reached += bins[i - 1].count;
    if (is_at_least(reached, sample, k, n)) {
      found = bins[i - 1].lower_ns;
      break;
    }
  }
  mem_free(bins);
  if (sample->beyond_least_ns > found && is_at_least(sample->beyond, sample, k, n))
    found = sample->beyond_least_ns;
  return found;
}

/* How many of the sample are at or above its quantile at `share`, exactly. */
static uint64_t reach(const struct sample *sample, const struct rational *share) {
  struct rational rank;
  rational_init(&rank);
  rational_set_integer(&rank, (int64_t)sample->total);
  rational_mul(&rank, &rank, share);
  int64_t first;
  if (!rational_ceil(&first, &rank) || first < 0 || (uint64_t)first > sample->total)
    bug("a quantile outside of 0 to 1");
  rational_clear(&rank);
  return sample->total - (uint64_t)(first > 0 ? first - 1 : 0);
}

uint64_t limit_lower(const struct sample *sample, const struct rational *share, uint64_t worth,
                     uint64_t alpha) {
  if (sample->total == 0 || worth == 0)
    bug("a limit from no observation");
  if (alpha == 0)
    return rational_sign(share) == 0 ? 0 : lower_edge(sample, reach(sample, share), sample->total);
  uint64_t tail = tail_of(share, SIDE_LOWER), many;
  if (worth < sample->real) {
    many = dependent_many(sample, worth, tail, alpha);
    worth = sample->total;
  } else {
    worth = worth < WORTH_MOST ? worth : WORTH_MOST;
    many = count_many(worth, tail, alpha);
  }
  return many > worth ? 0 : lower_edge(sample, many, worth);
}

uint64_t limit_needed(const struct rational *share, uint64_t alpha) {
  uint64_t tail = tail_of(share, SIDE_UPPER);
  if (tail == 0 || alpha == 0)
    return 0;
  if (tail >= SURVIVAL_ONE || alpha >= SURVIVAL_ONE)
    return 1;
  double guess = ceil(log(part_of(alpha)) / log1p(-part_of(tail)));
  if (!(guess < 1e18))
    return 0;
  uint64_t n = guess < 1 ? 1 : (uint64_t)guess;
  while (n > 1 && certify_binomial(0, n - 1, tail, alpha))
    n--;
  for (uint64_t step = 1; !certify_binomial(0, n, tail, alpha); step *= 2)
    n += step;
  return n;
}

static bool is_finite_with(const struct sample *sample, const struct rational *share,
                           uint64_t worth, uint64_t alpha) {
  uint64_t ns = 0;
  return limit_upper(&ns, sample, share, worth, alpha) && ns < SAMPLE_NS_MAX;
}

uint64_t limit_needed_of(const struct sample *sample, const struct rational *share,
                         uint64_t alpha) {
  uint64_t low = limit_needed(share, alpha), high = low;
  if (low == 0 || !is_finite_with(sample, share, 1, 0))
    return 0;
  for (; high < WORTH_MOST && !is_finite_with(sample, share, high, alpha); high *= 2)
    low = high;
  if (high >= WORTH_MOST)
    return 0;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (is_finite_with(sample, share, middle, alpha))
      high = middle;
    else
      low = middle;
  }
  return high;
}
