/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/band.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/chance.h"

enum { EARLY = 8 };                   /* ranks below are all taken, and better endowed */
#define RANK_FINE (UINT64_C(1) << 14) /* up to here a factor of 1.15, beyond of sqrt(2) */
#define RANK_LAST (UINT64_C(1) << 18)

static uint64_t next_rank(uint64_t k) {
  return k < EARLY ? k + 1 : k < RANK_FINE ? (k * 115 + 99) / 100 : (k * 1414 + 999) / 1000;
}

/* Ranks for n observations from `first` on, increasing; their number. */
static size_t find_ranks(uint64_t ranks[BAND_RANKS_MAX], uint64_t n, uint64_t first) {
  uint64_t last = n / 2 < RANK_LAST ? n / 2 : RANK_LAST;
  size_t count = 0;
  for (uint64_t k = first; k <= last && k < n; k = next_rank(k))
    ranks[count++] = k;
  return count;
}

static size_t count_early(const uint64_t *ranks, size_t count) {
  size_t early = 0;
  while (early < count && ranks[early] < EARLY)
    early++;
  return early;
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
    size_t early =
        count_early(band->few, band->few_count) + count_early(band->many, band->many_count);
    size_t late = band->few_count + band->many_count - early;
    uint64_t half = early == 0 || late == 0 ? ranks : ranks / 2;
    for (size_t i = 0; i < band->few_count; i++)
      band->few_chances[i] =
          chance_upper(band->few[i], n, half / (band->few[i] < EARLY ? early : late));
    for (size_t i = 0; i < band->many_count; i++)
      band->many_chances[i] =
          chance_lower(band->many[i], n, half / (band->many[i] < EARLY ? early : late));
  }
  if (margin != 0)
    band->margin = chance_margin(n, margin);
}

/* The number of ranks below k. */
static size_t ranks_below(const uint64_t *ranks, size_t count, uint64_t k) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ranks[middle] < k)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* By ranks: a bound of the chance of what k of n draws did. */
static uint64_t few_chance(const struct band *band, uint64_t k) {
  size_t i = ranks_below(band->few, band->few_count, k);
  return i < band->few_count ? band->few_chances[i] : SURVIVAL_ONE;
}

static uint64_t tail_upper(const struct band *band, uint64_t k) {
  uint64_t share = survival_share(SIDE_UPPER, k, band->n);
  uint64_t by_margin = share < SURVIVAL_ONE - band->margin ? share + band->margin : SURVIVAL_ONE;
  uint64_t by_rank = few_chance(band, k);
  return by_rank < by_margin ? by_rank : by_margin;
}

static uint64_t tail_lower(const struct band *band, uint64_t k) {
  uint64_t share = survival_share(SIDE_LOWER, k, band->n);
  uint64_t tail = share > band->margin ? share - band->margin : 0;
  uint64_t rest = SURVIVAL_ONE - few_chance(band, band->n - k);
  if (rest > tail)
    tail = rest;
  size_t i = ranks_below(band->many, band->many_count, k + 1);
  return i > 0 && band->many_chances[i - 1] > tail ? band->many_chances[i - 1] : tail;
}

uint64_t band_tail(const struct band *band, uint64_t k) {
  return band->side == SIDE_UPPER ? tail_upper(band, k) : tail_lower(band, k);
}

double band_unseen(double n, double alpha, enum confidence_band kind) {
  uint64_t ranks[BAND_RANKS_MAX];
  size_t count = find_ranks(ranks, (uint64_t)n, 0);
  double for_ranks = kind == BAND_BOTH ? 0.75 : 1, for_margin = kind == BAND_BOTH ? 0.25 : 1;
  size_t early = count_early(ranks, count);
  double half = early == count ? 1 : 0.5;
  double cp = -expm1(log(for_ranks * half * alpha / (double)early) / n);
  double dkw = sqrt(-log(for_margin * alpha) / (2 * n));
  if (kind == BAND_RANKS || (kind == BAND_BOTH && cp < dkw))
    return cp;
  return dkw;
}
