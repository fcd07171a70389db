/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether two series, observed side by side, are independent of each other: Spearman's rank
 * correlation (1904). Series that depend on their own past are correlated by chance more often than
 * independent draws are; so the variance of the mean product of ranks is that of a stationary
 * series (serial.h), as Bartlett (1935) has it for correlations. And whether their tails coincide.
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

/* How often both are among their slowest at once: tails may coincide where ranks are not correlated
 * at all. Of independent draws the number of rows in which both are has the law of draws without
 * replacement (Fisher 1935). Of series that depend on their past it is taken as that of as many
 * fewer rows as the sequence of these rows is worth. */
struct coincidence {
  uint64_t slow_a, slow_b; /* rows in which each is among its slowest */
  uint64_t together;       /* and both */
  double expected;         /* were they independent */
  double chance;           /* of at least so many, then; 1: not judged */
};

/* Of the slowest 20th, and of the slowest 100th of at least 1000 rows: the one that is rarer, with
 * twice its chance. Ties with the fastest of these do not count. */
struct coincidence coincidence(const uint64_t *a, const uint64_t *b, size_t count);

#endif
