/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Percentiles of counted values, rounded outward. Proved.
 */
#ifndef MEASURE_CORE_QUANTILE_H
#define MEASURE_CORE_QUANTILE_H

#include "measure/core/histogram.h"

#define QUANTILE_DENOMINATOR_MAX 1048576 /* 2^20 */

#include "proofs/logic/quantile.acsl"

/* The least bucket edge e such that at least numerator / denominator * total values are at most e;
 * UINT64_MAX when that many are only reached among the saturated. 0 < denominator <=
 * QUANTILE_DENOMINATOR_MAX, numerator <= denominator; with total 0 the result is 0. */
/*@ requires storage: \valid_read(histogram);
    requires conserved: histogram_conserved(histogram);
    requires denominator_range: 1 <= denominator <= QUANTILE_DENOMINATOR_MAX;
    requires numerator_range: numerator <= denominator;
    assigns \nothing;
    ensures least_edge: \result != UINT64_MAX ==> \exists integer i; 0 <= i < HISTOGRAM_BUCKETS &&
      quantile_in(histogram, numerator, denominator, i) && \result == histogram_edge(i);
    ensures among_saturated: \result == UINT64_MAX ==>
      denominator * histogram_sum(&histogram->counts[0], HISTOGRAM_BUCKETS) <
        numerator * histogram->total;
    ensures in_range: \result <= HISTOGRAM_VALUE_MAX_NS || \result == UINT64_MAX;
*/
uint64_t histogram_quantile_ns(const struct histogram *histogram, uint64_t numerator,
                               uint64_t denominator);

#endif
