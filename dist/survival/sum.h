/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums of independent latencies, on the side of the operands; described for the upper side, the
 * lower likewise with "down" for "up".
 *
 * On a log-linear grid survival_add works octave by octave: the masses of both operands up to
 * octave o are moved up to multiples of 2^o, the pairs whose larger member lies in octave o are
 * multiplied out exactly (convolve.h), and their sum is moved up to the grid. Then z->tail is the
 * exact survival function of that sum, rounded up once. So the result dominates the exact sum; in
 * value it is at most one part in B above it per addition, in probability at most 10^-18. A linear
 * grid is closed under sums, so there only the probability is rounded, by one exact product.
 *
 * Sums beyond the last point are infinite on the upper side and at it on the lower. The work
 * depends on the supports of the operands, from their first to their last atom: where a tail is
 * down to one unit and stays there, there is nothing to multiply.
 *
 * The log-linear grid rounds, so additions on it are commutative but not associative.
 * survival_add_many always combines in the same order, by doubling, and has a rounding depth of at
 * most sum_many_depth(n) additions.
 */
#ifndef DIST_SURVIVAL_SUM_H
#define DIST_SURVIVAL_SUM_H

#include "dist/survival/survival.h"

void survival_add(struct survival *z, const struct survival *x, const struct survival *y);

/* The sum of n independent copies; n = 0 gives the constant 0. */
void survival_add_many(struct survival *z, const struct survival *x, uint64_t n);

/* The longest chain of roundings in a sum of n copies, on a log-linear grid. */
unsigned sum_many_depth(uint64_t n);

#endif
