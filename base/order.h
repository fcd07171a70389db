/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the order of observations said, for those who keep counts and no order: how many independent
 * draws they are worth, for limits of each of a fixed list of percentiles. A file of our own has it
 * (dist/source/tph.h); dist/statistics/levels.h fills and reads it. It is a part of the evidence
 * (base/evidence.h).
 *
 * Without it nobody knows whether observations came in bursts, and no verdict may rest on their
 * number alone.
 */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORDER_LEVELS = 56, ORDER_PARTS = 100000 };

/* n^2 / worth in units of 2^-20, rounded down, for upper and lower: that adds up, so what several
 * sets are worth together depends on no order of putting them together. 0: not asked for yet. */
struct order_spread {
  unsigned __int128 upper, lower;
};

/* Independent draws, at least 1 and at most as many as there are observations: for an upper limit
 * and for a lower one. Not settled: they drift, or their memory is too long; then no number can be
 * promised. */
struct order_worth {
  uint64_t upper, lower;
  bool settled;
  struct order_spread spread;
};

struct source_order {
  struct order_worth all; /* of the whole law; upper and lower are the same */
  struct order_worth at[ORDER_LEVELS];
  bool
      wanders; /* what they are worth is of this run: its level may move more slowly than it lasts */
};

/* The share of the i-th level in ORDER_PARTS: rising, all of p1, p2, p5, then each fifth percentage
 * to p90, each to p99, and each tenth of what is left, to p99.999. */
uint64_t order_level(size_t i);

/* All observations are worth themselves, settled, and do not wander. */
void order_set_independent(struct source_order *order, uint64_t real);

/* Of the observations of both, `n` and `m`. Each set is a stretch of its own: the variances of
 * shares add up by the squares of their numbers, rounded by less than a part in 10^6. Associative
 * and commutative. */
void order_join(struct source_order *order, uint64_t n, const struct source_order *other,
                uint64_t m);

/* No level is settled any more. */
void order_unsettle(struct source_order *order);

#endif
