/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/metrics.h"

#include <string.h>

#include "dist/source/power.h"

enum { OTHERS_KEPT = 8, SHOWN = 64, WIDER_BITS = 40 };

void metrics_clear(struct metric_page *metrics) {
  for (size_t i = 0; i < metrics->all.count; i++) {
    mem_free(metrics->all.data[i].labels);
    vector_clear(&metrics->all.data[i].first);
    vector_clear(&metrics->all.data[i].last);
    for (size_t k = 0; k < metrics->all.data[i].points.count; k++)
      vector_clear(&metrics->all.data[i].points.data[k].counts);
    vector_clear(&metrics->all.data[i].points);
  }
  vector_clear(&metrics->all);
  mem_free(metrics->name);
  metrics->name = NULL;
}

static bool same(struct slice a, struct slice b) {
  return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

static int shown(struct slice name) {
  return name.length > SHOWN ? SHOWN : (int)name.length;
}

enum status metrics_see(struct metrics_choice *choice, const struct reader *reader,
                        struct slice metric) {
  const char *wanted = choice->selection == NULL ? NULL : choice->selection->metric;
  if (wanted == NULL && choice->metric.start != NULL && !same(metric, choice->metric))
    return reader_fail_found(reader, metric,
                             "a second histogram beside \"%.*s\"; choose one: --select "
                             "'NAME=%.*s{}'",
                             shown(choice->metric), choice->metric.start, shown(choice->metric),
                             choice->metric.start);
  if (wanted == NULL || slice_is(metric, wanted)) {
    if (choice->metric.start == NULL)
      choice->metric = metric;
    return STATUS_OK;
  }
  bool known = choice->others.count == OTHERS_KEPT;
  for (size_t i = 0; i < choice->others.count && !known; i++)
    known = same(choice->others.data[i], metric);
  if (!known)
    vector_push(&choice->others, metric);
  return STATUS_OK;
}

static enum status fail_missing(const struct metrics_choice *choice, const struct reader *reader) {
  struct text there;
  text_init(&there);
  for (size_t i = 0; i < choice->others.count; i++)
    text_format(&there, "%s%.*s", i == 0 ? "" : ", ", shown(choice->others.data[i]),
                choice->others.data[i].start);
  if (choice->others.count == OTHERS_KEPT)
    text_append(&there, " and perhaps others");
  enum status status =
      reader_fail(reader, reader->bytes, "there is no histogram \"%.64s\"; there is %s",
                  choice->selection->metric, there.length == 0 ? "none" : there.data);
  text_clear(&there);
  return status;
}

static int exponent_of_name(struct slice metric) {
  static const struct {
    const char *suffix;
    int exponent;
  } suffixes[] = {{"_seconds", 9}, {"_milliseconds", 6}, {"_microseconds", 3}, {"_nanoseconds", 0},
                  {"_s", 9},       {"_ms", 6},           {"_us", 3},           {"_ns", 0}};
  struct slice before;
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (metric_ends_in(metric, suffixes[i].suffix, &before))
      return suffixes[i].exponent;
  return -1;
}

enum status metrics_settle(struct metric_page *metrics, struct metrics_choice *choice,
                           const struct reader *reader) {
  if (choice->metric.start == NULL)
    return fail_missing(choice, reader);
  int stated =
      reader->unit == NULL ? -1 : unit_exponent((struct slice){reader->unit, strlen(reader->unit)});
  int named = exponent_of_name(choice->metric);
  if (stated >= 0 && named >= 0 && stated != named)
    return reader_fail_found(reader, choice->metric,
                             "but the unit is stated to be %s on the command line; correct the one "
                             "that is wrong",
                             reader->unit);
  metrics->exponent = stated >= 0 ? stated : named;
  if (metrics->exponent < 0)
    return reader_fail_found(
        reader, choice->metric,
        "a name that ends in no unit (_seconds, _milliseconds, ...); state the "
        "unit of le: --unit NAME=s");
  metrics->name = mem_copy_text(choice->metric.start, choice->metric.length);
  return STATUS_OK;
}

uint64_t metrics_above(uint64_t floor_ns) {
  return floor_ns < SAMPLE_NS_MAX ? floor_ns + 1 : floor_ns;
}

uint64_t metrics_widen_upper(uint64_t upper_ns) {
  if (upper_ns <= SAMPLE_NS_MAX)
    upper_ns += (upper_ns >> WIDER_BITS) + 1;
  return upper_ns > SAMPLE_NS_MAX ? METRICS_INFINITE : upper_ns;
}

struct metrics_bucket metrics_power_bucket(int scale, int64_t index, int exponent) {
  struct metrics_bucket bucket = {.count = 0};
  uint64_t ignored;
  power_round(&bucket.lower_ns, &ignored, power_of_two(scale, index), exponent);
  power_round(&ignored, &bucket.upper_ns, power_of_two(scale, index + 1), exponent);
  bucket.upper_ns = metrics_widen_upper(bucket.upper_ns);
  bucket.lower_ns -= bucket.lower_ns >> WIDER_BITS;
  bucket.lower_ns -= bucket.lower_ns != 0;
  return bucket;
}

/* The bucket of `later` that this one is, or is a part of; both lists are in order. */
static struct metrics_bucket *find(metrics_buckets *later, size_t *at,
                                   const struct metrics_bucket *part) {
  while (*at < later->count && later->data[*at].upper_ns < part->upper_ns)
    (*at)++;
  if (*at == later->count || later->data[*at].lower_ns > part->lower_ns)
    return NULL;
  return &later->data[*at];
}

bool metrics_subtract(metrics_buckets *later, const metrics_buckets *earlier) {
  size_t at = 0;
  for (size_t i = 0; i < earlier->count; i++) {
    const struct metrics_bucket *part = &earlier->data[i];
    struct metrics_bucket *whole = part->count == 0 ? NULL : find(later, &at, part);
    if (part->count == 0)
      continue;
    if (whole == NULL || whole->count < part->count)
      return false;
    whole->count -= part->count;
  }
  return true;
}

enum status metrics_count(uint64_t *count, const struct reader *reader, struct slice text) {
  uint64_t upper;
  if (decimal_range(count, &upper, NULL, text, 0) == DECIMAL_OK && *count == upper)
    return STATUS_OK;
  if (slice_is_word(text, "nan"))
    return reader_fail_found(reader, text,
                             "which is no count; the recorder was fed no number, "
                             "correct it and record again");
  return reader_fail_found(reader, text,
                           "where a count, a whole number from 0 to 2^63-1, is expected");
}
