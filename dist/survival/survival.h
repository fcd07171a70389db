/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds of the law of a non-negative latency, as survival functions in integers.
 *
 * tail[k] is in units of 10^-18, non-increasing in k and at most 10^18. It stands for the random
 * variable with P(X = point k) = tail[k-1] - tail[k] (tail[-1] being 10^18), infinite with
 * probability tail[last]. With these units chances of up to 18 decimals are exact, so that p99.9 of
 * 1000 observations is the 999th and not the one above it. Its side says what that variable is to
 * the latency it was made for:
 *
 *   SIDE_UPPER  it stochastically dominates it: P(latency > x) is at most the variable's, for all
 * x; SIDE_LOWER  it is dominated by it.
 *
 * Every operation on survivals is exact in integers with one rounding per point, up on the upper
 * side and down on the lower, and moves values up or down to points of the grid likewise; so
 * results are bounds too. What lies beyond the last point counts as infinite on the upper side, and
 * as that point on the lower. Sides never mix in one operation (a bug).
 *
 * A survival owns its array. Outputs come first, are initialised, and may be one of the inputs; all
 * operands of an operation have the same grid and the same side.
 */
#ifndef DIST_SURVIVAL_SURVIVAL_H
#define DIST_SURVIVAL_SURVIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rational.h"
#include "dist/survival/grid.h"
#include "dist/survival/wide.h"

#define SURVIVAL_ONE UINT64_C(1000000000000000000)

enum survival_side { SIDE_UPPER, SIDE_LOWER };

struct survival {
  struct grid grid;
  enum survival_side side;
  uint64_t *tail; /* grid_count items */
};

/* The constant 0; survival_init: on the upper side. */
void survival_init(struct survival *s, const struct grid *grid);
void survival_init_side(struct survival *s, const struct grid *grid, enum survival_side side);
void survival_clear(struct survival *s);
void survival_set(struct survival *z, const struct survival *x);
bool survival_is_valid(const struct survival *s);

/* A bug when grid or side differ. */
void survival_require_alike(const struct survival *x, const struct survival *y);

/* Where tail[k] asks: a variable of whole values, moved to the grid, lies above point k if it
 * exceeds this. Point k itself on the upper side; on the lower, one less than the next point, and
 * UINT64_MAX, which only infinity exceeds, for the last. */
uint64_t survival_threshold(const struct survival *s, size_t k);

/* A constant >= 0 as whole nanoseconds, up on the upper side and down on the lower; INT64_MAX,
 * which lies beyond every grid, when it is too large. A bug when it is negative. */
uint64_t survival_whole(enum survival_side side, const struct rational *x_ns);

/* x / 10^18, rounded to the side, for x <= 2^121: what a sum of products of two chances is as a
 * chance. By the reciprocal (Granlund and Montgomery, "Division by invariant integers using
 * multiplication", 1994): with h the bits of x from 2^59 on and r = floor(2^123 / 10^18), h r /
 * 2^64 falls short of x / 10^18 by less than h / 2^64 + 2^59 / 10^18 < 0.83, and its whole part by
 * less than 2. */
static inline uint64_t survival_reduce(enum survival_side side, uint128 x) {
  const uint64_t reciprocal = (uint64_t)(((uint128)1 << 123) / SURVIVAL_ONE);
  uint64_t quotient = (uint64_t)(((uint128)(uint64_t)(x >> 59) * reciprocal) >> 64);
  uint64_t rest = (uint64_t)x - quotient * SURVIVAL_ONE; /* less than 2 10^18 */
  rest += side == SIDE_UPPER ? SURVIVAL_ONE - 1 : 0;
  return quotient + (rest >= SURVIVAL_ONE) + (rest >= 2 * SURVIVAL_ONE); /* no branch to predict */
}

/* x y, for chances x and y, rounded to the side. */
static inline uint64_t survival_product(enum survival_side side, uint64_t x, uint64_t y) {
  return survival_reduce(side, (uint128)x * y);
}

/* The chance part / whole, rounded to the side, for part <= whole > 0. */
static inline uint64_t survival_share(enum survival_side side, uint64_t part, uint64_t whole) {
  uint128 up = side == SIDE_UPPER ? whole - 1 : 0;
  return (uint64_t)(((uint128)part * SURVIVAL_ONE + up) / whole);
}

/* The constant x >= 0, rounded to a point of the grid. */
void survival_constant(struct survival *s, const struct rational *x_ns);

/* The tail at which the quantile at p is asked: 1 - p in units of 10^-18, rounded down for upper
 * bounds of the quantile and up for lower ones. False for p not in [0, 1]. */
bool survival_tail_of(uint64_t *tail, const struct rational *p);
bool survival_tail_of_side(uint64_t *tail, const struct rational *p, enum survival_side side);

/* The least point whose tail is at most `tail`: a bound, of the survival's side, of the quantile at
 * 1 - tail / 10^18. False, leaving *x_ns alone, when it is infinite. */
bool survival_quantile(uint64_t *x_ns, const struct survival *s, uint64_t tail);

/* A bound of P(X > x) in units of 10^-18. */
uint64_t survival_tail(const struct survival *s, uint64_t x_ns);

/* P(X = infinity), in units of 10^-18. */
uint64_t survival_infinity(const struct survival *s);

/* Whether x is at least y at every point: x stochastically dominates y. */
bool survival_dominates(const struct survival *x, const struct survival *y);

bool survival_equal(const struct survival *x, const struct survival *y);

#endif
