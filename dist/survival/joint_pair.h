/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sum of two latencies of any dependence (Makarov 1981).
 *
 * Upper side: if X + Y > t, then X > u or Y > t - u, so for every u
 *   P(X + Y > t) <= S_X(u) + S_Y(t - u).
 * Both terms are steps that change at points of the grid only, and the second falls when u grows to
 * the next point of X's; so u runs over the points up to t, and t - u is rounded down to a point.
 * Lower side: if X >= a and Y >= b with a + b > t, then X + Y > t, so
 *   1 - P(X + Y > t) <= P(X < a) + P(Y < b).
 * For a point a <= t, the best b is the next point above t - a, and P(Y < b) = 1 - S_Y(t - a) with
 * t - a rounded down; P(X < a) = 1 - tail of the point before a. A sum between two points is
 * rounded down, so that the tail at a point is the chance to reach the next: t is the last value
 * before that. Only the last point is different: there a lower survival says "infinite", and the
 * sum is infinite when one of them is.
 *
 * So both are the least of left[j] + right[point below t - point j], with left and right monotone
 * in opposite directions. It is searched from coarse ranges to fine; every j is right, so the
 * search need not be trusted, and its steps are limited.
 */
#ifndef DIST_SURVIVAL_JOINT_PAIR_H
#define DIST_SURVIVAL_JOINT_PAIR_H

#include "dist/survival/survival.h"

/* With at most about `steps` >= 1 steps a point; the result is the least of all j, so sharp, when
 * they suffice. */
void joint_pair(struct survival *z, const struct survival *x, const struct survival *y,
                size_t steps);

/* The sum of n >= 1 copies of x, by doubling. */
void joint_pair_many(struct survival *z, const struct survival *x, uint64_t n, size_t steps);

#endif
