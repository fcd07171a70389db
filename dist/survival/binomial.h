/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The binomial distribution with every rounding in one direction.
 *
 * Terms follow one from another, b(j + 1) = b(j) (n - j) / (j + 1) yes / no, in numbers of 64
 * significant bits and any exponent, so that (no)^n may be far below 10^-18; all are positive, so
 * rounding each one way rounds their sums that way.
 */
#ifndef DIST_SURVIVAL_BINOMIAL_H
#define DIST_SURVIVAL_BINOMIAL_H

#include "dist/survival/survival.h"

/* digits * 2^exponent, digits >= 2^63. */
struct binomial_number {
  uint64_t digits;
  int64_t exponent;
};

/* What depends on the number of trials only. */
struct binomial {
  uint64_t trials;
  size_t most;
  struct binomial_ratio *ratios; /* owned */
};

/* For up to `most` values; trials >= 1. */
void binomial_init(struct binomial *binomial, uint64_t trials, size_t most);
void binomial_clear(struct binomial *binomial);

/* below[j] = P(fewer than j of the trials succeed) in units of 10^-18 for j = 0 .. count, where
 * each fails with the chance no / 10^18, 0 < no < 10^18; up on the upper side, down on the lower,
 * by at most two units per trial. Not decreasing in j; count <= most and <= trials. */
void binomial_below(uint64_t *below, size_t count, const struct binomial *binomial, uint64_t no,
                    enum survival_side side);

/* The coefficients of one rank: (trials over rank - 1) and (trials over rank), by side. */
struct binomial_rank {
  uint64_t trials, rank;
  struct binomial_number below[2], at[2];
};

/* 1 <= rank <= trials; takes the smaller of rank and trials - rank steps. */
void binomial_rank_init(struct binomial_rank *binomial, uint64_t trials, uint64_t rank);

/* binomial_below for j = rank alone: adds terms from there outward until they are below 2^-122, a
 * few times the square root of the trials. */
uint64_t binomial_fewer(const struct binomial_rank *binomial, uint64_t no, enum survival_side side);

#endif
