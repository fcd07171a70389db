/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/band.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/confidence.h"
#include "dist/statistics/certify.h"
#include "dist/statistics/special.h"
#include "dist/survival/wide.h"

#define RANK_LAST (UINT64_C(1) << 18)

/* Ranks for n observations from `first` on, increasing; their number. */
static size_t find_ranks(uint64_t ranks[BAND_RANKS_MAX], uint64_t n, uint64_t first) {
  uint64_t last = n / 2 < RANK_LAST ? n / 2 : RANK_LAST;
  size_t count = 0;
  for (uint64_t k = first; k <= last && k < n; k = k < 4 ? k + 1 : (k * 1414 + 999) / 1000)
    ranks[count++] = k;
  return count;
}

static uint64_t units_of(double x) {
  if (!(x > 0))
    return 0;
  return x >= 1 ? SURVIVAL_ONE : (uint64_t)(x * (double)SURVIVAL_ONE);
}

static double part_of(uint64_t units) {
  return (double)units / (double)SURVIVAL_ONE;
}

/* Whether `u` is proved to be on the safe side. */
typedef bool certificate(uint64_t u, uint64_t k, uint64_t n, uint64_t alpha);

static bool is_chance(uint64_t u, uint64_t k, uint64_t n, uint64_t alpha) {
  return certify_binomial(k, n, u, alpha);
}

static bool is_chance_below(uint64_t u, uint64_t k, uint64_t n, uint64_t alpha) {
  return certify_binomial_above(k, n, u, alpha);
}

static bool is_margin(uint64_t u, uint64_t k, uint64_t n, uint64_t alpha) {
  (void)k;
  return certify_dkw(n, u, alpha);
}

/* A certified value at most one part in 2^24 above one that is not; 2^61 when that fails. The
 * better the guess, the fewer certificates are asked for. */
