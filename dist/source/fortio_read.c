/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of `fortio load -json`, seconds throughout:
 *
 *   "RequestedQPS": "8",
 *   "DurationHistogram": {"Count": 80, "Min": 0.0281, "Max": 0.0732,
 *     "Data": [{"Start": 0.0281, "End": 0.03, "Percent": 25, "Count": 20}, ...]},
 *   "RetCodes": {"200": 79, "-1": 1}
 *
 * Its traps:
 *  - A value up to a ten thousandth of the resolution above End is still counted in the bucket. The
 *    report does not state the resolution, but no bucket is narrower, except that the first starts
 *    at Min and the last ends at Max. So an End is raised by 1e-4 of its bucket's width (the
 *    first's by that of the second), or up to Max where there is no width to go by.
 *  - Failed requests are in the histogram with the time until they failed. They are taken as
 *    infinite. Which they are is not known: for an upper law those that succeeded were the longest,
 *    for a lower one the shortest. So the r-th shortest of them is given the lower edge of the r-th
 *    observation, and the upper edge of the (r + failed)-th.
 *  - Percentiles in the report are interpolated and not used.
 *  - Each connection waits for an answer before it sends again (coordinated omission).
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "dist/source/reader.h"

enum { SECONDS = 9, SLACK_PARTS = 10000 };

struct bucket {
  uint64_t start_ns, end_ns; /* rounded outward */
  uint64_t upper_ns;         /* no observation of the bucket is above */
  uint64_t count;
};

struct report {
  const struct reader *reader;
  const struct json *json;
  VECTOR(struct bucket) buckets;
  uint64_t count, min_ns, max_ns, failed;
  bool codes; /* the report says which requests failed */
};

static const struct json_value *value_at(const struct report *report, size_t index) {
  return &report->json->values.data[index];
}

/* The number under a key; one message when there is none, or two. */
static enum status find_number(const struct report *report, size_t object, const char *key,
                               struct slice *number) {
  bool twice = false;
  size_t index = json_find(report->json, object, key, &twice);
  struct slice parent = value_at(report, object)->text;
  if (index == JSON_NONE || twice)
    return reader_fail_found(report->reader, parent,
                             "where an object of fortio with one \"%s\" is expected; is the report "
                             "whole?",
                             key);
  *number = value_at(report, index)->text;
  if (value_at(report, index)->kind != JSON_NUMBER)
    return reader_fail_found(report->reader, *number, "where \"%s\" is a number", key);
  return STATUS_OK;
}

static enum status read_count(const struct report *report, struct slice number, uint64_t *count) {
  return decimal_whole(count, number) == DECIMAL_OK
             ? STATUS_OK
             : reader_fail_found(report->reader, number,
                                 "where a count, a whole number from 0 to 2^63-1, is expected");
}

static enum status find_count(const struct report *report, size_t object, uint64_t *count) {
  struct slice number;
  enum status status = find_number(report, object, "Count", &number);
  return status == STATUS_OK ? read_count(report, number, count) : status;
}

static enum status find_time(const struct report *report, size_t object, const char *key,
                             uint64_t *lower, uint64_t *upper) {
  struct slice number;
  enum status status = find_number(report, object, key, &number);
  if (status != STATUS_OK)
    return status;
  switch (decimal_range(lower, upper, NULL, number, SECONDS)) {
  case DECIMAL_OK:
    return STATUS_OK;
  case DECIMAL_TOO_LARGE:
    return reader_fail_found(report->reader, number,
                             "which is above 2^63-1 ns (292 years); is the file damaged?");
  default:
    return reader_fail_found(report->reader, number,
                             "a negative time; the clock was set back, measure again");
  }
}

static enum status read_bucket(struct report *report, size_t object) {
  struct bucket bucket = {0};
  uint64_t ignored;
  enum status status = find_time(report, object, "Start", &bucket.start_ns, &ignored);
  if (status == STATUS_OK)
    status = find_time(report, object, "End", &ignored, &bucket.end_ns);
  if (status == STATUS_OK)
    status = find_count(report, object, &bucket.count);
  if (status != STATUS_OK)
    return status;
  size_t count = report->buckets.count;
  const struct bucket *before = count == 0 ? NULL : &report->buckets.data[count - 1];
  /* End was rounded up, Start down: they may differ by 1 where they are the same. */
  if (before != NULL && (bucket.start_ns + 1 < before->end_ns || bucket.end_ns <= before->end_ns))
    return reader_fail_found(report->reader, value_at(report, object)->text,
                             "a bucket that overlaps the one before; the file is damaged");
  vector_push(&report->buckets, bucket);
  return STATUS_OK;
}

