/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files in JSON: which of the documents that load generators and sketches write it is; and the
 * files that are recognised only to say why they are not read.
 *
 * A t-digest keeps the means of clusters of observations. Nothing it keeps bounds how far an
 * observation is from the mean of its cluster, nor the error of its quantiles, so no percentile
 * read off it can be proved to dominate the true one.
 */
#include "base/json.h"
#include "dist/source/reader.h"

#define JSON_BYTES_MAX ((size_t)1 << 26)

#define TDIGEST_REASON                                                                             \
  "a t-digest keeps only means of clusters, and nothing in it bounds the error of its quantiles; " \
  "record the observations (.csv) or a histogram (.hlog, .prom, .tph) instead"

#define VEGETA_REASON                                                                              \
  "the file is vegeta's in JSON, of which only the CSV is read; write it with: vegeta encode "     \
  "--to "                                                                                          \
  "csv"

static bool has(const struct json *json, const char *key) {
  return json_find(json, 0, key, NULL) != JSON_NONE;
}

/* A list of YCSB's values, of which each names its metric and measurement. */
static bool is_ycsb(const struct json *json) {
  size_t first = json_first(json, 0);
  return json_find(json, first, "metric", NULL) != JSON_NONE &&
         json_find(json, first, "measurement", NULL) != JSON_NONE;
}

static enum status fail_unknown(const struct reader *reader, const struct json *json) {
  const char *reason =
      "the JSON is no report of fortio (it has no \"DurationHistogram\"), no answer of a "
      "Prometheus "
      "server, no metrics of OpenTelemetry and no DDSketch; convert it to a .csv, one observation "
      "a row";
  if (has(json, "centroids") || has(json, "means"))
    reason = TDIGEST_REASON;
  else if (has(json, "compactors") || has(json, "kll"))
    reason = "a KLL sketch keeps a random part of the observations and bounds its error only with "
             "some probability; record the observations (.csv) or a histogram (.hlog, .prom, .tph) "
             "instead";
  else if (has(json, "latency") && has(json, "code") && has(json, "attack"))
    reason = VEGETA_REASON;
  else if (is_ycsb(json))
    reason = "the file is YCSB's in JSON, of which only the text is read; run it without -p "
             "exporter=";
  return reader_fail(reader, json->values.data[0].text.start, "%s", reason);
}

enum status json_document(struct json *json, const struct reader *reader) {
  struct json_fault fault;
  *json = (struct json){0};
  if ((size_t)(reader->end - reader->bytes) > JSON_BYTES_MAX)
    return reader_fail(reader, reader->bytes,
                       "the JSON is larger than 64 MiB, which is too much to be read at once; ask "
                       "for less, or convert it to a .csv, one observation a row");
  if (json_parse(json, reader->bytes, reader->end, &fault))
    return STATUS_OK;
  return fault.found.length != 0 ? reader_fail_found(reader, fault.found, "%s", fault.reason)
                                 : reader_fail(reader, fault.found.start, "%s", fault.reason);
}

/* vegeta writes one document a line; its first is enough to know it. */
static bool is_vegeta(const struct reader *reader) {
  const char *at = reader->bytes;
  struct slice line;
  struct json first = {0};
  struct json_fault ignored;
  bool found = reader_line(&line, reader, &at) && at != reader->end &&
               json_parse(&first, line.start, line.start + line.length, &ignored) &&
               has(&first, "latency") && has(&first, "attack");
  json_clear(&first);
  return found;
}

/* Its readers take all of the document apart themselves. */
static bool is_metrics(const struct json *json) {
  return has(json, "resourceMetrics") || (has(json, "status") && has(json, "data")) ||
         (has(json, "status") && has(json, "error"));
}

/* --select chooses of metrics and of memtier_benchmark's commands (and of k6's requests); others
 * would ignore it. */
static enum status require_choice(const struct reader *reader, const struct json *json) {
  if (reader->select == NULL || is_metrics(json) || memtier_is(json))
    return STATUS_OK;
  return reader_fail(reader, reader->bytes,
                     "--select %.64s: there is nothing to choose in this JSON; leave it out",
                     reader->select);
}

enum status json_read(struct sample *out, const struct reader *reader) {
  struct json json = {0};
  if (is_vegeta(reader))
    return reader_fail(reader, reader->bytes, "%s", VEGETA_REASON);
  if (k6_is(reader))
    return k6_read(out, reader);
  if (otlp_is(reader))
    return prometheus_read(out, reader);
  enum status status = json_document(&json, reader);
  if (status == STATUS_OK)
    status = require_choice(reader, &json);
  bool metrics = status == STATUS_OK && is_metrics(&json);
  if (status == STATUS_OK && !metrics)
    status = has(&json, "DurationHistogram") ? fortio_read(out, reader, &json)
             : ghz_is(&json)                 ? ghz_read(out, reader, &json)
             : memtier_is(&json)             ? memtier_read(out, reader, &json)
             : ddsketch_is(&json)            ? ddsketch_read(out, reader, &json)
                                             : fail_unknown(reader, &json);
  json_clear(&json);
  return metrics ? prometheus_read(out, reader) : status;
}

enum status tdigest_read(struct sample *out, const struct reader *reader) {
  (void)out;
  return reader_fail(reader, reader->bytes, "%s", TDIGEST_REASON);
}
