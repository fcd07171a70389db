/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a sample to a law. With chance at least 1 - alpha over the sample, which is assumed
 * independent and identically distributed, the law dominates the one that was sampled.
 *
 * Two bands hold together, and the better one counts at each point:
 *   three quarters of alpha buy simultaneous Clopper-Pearson bounds (1934): if at most k of n
 * observations exceed x then P(X > x) <= U_k, with P(Binomial(n, U_k) <= k) <= alpha_k, for ranks k
 * from 0 to n/2 or 2^18: all below 8, which share one half of it, as unseen tails are what keeps
 * percentiles infinite; then on by a factor of 1.15 to 2^14 and of sqrt(2) beyond, the other half;
 *   one quarter buys the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant
 * (1990), P(X > x) <= k/n + e, which is the tighter one in the body.
 * Below, the ranks serve both ends: at most k that do not exceed x mean P(X <= x) <= U_k, and at
 * least k that do mean P(X > x) >= L_k, with P(Binomial(n, L_k) >= k) <= alpha_k, all of them
 * sharing alike. Floating point (GSL) only guesses; certify.h proves each chance that is used.
 *
 * Alpha is a probability in units of 10^-18. Several laws of one result share it: give each alpha
 * divided by their number. Each side has alpha for itself.
 */
#ifndef DIST_STATISTICS_CONFIDENCE_H
#define DIST_STATISTICS_CONFIDENCE_H

#include <stdint.h>

#include "dist/statistics/band.h"
#include "dist/survival/survival.h"

struct sample;

/* alpha > 0: the band of the survival's side. alpha = 0: the sample is taken as the whole truth.
 * Upper side: observations count at the upper edge of their bin, those beyond as infinite. Lower
 * side: at the lower edge, those beyond at the greatest of these. Where fewer observations are real
 * than are counted, the counted shares are taken of the real number. */
void confidence_band(struct survival *s, const struct sample *sample, uint64_t alpha,
                     enum confidence_band kind);

/* The same bound of P(latency > x) alone, without the grid: it holds together with the band, and is
 * better where x lies between two points. `n` >= 1: as if so many observations had been made (see
 * below), or sample->real. */
uint64_t confidence_above(const struct sample *sample, uint64_t x_ns, uint64_t n, uint64_t alpha,
                          enum confidence_band kind, enum survival_side side);

/* With BAND_BOTH. */
void confidence_survival(struct survival *s, const struct sample *sample, uint64_t alpha);

/* As if `n` >= 1 observations with the shares of this sample had been made: what a longer
 * measurement would give if it looked like this one. A prediction, no bound. alpha > 0. */
void confidence_band_predicted(struct survival *s, const struct sample *sample, uint64_t n,
                               uint64_t alpha, enum confidence_band kind);

/* How many observations of each component make the quantile at 1 - tail of a sum of `terms`
 * occurrences finite if none exceeds the grid, to about one part in a thousand; alpha as each band
 * gets it. 0 when no number does (tail 0 or alpha 0). */
uint64_t confidence_samples_needed(uint64_t tail, uint64_t alpha, uint64_t terms);
uint64_t confidence_samples_needed_of(uint64_t tail, uint64_t alpha, uint64_t terms,
                                      enum confidence_band kind);

#endif
