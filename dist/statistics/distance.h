/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far a predicted law is from an observed one: the difference of the shares at or below x,
 * taken at the values that either sample has and nowhere else. (Taken over a grid of x, as
 * published, the difference is whatever the grid makes of it: beyond both samples it is 0 for
 * free.)
 */
#ifndef DIST_STATISTICS_DISTANCE_H
#define DIST_STATISTICS_DISTANCE_H

#include "dist/source/sample.h"

struct distance {
  double largest; /* Kolmogorov and Smirnov's */
  uint64_t at_ns; /* where that is */
  double median;  /* over the observations of both, each sample with half of the weight */
};

/* Both are valid and not empty. What lies beyond is a value above all others. */
struct distance distance_of(const struct sample *a, const struct sample *b);

#endif
