/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of two series tends to be slower, by ranks: P(b > a) + P(b = a) / 2 for one observation of
 * each, 1/2 when neither does. The test of Brunner and Munzel (Biometrical Journal 42, 2000): that
 * of Mann and Whitney with ties, and without its assumption that the laws have one shape.
 *
 * Its variance comes from the placements: for each a_i the share of b above it, ties half, and the
 * same for each b_j. Independent placements have their own variance; of series that depend on their
 * neighbours it is multiplied by the inflation of the placements (serial.h). Student's t has the
 * degrees of freedom of Satterthwaite, of the number that the observations are worth.
 *
 * What has no order (a histogram) is taken as independent draws; its observations come by value,
 * with how many there are of each.
 *
 * Asymptotic: at a level of 1 % it holds from about 20 observations each; below nothing is said.
 * A difference that leaves P at 1/2, e.g. in spread alone, is not seen.
 */
#ifndef DIST_STATISTICS_RANK_TEST_H
#define DIST_STATISTICS_RANK_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dist/statistics/serial.h"

enum { RANK_TEST_LEAST = 20 }; /* observations of each */

enum rank_verdict {
  RANK_UNDECIDED, /* the interval holds 1/2, or there are too few */
  RANK_A_SLOWER,
  RANK_B_SLOWER,
  RANK_CANNOT_TELL, /* a series drifts, or depends on its past for too long: the numbers are a
                     * description of these observations */
};

struct rank_test {
  enum rank_verdict verdict;
  double b_greater;   /* P(b > a) + P(b = a) / 2 among the observations */
  double least, most; /* two-sided confidence interval of it, within 0 and 1 */
  struct serial a, b; /* of the placements, and settled only if the medians are; without an
                       * order only the inflation */
};

/* One of the two; of the caller. */
struct rank_series {
  const uint64_t *values; /* in the order they were made, unless counts */
  const uint64_t *counts; /* how many of each value; NULL: one, and the order means something */
  size_t count;           /* of values, >= 1 */
  double worth;           /* with counts: independent draws that all are worth, >= 1 and at most
                           * their number */
};

/* 0 < alpha < 1, of both sides together. */
struct rank_test rank_test_of(const struct rank_series *a, const struct rank_series *b,
                              double alpha);

/* Values in the order they were made; na, nb >= 1. */
struct rank_test rank_test(const uint64_t *a, size_t na, const uint64_t *b, size_t nb,
                           double alpha);

#endif
