/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a count among n independent draws says about a chance, in units of 10^-18: guessed in
 * floating point, then certified (certify.h), so that each is on the safe side.
 */
#ifndef DIST_STATISTICS_CHANCE_H
#define DIST_STATISTICS_CHANCE_H

#include <stdint.h>

/* A certified u, close to the least, with P(Binomial(n, u) <= k) <= alpha; k < n. */
uint64_t chance_upper(uint64_t k, uint64_t n, uint64_t alpha);

/* A certified u, close to the greatest, with P(Binomial(n, u) >= k) <= alpha; 1 <= k <= n / 2. */
uint64_t chance_lower(uint64_t k, uint64_t n, uint64_t alpha);

/* A certified e, close to the least, with exp(-2 n e^2) <= alpha; 10^18 when only that will do. */
uint64_t chance_margin(uint64_t n, uint64_t alpha);

#endif
