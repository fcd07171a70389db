/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Certificates for counts that are no whole numbers, by the beta law in ball arithmetic: each
 * number is an interval that contains the true one (Johansson, "Arb: efficient arbitrary-precision
 * midpoint-radius interval arithmetic", IEEE Transactions on Computers 66, 2017). True is a proof
 * of the inequality, false says nothing.
 *
 * `count` of `total` draws that are worth `worth` independent ones count as k = count * worth /
 * total of n = worth. I_x(a, b) is the regularized incomplete beta function; for whole k it gives
 * the binomial chances of certify.h. Chances are in units of SURVIVAL_ONE, and 0 < chance <
 * SURVIVAL_ONE; 0 <= count <= total, total and worth are not 0.
 */
#ifndef DIST_STATISTICS_CERTIFY_BETA_H
#define DIST_STATISTICS_CERTIFY_BETA_H

#include <stdbool.h>
#include <stdint.h>

struct certify_count {
  uint64_t count, total, worth;
};

/* I_{1 - chance}(n - k, k + 1) <= alpha, which is P(Binomial(n, chance) <= k) <= alpha. */
bool certify_beta(const struct certify_count *counted, uint64_t chance, uint64_t alpha);

/* I_chance(k, n - k + 1) <= alpha, which is P(Binomial(n, chance) >= k) <= alpha. */
bool certify_beta_above(const struct certify_count *counted, uint64_t chance, uint64_t alpha);

#endif