/* The first bucket may start above its end, by the slack of its end. */
static enum status widen(struct report *report, size_t list) {
  size_t last = report->buckets.count - 1;
  for (size_t i = 0; i <= last; i++) {
    struct bucket *bucket = &report->buckets.data[i];
    size_t wide = i == 0 ? 1 : i;
    if (bucket->start_ns < report->min_ns && report->min_ns <= bucket->end_ns)
      bucket->start_ns = report->min_ns;
    bucket->upper_ns = report->max_ns;
    if (wide < last) {
      const struct bucket *other = &report->buckets.data[wide];
      uint64_t width = other->end_ns > other->start_ns ? other->end_ns - other->start_ns : 0;
      uint64_t slack = width / SLACK_PARTS + 1;
      if (bucket->end_ns < report->max_ns && slack < report->max_ns - bucket->end_ns)
        bucket->upper_ns = bucket->end_ns + slack;
    }
    if (i != 0 && bucket->upper_ns < bucket[-1].upper_ns)
      bucket->upper_ns = bucket[-1].upper_ns;
    if (bucket->start_ns > bucket->upper_ns || (i != 0 && bucket->start_ns > bucket->end_ns) ||
        bucket->end_ns > report->max_ns)
      return reader_fail_found(report->reader, value_at(report, list)->text,
                               "a list in which bucket %zu does not lie below \"Max\"; the file is "
                               "damaged",
                               i + 1);
  }
  return STATUS_OK;
}

static enum status read_buckets(struct report *report, size_t histogram) {
  const struct json *json = report->json;
  bool twice = false;
  size_t list = json_find(json, histogram, "Data", &twice);
  if (list == JSON_NONE || twice || value_at(report, list)->kind != JSON_LIST)
    return reader_fail_found(
        report->reader, value_at(report, histogram)->text,
        "a \"DurationHistogram\" without its one list \"Data\"; percentiles alone "
        "have no error bound, keep fortio's whole report");
  uint64_t sum = 0, ignored;
  enum status status = find_time(report, histogram, "Max", &ignored, &report->max_ns);
  if (status == STATUS_OK && json_find(json, histogram, "Min", NULL) != JSON_NONE)
    status = find_time(report, histogram, "Min", &report->min_ns, &ignored);
  if (status == STATUS_OK)
    status = find_count(report, histogram, &report->count);
  size_t i = json_first(json, list);
  for (; status == STATUS_OK && i != JSON_NONE; i = json_next(json, list, i)) {
    status = read_bucket(report, i);
    if (status != STATUS_OK)
      break;
    uint64_t count = report->buckets.data[report->buckets.count - 1].count;
    if (count > SAMPLE_TOTAL_MAX - sum)
      return reader_fail_total(report->reader, value_at(report, i)->text.start);
    sum += count;
  }
  if (status == STATUS_OK && sum != report->count)
    return reader_fail_found(report->reader, value_at(report, histogram)->text,
                             "a histogram whose \"Count\" is %" PRIu64
                             " and whose buckets count %" PRIu64 "; the file is damaged",
                             report->count, sum);
  if (status != STATUS_OK || report->buckets.count == 0)
    return status;
  return widen(report, list);
}

/* What fortio counts as an answer: 2xx of HTTP, the names of gRPC, TCP and UDP, 1 of early gRPC. */
static bool is_success(const struct report *report, struct slice code) {
  uint64_t number;
  if (decimal_whole(&number, code) == DECIMAL_OK && number >= 200 && number <= 299)
    return true;
  size_t type = json_find(report->json, 0, "RunType", NULL);
  struct slice name = type == JSON_NONE ? (struct slice){"", 0} : value_at(report, type)->text;
  bool grpc = name.length >= 4 && memcmp(name.start, "GRPC", 4) == 0;
  return slice_is(code, "SERVING") || slice_is(code, "OK") || (grpc && slice_is(code, "1"));
}

