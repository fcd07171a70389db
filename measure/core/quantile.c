/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/quantile.h"
#include "proofs/logic/quantile_lemmas.acsl"

/* numerator * total / denominator, rounded up. With total = times * denominator + rest the product
 * is numerator * times * denominator + numerator * rest, of which neither part exceeds 64 bits. */
/*@ requires denominator_range: 1 <= denominator <= QUANTILE_DENOMINATOR_MAX;
    requires numerator_range: numerator <= denominator;
    assigns \nothing;
    ensures reaches: numerator * total <= denominator * \result;
    ensures rounded_up: denominator * \result < numerator * total + denominator;
*/
static uint64_t quantile_rank(uint64_t total, uint64_t numerator, uint64_t denominator) {
  uint64_t times = total / denominator, rest = total % denominator;
  //@ assert divided: total == times * denominator + rest && rest < denominator;
  //@ ghost quantile_scale(numerator, denominator, times);
  //@ ghost quantile_scale(numerator, denominator, rest);
  //@ ghost quantile_scale(rest, denominator, denominator);
  //@ ghost quantile_scale(denominator, QUANTILE_DENOMINATOR_MAX, denominator);
  /*@ assert small: numerator * rest <= denominator * rest <=
        QUANTILE_DENOMINATOR_MAX * denominator; */
  uint64_t rounded = (numerator * rest + (denominator - 1)) / denominator;
  //@ assert quotient: denominator * rounded <= numerator * rest + (denominator - 1);
  //@ ghost if (rounded > rest) quantile_scale(rest + 1, rounded, denominator);
  //@ assert within_rest: rounded <= rest;
  //@ ghost quantile_scale(1, denominator, times);
  //@ assert fits: numerator * times + rounded <= total;
  return numerator * times + rounded;
}

uint64_t histogram_quantile_ns(const struct histogram *histogram, uint64_t numerator,
                               uint64_t denominator) {
  uint64_t rank = quantile_rank(histogram->total, numerator, denominator);
  uint64_t reached = 0;
  //@ ghost quantile_sums_grow(histogram);
  /*@ loop invariant range: 0 <= i <= HISTOGRAM_BUCKETS;
      loop invariant sum: reached == histogram_sum(&histogram->counts[0], i);
      loop invariant not_yet: 0 < i ==> reached < rank;
      loop assigns i, reached;
      loop variant HISTOGRAM_BUCKETS - i;
  */
  for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    //@ assert bounded: histogram_sum(&histogram->counts[0], i + 1) <= histogram->total;
    //@ assert next: histogram_sum(&histogram->counts[0], i + 1) == reached + histogram->counts[i];
    //@ ghost uint64_t before = reached;
    reached += histogram->counts[i];
    if (rank <= reached) {
      //@ ghost quantile_scale(rank, reached, denominator);
      //@ ghost if (i > 0) quantile_scale(before + 1, rank, denominator);
      //@ assert in: quantile_in(histogram, numerator, denominator, i);
      return histogram_upper_edge_ns(i);
    }
  }
  //@ ghost quantile_scale(reached + 1, rank, denominator);
  return UINT64_MAX;
}
