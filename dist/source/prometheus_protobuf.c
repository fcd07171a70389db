/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Histograms on a page of metrics in protobuf, which a Prometheus server asks a program for:
 *
 *   Accept: application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily;
 *           encoding=delimited
 *
 * The page is a list of messages, each behind its length:
 *
 *   MetricFamily   1 name, 3 type (4 is a histogram), 4 Metric, any number of them
 *   Metric         1 LabelPair, any number of them, 7 Histogram (prometheus_message.h)
 *   LabelPair      1 name, 2 value
 *
 * All label sets of a metric are in one message, so that a page that was cut off does not lack some
 * of them. Other fields, and metrics of other types, are passed over.
 */
#include <inttypes.h>
#include <string.h>

#include "dist/source/prometheus_message.h"

enum { FAMILY_NAME = 1, FAMILY_TYPE = 3, FAMILY_METRIC = 4 };
enum { METRIC_LABEL = 1, METRIC_HISTOGRAM = 7 };
enum { LABEL_NAME = 1, LABEL_VALUE = 2 };
enum { TYPE_SUMMARY = 2, TYPE_HISTOGRAM = 4, TYPE_GAUGE_HISTOGRAM = 5 };

struct family {
  struct slice bytes, name;
  uint64_t type;
  size_t metrics;
};

struct protobuf_page {
  const struct reader *reader;
  const struct label_choice *selection;
  struct metric_page *metrics;
  struct metrics_choice choice;
  VECTOR(struct family) families; /* with histograms */
  bool summary, gauge;            /* others that there are */
};

static bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

/* A length, then the first field, which is the name, and the start of another field. */
bool protobuf_is(const struct reader *reader) {
  enum { NAME_TAG = FAMILY_NAME << 3 | 2, LAST_TAG = 5 << 3 | 2 };
  struct wire_message wire = {.left = {reader->bytes, (size_t)(reader->end - reader->bytes)}};
  uint64_t length, tag, size;
  if (!wire_number(&wire, &length) || !wire_number(&wire, &tag) || tag != NAME_TAG ||
      !wire_number(&wire, &size) || size == 0 || size >= length || size >= wire.left.length)
    return false;
  for (size_t i = 0; i < size; i++)
    if (!is_name_byte(wire.left.start[i]))
      return false;
  unsigned char next = (unsigned char)wire.left.start[size];
  return next > NAME_TAG && next <= LAST_TAG;
}

/* Texts go into label sets and messages, which end at a NUL. */
static enum status take_text(struct slice *text, const struct reader *reader,
                             const struct wire_field *field) {
  enum status status = prometheus_expect(reader, field, WIRE_BYTES);
  *text = field->bytes;
  if (status != STATUS_OK || memchr(text->start, '\0', text->length) == NULL)
    return status;
  return reader_fail_found(reader, *text, "a text with a zero byte; the page is damaged");
}

/* --- which metric --- */

static enum status read_family(struct family *family, const struct reader *reader,
                               struct slice bytes) {
  struct wire_message wire = {.left = bytes};
  struct wire_field field;
  enum status status = STATUS_OK;
  *family = (struct family){.bytes = bytes, .name = {bytes.start, 0}};
  while (status == STATUS_OK && wire_next(&wire, &field)) {
    if (field.number == FAMILY_NAME) {
      status = take_text(&family->name, reader, &field);
    } else if (field.number == FAMILY_TYPE) {
      status = prometheus_expect(reader, &field, WIRE_NUMBER);
      family->type = field.value;
    } else if (field.number == FAMILY_METRIC) {
      status = prometheus_expect(reader, &field, WIRE_BYTES);
      family->metrics++;
    }
  }
  return status == STATUS_OK ? prometheus_whole(reader, &wire) : status;
}

static enum status see_family(struct protobuf_page *page, const struct family *family) {
  page->summary = page->summary || family->type == TYPE_SUMMARY;
  page->gauge = page->gauge || family->type == TYPE_GAUGE_HISTOGRAM;
  if (family->type != TYPE_HISTOGRAM || family->metrics == 0)
    return STATUS_OK;
  if (family->name.length == 0)
    return reader_fail(page->reader, family->bytes.start,
                       "a histogram without a name; the page is damaged");
  vector_push(&page->families, *family);
  return metrics_see(&page->choice, page->reader, family->name);
}

static enum status fail_length(const struct reader *reader, const char *at, uint64_t length,
                               size_t left) {
  return reader_fail(reader, at,
                     "the message that starts here is to have %" PRIu64 " bytes, but only %zu are "
                     "left: the page is truncated; fetch it again",
                     length, left);
}

