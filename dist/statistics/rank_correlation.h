/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether two series, observed side by side, are independent of each other: Spearman's rank
 * correlation (1904). Series that depend on their own past are correlated by chance more often than
 * independent draws are; so the variance of the mean product of ranks is that of a stationary
 * series (serial.h), as Bartlett (1935) has it for correlations.
 */
#ifndef DIST_STATISTICS_RANK_CORRELATION_H
#define DIST_STATISTICS_RANK_CORRELATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_CORRELATION_LEAST = 30 }; /* observations to be judged */

struct rank_correlation {
  double correlation; /* -1 to 1; 0 where a series is constant */
  double chance;      /* of one at least as far from 0, were they independent; 1: not judged */
};

/* count observations of each, ties allowed. The chance is that of a normal approximation. */
struct rank_correlation rank_correlation(const uint64_t *a, const uint64_t *b, size_t count);

#endif
