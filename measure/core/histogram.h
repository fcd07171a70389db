/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A log-linear histogram of latencies in nanoseconds, proved with Frama-C/WP (`make prove`).
 *
 * Representation: B = HISTOGRAM_SUB_BUCKETS buckets an octave, the shape of HdrHistogram. Octave 0
 * has one bucket for each of the values 0..2B; octave o >= 1 has B buckets of width 2^o that cover
 * (B 2^o, 2B 2^o]. A bucket holds the values above the edge of the bucket below and up to its own
 * upper edge, which is included: reporting the upper edge never reports less than what was
 * recorded, and at most 1/B of it more. The edges are the grid of dist/, so that importing a
 * histogram rounds nothing.
 *
 * Invariant: total = sum of counts + saturated (histogram_conserved). Values above
 * HISTOGRAM_VALUE_MAX_NS are counted in `saturated`, never dropped.
 *
 * The caller provides the storage (270 KB) and keeps it. Nothing here allocates, locks, does I/O or
 * calls the system; one writer at a time. A function that cannot keep its promise refuses: it
 * returns 0 and changes nothing.
 */
#ifndef MEASURE_CORE_HISTOGRAM_H
#define MEASURE_CORE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_SUB_BUCKETS 1024
#define HISTOGRAM_OCTAVES 32

/* Buckets 0..2B of octave 0, then B for each other octave. */
#define HISTOGRAM_BUCKETS 33793

/* 2B * 2^(HISTOGRAM_OCTAVES - 1) ns, 73 minutes: the last upper edge. */
#define HISTOGRAM_VALUE_MAX_NS 4398046511104

struct histogram {
  uint64_t counts[HISTOGRAM_BUCKETS];
  uint64_t saturated; /* values above HISTOGRAM_VALUE_MAX_NS */
  uint64_t total;     /* all values recorded, saturated ones included */
};

#include "proofs/logic/histogram.acsl"

/* Makes `histogram` empty; it may hold anything before. */
/*@ requires storage: \valid(histogram);
    assigns histogram->counts[0 .. HISTOGRAM_BUCKETS - 1], histogram->saturated, histogram->total;
    ensures empty_counts:
      \forall integer i; 0 <= i < HISTOGRAM_BUCKETS ==> histogram->counts[i] == 0;
    ensures empty_total: histogram->total == 0 && histogram->saturated == 0;
    ensures conserved: histogram_conserved(histogram);
*/
void histogram_init(struct histogram *histogram);

/* The bucket of a value of at most HISTOGRAM_VALUE_MAX_NS. */
/*@ requires in_range: value_ns <= HISTOGRAM_VALUE_MAX_NS;
    assigns \nothing;
    ensures bucket_exists: 0 <= \result < HISTOGRAM_BUCKETS;
    ensures at_most_upper_edge: value_ns <= histogram_edge(\result);
    ensures above_edge_below: 0 < \result ==> histogram_edge(\result - 1) < value_ns;
    ensures relative_width:
      HISTOGRAM_SUB_BUCKETS * (histogram_edge(\result) - value_ns) <= value_ns;
*/
size_t histogram_bucket(uint64_t value_ns);

/* The upper edge of a bucket, the largest value in it. Edges increase strictly. */
/*@ requires bucket_exists: bucket < HISTOGRAM_BUCKETS;
    assigns \nothing;
    ensures upper_edge: \result == histogram_edge(bucket);
    ensures in_range: \result <= HISTOGRAM_VALUE_MAX_NS;
    ensures increasing: 0 < bucket ==> histogram_edge(bucket - 1) < \result;
    ensures relative_width: 0 < bucket ==>
      HISTOGRAM_SUB_BUCKETS * (\result - histogram_edge(bucket - 1) - 1)
        <= histogram_edge(bucket - 1) + 1;
*/
uint64_t histogram_upper_edge_ns(size_t bucket);

/* Counts one value. Returns 0, with nothing changed, when 2^64 - 1 values are recorded already. */
/*@ requires storage: \valid(histogram);
    requires conserved: histogram_conserved(histogram);
    assigns histogram->counts[0 .. HISTOGRAM_BUCKETS - 1], histogram->saturated, histogram->total;
    ensures conserved: histogram_conserved(histogram);
    behavior full:
      assumes histogram->total == UINT64_MAX;
      assigns \nothing;
      ensures refused: \result == 0;
    behavior counted:
      assumes histogram->total < UINT64_MAX && value_ns <= HISTOGRAM_VALUE_MAX_NS;
      assigns histogram->counts[0 .. HISTOGRAM_BUCKETS - 1], histogram->total;
      ensures accepted: \result == 1;
      ensures one_more: histogram->total == \old(histogram->total) + 1;
      ensures in_its_bucket: \exists integer i; 0 <= i < HISTOGRAM_BUCKETS &&
        histogram_holds(i, value_ns) &&
        histogram->counts[i] == \old(histogram->counts[i]) + 1 &&
        \forall integer j; 0 <= j < HISTOGRAM_BUCKETS && j != i ==>
          histogram->counts[j] == \old(histogram->counts[j]);
    behavior saturated:
      assumes histogram->total < UINT64_MAX && value_ns > HISTOGRAM_VALUE_MAX_NS;
      assigns histogram->saturated, histogram->total;
      ensures accepted: \result == 1;
      ensures one_more: histogram->total == \old(histogram->total) + 1;
      ensures one_more_saturated: histogram->saturated == \old(histogram->saturated) + 1;
    complete behaviors;
    disjoint behaviors;
*/
int histogram_record(struct histogram *histogram, uint64_t value_ns);

/* Adds the counts of `source`, another histogram. Returns 0, with nothing changed, when the two
 * together hold 2^64 values or more. */
/*@ requires storage: \valid(histogram) && \valid_read(source);
    requires distinct: \separated(histogram, source);
    requires conserved: histogram_conserved(histogram);
    requires source_conserved: histogram_conserved(source);
    assigns histogram->counts[0 .. HISTOGRAM_BUCKETS - 1], histogram->saturated, histogram->total;
    ensures conserved: histogram_conserved(histogram);
    ensures source_conserved: histogram_conserved(source);
    behavior full:
      assumes histogram->total + source->total > UINT64_MAX;
      assigns \nothing;
      ensures refused: \result == 0;
    behavior merged:
      assumes histogram->total + source->total <= UINT64_MAX;
      assigns histogram->counts[0 .. HISTOGRAM_BUCKETS - 1], histogram->saturated,
        histogram->total;
      ensures accepted: \result == 1;
      ensures counts_added: \forall integer i; 0 <= i < HISTOGRAM_BUCKETS ==>
        histogram->counts[i] == \old(histogram->counts[i]) + source->counts[i];
      ensures saturated_added:
        histogram->saturated == \old(histogram->saturated) + source->saturated;
      ensures total_added: histogram->total == \old(histogram->total) + source->total;
    complete behaviors;
    disjoint behaviors;
*/
int histogram_merge(struct histogram *histogram, const struct histogram *source);

/* The number of values recorded, saturated ones included. */
/*@ requires storage: \valid_read(histogram);
    requires conserved: histogram_conserved(histogram);
    assigns \nothing;
    ensures all_recorded: \result ==
      histogram_sum(&histogram->counts[0], HISTOGRAM_BUCKETS) + histogram->saturated;
*/
uint64_t histogram_total(const struct histogram *histogram);

#endif
