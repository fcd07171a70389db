/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds from the marginal laws alone, valid for every joint law of the operands; conventions as in
 * survival.h. With sums over all n copies of all parts:
 *
 *   max  P(max > t) <= min(1, sum S_i(t)) and >= max S_i(t) (Frechet 1935).
 *   min  P(min > t) <= min S_i(t) and >= max(0, sum S_i(t) - (n - 1)).
 *   kth  It exceeds t when m = n - rank + 1 of them do: P(kth > t) is at most 1 and, for every j
 *        from 0 to m - 1, at most the sum of the n - j smallest S_i(t) divided by m - j. The lower
 *        bound is the same of the complements (Rueger 1978, 1981).
 *   sum  Of two: P(X + Y > t) <= S_X(u) + S_Y(t - u) for every u (Makarov 1981), joint_pair.h. Of
 *        more: that, pair by pair, and the dual bound of Embrechts and Puccetti (2006),
 *        joint_dual.h; at each point the better of the two. Likewise on the lower side.
 *
 * The first three are sharp: some joint law attains them. A sum of two is sharp but for values
 * between points of the grid, unless its search, which need not be trusted, is stopped for its
 * length; adversary.h shows how near a sum of more is.
 *
 * The work of max, min and kth is that of the number of parts, of a sum's pairs also of the
 * logarithm of the copies.
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
