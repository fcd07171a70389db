/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pointwise operations on survival functions; conventions as in survival.h. The maximum adds no
 * rounding in value, one unit of 2^-61 in probability for each two operands.
 */
#ifndef DIST_COMBINE_H
#define DIST_COMBINE_H

#include "dist/survival.h"

/* The larger of two independent latencies. */
void survival_max(struct survival *z, const struct survival *x, const struct survival *y);

/* The largest of n independent copies; n = 0 gives the constant 0. */
void survival_max_many(struct survival *z, const struct survival *x, uint64_t n);

/* A law that dominates both, whatever their dependence to anything: the pointwise maximum. */
void survival_join(struct survival *z, const struct survival *x, const struct survival *y);

/* x + constant, for a constant >= 0 in ns, rounded up. */
void survival_shift_upper(struct survival *z, const struct survival *x,
                          const struct rational *constant_ns);

/* factor * x, for a factor >= 0, rounded up. Infinite stays infinite, also for factor 0. */
void survival_scale_upper(struct survival *z, const struct survival *x,
                          const struct rational *factor);

#endif
