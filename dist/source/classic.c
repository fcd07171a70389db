/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/classic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void classic_clear(struct classic *classic) {
  for (size_t i = 0; i < classic->buckets.count; i++)
    mem_free(classic->buckets.data[i].labels);
  for (size_t i = 0; i < classic->buckets.count; i++)
    vector_clear(&classic->buckets.data[i].points);
  for (size_t i = 0; i < classic->counts.count; i++)
    mem_free(classic->counts.data[i].labels);
  vector_clear(&classic->buckets);
  vector_clear(&classic->counts);
}

enum status classic_le(struct classic_bucket *bucket, const struct reader *reader, struct slice le,
                       int exponent) {
  if (slice_is_word(le, "+inf") || slice_is_word(le, "inf")) {
    bucket->lower_ns = bucket->upper_ns = METRICS_INFINITE;
    return STATUS_OK;
  }
  switch (decimal_range(&bucket->lower_ns, &bucket->upper_ns, NULL, le, exponent)) {
  case DECIMAL_OK:
    return STATUS_OK;
  case DECIMAL_TOO_LARGE:
    return reader_fail_found(reader, le,
                             "which is above 2^63-1 ns (292 years) in %s; is the unit "
                             "right?",
                             unit_name(exponent));
  case DECIMAL_NEGATIVE:
    return reader_fail_found(reader, le, "a negative le, but no time is negative");
  default:
    return reader_fail_found(reader, le, "where a le such as \"0.005\" or \"+Inf\" is expected");
  }
}

static int compare_buckets(const void *a, const void *b) {
  const struct classic_bucket *x = a, *y = b;
  int order = strcmp(x->labels, y->labels);
  if (order != 0)
    return order;
  if (x->upper_ns != y->upper_ns)
    return x->upper_ns < y->upper_ns ? -1 : 1;
  if (x->lower_ns != y->lower_ns)
    return x->lower_ns < y->lower_ns ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static int compare_counts(const void *a, const void *b) {
  const struct classic_count *x = a, *y = b;
  return strcmp(x->labels, y->labels);
}

static enum status check_order(const struct reader *reader, const struct classic_bucket *bucket,
                               const struct classic_bucket *before) {
  if (before->upper_ns == bucket->upper_ns)
    return reader_fail(reader, bucket->at,
                       "this bucket of its label set stands here a second time; keep one "
                       "exposition to a file");
  if (bucket->last < before->last)
    return reader_fail_found(reader, bucket->text,
                             "but the bucket before counts %" PRIu64
                             ", and each bucket counts those before it, too; the file is damaged",
                             before->last);
  if (bucket->first < before->first)
    return reader_fail(reader, bucket->at,
                       "this bucket counts %" PRIu64 " at first, but the bucket before %" PRIu64
                       ", and each bucket counts those before it, too; the file is damaged",
                       bucket->first, before->first);
  return STATUS_OK;
}

static bool is_one_edge(const struct classic_bucket *a, const struct classic_bucket *b) {
  return a->lower_ns == b->lower_ns && a->upper_ns == b->upper_ns;
}

/* The second of two, of one edge, goes on where the first ended: the le was written anew. */
static bool goes_on(const struct classic_bucket *a, const struct classic_bucket *b) {
  return is_one_edge(a, b) && a->to_ms < b->from_ms && b->first >= a->last;
}

/* Each owns its labels, so that none may be lost. */
static void swap(struct classic_bucket *a, struct classic_bucket *b) {
  struct classic_bucket swapped = *a;
  *a = *b;
  *b = swapped;
}

/* Joins those that go on as another; their number. */
static size_t join(struct classic_bucket *buckets, size_t count) {
  size_t kept = 0;
  for (size_t i = 1; i < count; i++) {
    struct classic_bucket *a = &buckets[kept], *b = &buckets[i];
    if (goes_on(b, a))
      swap(a, b);
    if (!goes_on(a, b)) {
      swap(&buckets[++kept], b);
      continue;
    }
    for (size_t k = 0; k < b->points.count; k++)
      vector_push(&a->points, b->points.data[k]);
    a->last = b->last;
    a->to_ms = b->to_ms;
    a->text = b->text;
  }
  return kept + 1;
}

/* Leaves out those that were not there all the time, so that the next counts what they did. */
static size_t drop_partial(const struct reader *reader, struct classic_bucket *buckets,
                           size_t count) {
  uint64_t from_ms = UINT64_MAX, to_ms = 0;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    from_ms = buckets[i].from_ms < from_ms ? buckets[i].from_ms : from_ms;
    to_ms = buckets[i].to_ms > to_ms ? buckets[i].to_ms : to_ms;
  }
  for (size_t i = 0; i < count; i++)
    if (buckets[i].upper_ns == METRICS_INFINITE ||
        (buckets[i].from_ms == from_ms && buckets[i].to_ms == to_ms))
      swap(&buckets[kept++], &buckets[i]);
  if (kept < count)
    source_notes_add(reader->notes,
                     "%s: %zu of the buckets of {%.200s} were there for a part of the window only, "
                     "and are counted with the next larger one",
                     reader->path, count - kept, buckets[0].labels);
  return kept;
}

/* The last one, of all that there are. */
static enum status check_window(const struct reader *reader, const struct classic_bucket *buckets,
                                size_t count) {
  const struct classic_bucket *all = &buckets[count - 1];
  for (size_t i = 0; i + 1 < count && all->upper_ns == METRICS_INFINITE; i++)
    if (all->from_ms > buckets[i].from_ms || all->to_ms < buckets[i].to_ms)
      return reader_fail(reader, all->at,
                         "the bucket le=\"+Inf\" was there for a part of the window only; choose "
                         "times at which it is");
  return STATUS_OK;
}