static uint64_t certified(certificate *holds, uint64_t guess, uint64_t k, uint64_t n,
                          uint64_t alpha) {
  uint64_t high = guess + (guess >> 26) + 1, low = guess - (guess >> 26);
  for (uint64_t step = (guess >> 26) + 1; high < SURVIVAL_ONE; step *= 2) {
    if (holds(high, k, n, alpha))
      break;
    low = high;
    high = step > SURVIVAL_ONE - high ? SURVIVAL_ONE : high + step;
  }
  if (high > SURVIVAL_ONE)
    high = SURVIVAL_ONE;
  for (uint64_t step = (guess >> 26) + 1; low > 0 && holds(low, k, n, alpha); step *= 2) {
    high = low;
    low = step > low ? 0 : low - step;
  }
  while (high - low > (high >> 24) + 1) {
    uint64_t middle = low + (high - low) / 2;
    if (holds(middle, k, n, alpha))
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* The same from below: a certified value at most one part in 2^24 below one that is not; 0 when
 * that fails. */
static uint64_t certified_below(certificate *holds, uint64_t guess, uint64_t k, uint64_t n,
                                uint64_t alpha) {
  uint64_t slack = (guess >> 26) + 1;
  uint64_t low = guess > slack ? guess - slack : 0, high = guess + slack;
  for (uint64_t step = slack; low > 0 && !holds(low, k, n, alpha); step *= 2) {
    high = low;
    low = step > low ? 0 : low - step;
  }
  for (uint64_t step = slack; high < SURVIVAL_ONE && holds(high, k, n, alpha); step *= 2) {
    low = high;
    high = step > SURVIVAL_ONE - high ? SURVIVAL_ONE : high + step;
  }
  while (high - low > (low >> 24) + 1) {
    uint64_t middle = low + (high - low) / 2;
    if (holds(middle, k, n, alpha))
      low = middle;
    else
      high = middle;
  }
  return low;
}

uint64_t confidence_chance_upper(uint64_t k, uint64_t n, uint64_t alpha) {
  double tail = part_of(alpha);
  double guess = k == 0 ? -expm1(log(tail) / (double)n)
                        : special_beta_quantile_above(tail, (double)k + 1, (double)(n - k));
  return certified(is_chance, units_of(guess), k, n, alpha);
}

uint64_t confidence_chance_lower(uint64_t k, uint64_t n, uint64_t alpha) {
  double tail = part_of(alpha);
  double guess = k == 1 ? -expm1(log1p(-tail) / (double)n)
                        : special_beta_quantile_below(tail, (double)k, (double)(n - k) + 1);
  return certified_below(is_chance_below, units_of(guess), k, n, alpha);
}

static uint64_t margin_upper(uint64_t n, uint64_t alpha) {
  double guess = sqrt(-log(part_of(alpha)) / (2 * (double)n));
  return certified(is_margin, units_of(guess), 0, n, alpha);
}

static uint64_t share_of_ranks(uint64_t alpha, enum confidence_band kind) {
  return kind == BAND_RANKS ? alpha : kind == BAND_DKW ? 0 : alpha - alpha / 4;
}

static uint64_t share_of_margin(uint64_t alpha, enum confidence_band kind) {
  return kind == BAND_DKW ? alpha : kind == BAND_RANKS ? 0 : alpha / 4;
}

void band_init(struct band *band, enum survival_side side, uint64_t n, uint64_t alpha,
               enum confidence_band kind) {
  if (n == 0 || alpha == 0)
    bug("a band from no observation, or at no risk");
  *band = (struct band){.side = side, .n = n, .margin = SURVIVAL_ONE};
  uint64_t ranks = share_of_ranks(alpha, kind), margin = share_of_margin(alpha, kind);
  if (ranks != 0) {
    band->few_count = find_ranks(band->few, n, 0);
    if (side == SIDE_LOWER)
      band->many_count = find_ranks(band->many, n, 1);
    uint64_t each = ranks / (band->few_count + band->many_count);
    for (size_t i = 0; i < band->few_count; i++)
      band->few_chances[i] = confidence_chance_upper(band->few[i], n, each);
    for (size_t i = 0; i < band->many_count; i++)
      band->many_chances[i] = confidence_chance_lower(band->many[i], n, each);
  }
  if (margin != 0)
    band->margin = margin_upper(n, margin);
}

/* By ranks: a bound of the chance of what k of n draws did. */
static uint64_t few_chance(const struct band *band, uint64_t k) {
  for (size_t i = 0; i < band->few_count; i++)
    if (band->few[i] >= k)
      return band->few_chances[i];
  return SURVIVAL_ONE;
}

static uint64_t tail_upper(const struct band *band, uint64_t k) {
  uint64_t share = (uint64_t)((((uint128)k << SURVIVAL_BITS) + band->n - 1) / band->n);
  uint64_t by_margin = share < SURVIVAL_ONE - band->margin ? share + band->margin : SURVIVAL_ONE;
  uint64_t by_rank = few_chance(band, k);
  return by_rank < by_margin ? by_rank : by_margin;
}

static uint64_t tail_lower(const struct band *band, uint64_t k) {
  uint64_t share = (uint64_t)(((uint128)k << SURVIVAL_BITS) / band->n);
  uint64_t tail = share > band->margin ? share - band->margin : 0;
  uint64_t rest = SURVIVAL_ONE - few_chance(band, band->n - k);
  if (rest > tail)
    tail = rest;
  for (size_t i = band->many_count; i-- > 0;)
    if (band->many[i] <= k)
      return band->many_chances[i] > tail ? band->many_chances[i] : tail;
  return tail;
}

uint64_t band_tail(const struct band *band, uint64_t k) {
  return band->side == SIDE_UPPER ? tail_upper(band, k) : tail_lower(band, k);
}

/* U_0 for n observations, in floating point. */
static double unseen(double n, double alpha, enum confidence_band kind) {
  uint64_t ranks[BAND_RANKS_MAX];
  size_t count = find_ranks(ranks, (uint64_t)n, 0);
  double for_ranks = kind == BAND_BOTH ? 0.75 : 1, for_margin = kind == BAND_BOTH ? 0.25 : 1;
  double cp = -expm1(log(for_ranks * alpha / (double)count) / n);
  double dkw = sqrt(-log(for_margin * alpha) / (2 * n));
  if (kind == BAND_RANKS || (kind == BAND_BOTH && cp < dkw))
    return cp;
  return dkw;
}

uint64_t confidence_samples_needed_of(uint64_t tail, uint64_t alpha, uint64_t terms,
                                      enum confidence_band kind) {
  if (tail == 0 || alpha == 0 || terms == 0)
    return 0;
  double a = (double)alpha / (double)SURVIVAL_ONE;
  double rest = log1p(-(double)tail / (double)SURVIVAL_ONE) / (double)terms;
  double most = tail >= SURVIVAL_ONE ? 1 : -expm1(rest);
  double high = 1;
  while (high < 1e18 && unseen(high, a, kind) > most)
    high *= 2;
  if (high >= 1e18)
    return 0;
  double low = high / 2;
  while (high - low > 0.0005 * high && high - low > 1) {
    double middle = floor((low + high) / 2);
    if (unseen(middle, a, kind) > most)
      low = middle;
    else
      high = middle;
  }
  return (uint64_t)high;
}

uint64_t confidence_samples_needed(uint64_t tail, uint64_t alpha, uint64_t terms) {
  return confidence_samples_needed_of(tail, alpha, terms, BAND_BOTH);
}
