/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Percentiles of counted values, rounded outward. Proved.
 */
#ifndef MEASURE_CORE_QUANTILE_H
#define MEASURE_CORE_QUANTILE_H

#include "measure/core/histogram.h"

/* The least bucket edge e such that at least ceil(numerator / denominator * total) values are at
 * most e; UINT64_MAX when that many are only reached among the saturated. 0 < denominator <= 2^20,
 * numerator <= denominator; with total 0 the result is 0. */
uint64_t histogram_quantile_ns(const struct histogram *histogram, uint64_t numerator,
                               uint64_t denominator);

#endif
