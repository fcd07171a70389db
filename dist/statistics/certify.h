/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Certificates of tail probabilities, in integer arithmetic that only rounds up: true is a proof of
 * the inequality, false says nothing. Probabilities in units of 10^-18.
 */
#ifndef DIST_STATISTICS_CERTIFY_H
#define DIST_STATISTICS_CERTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* P(Binomial(n, chance) <= k) <= alpha. Takes k steps. */
bool certify_binomial(uint64_t k, uint64_t n, uint64_t chance, uint64_t alpha);

/* P(Binomial(n, chance) >= k) <= alpha. Takes k steps and about the square root of n more; false
 * unless k > n chance. */
bool certify_binomial_above(uint64_t k, uint64_t n, uint64_t chance, uint64_t alpha);

/* exp(-2 n margin^2) <= alpha. */
bool certify_dkw(uint64_t n, uint64_t margin, uint64_t alpha);

#endif
