/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two histograms at the edges that buckets of both have: there it is known of each observation on
 * which side it lies, so that two shares are compared and nothing is lost to the width of buckets.
 *
 * Fisher's exact test (1935): if both have one share above the edge, then of the K that are above it
 * the number that come from the first, given K, is hypergeometric, whatever the share. The chance
 * that so many or more come from it is a sum of terms; their rest is bounded by a geometric series,
 * and the floating-point error of the first is allowed for, so it is never too small.
 *
 * Example. Above 100 ms 2000 of 100 000 and 300 of 100 000: the chance is below 1e-300.
 */
#ifndef DIST_STATISTICS_COMMON_EDGES_H
#define DIST_STATISTICS_COMMON_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dist/source/sample.h"

enum { COMMON_EDGES_MOST = 64 };

struct common_edge {
  uint64_t ns;               /* above it are: */
  uint64_t a_above, b_above; /* of the samples' totals */
  double a_chance, b_chance; /* that at least so many of A (of B) are above it, if one share of both
                              * is */
};

struct common_edges {
  struct common_edge all[COMMON_EDGES_MOST]; /* rising */
  size_t count;
};

/* P(X >= k) where X of `marked` among first + second come from the first; at most 1. Numbers are at
 * most 2^40. */
double hypergeometric_from(uint64_t k, uint64_t first, uint64_t second, uint64_t marked);

/* false: the samples have no edge in common, or more than COMMON_EDGES_MOST. Worths as of
 * compare_samples (two_sample.h): counts are taken as shares of these, rounded so that a chance is
 * never too small. */
bool common_edges_find(struct common_edges *edges, const struct sample *a, uint64_t a_worth,
                       const struct sample *b, uint64_t b_worth);

#endif
