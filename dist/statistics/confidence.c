/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/confidence.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/certify.h"
#include "dist/statistics/special.h"
#include "dist/survival/wide.h"

enum { RANKS_MAX = 64 };
#define RANK_LAST (UINT64_C(1) << 18)

struct band {
  uint64_t n;
  size_t count;
  uint64_t ranks[RANKS_MAX]; /* increasing */
  uint64_t chances[RANKS_MAX];
  uint64_t margin;
};

static uint64_t share_of_ranks(uint64_t alpha) {
  return alpha - alpha / 4;
}

static uint64_t share_of_margin(uint64_t alpha) {
  return alpha / 4;
}

/* The ranks for n observations, increasing; their number. */
static size_t find_ranks(uint64_t ranks[RANKS_MAX], uint64_t n) {
  uint64_t last = n / 2 < RANK_LAST ? n / 2 : RANK_LAST;
  size_t count = 0;
  for (uint64_t k = 0; k <= last && k < n; k = k < 4 ? k + 1 : (k * 1414 + 999) / 1000)
    ranks[count++] = k;
  return count;
}

static uint64_t units_of(double x) {
  if (!(x > 0))
    return 0;
  return x >= 1 ? SURVIVAL_ONE : (uint64_t)(x * (double)SURVIVAL_ONE);
}

/* Whether `u` is proved to be large enough. */
typedef bool certificate(uint64_t u, uint64_t k, uint64_t n, uint64_t alpha);

static bool is_chance(uint64_t u, uint64_t k, uint64_t n, uint64_t alpha) {
  return certify_binomial(k, n, u, alpha);
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

uint64_t confidence_chance_upper(uint64_t k, uint64_t n, uint64_t alpha) {
  double tail = (double)alpha / (double)SURVIVAL_ONE;
  double guess = k == 0 ? -expm1(log(tail) / (double)n)
                        : special_beta_quantile_above(tail, (double)k + 1, (double)(n - k));
  return certified(is_chance, units_of(guess), k, n, alpha);
}

static uint64_t margin_upper(uint64_t n, uint64_t alpha) {
  double tail = (double)alpha / (double)SURVIVAL_ONE;
  double guess = sqrt(-log(tail) / (2 * (double)n));
  return certified(is_margin, units_of(guess), 0, n, alpha);
}

static void band_init(struct band *band, uint64_t n, uint64_t alpha) {
  band->n = n;
  band->count = find_ranks(band->ranks, n);
  for (size_t i = 0; i < band->count; i++)
    band->chances[i] =
        confidence_chance_upper(band->ranks[i], n, share_of_ranks(alpha) / band->count);
  band->margin = margin_upper(n, share_of_margin(alpha));
}

/* What P(X > x) is at most, when k observations exceed x. */
static uint64_t band_tail(const struct band *band, uint64_t k) {
  uint64_t share = (uint64_t)((((uint128)k << SURVIVAL_BITS) + band->n - 1) / band->n);
  uint64_t tail = SURVIVAL_ONE;
  if (share < SURVIVAL_ONE - band->margin)
    tail = share + band->margin;
  for (size_t i = 0; i < band->count; i++)
    if (band->ranks[i] >= k)
      return band->chances[i] < tail ? band->chances[i] : tail;
  return tail;
}

static uint64_t ceil_share(uint64_t k, uint64_t total, uint64_t scale) {
  return (uint64_t)(((uint128)k * scale + total - 1) / total);
}

void confidence_survival(struct survival *s, const struct sample *sample, uint64_t alpha) {
  if (sample->total == 0 || (alpha != 0 && sample->real == 0))
    bug("a law from no observation");
  struct band band;
  if (alpha != 0)
    band_init(&band, sample->real, alpha);
  uint64_t above = sample->total, last_above = UINT64_MAX, tail = SURVIVAL_ONE;
  size_t bin = 0;
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    uint64_t value = grid_value_ns(&s->grid, k);
    for (; bin < sample->count && sample->bins[bin].upper_ns <= value; bin++)
      above -= sample->bins[bin].count;
    if (above != last_above && alpha == 0)
      tail = ceil_share(above, sample->total, SURVIVAL_ONE);
    else if (above != last_above)
      tail = band_tail(&band, ceil_share(above, sample->total, sample->real));
    last_above = above;
    s->tail[k] = tail;
  }
}

/* U_0 for n observations, in floating point. */
static double unseen(double n, double alpha) {
  uint64_t ranks[RANKS_MAX];
  size_t count = find_ranks(ranks, (uint64_t)n);
  double cp = -expm1(log(0.75 * alpha / (double)count) / n);
  double dkw = sqrt(-log(0.25 * alpha) / (2 * n));
  return cp < dkw ? cp : dkw;
}

uint64_t confidence_samples_needed(uint64_t tail, uint64_t alpha, uint64_t terms) {
  if (tail == 0 || alpha == 0 || terms == 0)
    return 0;
  double a = (double)alpha / (double)SURVIVAL_ONE;
  double rest = log1p(-(double)tail / (double)SURVIVAL_ONE) / (double)terms;
  double most = tail >= SURVIVAL_ONE ? 1 : -expm1(rest);
  double high = 1;
  while (high < 1e18 && unseen(high, a) > most)
    high *= 2;
  if (high >= 1e18)
    return 0;
  double low = high / 2;
  while (high - low > 0.0005 * high && high - low > 1) {
    double middle = floor((low + high) / 2);
    if (unseen(middle, a) > most)
      low = middle;
    else
      high = middle;
  }
  return (uint64_t)high;
}
