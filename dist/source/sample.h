/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A measured sample: how many observations fell at or below each of a rising list of edges. Bin i
 * holds observations in [lower, upper] of the bin; they are also above the upper edge of bin i-1
 * when the format says so, but nothing relies on that. Nanoseconds.
 *
 * Use: sample_init, any number of sample_add* in any order, sample_finish; then the queries. After
 * sample_finish sample_is_valid holds unless nothing was added. The sample owns its bins, and its
 * series, until sample_clear.
 */
#ifndef DIST_SOURCE_SAMPLE_H
#define DIST_SOURCE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/evidence.h"
#include "base/rational.h"

/* The largest edge, and the largest number of observations: both fit an int64_t. */
#define SAMPLE_NS_MAX ((uint64_t)INT64_MAX)
#define SAMPLE_TOTAL_MAX ((uint64_t)INT64_MAX)

struct sample_bin {
  uint64_t lower_ns, upper_ns; /* lower_ns <= upper_ns */
  uint64_t count;
};

/* The same observations counted in windows of time, one after the other: what the order was worth,
 * of counters that were looked at again and again. Of nearly all of them: what came after the last
 * look is in none. */
struct sample_windows {
  size_t count, edge_count;
  uint64_t *edges_ns; /* rising, each an upper edge of a bin */
  uint64_t *totals;   /* of each window */
  uint64_t *within;   /* [window * edge_count + edge]: at most the edge */
};

enum { SAMPLE_WINDOWS_LEAST = 16 }; /* that show an order */

struct sample {
  struct sample_bin *bins; /* owned; strictly increasing upper_ns, counts > 0, once finished */
  size_t count;
  uint64_t beyond; /* observations only known to exceed everything: dropped, saturated, timed out */
  uint64_t beyond_least_ns; /* all of those are at least this; 0: not known */
  uint64_t total;           /* sum of counts + beyond */
  uint64_t real;            /* really recorded observations, <= total; what confidence rests on */
  size_t capacity;          /* of bins */
  /* The observations in the order they were made, where the file has it and there are not too many;
   * otherwise empty: the upper edges, and the lower ones. SAMPLE_NS_MAX is one beyond. */
  uint64_t *series, *series_lower;
  size_t series_count, series_capacity;
  struct sample_windows *windows; /* owned; NULL: none */
  struct evidence evidence; /* what is known of them besides; its order is NULL where the series has
                             * it, or nobody knows it */
};

/* The longest series kept. A longer sample has none. */
#define SAMPLE_SERIES_MAX ((size_t)1 << 22)

void sample_init(struct sample *sample);
void sample_clear(struct sample *sample);

/* `count` observations of at most `upper_ns` (<= SAMPLE_NS_MAX), all of them real. false, with the
 * sample unchanged, when the total would pass SAMPLE_TOTAL_MAX. A count of 0 adds nothing. */
bool sample_add(struct sample *sample, uint64_t upper_ns, uint64_t count);

/* The same of observations known to be at least lower_ns <= upper_ns; sample_add knows of 0 only.
 */
bool sample_add_range(struct sample *sample, uint64_t lower_ns, uint64_t upper_ns, uint64_t count);

/* Whether anything is known of the order that the observations were made in: the series, enough
 * windows, or what the file says it was worth. */
bool sample_has_order(const struct sample *sample);

/* All bins of another sample, what is beyond them, and its evidence; no series. false when the total would pass
 * SAMPLE_TOTAL_MAX; then some of it is added. */
bool sample_add_all(struct sample *sample, const struct sample *other);

/* Appends to the series, an exact value or one between two edges; the series is dropped once it is
 * too long. Does not count the observation. */
void sample_add_to_series(struct sample *sample, uint64_t value_ns);
void sample_add_range_to_series(struct sample *sample, uint64_t lower_ns, uint64_t upper_ns);
bool sample_add_beyond(struct sample *sample, uint64_t count);
/* The same of observations that are at least this. */
bool sample_add_beyond_from(struct sample *sample, uint64_t least_ns, uint64_t count);

/* Sorts and merges what was added and gives back spare memory. */
void sample_finish(struct sample *sample);

void sample_windows_free(struct sample_windows *windows);

/* How many of a window are at most ns, by the largest edge that is. */
uint64_t sample_window_within(const struct sample_windows *windows, size_t window, uint64_t ns);

bool sample_is_valid(const struct sample *sample);

/* The smallest x >= 0 with F(x) >= p, where F(x) is the exact share of observations at or below x;
 * 0 <= p <= 1. false, with *x_ns unchanged, when x is infinite, that is p > 1 - beyond / total. */
bool sample_quantile(uint64_t *x_ns, const struct sample *sample, const struct rational *p);

/* Observations that may exceed x_ns: those of the bins with a larger upper edge, and `beyond`.
 * Linear in the number of bins; walk the bins instead to ask at many points. */
uint64_t sample_count_above(const struct sample *sample, uint64_t x_ns);

#endif
