/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of two small sets of observations is the slower, by ranks, exactly: if all are independent
 * draws of one law, each choice of which of them are B's has the same chance, ties or not. So the
 * chance of a sum of B's ranks at least so large is counted, not approximated (Wilcoxon, Biometrics
 * Bulletin 1, 1945; Mann and Whitney, Annals of Mathematical Statistics 18, 1947; with ties Lehmann,
 * Nonparametrics, 1975, 1.4). Ten against ten decide at 1 % where hardly any of B is below one of A.
 *
 * Where B's law is that of A times a factor, the factor lies between two of the ratios of an
 * observation of B to one of A (Hodges and Lehmann, Annals of Mathematical Statistics 34, 1963, of
 * logarithms). That is the model of those who print "1.07 times slower"; the chances need none.
 */
#ifndef DIST_STATISTICS_RANK_EXACT_H
#define DIST_STATISTICS_RANK_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  RANK_EXACT_FEW = 19,  /* the smaller set has at most so many */
  RANK_EXACT_ALL = 120, /* and both together */
};

/* Observations lie between two edges, by observation; upper edges below SAMPLE_NS_MAX unless they
 * never ended. Of the caller. */
struct rank_exact_set {
  const uint64_t *lower, *upper;
  size_t count; /* >= 1 */
};

/* Chances, under one law, of ranks at least as far apart: with each observation at the edge that
 * speaks against it. */
struct rank_exact {
  double b_slower, a_slower;
  double factor_least, factor_most; /* B over A, both with chance 1 - alpha; 0 to INFINITY */
};

bool rank_exact_can(size_t a, size_t b);

/* 0 < alpha < 1, of both ends of the factor together. About 10^7 steps at most. */
struct rank_exact rank_exact(const struct rank_exact_set *a, const struct rank_exact_set *b,
                             double alpha);

#endif
