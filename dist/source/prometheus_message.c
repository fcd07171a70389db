/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fields of the message, each in its only valid form; what they add up to is not asked here.
 */
#include "dist/source/prometheus_message.h"

#include <inttypes.h>
#include <math.h>

enum histogram_field {
  HISTOGRAM_COUNT = 1,
  HISTOGRAM_SUM = 2,
  HISTOGRAM_BUCKET = 3,
  HISTOGRAM_COUNT_FLOAT = 4,
  HISTOGRAM_SCHEMA = 5,
  HISTOGRAM_ZERO_THRESHOLD = 6,
  HISTOGRAM_ZERO_COUNT = 7,
  HISTOGRAM_ZERO_COUNT_FLOAT = 8,
  HISTOGRAM_NEGATIVE_SPAN = 9,
  HISTOGRAM_NEGATIVE_DELTA = 10,
  HISTOGRAM_NEGATIVE_COUNT = 11,
  HISTOGRAM_POSITIVE_SPAN = 12,
  HISTOGRAM_POSITIVE_DELTA = 13,
  HISTOGRAM_POSITIVE_COUNT = 14,
  HISTOGRAM_CREATED = 15
};
enum { BUCKET_COUNT = 1, BUCKET_UPPER = 2, BUCKET_COUNT_FLOAT = 4 };
enum { SPAN_OFFSET = 1, SPAN_LENGTH = 2 };
enum { TIME_SECONDS = 1, TIME_NANOS = 2 };

enum status prometheus_expect(const struct reader *reader, const struct wire_field *field,
                              enum wire_kind kind) {
  static const char *const kinds[] = {"a whole number", "a text or a message",
                                      "a number in floating point", "a short number"};
  if (field->kind == kind)
    return STATUS_OK;
  return reader_fail(reader, field->at,
                     "field %" PRIu32
                     " holds %s, where %s is expected: the page is damaged, or no page of "
                     "metrics; fetch it again",
                     field->number, kinds[field->kind], kinds[kind]);
}

enum status prometheus_whole(const struct reader *reader, const struct wire_message *wire) {
  if (!wire->broken)
    return STATUS_OK;
  return reader_fail(reader, wire->left.start,
                     "the bytes are no message of protocol buffers here: the page is damaged or "
                     "truncated; fetch it again");
}

/* --- counts --- */

static enum status check_count(const struct prometheus_message *message, const char *at,
                               uint64_t count) {
  if (count <= SAMPLE_TOTAL_MAX)
    return STATUS_OK;
  return reader_fail(message->reader, at,
                     "a count of %" PRIu64 ", where one from 0 to 2^63-1 is expected; the page is "
                     "damaged",
                     count);
}

static enum status whole_count(uint64_t *count, const struct prometheus_message *message,
                               const struct wire_field *field) {
  *count = field->value;
  enum status status = prometheus_expect(message->reader, field, WIRE_NUMBER);
  return status == STATUS_OK ? check_count(message, field->at, *count) : status;
}

/* What a server has added up counts whole observations, unless it made rates or averages. */
static enum status real_count(uint64_t *count, const struct prometheus_message *message,
                              const char *at, uint64_t bits) {
  double value = wire_double(bits);
  if (value >= 0 && value < 0x1p63 && value == floor(value)) {
    *count = (uint64_t)value;
    return STATUS_OK;
  }
  return reader_fail(message->reader, at,
                     "a count of %g, where a whole number from 0 to 2^63-1 is expected%s", value,
                     isnan(value) ? "; the recorder was fed no number, correct it and record again"
                     : value > 0  ? "; rates and averages of a server are no counts, ask for the "
                                    "counters themselves"
                                  : "");
}

static enum status real_field(uint64_t *count, const struct prometheus_message *message,
                              const struct wire_field *field) {
  enum status status = prometheus_expect(message->reader, field, WIRE_FIXED64);
  return status == STATUS_OK ? real_count(count, message, field->at, field->value) : status;
}

static enum status take_double(double *value, const struct prometheus_message *message,
                               const struct wire_field *field) {
  *value = wire_double(field->value);
  return prometheus_expect(message->reader, field, WIRE_FIXED64);
}