static enum status find_families(struct protobuf_page *page) {
  const struct reader *reader = page->reader;
  struct wire_message wire = {.left = {reader->bytes, (size_t)(reader->end - reader->bytes)}};
  while (wire.left.length != 0) {
    const char *at = wire.left.start;
    struct family family;
    uint64_t length;
    if (!wire_number(&wire, &length))
      return prometheus_whole(reader, &wire);
    if (length > wire.left.length)
      return fail_length(reader, at, length, wire.left.length);
    enum status status =
        read_family(&family, reader, (struct slice){wire.left.start, (size_t)length});
    if (status == STATUS_OK)
      status = see_family(page, &family);
    if (status != STATUS_OK)
      return status;
    wire.left.start += length;
    wire.left.length -= (size_t)length;
  }
  return STATUS_OK;
}

static enum status settle(struct protobuf_page *page) {
  if (page->families.count != 0)
    return metrics_settle(page->metrics, &page->choice, page->reader);
  return reader_fail(
      page->reader, page->reader->bytes, "%s",
      page->gauge     ? "the page holds a gauge histogram and no other: it says how many "
                        "things there are now, and counts no observations"
      : page->summary ? "the page holds a summary and no histogram; a summary's quantiles have "
                        "no error bound: have the program expose a histogram"
                      : "the page holds no histogram");
}

/* --- its label sets --- */

static enum status take_label(label_list *labels, const struct reader *reader,
                              const struct wire_field *pair) {
  struct slice name = {pair->bytes.start, 0}, value = name;
  struct wire_message wire = {.left = pair->bytes};
  struct wire_field field;
  enum status status = STATUS_OK;
  while (status == STATUS_OK && wire_next(&wire, &field))
    if (field.number == LABEL_NAME || field.number == LABEL_VALUE)
      status = take_text(field.number == LABEL_NAME ? &name : &value, reader, &field);
  if (status == STATUS_OK)
    status = prometheus_whole(reader, &wire);
  bool good = name.length != 0;
  for (size_t i = 0; i < name.length; i++)
    good = good && strchr("\"=,\\\n", name.start[i]) == NULL;
  if (status == STATUS_OK && !good)
    status = reader_fail_found(reader, name, "where the name of a label is expected");
  if (status == STATUS_OK)
    labels_add(labels, name, value);
  return status;
}

static enum status add_histogram(struct protobuf_page *page, const struct wire_field *field,
                                 char **labels) {
  const struct reader *reader = page->reader;
  struct metrics_histogram histogram = {.labels = *labels, .at = field->at};
  struct prometheus_message message;
  enum status status = prometheus_message_read(&message, reader, field->bytes);
  if (status == STATUS_OK)
    status = prometheus_buckets(&histogram.last, &message, page->metrics->exponent);
  histogram.created = message.created;
  prometheus_message_clear(&message);
  *labels = NULL;
  vector_push(&page->metrics->all, histogram);
  return status;
}

static enum status add_metric(struct protobuf_page *page, const struct wire_field *metric) {
  const struct reader *reader = page->reader;
  struct wire_message wire = {.left = metric->bytes};
  struct wire_field field, histogram = {0};
  label_list list = {0};
  enum status status = STATUS_OK;
  while (status == STATUS_OK && wire_next(&wire, &field)) {
    if (field.number != METRIC_LABEL && field.number != METRIC_HISTOGRAM)
      continue;
    status = prometheus_expect(reader, &field, WIRE_BYTES);
    if (field.number == METRIC_HISTOGRAM)
      histogram = field;
    else if (status == STATUS_OK)
      status = take_label(&list, reader, &field);
  }
  if (status == STATUS_OK)
    status = prometheus_whole(reader, &wire);
  if (status == STATUS_OK && histogram.number == 0)
    status = reader_fail(reader, metric->at,
                         "a metric of the histogram %.64s has none; the page is damaged",
                         page->metrics->name);
  char *labels = labels_take(&list);
  if (status == STATUS_OK && (page->selection == NULL || selection_takes(page->selection, labels)))
    status = add_histogram(page, &histogram, &labels);
  mem_free(labels);
  return status;
}

static enum status add_family(struct protobuf_page *page, const struct family *family) {
  struct wire_message wire = {.left = family->bytes};
  struct wire_field field;
  enum status status = STATUS_OK;
  while (status == STATUS_OK && wire_next(&wire, &field))
    if (field.number == FAMILY_METRIC)
      status = add_metric(page, &field);
  return status;
}

enum status metrics_parse_protobuf(struct metric_page *metrics, const struct reader *reader,
                                   const struct label_choice *selection) {
  struct protobuf_page page = {.reader = reader,
                               .selection = selection,
                               .metrics = metrics,
                               .choice = {.selection = selection}};
  enum status status = find_families(&page);
  if (status == STATUS_OK)
    status = settle(&page);
  for (size_t i = 0; i < page.families.count && status == STATUS_OK; i++)
    if (slice_is(page.families.data[i].name, metrics->name))
      status = add_family(&page, &page.families.data[i]);
  metrics->end_mark = true; /* each message says how long it is */
  vector_clear(&page.families);
  vector_clear(&page.choice.others);
  return status;
}
