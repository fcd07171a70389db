/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What n independent draws of a law say about its tails: a function of how many of them exceed a
 * point. One band is upper or lower, and holds at all points together with chance at least
 * 1 - alpha; confidence.h says how alpha is spent.
 */
#ifndef DIST_STATISTICS_BAND_H
#define DIST_STATISTICS_BAND_H

#include <stddef.h>
#include <stdint.h>

#include "dist/survival/survival.h"

enum confidence_band {
  BAND_BOTH,  /* ranks and margin, three quarters of alpha and one */
  BAND_RANKS, /* all of alpha for the ranks (Clopper and Pearson) */
  BAND_DKW,   /* all of alpha for the margin (Dvoretzky, Kiefer, Wolfowitz) */
};

enum { BAND_RANKS_MAX = 80 };

/* Chances are in units of 10^-18. The arrays are sorted by rank. */
struct band {
  enum survival_side side;
  uint64_t n;
  size_t few_count;                     /* upper side: if at most few[i] of n exceed x, then */
  uint64_t few[BAND_RANKS_MAX];         /* P(X > x) <= few_chances[i]; lower side: if at most */
  uint64_t few_chances[BAND_RANKS_MAX]; /* few[i] do not exceed x, then P(X <= x) <= it */
  size_t many_count;                    /* lower side only: if at least many[i] of n exceed x, */
  uint64_t many[BAND_RANKS_MAX];        /* then P(X > x) >= many_chances[i] */
  uint64_t many_chances[BAND_RANKS_MAX];
  uint64_t margin; /* |P(X > x) - share| on this side; 10^18: says nothing */
};

/* n >= 1, 0 < alpha. Takes about as long as 10^6 multiplications for large n. */
void band_init(struct band *band, enum survival_side side, uint64_t n, uint64_t alpha,
               enum confidence_band kind);

/* A bound of P(X > x), or of P(X >= x), when k <= n of the draws exceed x (are at least x): at most
 * this on the upper side, at least this on the lower. */
uint64_t band_tail(const struct band *band, uint64_t k);

/* About what the upper band of n observations says of P(X > x) when none exceeds x: a guess, in
 * floating point, as a probability. */
double band_unseen(double n, double alpha, enum confidence_band kind);

#endif
