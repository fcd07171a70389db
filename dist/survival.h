/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The law of a non-negative latency as a survival function in integers.
 *
 * tail[k] is an upper bound of P(X > point k) in units of 2^-61, non-increasing in k and at most
 * 2^61. It stands for the random variable with P(X = point k) = tail[k-1] - tail[k] (tail[-1] being
 * 2^61), infinite with probability tail[last]; that variable dominates the one it was made for.
 * Every operation on survivals is exact in integers with one rounding up per point, so results
 * dominate too.
 *
 * A survival owns its array. Outputs come first, are initialised, and may be one of the inputs; all
 * operands of an operation have the same grid.
 */
#ifndef DIST_SURVIVAL_H
#define DIST_SURVIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rational.h"
#include "dist/grid.h"

#define SURVIVAL_BITS 61
#define SURVIVAL_ONE (UINT64_C(1) << SURVIVAL_BITS)

struct survival {
  struct grid grid;
  uint64_t *tail; /* grid_count items */
};

/* The constant 0. */
void survival_init(struct survival *s, const struct grid *grid);
void survival_clear(struct survival *s);
void survival_set(struct survival *z, const struct survival *x);
bool survival_is_valid(const struct survival *s);

/* The constant x >= 0, rounded up to a point of the grid; infinite beyond it. */
void survival_constant(struct survival *s, const struct rational *x_ns);

/* The greatest probability t / 2^61 with t / 2^61 <= 1 - p, for 0 <= p <= 1; false for other p. */
bool survival_tail_of(uint64_t *tail, const struct rational *p);

/* The least point whose tail is at most `tail`: an upper bound of the quantile at 1 - tail / 2^61.
 * False, leaving *x_ns alone, when the quantile is infinite. */
bool survival_quantile_upper(uint64_t *x_ns, const struct survival *s, uint64_t tail);

/* An upper bound of P(X > x) in units of 2^-61. */
uint64_t survival_tail_upper(const struct survival *s, uint64_t x_ns);

/* P(X = infinity), in units of 2^-61. */
uint64_t survival_infinity(const struct survival *s);

/* Whether x is at least y at every point: x stochastically dominates y. */
bool survival_dominates(const struct survival *x, const struct survival *y);

bool survival_equal(const struct survival *x, const struct survival *y);

#endif