/* --- the parts --- */

static enum status take_sum(const struct prometheus_message *message,
                            const struct wire_field *field) {
  double sum;
  enum status status = take_double(&sum, message, field);
  if (status != STATUS_OK || !isnan(sum))
    return status;
  return reader_fail(message->reader, field->at,
                     "the sum is NaN, which is no sum of times; the recorder was fed no number, "
                     "correct it and record again");
}

static enum status take_classic(struct prometheus_message *message,
                                const struct wire_field *field) {
  struct prometheus_bucket part = {.at = field->at, .upper = 0};
  struct prometheus_count count = {0};
  struct wire_message wire = {.left = field->bytes};
  struct wire_field inner;
  enum status status = prometheus_expect(message->reader, field, WIRE_BYTES);
  while (status == STATUS_OK && wire_next(&wire, &inner)) {
    if (inner.number == BUCKET_COUNT)
      status = whole_count(&count.whole, message, &inner);
    else if (inner.number == BUCKET_COUNT_FLOAT)
      status = real_field(&count.real, message, &inner);
    else if (inner.number == BUCKET_UPPER)
      status = take_double(&part.upper, message, &inner);
  }
  if (status == STATUS_OK)
    status = prometheus_whole(message->reader, &wire);
  part.count = prometheus_count(&count);
  vector_push(&message->classic, part);
  return status;
}

static enum status take_span(struct prometheus_side *side, const struct prometheus_message *message,
                             const struct wire_field *field) {
  struct prometheus_span span = {.at = field->at};
  struct wire_message wire = {.left = field->bytes};
  struct wire_field inner;
  enum status status = prometheus_expect(message->reader, field, WIRE_BYTES);
  while (status == STATUS_OK && wire_next(&wire, &inner)) {
    if (inner.number != SPAN_OFFSET && inner.number != SPAN_LENGTH)
      continue;
    status = prometheus_expect(message->reader, &inner, WIRE_NUMBER);
    if (status == STATUS_OK && inner.value > UINT32_MAX)
      status = reader_fail(message->reader, inner.at,
                           "a span of buckets whose offset or length has more than 32 bits; the "
                           "page is damaged");
    if (inner.number == SPAN_OFFSET)
      span.offset = wire_signed(inner.value);
    else
      span.length = inner.value;
  }
  if (status == STATUS_OK)
    status = prometheus_whole(message->reader, &wire);
  if (status == STATUS_OK && span.offset < 0 && side->spans.count != 0)
    status = reader_fail(message->reader, span.at,
                         "a span of buckets that goes back by %" PRId64
                         " into the one before; the page is damaged",
                         -span.offset);
  vector_push(&side->spans, span);
  return status;
}

static enum status add_delta(struct prometheus_side *side, const struct prometheus_message *message,
                             const char *at, uint64_t value) {
  int64_t delta = wire_signed(value);
  side->deltas = true;
  if (delta < 0 ? (uint64_t) - (delta + 1) >= side->sum
                : (uint64_t)delta > SAMPLE_TOTAL_MAX - side->sum)
    return reader_fail(message->reader, at,
                       "the count of a bucket, %" PRIu64 " and %" PRId64
                       " more than that, is not between 0 and 2^63-1; the page is damaged",
                       side->sum, delta);
  side->sum += (uint64_t)delta;
  vector_push(&side->counts, side->sum);
  return STATUS_OK;
}

static enum status add_real(struct prometheus_side *side, const struct prometheus_message *message,
                            const char *at, uint64_t bits) {
  uint64_t count = 0;
  enum status status = real_count(&count, message, at, bits);
  side->reals = true;
  vector_push(&side->counts, count);
  return status;
}

