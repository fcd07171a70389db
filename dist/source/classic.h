/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classic histograms, put together out of their buckets, which may come in any order: a bucket
 * counts the observations at or below its le, those of the buckets before included. So what it
 * counts beyond the bucket before lies above that one's le.
 *
 * In a window an le may be written anew ("1", then "1.0"): one bucket. One that was there for a part
 * of the window only is counted with the next.
 */
#ifndef DIST_SOURCE_CLASSIC_H
#define DIST_SOURCE_CLASSIC_H

#include "dist/source/metrics.h"

struct classic_point {
  uint64_t ms, count;
};

struct classic_bucket {
  char *labels; /* without le; owned */
  const char *at;
  struct slice text;                   /* of the last count */
  uint64_t lower_ns, upper_ns;         /* the le, rounded either way; METRICS_INFINITE */
  uint64_t first, last;                /* counts, of a window both */
  uint64_t from_ms, to_ms;             /* of a window: when it was there, since 1970 */
  VECTOR(struct classic_point) points; /* and at each time; owned */
};

struct classic_count { /* of NAME_count */
  char *labels;        /* owned */
  struct slice name, text;
  uint64_t count;
};

/* All zero but for the reader at first; to be cleared. */
struct classic {
  const struct reader *reader;
  VECTOR(struct classic_bucket) buckets;
  VECTOR(struct classic_count) counts;
  bool counted; /* each has its NAME_count, or is cut off */
};

void classic_clear(struct classic *classic);

/* The label le of a bucket in units of 10^exponent ns. */
enum status classic_le(struct classic_bucket *bucket, const struct reader *reader, struct slice le,
                       int exponent);

/* Adds the histograms to the metrics, by label set. STATUS_DATA for one that is not whole. */
enum status classic_finish(struct metric_page *metrics, struct classic *classic);

#endif
