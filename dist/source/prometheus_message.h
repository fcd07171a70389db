/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The message "Histogram" of Prometheus' client model (github.com/prometheus/client_model), which
 * is one histogram of a page of metrics in protobuf: classic buckets, native ones, or both; for
 * prometheus_protobuf.c.
 *
 * A classic bucket counts all that is at most its upper_bound. Native buckets are counted one by
 * one: spans say which powers of 2^(2^-schema) they belong to, each as so many buckets after a gap,
 * and the counts of all spans stand in one list, as differences to the one before (delta) or as
 * they are (count, of a server that adds histograms up, in floating point). Bucket i holds what is
 * above 2^((i - 1) / 2^schema) and at most 2^(i / 2^schema), the zero bucket what is up to its
 * threshold.
 *
 * A message owns its lists; places and bytes are those of the reader.
 */
#ifndef DIST_SOURCE_PROMETHEUS_MESSAGE_H
#define DIST_SOURCE_PROMETHEUS_MESSAGE_H

#include "base/wire.h"
#include "dist/source/metrics.h"

/* A number that has an older form, in whole numbers; the one in floating point counts if above 0.
 */
struct prometheus_count {
  uint64_t whole, real;
};

struct prometheus_bucket {
  const char *at;
  double upper;
  uint64_t count; /* of all up to it */
};

struct prometheus_span {
  const char *at;
  int64_t offset;
  uint64_t length;
};

/* The buckets on one side of zero. */
struct prometheus_side {
  VECTOR(struct prometheus_span) spans;
  VECTOR(uint64_t) counts; /* made of the deltas, or as they are */
  uint64_t sum;            /* of the deltas: the last count */
  bool deltas, reals;      /* which of them there are */
};

struct prometheus_message {
  const struct reader *reader;
  struct slice bytes; /* all of it */
  struct prometheus_count count, zeros;
  double zero_threshold;
  int64_t schema; /* of native buckets */
  VECTOR(struct prometheus_bucket) classic;
  struct prometheus_side positive, negative;
  uint64_t created; /* when it began to count, in ns since some time; 0: not said */
};

/* Reads the fields. prometheus_message_clear in any case. */
enum status prometheus_message_read(struct prometheus_message *message, const struct reader *reader,
                                    struct slice bytes);
void prometheus_message_clear(struct prometheus_message *message);

/* What the message counts, bucket by bucket, in units of 10^exponent ns: of the native ones if
 * there are some, as they are finer. STATUS_DATA when the parts do not fit together. */
enum status prometheus_buckets(metrics_buckets *buckets, const struct prometheus_message *message,
                               int exponent);

static inline uint64_t prometheus_count(const struct prometheus_count *count) {
  return count->real != 0 ? count->real : count->whole;
}

/* STATUS_DATA, with the message written, unless the field is of that kind. */
enum status prometheus_expect(const struct reader *reader, const struct wire_field *field,
                              enum wire_kind kind);

/* STATUS_DATA when what was read was no message up to its end. */
enum status prometheus_whole(const struct reader *reader, const struct wire_message *wire);

#endif
