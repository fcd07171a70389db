/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Order statistics of independent latencies; conventions as in survival.h.
 *
 * The rank-th smallest exceeds t when fewer than `rank` of the n are at most t. With independent
 * ones the number of those is Poisson binomial; its chances are added up by recurrences in which
 * every term is non-negative, each rounded to the survival's side, so the result is a bound.
 */
#ifndef DIST_SURVIVAL_ORDER_H
#define DIST_SURVIVAL_ORDER_H

#include "dist/survival/combine.h"

/* The rank-th smallest of all copies of all parts; 1 <= rank <= number of copies; part_count >= 1.
 * Of n copies of one law a point takes a few times sqrt(n) steps. Of several, with r the smaller of
 * rank and n - rank + 1, about r steps for each part that is one copy, and r times the smaller of r
 * and its copies for each other one. In probability the result is off by at most two units of
 * 10^-18 per copy. */
void survival_kth(struct survival *z, const struct copies *parts, size_t part_count, uint64_t rank);

#endif
