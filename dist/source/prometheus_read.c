/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classic histograms in the text that Prometheus scrapes and federates, or OpenMetrics:
 *
 *   # TYPE rpc_seconds histogram
 *   rpc_seconds_bucket{host="a",le="0.005"} 17
 *   rpc_seconds_bucket{host="a",le="+Inf"} 20
 *   rpc_seconds_sum{host="a"} 0.4
 *   rpc_seconds_count{host="a"} 20
 *
 * What only +Inf counts is larger than every le, and taken as infinite (histogram_quantile()
 * answers the last le instead, and interpolates between the others; both are too low). Other
 * metrics of the file are passed over.
 *
 * Lines stand in any order (/federate sorts le as text). Where there is a _count, as there is on a
 * page with a TYPE, it must agree with +Inf, which also shows a cut-off file.
 */
#include <string.h>

#include "dist/source/classic.h"
#include "dist/source/exposition.h"

struct page {
  const struct reader *reader;
  const struct label_choice *selection;
  struct metric_page *metrics;
  struct metrics_choice choice;
  struct classic classic;
  bool summary, native;
};

/* Which metric the file is about; also that every line is well formed. */
static enum status find_metric(struct page *page) {
  const struct reader *reader = page->reader;
  const char *at = reader->bytes;
  struct slice line, base;
  struct exposed exposed;
  while (reader_line(&line, reader, &at)) {
    enum exposed_kind kind = exposed_line(&exposed, reader, line);
    if (kind == EXPOSED_BAD)
      return STATUS_DATA;
    if (page->metrics->end_mark && slice_trim(line).length != 0)
      return reader_fail_found(reader, line, "behind \"# EOF\", which ends an exposition");
    page->metrics->end_mark = page->metrics->end_mark || kind == EXPOSED_END;
    if (kind != EXPOSED_METRIC)
      continue;
    page->summary = page->summary || exposed.quantile;
    page->native = page->native || exposed.value.start[0] == '{';
    if (exposed.le.start == NULL || !metric_ends_in(exposed.name, "_bucket", &base))
      continue;
    enum status status = metrics_see(&page->choice, reader, base);
    if (status != STATUS_OK)
      return status;
  }
  if (page->choice.metric.start != NULL || page->choice.others.count != 0)
    return metrics_settle(page->metrics, &page->choice, reader);
  return reader_fail(
      reader, reader->bytes, "%s",
      page->native
          ? "the file holds a native histogram as text, whose bucket edges are no decimals "
            "and are not read; save the page as protobuf (.pb), or have the server expose "
            "classic buckets (le)"
      : page->summary
          ? "the file holds a summary and no histogram; a summary's quantiles have no error bound: "
            "have the program expose a histogram"
          : "the file holds no histogram; lines such as rpc_seconds_bucket{le=\"0.005\"} 17 are "
            "expected");
}

static void add_labels(label_list *labels, struct slice rest) {
  while (rest.length != 0) {
    struct slice name, value;
    size_t length = exposed_label(&name, &value, rest);
    if (name.length != 0)
      labels_add_escaped(labels, name, value);
    rest = (struct slice){rest.start + length, rest.length - length};
  }
}

/* The order of the labels says nothing: one set has one text. NULL: it is not selected. */
static char *labels_of(const struct page *page, const struct exposed *exposed) {
  label_list list = {0};
  add_labels(&list, exposed->before);
  add_labels(&list, exposed->after);
  char *labels = labels_take(&list);
  if (page->selection == NULL || selection_takes(page->selection, labels))
    return labels;
  mem_free(labels);
  return NULL;
}

static enum status check_count(const struct reader *reader, uint64_t *count, struct slice text) {
  if (text.length != 0 && text.start[0] == '{')
    return reader_fail_found(reader, text,
                             "a native histogram as text, whose bucket edges are no decimals and "
                             "are not read; save the page as protobuf (.pb), or have the server "
                             "expose classic buckets (le)");
  return metrics_count(count, reader, text);
}

