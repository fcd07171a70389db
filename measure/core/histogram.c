/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/histogram.h"
#include "proofs/logic/histogram_lemmas.acsl"

void histogram_init(struct histogram *histogram) {
  /*@ loop invariant range: 0 <= i <= HISTOGRAM_BUCKETS;
      loop invariant cleared: \forall integer j; 0 <= j < i ==> histogram->counts[j] == 0;
      loop assigns i, histogram->counts[0 .. HISTOGRAM_BUCKETS - 1];
      loop variant HISTOGRAM_BUCKETS - i;
  */
  for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
    histogram->counts[i] = 0;
  histogram->saturated = 0;
  histogram->total = 0;
  /*@ ghost
    /@ loop invariant range: 0 <= k <= HISTOGRAM_BUCKETS;
       loop invariant sum_zero: histogram_sum(&histogram->counts[0], k) == 0;
       loop assigns k;
       loop variant HISTOGRAM_BUCKETS - k;
    @/
    for (int k = 0; k < HISTOGRAM_BUCKETS; k++)
      ;
  */
}

/* The bucket of below + 1, found by skipping as many octaves as fit, then half as many, and so on:
 * a loop over octaves would cost more than all the rest of a recording. Buckets repeat: beyond
 * octave 0, k octaves up is HISTOGRAM_SUB_BUCKETS * k buckets on, with all edges times 2^k. */
/*@ requires in_range: below < 4 * HISTOGRAM_SUB_BUCKETS;
    assigns \nothing;
    ensures bucket: histogram_bucket_of(\result, below);
    ensures bucket_exists: \result <= 3 * HISTOGRAM_SUB_BUCKETS;
*/
static inline size_t histogram_skip_1(uint64_t below) {
  size_t skipped = 0;
  if (below >= 2 * HISTOGRAM_SUB_BUCKETS) {
    below /= 2;
    skipped = 1 * HISTOGRAM_SUB_BUCKETS;
  }
  size_t bucket = (size_t)below + 1;
  //@ assert found: histogram_bucket_of(bucket, below);
  //@ ghost if (skipped > 0) histogram_edges_1_up(bucket);
  //@ ghost if (skipped > 0) histogram_edges_1_up(bucket - 1);
  return skipped + bucket;
}

/*@ requires in_range: below < 16 * HISTOGRAM_SUB_BUCKETS;
    assigns \nothing;
    ensures bucket: histogram_bucket_of(\result, below);
    ensures bucket_exists: \result <= 5 * HISTOGRAM_SUB_BUCKETS;
*/
static inline size_t histogram_skip_2(uint64_t below) {
  size_t skipped = 0;
  if (below >= 4 * HISTOGRAM_SUB_BUCKETS) {
    below /= 4;
    skipped = 2 * HISTOGRAM_SUB_BUCKETS;
  }
  size_t bucket = histogram_skip_1(below);
  //@ assert found: histogram_bucket_of(bucket, below);
  //@ ghost if (skipped > 0) histogram_edges_2_up(bucket);
  //@ ghost if (skipped > 0) histogram_edges_2_up(bucket - 1);
  return skipped + bucket;
}

/*@ requires in_range: below < 256 * HISTOGRAM_SUB_BUCKETS;
    assigns \nothing;
    ensures bucket: histogram_bucket_of(\result, below);
    ensures bucket_exists: \result <= 9 * HISTOGRAM_SUB_BUCKETS;
*/
static inline size_t histogram_skip_4(uint64_t below) {
  size_t skipped = 0;
  if (below >= 16 * HISTOGRAM_SUB_BUCKETS) {
    below /= 16;
    skipped = 4 * HISTOGRAM_SUB_BUCKETS;
  }
  size_t bucket = histogram_skip_2(below);
  //@ assert found: histogram_bucket_of(bucket, below);
  //@ ghost if (skipped > 0) histogram_edges_4_up(bucket);
  //@ ghost if (skipped > 0) histogram_edges_4_up(bucket - 1);
  return skipped + bucket;
}

/*@ requires in_range: below < 65536 * HISTOGRAM_SUB_BUCKETS;
    assigns \nothing;
    ensures bucket: histogram_bucket_of(\result, below);
    ensures bucket_exists: \result <= 17 * HISTOGRAM_SUB_BUCKETS;
*/
static inline size_t histogram_skip_8(uint64_t below) {
  size_t skipped = 0;
  if (below >= 256 * HISTOGRAM_SUB_BUCKETS) {
    below /= 256;
    skipped = 8 * HISTOGRAM_SUB_BUCKETS;
  }
  size_t bucket = histogram_skip_4(below);
  //@ assert found: histogram_bucket_of(bucket, below);
  //@ ghost if (skipped > 0) histogram_edges_8_up(bucket);
  //@ ghost if (skipped > 0) histogram_edges_8_up(bucket - 1);
  return skipped + bucket;
}

