/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dual bound of a sum of any dependence (Embrechts and Puccetti 2006).
 *
 * Upper side. Take any u_i, and D > 0 with sum u_i + D = T. If sum x_i >= T, then the sum of
 * f_i(x_i) = min(1, max(0, (x_i - u_i) / D)) is at least 1: if no f_i is 1, each is at least
 * (x_i - u_i) / D, and those add up to at least 1. So
 *   P(sum X_i >= T) <= sum E f_i(X_i) = (1/D) sum of the integrals of S_i from u_i to u_i + D.
 * A survival's values are multiples of some step (1 ns, or that of a linear grid), so "more than t"
 * is "at least T = t + step". With D = step it is the bound sum S_i(u_i) of sum u_i = t.
 *
 * Lower side. With sum u_i - D = t and f_i(x) = min(1, max(0, (u_i - x) / D)) the same argument
 * bounds what the lower side lacks:
 *   P(sum X_i <= t) <= (1/D) sum of the integrals of 1 - S_i from max(0, u_i - D) to u_i.
 * The tail of a point has to be right up to the next one, so t is the last value before that. At
 * the last point, which on this side means "infinite", the bound is not used.
 *
 * The integrals are sums of whole numbers, exact, and the quotient is rounded outward once. Which
 * u_i are taken is not trusted: they are quantiles of all parts at one common level, and the level
 * is searched.
 */
#ifndef DIST_SURVIVAL_JOINT_DUAL_H
#define DIST_SURVIVAL_JOINT_DUAL_H

#include "dist/survival/combine.h"

/* Over all copies of all parts; as joint_sum, which takes more bounds into account. */
void joint_dual(struct survival *z, const struct copies *parts, size_t part_count);

#endif
