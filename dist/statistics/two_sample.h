/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two samples held against each other, with no assumption on their laws but that the observations
 * of each are independent draws of one law.
 *
 * Each sample has a band above and one below (confidence.h), each with a quarter of alpha; with
 * chance at least 1 - alpha all four hold, and then everything said here holds at once: at every
 * percentile asked for, and about every point. So "slower" here is a finding at significance alpha,
 * however many percentiles were looked at. Being undecided says nothing.
 *
 * Observations count at both edges of their bin, whichever is on the safe side.
 */
#ifndef DIST_STATISTICS_TWO_SAMPLE_H
#define DIST_STATISTICS_TWO_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "dist/source/sample.h"
#include "dist/statistics/band.h"

/* A place where one law certainly exceeds the other: P(slower >= at_ns) >= slower_least, which is
 * more than P(faster >= at_ns) <= faster_most. The place of the largest such gap; probabilities in
 * units of 10^-18. */
struct two_sample_gap {
  bool found;
  uint64_t at_ns;
  uint64_t slower_least, faster_most;
};

struct two_sample {
  struct two_sample_gap a_slower, b_slower; /* both may be found: then the laws cross */
  const struct sample *a, *b;               /* of the caller; they must outlive this */
  struct band a_upper, a_lower, b_upper, b_lower;
};

enum two_sample_verdict { TWO_SAMPLE_UNDECIDED, TWO_SAMPLE_A_SLOWER, TWO_SAMPLE_B_SLOWER };

struct quantile_range {
  uint64_t lower_ns,
      upper_ns; /* the true quantile lies in between; upper SAMPLE_NS_MAX: infinite */
};

struct two_sample_quantile {
  struct quantile_range a, b;
  enum two_sample_verdict verdict; /* slower: the ranges do not overlap */
  double ratio_least, ratio_most;  /* b's quantile over a's, widened by floating-point error; most
                                      may be INFINITY, and 0 / 0 is 0 to INFINITY */
};

/* Both samples are valid and have real observations; 0 < alpha < 10^18. The worths are the numbers
 * of independent draws that they are worth (serial.h), 1 to their real observations. Owns nothing.
 */
void compare_samples(struct two_sample *two, const struct sample *a, uint64_t a_worth,
                     const struct sample *b, uint64_t b_worth, uint64_t alpha);

/* At the quantile where the tail is `tail` (survival_tail_of rounds it down; either way will do).
 */
struct two_sample_quantile compare_quantile(const struct two_sample *two, uint64_t tail);

/* How much P(b > x) can exceed P(a > x) at most, at whichever x, in units of 10^-18: a small number
 * is evidence that b is not slower, which no test of significance gives. */
uint64_t compare_worst(const struct two_sample *two);

#endif
