/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a short series looks as if neighbours depended on each other, by a test that is exact.
 *
 * Of independent draws of one law each order has the same chance, whatever the law. So three numbers
 * of the series' ranks are held against those of 999 random orders of them (a permutation test;
 * Fisher 1935; Lehmann and Romano, Testing Statistical Hypotheses, 2005, 15.2):
 *
 *   neighbours   the correlation of ranks at distance 1, and half of that at distance 2
 *   waves        the sum of the three lowest ordinates of a cosine transform of the ranks: a drift,
 *                a change, a wave or two
 *   clients      the largest correlation at a distance of up to a quarter of the series, with half
 *                of those at the distances beside it: ten clients in turn, each with a memory of its
 *                own. Of a series that alternates these cancel, and it is worth no less than
 *                independent draws
 *
 * Besides, a series of 8 values or more each of which stands there twice, or k times, holds its rows
 * k times: of independent draws that is rarer than 2^-8.
 *
 * Independent draws fail one of the three with chance 1/20 at most. That is often, but a short series
 * shows little: of 63 observations of an autoregressive series with coefficient 0.3 a test at 1/1000
 * sees one in five.
 */
#ifndef DIST_STATISTICS_FEW_H
#define DIST_STATISTICS_FEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FEW_LEAST = 8, FEW_MOST = 63 }; /* observations that are judged */

/* The series in the order it was made, FEW_LEAST to FEW_MOST long. About 10^6 steps. */
bool few_depend(const uint64_t *series, size_t count);

#endif