/*@ requires in_range: below < 4294967296 * HISTOGRAM_SUB_BUCKETS;
    assigns \nothing;
    ensures bucket: histogram_bucket_of(\result, below);
    ensures bucket_exists: \result <= 33 * HISTOGRAM_SUB_BUCKETS;
*/
static inline size_t histogram_skip_16(uint64_t below) {
  size_t skipped = 0;
  if (below >= 65536 * (uint64_t)HISTOGRAM_SUB_BUCKETS) {
    below /= 65536;
    skipped = 16 * HISTOGRAM_SUB_BUCKETS;
  }
  size_t bucket = histogram_skip_8(below);
  //@ assert found: histogram_bucket_of(bucket, below);
  //@ ghost if (skipped > 0) histogram_edges_16_up(bucket);
  //@ ghost if (skipped > 0) histogram_edges_16_up(bucket - 1);
  return skipped + bucket;
}

size_t histogram_bucket(uint64_t value_ns) {
  if (value_ns == 0)
    return 0;
  return histogram_skip_16(value_ns - 1);
}

uint64_t histogram_upper_edge_ns(size_t bucket) {
  size_t octave =
      bucket <= 2 * HISTOGRAM_SUB_BUCKETS ? 0 : (bucket - 1) / HISTOGRAM_SUB_BUCKETS - 1;
  size_t steps = bucket - HISTOGRAM_SUB_BUCKETS * octave;
  uint64_t edge = steps;
  //@ ghost uint64_t width = 1;
  //@ ghost histogram_powers_bounded();
  //@ assert octave_range: 0 <= octave < HISTOGRAM_OCTAVES;
  //@ assert at_most_full: steps <= 2 * HISTOGRAM_SUB_BUCKETS;
  //@ assert upper_half: 0 < octave ==> HISTOGRAM_SUB_BUCKETS < steps;
  /*@ loop invariant range: 0 <= i <= octave;
      loop invariant width_is_power: width == histogram_power(i);
      loop invariant doubled: edge == steps * width;
      loop assigns i, edge, width;
      loop variant octave - i;
  */
  for (size_t i = 0; i < octave; i++) {
    edge = 2 * edge;
    //@ ghost width = 2 * width;
  }
  //@ ghost histogram_edges(bucket, octave, steps, width);
  //@ ghost histogram_scale(steps, 2 * HISTOGRAM_SUB_BUCKETS, width);
  return edge;
}

uint64_t histogram_total(const struct histogram *histogram) {
  return histogram->total;
}

int histogram_record(struct histogram *histogram, uint64_t value_ns) {
  if (histogram->total == UINT64_MAX)
    return 0;
  //@ ghost histogram_counts_bounded(histogram);
  if (value_ns > HISTOGRAM_VALUE_MAX_NS) {
    histogram->saturated++;
    histogram->total++;
    /*@ ghost
      /@ loop invariant range: 0 <= k <= HISTOGRAM_BUCKETS;
         loop invariant sum_kept: histogram_sum(&histogram->counts[0], k) ==
           histogram_sum{Pre}(&histogram->counts[0], k);
         loop assigns k;
         loop variant HISTOGRAM_BUCKETS - k;
      @/
      for (int k = 0; k < HISTOGRAM_BUCKETS; k++)
        ;
    */
    return 1;
  }
  size_t bucket = histogram_bucket(value_ns);
  histogram->counts[bucket]++;
  histogram->total++;
  /*@ ghost
    /@ loop invariant range: 0 <= k <= HISTOGRAM_BUCKETS;
       loop invariant sum_one_more: histogram_sum(&histogram->counts[0], k) ==
         histogram_sum{Pre}(&histogram->counts[0], k) + (bucket < k ? 1 : 0);
       loop assigns k;
       loop variant HISTOGRAM_BUCKETS - k;
    @/
    for (int k = 0; k < HISTOGRAM_BUCKETS; k++)
      ;
  */
  return 1;
}

int histogram_merge(struct histogram *histogram, const struct histogram *source) {
  if (source->total > UINT64_MAX - histogram->total)
    return 0;
  //@ ghost histogram_counts_bounded(histogram);
  //@ ghost histogram_counts_bounded(source);
  /*@ loop invariant range: 0 <= i <= HISTOGRAM_BUCKETS;
      loop invariant added: \forall integer j; 0 <= j < i ==>
        histogram->counts[j] == \at(histogram->counts[j], Pre) + source->counts[j];
      loop invariant not_yet: \forall integer j; i <= j < HISTOGRAM_BUCKETS ==>
        histogram->counts[j] == \at(histogram->counts[j], Pre);
      loop assigns i, histogram->counts[0 .. HISTOGRAM_BUCKETS - 1];
      loop variant HISTOGRAM_BUCKETS - i;
  */
  for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
    histogram->counts[i] += source->counts[i];
  histogram->saturated += source->saturated;
  histogram->total += source->total;
  /*@ ghost
    /@ loop invariant range: 0 <= k <= HISTOGRAM_BUCKETS;
       loop invariant sum_added: histogram_sum(&histogram->counts[0], k) ==
         histogram_sum{Pre}(&histogram->counts[0], k) +
         histogram_sum{Pre}(&source->counts[0], k);
       loop invariant source_sum_kept: histogram_sum(&source->counts[0], k) ==
         histogram_sum{Pre}(&source->counts[0], k);
       loop assigns k;
       loop variant HISTOGRAM_BUCKETS - k;
    @/
    for (int k = 0; k < HISTOGRAM_BUCKETS; k++)
      ;
  */
  return 1;
}
