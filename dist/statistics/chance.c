/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/chance.h"

#include <math.h>

#include "dist/statistics/certify.h"
#include "dist/statistics/special.h"
#include "dist/survival/survival.h"

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

/* A certified value at most one part in 2^24 above one that is not; 10^18 when that fails. The
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

uint64_t chance_upper(uint64_t k, uint64_t n, uint64_t alpha) {
  double tail = part_of(alpha);
  double guess = k == 0 ? -expm1(log(tail) / (double)n)
                        : special_beta_quantile_above(tail, (double)k + 1, (double)(n - k));
  return certified(is_chance, units_of(guess), k, n, alpha);
}

uint64_t chance_lower(uint64_t k, uint64_t n, uint64_t alpha) {
  double tail = part_of(alpha);
  double guess = k == 1 ? -expm1(log1p(-tail) / (double)n)
                        : special_beta_quantile_below(tail, (double)k, (double)(n - k) + 1);
  return certified_below(is_chance_below, units_of(guess), k, n, alpha);
}

uint64_t chance_margin(uint64_t n, uint64_t alpha) {
  double guess = sqrt(-log(part_of(alpha)) / (2 * (double)n));
  return certified(is_margin, units_of(guess), 0, n, alpha);
}