/* What they had counted at each time; nothing where one was not there at all times, or counts less
 * than the one before it. */
static void add_points(struct metrics_histogram *histogram, const struct classic_bucket *buckets,
                       size_t count) {
  const struct classic_bucket *all = &buckets[count - 1];
  for (size_t i = 0; i < count; i++) {
    if (buckets[i].points.count != all->points.count)
      return;
    for (size_t k = 0; k < all->points.count; k++)
      if (buckets[i].points.data[k].ms != all->points.data[k].ms ||
          (i > 0 && buckets[i].points.data[k].count < buckets[i - 1].points.data[k].count))
        return;
  }
  for (size_t k = 0; k < all->points.count; k++) {
    struct metrics_point point = {.ms = all->points.data[k].ms};
    uint64_t before = 0, lower_ns = 0;
    for (size_t i = 0; i < count; i++) {
      uint64_t now = buckets[i].points.data[k].count;
      struct metrics_bucket bucket = {lower_ns, buckets[i].upper_ns, now - before};
      vector_push(&point.counts, bucket);
      before = now;
      lower_ns = metrics_above(buckets[i].lower_ns);
    }
    vector_push(&histogram->points, point);
  }
}

/* The buckets of one label set, `count` of them by le. */
static enum status add_histogram(struct metric_page *metrics, const struct reader *reader,
                                 struct classic_bucket *buckets, size_t count) {
  struct metrics_histogram histogram = {.at = buckets[0].at};
  enum status status = STATUS_OK;
  for (size_t i = 1; i < count; i++)
    if (buckets[i].at < histogram.at)
      histogram.at = buckets[i].at;
  if (metrics->window) {
    count = join(buckets, count);
    status = check_window(reader, buckets, count);
    count = status == STATUS_OK ? drop_partial(reader, buckets, count) : count;
  }
  struct classic_bucket before = {0};
  for (size_t i = 0; i < count && status == STATUS_OK; i++) {
    uint64_t lower_ns = i == 0 ? 0 : metrics_above(before.lower_ns);
    struct metrics_bucket bucket = {lower_ns, buckets[i].upper_ns, 0};
    if (i != 0)
      status = check_order(reader, &buckets[i], &before);
    if (status != STATUS_OK)
      break;
    bucket.count = buckets[i].last - before.last;
    vector_push(&histogram.last, bucket);
    bucket.count = buckets[i].first - before.first;
    if (metrics->window)
      vector_push(&histogram.first, bucket);
    before = buckets[i];
  }
  if (status == STATUS_OK && before.upper_ns != METRICS_INFINITE)
    status = reader_fail(reader, histogram.at,
                         "the label set that starts here has no bucket le=\"+Inf\": the file is "
                         "truncated; fetch it again");
  if (status == STATUS_OK && metrics->window)
    add_points(&histogram, buckets, count);
  histogram.labels = buckets[0].labels;
  buckets[0].labels = NULL;
  vector_push(&metrics->all, histogram);
  return status;
}

/* The histograms are by label set, as the counts are. */
static enum status check_counts(const struct metric_page *metrics, const struct classic *classic) {
  const struct reader *reader = classic->reader;
  size_t at = 0;
  for (size_t i = 0; i < metrics->all.count; i++) {
    const struct metrics_histogram *histogram = &metrics->all.data[i];
    bool some = at < classic->counts.count;
    const struct classic_count *count = some ? &classic->counts.data[at] : NULL;
    int order = some ? strcmp(count->labels, histogram->labels) : 1;
    if (order < 0)
      return reader_fail(reader, count->name.start, "the buckets of this label set are missing");
    if (order > 0)
      return reader_fail(reader, histogram->at,
                         "the label set that starts here has no _count: the file is truncated; "
                         "fetch it again");
    uint64_t total = 0;
    for (size_t k = 0; k < histogram->last.count; k++)
      total += histogram->last.data[k].count;
    if (count->count != total)
      return reader_fail_found(reader, count->text,
                               "but le=\"+Inf\" counts %" PRIu64
                               "; the file is damaged or truncated, fetch it again",
                               total);
    if (at + 1 < classic->counts.count && strcmp(count[1].labels, count->labels) == 0) {
      const struct slice *a = &count[0].name, *b = &count[1].name;
      return reader_fail_found(reader, a->start > b->start ? *a : *b,
                               "a second time for one label set");
    }
    at++;
  }
  if (at < classic->counts.count)
    return reader_fail(reader, classic->counts.data[at].name.start,
                       "the buckets of this label set are missing");
  return STATUS_OK;
}

enum status classic_finish(struct metric_page *metrics, struct classic *classic) {
  struct classic_bucket *buckets = classic->buckets.data;
  size_t count = classic->buckets.count;
  if (count > 1)
    qsort(buckets, count, sizeof *buckets, compare_buckets);
  if (classic->counts.count > 1)
    qsort(classic->counts.data, classic->counts.count, sizeof *classic->counts.data,
          compare_counts);
  enum status status = STATUS_OK;
  for (size_t start = 0, end; start < count && status == STATUS_OK; start = end) {
    for (end = start + 1; end < count && strcmp(buckets[end].labels, buckets[start].labels) == 0;)
      end++;
    status = add_histogram(metrics, classic->reader, &buckets[start], end - start);
  }
  /* a page of a server may be of the buckets alone */
  if (status == STATUS_OK && (classic->counted || classic->counts.count != 0))
    status = check_counts(metrics, classic);
  return status;
}
