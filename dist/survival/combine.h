/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pointwise operations on survival functions; conventions as in survival.h: the result is on the
 * side of its operands, which is z's. None rounds values; each takes one rounding of 10^-18 in
 * probability for each two operands.
 */
#ifndef DIST_SURVIVAL_COMBINE_H
#define DIST_SURVIVAL_COMBINE_H

#include "dist/survival/survival.h"

/* `count` random variables of one law: different ones, not one counted often. */
struct copies {
  const struct survival *survival;
  uint64_t count;
};

/* The larger, the smaller of two independent latencies. */
void survival_max(struct survival *z, const struct survival *x, const struct survival *y);
void survival_min(struct survival *z, const struct survival *x, const struct survival *y);

/* The largest of n independent copies, the constant 0 for n = 0; the smallest, n >= 1. */
void survival_max_many(struct survival *z, const struct survival *x, uint64_t n);
void survival_min_many(struct survival *z, const struct survival *x, uint64_t n);

/* The pointwise maximum, minimum of two survival functions: the least that dominates both, the
 * greatest that both dominate, whatever the dependence of anything. */
void survival_join(struct survival *z, const struct survival *x, const struct survival *y);
void survival_meet(struct survival *z, const struct survival *x, const struct survival *y);

/* A draw from one of the laws, from parts[i] with the exact probability weights[i] / total;
 * count >= 1, the weights add up to total <= 2^62. */
void survival_mix(struct survival *z, const struct survival *const *parts, const uint64_t *weights,
                  size_t count);

/* The smaller of x and a constant > 0, which nothing exceeds: min(x, cap). */
void survival_cap(struct survival *z, const struct survival *x, const struct rational *cap_ns);

/* x + constant, for a constant >= 0 in ns. */
void survival_shift(struct survival *z, const struct survival *x,
                    const struct rational *constant_ns);

/* factor * x, for a factor >= 0. Infinite stays infinite, also for factor 0. */
void survival_scale(struct survival *z, const struct survival *x, const struct rational *factor);

#endif