static enum status read_codes(struct report *report) {
  const struct json *json = report->json;
  bool twice = false;
  size_t codes = json_find(json, 0, "RetCodes", &twice);
  uint64_t sum = 0;
  if (twice)
    return reader_fail_found(report->reader, value_at(report, codes)->text,
                             "\"RetCodes\" for the first of two times; the file is damaged");
  if (codes == JSON_NONE || value_at(report, codes)->kind != JSON_OBJECT) {
    size_t errors = json_find(json, 0, "ErrorsDurationHistogram", NULL);
    if (errors == JSON_NONE || value_at(report, errors)->kind != JSON_OBJECT)
      return STATUS_OK;
    report->codes = true;
    return find_count(report, errors, &report->failed);
  }
  report->codes = true;
  for (size_t i = json_first(json, codes); i != JSON_NONE; i = json_next(json, codes, i)) {
    uint64_t count;
    enum status status = read_count(report, value_at(report, i)->text, &count);
    if (status != STATUS_OK)
      return status;
    if (count > SAMPLE_TOTAL_MAX - sum)
      return reader_fail_total(report->reader, value_at(report, i)->text.start);
    sum += count;
    report->failed += is_success(report, value_at(report, i)->key) ? 0 : count;
  }
  if (sum == report->count)
    return STATUS_OK;
  return reader_fail_found(report->reader, value_at(report, codes)->text,
                           "\"RetCodes\" that count %" PRIu64
                           " answers, but the histogram counts %" PRIu64 "; the file is damaged",
                           sum, report->count);
}

/* The coupling described above. */
static enum status add_buckets(struct sample *out, const struct report *report) {
  size_t low = 0, high = 0;
  uint64_t low_used = 0, high_used = 0, skip = report->failed;
  while (high < report->buckets.count && skip >= report->buckets.data[high].count)
    skip -= report->buckets.data[high++].count;
  high_used = skip;
  while (high < report->buckets.count) {
    const struct bucket *from = &report->buckets.data[low], *to = &report->buckets.data[high];
    uint64_t step = to->count - high_used;
    if (from->count - low_used < step)
      step = from->count - low_used;
    if (!sample_add_range(out, from->start_ns, to->upper_ns, step))
      return reader_fail_total(report->reader, report->reader->bytes);
    low_used += step;
    high_used += step;
    if (low_used == from->count) {
      low++;
      low_used = 0;
    }
    if (high_used == to->count) {
      high++;
      high_used = 0;
    }
  }
  return sample_add_beyond(out, report->failed)
             ? STATUS_OK
             : reader_fail_total(report->reader, report->reader->bytes);
}

static void note_assumptions(const struct report *report) {
  const struct reader *reader = report->reader;
  size_t asked = json_find(report->json, 0, "RequestedQPS", NULL);
  struct slice rate = asked == JSON_NONE ? (struct slice){"?", 1} : value_at(report, asked)->text;
  source_notes_add(reader->notes,
                   "%s: fortio waits for each answer before it sends the next request on a "
                   "connection (closed loop, %.*s requests/s asked for): requests that were due "
                   "while one was slow are missing (coordinated omission)",
                   reader->path, (int)(rate.length > 32 ? 32 : rate.length), rate.start);
  source_notes_add(reader->notes,
                   "%s: each bucket's end is raised by what fortio counts beyond it (1e-4 of its "
                   "resolution)",
                   reader->path);
  if (!report->codes)
    source_notes_add(reader->notes,
                     "%s: every request is taken as answered, for the report has no "
                     "\"RetCodes\"",
                     reader->path);
  if (report->failed != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " requests failed and are taken as infinite; which of the times are theirs is "
                     "not known",
                     reader->path, report->failed, report->count);
}

enum status fortio_read(struct sample *out, const struct reader *reader, const struct json *json) {
  struct report report = {.reader = reader, .json = json};
  bool twice = false;
  size_t histogram = json_find(json, 0, "DurationHistogram", &twice);
  enum status status = reader_require_unit(reader, SECONDS, "a report of fortio");
  if (status == STATUS_OK && (twice || value_at(&report, histogram)->kind != JSON_OBJECT))
    status = reader_fail_found(reader, value_at(&report, histogram)->text,
                               "where the one object \"DurationHistogram\" is expected");
  if (status == STATUS_OK)
    status = read_buckets(&report, histogram);
  if (status == STATUS_OK)
    status = read_codes(&report);
  if (status == STATUS_OK && report.failed > report.count)
    status = reader_fail(reader, reader->bytes,
                         "the report counts %" PRIu64 " failed requests of %" PRIu64
                         "; the file is damaged",
                         report.failed, report.count);
  if (status == STATUS_OK)
    status = add_buckets(out, &report);
  out->evidence.unit = unit_name(SECONDS);
  if (report.codes)
    evidence_set_lost(&out->evidence, EVIDENCE_FAILED, report.failed);
  if (status == STATUS_OK)
    note_assumptions(&report);
  vector_clear(&report.buckets);
  return status;
}
