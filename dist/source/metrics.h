/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One metric's histograms, one for each label set, as a page of metrics or a server of them has
 * them at one time, or at the first and the last of several; for the readers of such pages.
 *
 * A list of buckets is in order of its upper edges; an observation of a bucket lies between its
 * edges, which are both possible: a bucket that does not include its lower bound begins 1 ns above it. The metrics own everything but the bytes that `at` points to.
 */
#ifndef DIST_SOURCE_METRICS_H
#define DIST_SOURCE_METRICS_H

#include "dist/source/labels.h"
#include "dist/source/reader.h"

#define METRICS_INFINITE UINT64_MAX /* the upper edge of what exceeds every edge */

struct metrics_bucket {
  uint64_t lower_ns, upper_ns, count;
};
typedef VECTOR(struct metrics_bucket) metrics_buckets;

/* What had been counted by then, bucket by bucket. */
struct metrics_point {
  uint64_t ms; /* since 1970 */
  metrics_buckets counts;
};

struct metrics_histogram {
  char *labels;
  const char *at;              /* where the page has it */
  metrics_buckets first, last; /* counts since the program started; `first` of a window only */
  VECTOR(struct metrics_point)
  points;           /* of a window: at each time, if its buckets were there at
                                        * each; owned */
  uint64_t created; /* tells when it began to count from other such times; 0: not said */
};

struct metric_page {
  VECTOR(struct metrics_histogram) all;
  char *name;    /* of the metric */
  int exponent;  /* of its unit */
  bool window;   /* at several times */
  bool end_mark; /* the page says that it is whole */
};

void metrics_clear(struct metric_page *metrics);

/* Which metric is meant, while the names of a page are gone through. */
struct metrics_choice {
  const struct label_choice *selection; /* NULL: the only one */
  struct slice metric;                  /* start NULL: none found yet */
  VECTOR(struct slice) others;          /* some that are not meant */
};

/* STATUS_DATA for a second histogram where none is selected. */
enum status metrics_see(struct metrics_choice *choice, const struct reader *reader,
                        struct slice metric);

/* After the last: takes over name and unit. STATUS_DATA when `choice` selects what is not there,
 * or for a name without a unit. Something was seen. */
enum status metrics_settle(struct metric_page *metrics, struct metrics_choice *choice,
                           const struct reader *reader);

/* The edges of what lies above 2^(index / 2^scale) and at most 2^((index + 1) / 2^scale), in units
 * of 10^exponent ns; -20 <= scale <= 20. Rounded outward, and 2^-40 further out, as programs that
 * round a logarithm may count what is that close to an edge on the other side. */
struct metrics_bucket metrics_power_bucket(int scale, int64_t index, int exponent);

/* The least time above a bound that a bucket does not include: times are whole nanoseconds.
 * `floor_ns`: the bound, rounded down. */
uint64_t metrics_above(uint64_t floor_ns);

/* The same for an edge that a program computed: not below it. METRICS_INFINITE when it is larger
 * than all times. */
uint64_t metrics_widen_upper(uint64_t upper_ns);

/* later - earlier, bucket by bucket, where a bucket of `earlier` may be a part of one of `later`.
 * False when it would be negative, or one has no counterpart: the counters were reset. */
bool metrics_subtract(metrics_buckets *later, const metrics_buckets *earlier);

/* Read a page of metrics, an answer of a Prometheus server, metrics of OpenTelemetry, and a page in
 * protobuf: all label sets that are selected (NULL: all). */
enum status metrics_parse_text(struct metric_page *metrics, const struct reader *reader,
                               const struct label_choice *selection);
struct json;
enum status metrics_parse_answer(struct metric_page *metrics, const struct reader *reader,
                                 const struct json *json, const struct label_choice *selection);
enum status metrics_parse_otlp(struct metric_page *metrics, const struct reader *reader,
                               const struct label_choice *selection);
enum status metrics_parse_protobuf(struct metric_page *metrics, const struct reader *reader,
                                   const struct label_choice *selection);

/* The windows between the points of time of all histograms, which are at the same times; NULL
 * where they are not, or the points are more than can be kept. Owned by the caller. */
struct sample_windows *metrics_windows(const struct metric_page *metrics);

/* A count as the formats write it: "17", "17.0", "1.7e1". */
enum status metrics_count(uint64_t *count, const struct reader *reader, struct slice text);

#endif
