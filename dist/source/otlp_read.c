/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Histograms among metrics of OpenTelemetry (OTLP in JSON, opentelemetry/proto/metrics/v1), one
 * document in all or, as the collector's file exporter writes, one a line:
 *
 *   {"resourceMetrics":[{"resource":{"attributes":[...]},"scopeMetrics":[{"metrics":[
 *     {"name":"rpc.duration","unit":"s","histogram":{"aggregationTemporality":2,"dataPoints":[
 *       {"attributes":[{"key":"method","value":{"stringValue":"Put"}}],"startTimeUnixNano":"17",
 *        "timeUnixNano":"18","count":"3","explicitBounds":[0.005],"bucketCounts":["2","1"]}]}}]}]}]}
 *
 * explicitBounds are upper limits; what the last bucket counts is larger than all and taken as
 * infinite. Bucket i of an exponential histogram holds what is above 2^(i / 2^scale) and at most
 * 2^((i + 1) / 2^scale); its edges are computed in integers that round outward. Clients round a
 * logarithm in floating point: 2^-40 is added on either side.
 *
 * Points of one attribute set are added up where each counts since the one before (delta), and the
 * last one counts where each counts since the start (cumulative).
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "dist/source/metrics.h"

enum { SCALE_MAX = 20, SETS_MAX = 4096 };

struct otlp {
  const struct reader *reader;
  struct json document; /* that is being read */
  const struct json *json;
  const struct label_choice *selection;
  struct metric_page *metrics;
  struct metrics_choice choice;
  struct slice unit;
  bool adding; /* the second time through */
  VECTOR(struct otlp_time) times;
};

struct otlp_time { /* of metrics->all, one for one */
  uint64_t start, end;
};

static const struct json_value *at(const struct otlp *otlp, size_t index) {
  return &otlp->json->values.data[index];
}

static size_t find(const struct otlp *otlp, size_t object, const char *key) {
  return json_find(otlp->json, object, key, NULL);
}

static enum status fail_at(const struct otlp *otlp, size_t index, const char *expected) {
  return reader_fail_found(otlp->reader, at(otlp, index)->text, "where %s is expected", expected);
}

