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

size_t histogram_bucket(uint64_t value_ns) {
  if (value_ns == 0) {
    //@ assert first_edge: histogram_edge(0) == 0;
    return 0;
  }
  uint64_t below = value_ns - 1; /* (value_ns - 1) / 2^octave, rounded down */
  size_t octave = 0;
  //@ ghost uint64_t width = 1;
  /* Halving what is left of the octaves, and no loop over them: it would cost more than all the
   * rest of a recording. */
  if (below >= 65536 * (uint64_t)HISTOGRAM_SUB_BUCKETS) {
    //@ ghost histogram_power_steps(octave);
    //@ ghost histogram_divide(below, below / 65536, 65536, width);
    below /= 65536;
    octave += 16;
    //@ ghost width = 65536 * width;
  }
  //@ assert left_16: octave <= 16 && below < 65536 * HISTOGRAM_SUB_BUCKETS;
  //@ assert narrowed_16: histogram_narrowed(value_ns, below, octave, width);
  if (below >= 256 * HISTOGRAM_SUB_BUCKETS) {
    //@ ghost histogram_power_steps(octave);
    //@ ghost histogram_divide(below, below / 256, 256, width);
    below /= 256;
    octave += 8;
    //@ ghost width = 256 * width;
  }
  //@ assert left_8: octave <= 24 && below < 256 * HISTOGRAM_SUB_BUCKETS;
  //@ assert narrowed_8: histogram_narrowed(value_ns, below, octave, width);
  if (below >= 16 * HISTOGRAM_SUB_BUCKETS) {
    //@ ghost histogram_power_steps(octave);
    //@ ghost histogram_divide(below, below / 16, 16, width);
    below /= 16;
    octave += 4;
    //@ ghost width = 16 * width;
  }
  //@ assert left_4: octave <= 28 && below < 16 * HISTOGRAM_SUB_BUCKETS;
  //@ assert narrowed_4: histogram_narrowed(value_ns, below, octave, width);
  if (below >= 4 * HISTOGRAM_SUB_BUCKETS) {
    //@ ghost histogram_power_steps(octave);
    //@ ghost histogram_divide(below, below / 4, 4, width);
    below /= 4;
    octave += 2;
    //@ ghost width = 4 * width;
  }
  //@ assert left_2: octave <= 30 && below < 4 * HISTOGRAM_SUB_BUCKETS;
  //@ assert narrowed_2: histogram_narrowed(value_ns, below, octave, width);
  if (below >= 2 * HISTOGRAM_SUB_BUCKETS) {
    //@ ghost histogram_power_steps(octave);
    //@ ghost histogram_divide(below, below / 2, 2, width);
    below /= 2;
    octave += 1;
    //@ ghost width = 2 * width;
  }
  //@ assert left_1: octave <= 31 && below < 2 * HISTOGRAM_SUB_BUCKETS;
  //@ assert narrowed_1: histogram_narrowed(value_ns, below, octave, width);
  size_t bucket = HISTOGRAM_SUB_BUCKETS * octave + (size_t)below + 1;
  //@ ghost histogram_powers_bounded();
  //@ ghost histogram_edges(bucket, octave, below + 1, width);
  //@ assert exact: octave == 0 ==> (below + 1) * width == value_ns;
  /*@ assert narrow: 0 < octave ==>
        HISTOGRAM_SUB_BUCKETS * ((below + 1) * width - value_ns) <= value_ns; */
  return bucket;
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
