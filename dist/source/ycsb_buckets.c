/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The buckets of a histogram that YCSB prints (dist/source/ycsb.h).
 */
#include <inttypes.h>

#include "dist/source/ycsb.h"

/* HdrHistogram with three digits keeps values below 2^11 exactly. */
enum { EXACT_BITS = 11 };

/* How many us wide the bucket is that ends with the value; 0 when none does. */
static uint64_t hdr_width(uint64_t value) {
  uint64_t width = 1;
  while (value >> EXACT_BITS >= width)
    width *= 2;
  return (value + 1) % width == 0 ? width : 0;
}

static enum status fail_series(const struct reader *reader, struct slice found) {
  return reader_fail_found(reader, found,
                           "which is no bucket or count of a histogram; a time series holds only "
                           "averages: run YCSB with -p measurementtype=hdrhistogram -p "
                           "measurement.histogram.verbose=true");
}

/* The buckets' first and last us in use, by which the report's least and most are held. */
struct ycsb_span {
  uint64_t first_us, first_end_us, last_us, last_end_us;
};

static enum status check_span(const struct ycsb_operation *chosen, const struct ycsb_span *span,
                              const struct reader *reader) {
  bool fits = chosen->least && chosen->most && chosen->least_us >= span->first_us &&
              chosen->least_us <= span->first_end_us && chosen->most_us >= span->last_us &&
              chosen->most_us <= span->last_end_us;
  return fits ? STATUS_OK
              : reader_fail_found(reader, chosen->name,
                                  "whose MinLatency and MaxLatency are not in its first and last "
                                  "bucket; is it a time series, which holds only averages, or is "
                                  "the file damaged?");
}

static enum status add_bucket(struct sample *out, struct ycsb_span *span,
                              const struct ycsb_operation *chosen, size_t index,
                              const struct reader *reader) {
  const struct ycsb_bucket *bucket = &chosen->buckets.data[index];
  uint64_t key = 0, count = 0, floor = 0, width = YCSB_US_NS, before = 0;
  decimal_whole(&key, bucket->key);
  if (index != 0)
    decimal_whole(&before, bucket[-1].key);
  if (!chosen->by_ms && key <= INT32_MAX)
    width = hdr_width(key);
  if (key > INT32_MAX || width == 0 || (chosen->by_ms && key != index) ||
      (index != 0 && key <= before))
    return fail_series(reader, bucket->key);
  if (decimal_range(&floor, &count, NULL, bucket->count, 0) != DECIMAL_OK || floor != count)
    return fail_series(reader, bucket->count);
  uint64_t end_us = chosen->by_ms ? YCSB_US_NS * (key + 1) - 1 : key;
  uint64_t start_us = end_us + 1 - width;
  if (count != 0) {
    if (out->total == 0)
      span->first_us = start_us, span->first_end_us = end_us;
    span->last_us = start_us, span->last_end_us = end_us;
  }
  bool added = end_us >= INT32_MAX
                   ? sample_add_beyond(out, count)
                   : sample_add_range(out, YCSB_US_NS * start_us, YCSB_US_NS * (end_us + 1), count);
  return added ? STATUS_OK : reader_fail_total(reader, bucket->count.start);
}

/* ">1000, 2": so many reached 1000 ms. */
static enum status add_overflow(struct sample *out, struct ycsb_span *span,
                                const struct ycsb_operation *chosen, const struct reader *reader) {
  uint64_t buckets, count;
  if (chosen->overflow.start == NULL)
    return reader_fail_found(reader, chosen->name,
                             "but the line \"[...], >1000, ...\" behind its buckets is missing: "
                             "the file is truncated; write or copy it again");
  if (decimal_whole(&buckets, chosen->overflow_key) != DECIMAL_OK ||
      buckets != chosen->buckets.count || decimal_whole(&count, chosen->overflow) != DECIMAL_OK)
    return reader_fail_found(reader, chosen->overflow_key,
                             "but there are %zu buckets; is the file damaged?",
                             chosen->buckets.count);
  if (count == 0)
    return STATUS_OK;
  if (out->total == 0)
    span->first_us = YCSB_US_NS * buckets, span->first_end_us = INT32_MAX;
  span->last_us = YCSB_US_NS * buckets, span->last_end_us = INT32_MAX;
  source_notes_add(reader->notes,
                   "%s: %" PRIu64 " operations took %" PRIu64
                   " ms or more, which YCSB's histogram does not tell apart: they are taken as "
                   "infinite",
                   reader->path, count, buckets);
  return sample_add_beyond(out, count) ? STATUS_OK
                                       : reader_fail_total(reader, chosen->overflow.start);
}

enum status ycsb_add_buckets(struct sample *out, const struct ycsb_operation *chosen,
                             const struct reader *reader) {
  struct ycsb_span span = {0};
  enum status status = STATUS_OK;
  if (chosen->timed != 0 && chosen->buckets.count == 0)
    return reader_fail_found(reader, chosen->name,
                             "whose buckets are not printed; run YCSB with -p "
                             "measurement.histogram.verbose=true");
  for (size_t i = 0; i < chosen->buckets.count && status == STATUS_OK; i++)
    status = add_bucket(out, &span, chosen, i, reader);
  if (status == STATUS_OK && chosen->by_ms && chosen->buckets.count != 0)
    status = add_overflow(out, &span, chosen, reader);
  if (status == STATUS_OK && out->total != chosen->timed)
    return reader_fail_found(reader, chosen->name,
                             "whose buckets count %" PRIu64 " operations of %" PRIu64
                             ": it is a time series, which holds only averages, or the file is "
                             "truncated",
                             out->total, chosen->timed);
  return status == STATUS_OK && out->total != 0 ? check_span(chosen, &span, reader) : status;
}
