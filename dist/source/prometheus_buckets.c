/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a histogram of a page in protobuf counts, bucket by bucket, with edges that are rounded
 * outward (prometheus_message.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "dist/source/power.h"
#include "dist/source/prometheus_message.h"

enum { SCHEMA_MIN = -4, SCHEMA_MAX = 8, SCHEMA_CUSTOM = -53 };

/* --- classic buckets --- */

static enum status check_classic(const struct prometheus_message *message,
                                 const struct prometheus_bucket *part,
                                 const struct prometheus_bucket *before) {
  if (!(part->upper >= 0))
    return reader_fail(message->reader, part->at,
                       "a bucket up to %g, where a time that is not negative is expected",
                       part->upper);
  if (before == NULL)
    return STATUS_OK;
  if (part->upper <= before->upper)
    return reader_fail(message->reader, part->at,
                       "a bucket up to %g behind one up to %g; the page is damaged", part->upper,
                       before->upper);
  if (part->count >= before->count)
    return STATUS_OK;
  return reader_fail(message->reader, part->at,
                     "a bucket that counts %" PRIu64 ", but the one before counts %" PRIu64
                     ", and each bucket counts those before it, too; the page is damaged",
                     part->count, before->count);
}

static enum status classic_edges(const struct prometheus_message *message,
                                 const struct prometheus_bucket *part, int exponent,
                                 uint64_t *lower, uint64_t *upper) {
  *lower = *upper = part->upper == 0 ? 0 : METRICS_INFINITE;
  if (part->upper == 0 || isinf(part->upper))
    return STATUS_OK;
  power_round(lower, upper, power_of_double(part->upper), exponent);
  if (*upper <= SAMPLE_NS_MAX)
    return STATUS_OK;
  return reader_fail(message->reader, part->at,
                     "a bucket up to %g, which is above 2^63-1 ns (292 years) in %s; is the unit "
                     "right?",
                     part->upper, unit_name(exponent));
}

/* The bucket up to +Inf need not be there; the count says what it would. */
static enum status make_classic(metrics_buckets *buckets, const struct prometheus_message *message,
                                int exponent) {
  const struct prometheus_bucket *before = NULL;
  uint64_t count = prometheus_count(&message->count), lower = 0, counted = 0;
  enum status status = STATUS_OK;
  for (size_t i = 0; i < message->classic.count && status == STATUS_OK; i++) {
    const struct prometheus_bucket *part = &message->classic.data[i];
    struct metrics_bucket bucket = {before == NULL ? 0 : metrics_above(lower), 0,
                                    part->count - counted};
    status = check_classic(message, part, before);
    if (status == STATUS_OK)
      status = classic_edges(message, part, exponent, &lower, &bucket.upper_ns);
    vector_push(buckets, bucket);
    counted = part->count;
    before = part;
  }
  if (status != STATUS_OK)
    return status;
  bool infinite = before != NULL && isinf(before->upper);
  if (infinite ? counted != count : counted > count)
    return reader_fail(message->reader, message->bytes.start,
                       "the histogram counts %" PRIu64 ", but its last bucket %" PRIu64
                       "; the page is damaged",
                       count, counted);
  if (!infinite)
    vector_push(buckets, ((struct metrics_bucket){before == NULL ? 0 : metrics_above(lower),
                                                  METRICS_INFINITE, count - counted}));
  return STATUS_OK;
}

/* --- native buckets --- */

static bool is_native(const struct prometheus_message *message) {
  return message->positive.spans.count != 0 || message->negative.spans.count != 0 ||
         message->zero_threshold > 0 || prometheus_count(&message->zeros) != 0;
}

static enum status check_side(const struct prometheus_message *message,
                              const struct prometheus_side *side) {
  uint64_t length = 0;
  for (size_t i = 0; i < side->spans.count; i++)
    length += side->spans.data[i].length;
  if (side->deltas && side->reals)
    return reader_fail(message->reader, message->bytes.start,
                       "the histogram has its counts in two forms, and only one is expected; the "
                       "page is damaged");
  if (length == side->counts.count)
    return STATUS_OK;
  return reader_fail(message->reader, message->bytes.start,
                     "the spans of the histogram have %" PRIu64
                     " buckets, but there are %zu counts; "
                     "the page is damaged",
                     length, side->counts.count);
}

static enum status check_native(const struct prometheus_message *message) {
  const struct prometheus_side *negative = &message->negative;
  if (message->schema == SCHEMA_CUSTOM)
    return reader_fail(message->reader, message->bytes.start,
                       "the histogram has buckets of its own (schema -53), whose edges no page "
                       "has; have the program expose classic buckets (le)");
  if (message->schema < SCHEMA_MIN || message->schema > SCHEMA_MAX)
    return reader_fail(message->reader, message->bytes.start,
                       "the histogram has schema %" PRId64 ", where one from %d to %d is expected",
                       message->schema, SCHEMA_MIN, SCHEMA_MAX);
  if (!(message->zero_threshold >= 0) || isinf(message->zero_threshold))
    return reader_fail(message->reader, message->bytes.start,
                       "the histogram has the zero threshold %g, where a time is expected",
                       message->zero_threshold);
  for (size_t i = 0; i < negative->counts.count; i++)
    if (negative->counts.data[i] != 0)
      return reader_fail(message->reader, message->bytes.start,
                         "the histogram counts observations below 0, but no time is negative");
  enum status status = check_side(message, negative);
  return status == STATUS_OK ? check_side(message, &message->positive) : status;
}

static void add_zeros(metrics_buckets *buckets, const struct prometheus_message *message,
                      int exponent) {
  struct metrics_bucket zero = {0, 0, prometheus_count(&message->zeros)};
  uint64_t ignored;
  if (message->zero_threshold > 0)
    power_round(&ignored, &zero.upper_ns, power_of_double(message->zero_threshold), exponent);
  zero.upper_ns = metrics_widen_upper(zero.upper_ns);
  if (zero.count != 0)
    vector_push(buckets, zero);
}

static void add_powers(metrics_buckets *buckets, const struct prometheus_message *message,
                       int exponent) {
  const struct prometheus_side *side = &message->positive;
  int64_t index = 0;
  size_t at = 0;
  for (size_t i = 0; i < side->spans.count; i++) {
    index += side->spans.data[i].offset;
    for (uint64_t k = 0; k < side->spans.data[i].length; k++, index++, at++) {
      if (side->counts.data[at] == 0)
        continue;
      struct metrics_bucket bucket =
          metrics_power_bucket((int)message->schema, index - 1, exponent);
      bucket.count = side->counts.data[at];
      vector_push(buckets, bucket);
    }
  }
}

static int compare_buckets(const void *a, const void *b) {
  const struct metrics_bucket *x = a, *y = b;
  if (x->upper_ns != y->upper_ns)
    return x->upper_ns < y->upper_ns ? -1 : 1;
  return (x->lower_ns > y->lower_ns) - (x->lower_ns < y->lower_ns);
}

/* Far below a nanosecond many buckets have the same edges. */
static void merge(metrics_buckets *buckets) {
  size_t kept = 0;
  if (buckets->count > 1)
    qsort(buckets->data, buckets->count, sizeof *buckets->data, compare_buckets);
  for (size_t i = 1; i < buckets->count; i++)
    if (compare_buckets(&buckets->data[kept], &buckets->data[i]) == 0)
      buckets->data[kept].count += buckets->data[i].count;
    else
      buckets->data[++kept] = buckets->data[i];
  buckets->count = buckets->count == 0 ? 0 : kept + 1;
}

static enum status make_native(metrics_buckets *buckets, const struct prometheus_message *message,
                               int exponent) {
  uint64_t total = 0, count = prometheus_count(&message->count);
  enum status status = check_native(message);
  if (status != STATUS_OK)
    return status;
  add_zeros(buckets, message, exponent);
  add_powers(buckets, message, exponent);
  for (size_t i = 0; i < buckets->count && total <= SAMPLE_TOTAL_MAX; i++)
    total += buckets->data[i].count;
  if (total != count)
    return reader_fail(message->reader, message->bytes.start,
                       "the histogram counts %" PRIu64 ", but its buckets %" PRIu64
                       "; observations that are no number are in none, correct the recorder",
                       count, total);
  merge(buckets);
  return STATUS_OK;
}

enum status prometheus_buckets(metrics_buckets *buckets, const struct prometheus_message *message,
                               int exponent) {
  return is_native(message) ? make_native(buckets, message, exponent)
                            : make_classic(buckets, message, exponent);
}
