/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a sample to a law. With chance at least 1 - alpha over the sample, which is assumed
 * independent and identically distributed, the law dominates the one that was sampled.
 *
 * Two bands hold together, and the lower one counts at each point:
 *   three quarters of alpha buy simultaneous Clopper-Pearson bounds (1934): if at most k of n
 *   observations exceed x then P(X > x) <= U_k, with P(Binomial(n, U_k) <= k) <= alpha' / m, for
 * the m ranks k = 0, 1, 2, 3, 4 and on by a factor of about sqrt(2) to n/2 or 2^18; one quarter
 * buys the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant (1990), P(X > x)
 * <= k/n + e, which is the tighter one in the body. Floating point (GSL) only guesses U_k and e;
 * certify.h proves each one that is used.
 *
 * Alpha is a probability in units of 2^-61. Several laws of one result share it: give each alpha
 * divided by their number.
 */
#ifndef DIST_STATISTICS_CONFIDENCE_H
#define DIST_STATISTICS_CONFIDENCE_H

#include <stdint.h>

#include "dist/source/sample.h"
#include "dist/survival/survival.h"

enum confidence_band {
  BAND_BOTH,  /* the two above, three quarters of alpha and one */
  BAND_RANKS, /* all of alpha for the first */
  BAND_DKW,   /* all of alpha for the second */
};

/* confidence_survival with the band chosen. A survival of the lower side gets the band below: with
 * the same chance the law is dominated by the one sampled; observations count at the lower edge of
 * their bin, those beyond at the greatest value seen. Each side has alpha for itself. */
void confidence_band(struct survival *s, const struct sample *sample, uint64_t alpha,
                     enum confidence_band band);

/* alpha > 0: the band above. alpha = 0: the sample is taken as the whole truth. Observations count
 * at the upper edge of their bin, those beyond as infinite. Where fewer observations are real than
 * are counted, the counted shares are taken of the real number. */
void confidence_survival(struct survival *s, const struct sample *sample, uint64_t alpha);

/* A certified u, close to the least, with P(Binomial(n, u) <= k) <= alpha; k < n. */
uint64_t confidence_chance_upper(uint64_t k, uint64_t n, uint64_t alpha);

/* How many observations of each component make the quantile at 1 - tail of a sum of `terms`
 * occurrences finite if none exceeds the grid, to about one part in a thousand; alpha as each band
 * gets it. 0 when no number does (tail 0 or alpha 0). */
uint64_t confidence_samples_needed(uint64_t tail, uint64_t alpha, uint64_t terms);

#endif
