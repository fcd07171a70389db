/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What YCSB reports of one operation, between the parts of its reader. Slices are of the file.
 */
#ifndef DIST_SOURCE_YCSB_H
#define DIST_SOURCE_YCSB_H

#include "base/vector.h"
#include "dist/source/reader.h"

enum { YCSB_US_NS = 1000 };

struct ycsb_bucket {
  struct slice key, count;
};

struct ycsb_operation {
  struct slice name;
  VECTOR(struct ycsb_bucket) buckets;
  struct slice overflow_key, overflow; /* start NULL: none */
  uint64_t timed, least_us, most_us;   /* as the report says */
  uint64_t good, bad;                  /* by what was returned */
  uint64_t rows;                       /* of raw data */
  bool counted, least, most, returned, batched, by_ms, raw;
};

/* Adds the buckets, outward: those of `histogram` are 1 ms wide, those of `hdrhistogram` end with a
 * us and are up to 0.1 % wide below it. STATUS_DATA, with a message, when they are none (a time
 * series), are not printed, or contradict the number of operations or their least and most. */
enum status ycsb_add_buckets(struct sample *out, const struct ycsb_operation *chosen,
                             const struct reader *reader);

#endif