bool otlp_is(const struct reader *reader) {
  static const char key[] = "\"resourceMetrics\"";
  const char *p = reader->bytes, *end = reader->end;
  bool open = false;
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' || (*p == '{' && !open)))
    open = open || *p == '{', p++;
  return open && (size_t)(end - p) >= strlen(key) && memcmp(p, key, strlen(key)) == 0;
}

/* A whole number that is not there is 0, as in all protocol buffers. */
static enum status read_number(const struct otlp *otlp, size_t object, const char *key,
                               uint64_t *number) {
  size_t index = find(otlp, object, key);
  *number = 0;
  return index == JSON_NONE ? STATUS_OK
                            : metrics_count(number, otlp->reader, at(otlp, index)->text);
}

static enum status read_signed(const struct otlp *otlp, size_t object, const char *key,
                               int64_t *number) {
  size_t index = find(otlp, object, key);
  *number = 0;
  if (index == JSON_NONE)
    return STATUS_OK;
  struct slice text = at(otlp, index)->text;
  bool negative = text.length != 0 && text.start[0] == '-';
  uint64_t low, high;
  if (negative)
    text = (struct slice){text.start + 1, text.length - 1};
  if (decimal_range(&low, &high, NULL, text, 0) != DECIMAL_OK || low != high || low > INT32_MAX)
    return fail_at(otlp, index, "a whole number");
  *number = negative ? -(int64_t)low : (int64_t)low;
  return STATUS_OK;
}

/* --- buckets --- */

/* The last bucket ends at the greatest observation, where the point has it. */
static enum status end_last(const struct otlp *otlp, size_t point, struct metrics_bucket *last) {
  size_t max = find(otlp, point, "max");
  uint64_t ignored, upper;
  if (max == JSON_NONE || last->count == 0 ||
      decimal_range(&ignored, &upper, NULL, at(otlp, max)->text, otlp->metrics->exponent) !=
          DECIMAL_OK)
    return STATUS_OK;
  if (upper < last->lower_ns)
    return fail_at(otlp, max, "a greatest value that is in the last bucket that counts any");
  last->upper_ns = upper;
  return STATUS_OK;
}

static enum status add_explicit(const struct otlp *otlp, size_t point, metrics_buckets *buckets) {
  size_t bounds = find(otlp, point, "explicitBounds"), counts = find(otlp, point, "bucketCounts");
  size_t bound = bounds == JSON_NONE ? JSON_NONE : json_first(otlp->json, bounds);
  if (counts == JSON_NONE || at(otlp, counts)->kind != JSON_LIST ||
      json_first(otlp->json, counts) == JSON_NONE)
    return fail_at(otlp, point, "a point with \"bucketCounts\" (one without has no histogram)");
  uint64_t lower = 0;
  bool first = true;
  for (size_t count = json_first(otlp->json, counts); count != JSON_NONE;
       count = json_next(otlp->json, counts, count)) {
    struct metrics_bucket bucket = {first ? 0 : metrics_above(lower), METRICS_INFINITE, 0};
    enum status status = metrics_count(&bucket.count, otlp->reader, at(otlp, count)->text);
    if (status != STATUS_OK)
      return status;
    if (bound == JSON_NONE && json_next(otlp->json, counts, count) != JSON_NONE)
      return fail_at(otlp, counts, "one count more than there are bounds");
    if (bound != JSON_NONE) {
      if (decimal_range(&lower, &bucket.upper_ns, NULL, at(otlp, bound)->text,
                        otlp->metrics->exponent) != DECIMAL_OK ||
          bucket.upper_ns < bucket.lower_ns)
        return fail_at(otlp, bound, "a bound of times, larger than the one before,");
      bound = json_next(otlp->json, bounds, bound);
    }
    first = false;
    vector_push(buckets, bucket);
  }
  return buckets->data[buckets->count - 1].upper_ns == METRICS_INFINITE
             ? end_last(otlp, point, &buckets->data[buckets->count - 1])
             : fail_at(otlp, counts, "one count more than there are bounds");
}

static enum status add_powers(const struct otlp *otlp, size_t point, int scale,
                              metrics_buckets *buckets) {
  size_t positive = find(otlp, point, "positive"), counts = find(otlp, positive, "bucketCounts");
  int64_t index;
  enum status status = read_signed(otlp, positive, "offset", &index);
  for (size_t count = counts == JSON_NONE ? JSON_NONE : json_first(otlp->json, counts);
       count != JSON_NONE && status == STATUS_OK;
       count = json_next(otlp->json, counts, count), index++) {
    struct metrics_bucket bucket = metrics_power_bucket(scale, index, otlp->metrics->exponent);
    status = metrics_count(&bucket.count, otlp->reader, at(otlp, count)->text);
    if (status == STATUS_OK && bucket.count != 0)
      vector_push(buckets, bucket);
  }
  return status;
}

static enum status add_exponential(const struct otlp *otlp, size_t point,
                                   metrics_buckets *buckets) {
  int64_t scale;
  uint64_t zeros, negative = 0, ignored;
  size_t threshold = find(otlp, point, "zeroThreshold");
  size_t below = find(otlp, find(otlp, point, "negative"), "bucketCounts");
  struct metrics_bucket zero = {0, 1, 0};
  enum status status = read_signed(otlp, point, "scale", &scale);
  if (status == STATUS_OK && (scale > SCALE_MAX || scale < -SCALE_MAX))
    return fail_at(otlp, find(otlp, point, "scale"), "a scale from -20 to 20");
  if (status == STATUS_OK)
    status = read_number(otlp, point, "zeroCount", &zeros);
  for (size_t count = below == JSON_NONE ? JSON_NONE : json_first(otlp->json, below);
       count != JSON_NONE && status == STATUS_OK; count = json_next(otlp->json, below, count)) {
    status = metrics_count(&negative, otlp->reader, at(otlp, count)->text);
    if (status == STATUS_OK && negative != 0)
      return fail_at(otlp, count, "no negative value, as no time is negative,");
  }
  if (status == STATUS_OK && threshold != JSON_NONE &&
      decimal_range(&ignored, &zero.upper_ns, NULL, at(otlp, threshold)->text,
                    otlp->metrics->exponent) != DECIMAL_OK)
    return fail_at(otlp, threshold, "a threshold of times");
  if (status != STATUS_OK)
    return status;
  zero.upper_ns += zero.upper_ns == 0;
  zero.count = zeros;
  if (zeros != 0)
    vector_push(buckets, zero);
  return add_powers(otlp, point, (int)scale, buckets);
}

static enum status check_count(const struct otlp *otlp, size_t point,
                               const metrics_buckets *buckets) {
  uint64_t count, total = 0;
  enum status status = read_number(otlp, point, "count", &count);
  for (size_t i = 0; i < buckets->count && total <= SAMPLE_TOTAL_MAX; i++)
    total += buckets->data[i].count;
  if (status != STATUS_OK || count == total)
    return status;
  return reader_fail(otlp->reader, at(otlp, point)->text.start,
                     "\"count\" is %" PRIu64 ", but the buckets count %" PRIu64
                     "; the file is damaged",
                     count, total);
}

/* --- points --- */

static void add_attributes(const struct otlp *otlp, size_t object, label_list *list) {
  size_t attributes = find(otlp, object, "attributes");
  for (size_t i = attributes == JSON_NONE ? JSON_NONE : json_first(otlp->json, attributes);
       i != JSON_NONE; i = json_next(otlp->json, attributes, i)) {
    size_t key = find(otlp, i, "key"), holder = find(otlp, i, "value");
    size_t value = holder == JSON_NONE ? JSON_NONE : json_first(otlp->json, holder);
    if (key == JSON_NONE)
      continue;
    char *name = json_text(at(otlp, key)->text);
    char *text = json_text(value == JSON_NONE ? (struct slice){"", 0} : at(otlp, value)->text);
    labels_add(list, (struct slice){name, strcspn(name, "\"=,\\")},
               (struct slice){text, strlen(text)});
    mem_free(name);
    mem_free(text);
  }
}

/* Adds buckets to those of the points before, which need not have the same edges. */
static void add_delta(metrics_buckets *to, const metrics_buckets *from) {
  for (size_t i = 0; i < from->count; i++)
    vector_push(to, from->data[i]);
}

static enum status merge(struct otlp *otlp, size_t point, struct metrics_histogram *made,
                         struct otlp_time time, bool cumulative) {
  struct metric_page *metrics = otlp->metrics;
  size_t i = 0;
  while (i < metrics->all.count && strcmp(metrics->all.data[i].labels, made->labels) != 0)
    i++;
  if (i == SETS_MAX)
    return reader_fail(otlp->reader, at(otlp, point)->text.start,
                       "there are more than %d attribute sets; choose some of them: "
                       "--select 'NAME=%.64s{key=\"value\"}'",
                       SETS_MAX, metrics->name);
  if (i == metrics->all.count) {
    vector_push(&metrics->all, *made);
    vector_push(&otlp->times, time);
    *made = (struct metrics_histogram){0};
    return STATUS_OK;
  }
  struct metrics_histogram *old = &metrics->all.data[i];
  struct otlp_time *known = &otlp->times.data[i];
  if (!cumulative) {
    add_delta(&old->last, &made->last);
    return STATUS_OK;
  }
  if (time.start != known->start)
    return reader_fail(otlp->reader, at(otlp, point)->text.start,
                       "\"startTimeUnixNano\" is another than that of the points before: the "
                       "program was started anew in between; keep the points of one start");
  if (time.end >= known->end) {
    *known = time;
    metrics_buckets before = old->last;
    old->last = made->last;
    made->last = before;
  }
  return STATUS_OK;
}

static enum status add_point(struct otlp *otlp, size_t resource, size_t point, bool exponential,
                             bool cumulative) {
  label_list list = {0};
  struct otlp_time time;
  add_attributes(otlp, resource, &list);
  add_attributes(otlp, point, &list);
  struct metrics_histogram made = {.labels = labels_take(&list), .at = at(otlp, point)->text.start};
  enum status status = STATUS_OK;
  if (otlp->selection == NULL || selection_takes(otlp->selection, made.labels)) {
    status = exponential ? add_exponential(otlp, point, &made.last)
                         : add_explicit(otlp, point, &made.last);
    if (status == STATUS_OK)
      status = check_count(otlp, point, &made.last);
    if (status == STATUS_OK)
      status = read_number(otlp, point, "startTimeUnixNano", &time.start);
    if (status == STATUS_OK)
      status = read_number(otlp, point, "timeUnixNano", &time.end);
    if (status == STATUS_OK)
      status = merge(otlp, point, &made, time, cumulative);
  }
  mem_free(made.labels);
  vector_clear(&made.last);
  return status;
}

static bool is_cumulative(const struct otlp *otlp, size_t histogram) {
  size_t kind = find(otlp, histogram, "aggregationTemporality");
  return kind != JSON_NONE &&
         (slice_is(at(otlp, kind)->text, "2") ||
          slice_is(at(otlp, kind)->text, "AGGREGATION_TEMPORALITY_CUMULATIVE"));
}

static enum status see_metric(struct otlp *otlp, size_t metric, size_t resource) {
  size_t name = find(otlp, metric, "name"), unit = find(otlp, metric, "unit");
  size_t plain = find(otlp, metric, "histogram");
  size_t histogram = plain == JSON_NONE ? find(otlp, metric, "exponentialHistogram") : plain;
  if (histogram == JSON_NONE || name == JSON_NONE)
    return STATUS_OK;
  if (!otlp->adding) {
    enum status status = metrics_see(&otlp->choice, otlp->reader, at(otlp, name)->text);
    if (otlp->choice.metric.start == at(otlp, name)->text.start && unit != JSON_NONE)
      otlp->unit = at(otlp, unit)->text;
    return status;
  }
  if (!slice_is(at(otlp, name)->text, otlp->metrics->name))
    return STATUS_OK;
  size_t points = find(otlp, histogram, "dataPoints");
  enum status status = STATUS_OK;
  for (size_t point = points == JSON_NONE ? JSON_NONE : json_first(otlp->json, points);
       point != JSON_NONE && status == STATUS_OK; point = json_next(otlp->json, points, point))
    status = add_point(otlp, resource, point, plain == JSON_NONE, is_cumulative(otlp, histogram));
  return status;
}

/* Each metric of a document. */
static enum status walk(struct otlp *otlp) {
  const struct json *json = otlp->json;
  size_t resources = find(otlp, 0, "resourceMetrics");
  enum status status = STATUS_OK;
  for (size_t r = resources == JSON_NONE ? JSON_NONE : json_first(json, resources);
       r != JSON_NONE && status == STATUS_OK; r = json_next(json, resources, r)) {
    size_t scopes = find(otlp, r, "scopeMetrics");
    for (size_t s = scopes == JSON_NONE ? JSON_NONE : json_first(json, scopes);
         s != JSON_NONE && status == STATUS_OK; s = json_next(json, scopes, s)) {
      size_t metrics = find(otlp, s, "metrics");
      for (size_t m = metrics == JSON_NONE ? JSON_NONE : json_first(json, metrics);
           m != JSON_NONE && status == STATUS_OK; m = json_next(json, metrics, m))
        status = see_metric(otlp, m, find(otlp, r, "resource"));
    }
  }
  return status;
}

/* One document a line, where the first line is one; else one in all. */
static enum status walk_documents(struct otlp *otlp) {
  const struct reader *reader = otlp->reader;
  const char *next = reader->bytes;
  struct slice line;
  struct json_fault ignored;
  struct json first;
  bool lines = reader_line(&line, reader, &next) &&
               json_parse(&first, line.start, line.start + line.length, &ignored);
  if (lines)
    json_clear(&first);
  next = reader->bytes;
  enum status status = STATUS_OK;
  while (status == STATUS_OK && next < reader->end) {
    struct reader part = *reader;
    part.bytes = next;
    if (lines) {
      reader_line(&line, reader, &next);
      part.bytes = line.start;
      part.end = line.start + line.length;
    } else {
      next = reader->end;
    }
    if (slice_trim((struct slice){part.bytes, (size_t)(part.end - part.bytes)}).length == 0)
      continue;
    status = json_document(&otlp->document, &part);
    otlp->json = &otlp->document;
    if (status == STATUS_OK)
      status = walk(otlp);
    json_clear(&otlp->document);
  }
  return status;
}

static const char *unit_of(struct slice unit) {
  return slice_is(unit, "s")    ? "s"
         : slice_is(unit, "ms") ? "ms"
         : slice_is(unit, "us") ? "us"
         : slice_is(unit, "ns") ? "ns"
                                : NULL;
}

enum status metrics_parse_otlp(struct metric_page *metrics, const struct reader *reader,
                               const struct label_choice *selection) {
  struct reader named = *reader;
  struct otlp otlp = {.reader = reader,
                      .selection = selection,
                      .metrics = metrics,
                      .choice = {.selection = selection}};
  enum status status = walk_documents(&otlp);
  if (status == STATUS_OK && otlp.choice.metric.start == NULL && otlp.choice.others.count == 0)
    status = reader_fail(reader, reader->bytes, "the file holds no histogram");
  if (status == STATUS_OK && named.unit == NULL)
    named.unit = unit_of(otlp.unit);
  if (status == STATUS_OK)
    status = metrics_settle(metrics, &otlp.choice, &named);
  otlp.adding = true;
  if (status == STATUS_OK)
    status = walk_documents(&otlp);
  metrics->end_mark = true; /* JSON is closed, or it is no JSON */
  vector_clear(&otlp.choice.others);
  vector_clear(&otlp.times);
  return status;
}