/* Counts are packed, or a field for each. */
static enum status take_counts(struct prometheus_side *side,
                               const struct prometheus_message *message,
                               const struct wire_field *field, bool deltas) {
  enum status (*add)(struct prometheus_side *, const struct prometheus_message *, const char *,
                     uint64_t) = deltas ? add_delta : add_real;
  if (field->kind != WIRE_BYTES) {
    enum status status =
        prometheus_expect(message->reader, field, deltas ? WIRE_NUMBER : WIRE_FIXED64);
    return status == STATUS_OK ? add(side, message, field->at, field->value) : status;
  }
  struct wire_message wire = {.left = field->bytes};
  enum status status = STATUS_OK;
  while (status == STATUS_OK && wire.left.length != 0) {
    const char *at = wire.left.start;
    uint64_t value;
    if (!(deltas ? wire_number(&wire, &value) : wire_fixed64(&wire, &value)))
      return prometheus_whole(message->reader, &wire);
    status = add(side, message, at, value);
  }
  return status;
}

static enum status take_created(struct prometheus_message *message,
                                const struct wire_field *field) {
  struct wire_message wire = {.left = field->bytes};
  struct wire_field inner;
  enum status status = prometheus_expect(message->reader, field, WIRE_BYTES);
  message->created = 0;
  while (status == STATUS_OK && wire_next(&wire, &inner)) {
    if (inner.number != TIME_SECONDS && inner.number != TIME_NANOS)
      continue;
    status = prometheus_expect(message->reader, &inner, WIRE_NUMBER);
    message->created += inner.number == TIME_NANOS ? inner.value : inner.value * 1000000000;
  }
  return status == STATUS_OK ? prometheus_whole(message->reader, &wire) : status;
}

static enum status take_schema(struct prometheus_message *message, const struct wire_field *field) {
  message->schema = wire_signed(field->value);
  return prometheus_expect(message->reader, field, WIRE_NUMBER);
}

static enum status take_field(struct prometheus_message *message, const struct wire_field *field) {
  switch ((enum histogram_field)field->number) {
  case HISTOGRAM_COUNT:
    return whole_count(&message->count.whole, message, field);
  case HISTOGRAM_COUNT_FLOAT:
    return real_field(&message->count.real, message, field);
  case HISTOGRAM_SUM:
    return take_sum(message, field);
  case HISTOGRAM_BUCKET:
    return take_classic(message, field);
  case HISTOGRAM_SCHEMA:
    return take_schema(message, field);
  case HISTOGRAM_ZERO_THRESHOLD:
    return take_double(&message->zero_threshold, message, field);
  case HISTOGRAM_ZERO_COUNT:
    return whole_count(&message->zeros.whole, message, field);
  case HISTOGRAM_ZERO_COUNT_FLOAT:
    return real_field(&message->zeros.real, message, field);
  case HISTOGRAM_NEGATIVE_SPAN:
    return take_span(&message->negative, message, field);
  case HISTOGRAM_POSITIVE_SPAN:
    return take_span(&message->positive, message, field);
  case HISTOGRAM_NEGATIVE_DELTA:
  case HISTOGRAM_NEGATIVE_COUNT:
    return take_counts(&message->negative, message, field,
                       field->number == HISTOGRAM_NEGATIVE_DELTA);
  case HISTOGRAM_POSITIVE_DELTA:
  case HISTOGRAM_POSITIVE_COUNT:
    return take_counts(&message->positive, message, field,
                       field->number == HISTOGRAM_POSITIVE_DELTA);
  case HISTOGRAM_CREATED:
    return take_created(message, field);
  }
  return STATUS_OK;
}

enum status prometheus_message_read(struct prometheus_message *message, const struct reader *reader,
                                    struct slice bytes) {
  struct wire_message wire = {.left = bytes};
  struct wire_field field;
  enum status status = STATUS_OK;
  *message = (struct prometheus_message){.reader = reader, .bytes = bytes};
  while (status == STATUS_OK && wire_next(&wire, &field))
    status = take_field(message, &field);
  return status == STATUS_OK ? prometheus_whole(reader, &wire) : status;
}

void prometheus_message_clear(struct prometheus_message *message) {
  vector_clear(&message->classic);
  vector_clear(&message->positive.spans);
  vector_clear(&message->positive.counts);
  vector_clear(&message->negative.spans);
  vector_clear(&message->negative.counts);
}
