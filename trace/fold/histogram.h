/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Durations counted in bins that do not depend on what was counted, so that histograms add up to
 * the same whatever the order: the log-linear bins of measure/core/histogram.h, for any duration.
 * With 2^bits bins a doubling, a bin's upper edge is at most 1/2^bits above what is in it.
 */
#ifndef TRACE_FOLD_HISTOGRAM_H
#define TRACE_FOLD_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FOLD_OCTAVES = 64 };

/* Owns its octaves; each is made when something falls into it. */
struct fold_histogram {
  unsigned bits;                   /* 1 .. 16 */
  uint64_t *octaves[FOLD_OCTAVES]; /* [0] has 2 * 2^bits + 1 counts, the others 2^bits; or NULL */
};

void fold_histogram_init(struct fold_histogram *histogram, unsigned bits);
void fold_histogram_clear(struct fold_histogram *histogram);

/* 0 <= value. False, with nothing changed, when a count would pass 2^64 - 1. */
bool fold_histogram_add(struct fold_histogram *histogram, int64_t value, uint64_t count);

/* Adds what the other, of as many bits, has counted. */
bool fold_histogram_merge(struct fold_histogram *histogram, const struct fold_histogram *other);

struct fold_bin {
  size_t octave, index; /* where the next search begins; 0, 0 at first */
  int64_t lower, upper; /* the durations in it, both included */
  uint64_t count;       /* > 0 */
};

/* The next bin with anything in it, in rising order; *bin is {0} at first. */
bool fold_histogram_next(struct fold_bin *bin, const struct fold_histogram *histogram);

#endif
