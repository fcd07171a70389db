/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/quantile.h"

/* ceil(numerator * total / denominator). With total = times * denominator + rest the product is
 * numerator * times * denominator + numerator * rest, of which neither part exceeds 64 bits. */
static uint64_t quantile_rank(uint64_t total, uint64_t numerator, uint64_t denominator) {
  uint64_t times = total / denominator, rest = total % denominator;
  return numerator * times + (numerator * rest + (denominator - 1)) / denominator;
}

uint64_t histogram_quantile_ns(const struct histogram *histogram, uint64_t numerator,
                               uint64_t denominator) {
  uint64_t rank = quantile_rank(histogram->total, numerator, denominator);
  uint64_t reached = 0;
  for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    reached += histogram->counts[i];
    if (rank <= reached)
      return histogram_upper_edge_ns(i);
  }
  return UINT64_MAX;
}
