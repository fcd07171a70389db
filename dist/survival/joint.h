/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds from the marginal laws alone, valid for every joint law of the operands; conventions as in
 * survival.h. Where the header says sharp, some joint law attains the bound.
 *
 *   max    P(max > t) <= min(1, sum S_i(t)), >= max S_i(t); sharp (Frechet 1935)
 *   min    P(min > t) <= min S_i(t), >= max(0, sum S_i(t) - (n - 1)); sharp
 *   kth    of n, with j from 0 to m - 1, m = n - rank + 1 the number that must exceed:
 *          P(kth > t) <= min(1, min_j (sum of the n - j smallest S_i(t)) / (m - j)); the lower
 * bound is the same of the complements (Rueger 1978, 1981) sum    two: P(X + Y > t) <= inf over u
 * of S_X(u) + S_Y(t - u), sharp (Makarov 1981); more: that of pairs, and the dual bound of
 * Embrechts and Puccetti (2006): for any u_i with D = t - sum u_i > 0, (1/D) sum of the integrals
 * of S_i from u_i to u_i + D. The u_i are searched, which need not be trusted; the integrals are
 * sums of integers, rounded outward. The least of them counts at each point.
 */
#ifndef DIST_SURVIVAL_JOINT_H
#define DIST_SURVIVAL_JOINT_H

#include "dist/survival/combine.h"

/* Over all copies of all parts; part_count >= 1, each count >= 1. */
void joint_max(struct survival *z, const struct copies *parts, size_t part_count);
void joint_min(struct survival *z, const struct copies *parts, size_t part_count);
void joint_kth(struct survival *z, const struct copies *parts, size_t part_count, uint64_t rank);
void joint_sum(struct survival *z, const struct copies *parts, size_t part_count);

#endif