static enum status add_bucket(struct page *page, const struct exposed *exposed) {
  const struct reader *reader = page->reader;
  if (exposed->le.start == NULL)
    return reader_fail_found(reader, exposed->name, "a bucket without the label le");
  struct classic_bucket bucket = {.at = exposed->name.start, .text = exposed->value};
  enum status status = check_count(reader, &bucket.last, exposed->value);
  if (status == STATUS_OK)
    status = classic_le(&bucket, reader, exposed->le, page->metrics->exponent);
  bucket.labels = status == STATUS_OK ? labels_of(page, exposed) : NULL;
  if (bucket.labels != NULL)
    vector_push(&page->classic.buckets, bucket);
  return status;
}

static enum status add_count(struct page *page, const struct exposed *exposed) {
  struct classic_count count = {.name = exposed->name, .text = exposed->value};
  enum status status = check_count(page->reader, &count.count, exposed->value);
  count.labels = status == STATUS_OK ? labels_of(page, exposed) : NULL;
  if (count.labels != NULL)
    vector_push(&page->classic.counts, count);
  return status;
}

static enum status add_metric(struct page *page, const struct exposed *exposed) {
  struct slice base;
  uint64_t ignored;
  const char *name = page->metrics->name;
  if (metric_ends_in(exposed->name, "_bucket", &base) && slice_is(base, name))
    return add_bucket(page, exposed);
  if (metric_ends_in(exposed->name, "_count", &base) && slice_is(base, name))
    return add_count(page, exposed);
  if (!metric_ends_in(exposed->name, "_sum", &base) || !slice_is(base, name) ||
      decimal_upper(&ignored, NULL, exposed->value, 0) != DECIMAL_NOT)
    return STATUS_OK;
  return reader_fail_found(page->reader, exposed->value,
                           "which is no sum of times; the recorder was fed no number, "
                           "correct it and record again");
}

/* "# TYPE rpc_seconds histogram": a page of the program itself, which has all of it. */
static bool is_type(struct slice line, const char *name) {
  struct slice word;
  return slice_field(&word, &line, ' ') && slice_is(word, "#") && slice_field(&word, &line, ' ') &&
         slice_is(word, "TYPE") && slice_field(&word, &line, ' ') && slice_is(word, name) &&
         slice_field(&word, &line, ' ') && slice_is(word, "histogram");
}

static enum status add_lines(struct page *page) {
  const char *at = page->reader->bytes;
  struct slice line;
  struct exposed exposed;
  enum status status = STATUS_OK;
  while (status == STATUS_OK && reader_line(&line, page->reader, &at))
    if (exposed_line(&exposed, page->reader, line) == EXPOSED_METRIC)
      status = add_metric(page, &exposed);
    else
      page->classic.counted = page->classic.counted || is_type(line, page->metrics->name);
  return status == STATUS_OK ? classic_finish(page->metrics, &page->classic) : status;
}

/* An OpenMetrics file may end right behind its end mark. */
static enum status check_end(const struct reader *reader) {
  static const char mark[] = "# EOF";
  size_t length = (size_t)(reader->end - reader->bytes), size = strlen(mark);
  if (length > size && memcmp(reader->end - size, mark, size) == 0 && reader->end[-6] == '\n')
    return STATUS_OK;
  return reader_require_last_line(reader);
}

enum status metrics_parse_text(struct metric_page *metrics, const struct reader *reader,
                               const struct label_choice *selection) {
  struct page page = {.reader = reader,
                      .selection = selection,
                      .metrics = metrics,
                      .choice = {.selection = selection},
                      .classic = {.reader = reader}};
  enum status status = check_end(reader);
  if (status == STATUS_OK)
    status = find_metric(&page);
  if (status == STATUS_OK)
    status = add_lines(&page);
  vector_clear(&page.choice.others);
  classic_clear(&page.classic);
  return status;
}
