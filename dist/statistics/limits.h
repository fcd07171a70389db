/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Point-wise confidence limits of a quantile, by order statistics, free of any assumption on the
 * law. The greatest of 459 independent draws is an upper limit of p99 at 99 %: with chance
 * 0.99^459 < 1/100 none of them reaches it.
 *
 * If at most k of n independent draws exceed x, and P(Binomial(n, 1 - share) <= k) <= alpha, then
 * the quantile at `share` exceeds x with chance at most alpha (Clopper and Pearson 1934; David and
 * Nagaraja, Order Statistics, 2003, 7.1); from below with at least k and P(... >= k). The binomial
 * chances are certified (certify.h), 1 - share rounded to the safe side.
 *
 * `worth` is the number of independent draws that the sample is worth (serial.h), and its shares
 * are taken of that number. Where it is less than sample->real, counts are no whole numbers, and
 * the beta law stands in for the binomial one as it does for surveys (Korn and Graubard, Survey
 * Methodology 24, 1998). Its value is certified too (certify_beta.h); that the sample is worth so
 * much is an estimate. The worth may exceed sample->real: then the limit is a prediction for that
 * many draws with these shares. Alpha is in units of SURVIVAL_ONE. Samples are valid and not
 * empty.
 */
#ifndef DIST_STATISTICS_LIMITS_H
#define DIST_STATISTICS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rational.h"
#include "dist/source/sample.h"

/* The least upper edge that the quantile at `share`, 0 <= share <= 1, exceeds with chance at most
 * alpha; false, with *ns unchanged: infinite. worth >= 1. With alpha 0 the sample is the whole
 * truth: its own quantile, exactly. Takes up to `worth` steps; more than 2^24 count as 2^24. */
bool limit_upper(uint64_t *ns, const struct sample *sample, const struct rational *share,
                 uint64_t worth, uint64_t alpha);

/* The greatest lower edge that the quantile is below with chance at most alpha; 0 at worst. */
uint64_t limit_lower(const struct sample *sample, const struct rational *share, uint64_t worth,
                     uint64_t alpha);

/* The least number of independent draws with which limit_upper can be finite; 0: no number (share
 * 1, or alpha 0). */
uint64_t limit_needed(const struct rational *share, uint64_t alpha);

/* The same for draws with the shares of this sample, some of which may never have ended. */
uint64_t limit_needed_of(const struct sample *sample, const struct rational *share, uint64_t alpha);

#endif
