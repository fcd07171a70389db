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
#include "format/format.h"

#define JSON_BYTES_MAX ((size_t)1 << 26)

static bool has(const struct json *json, const char *key) {
  return json_find(json, 0, key, NULL) != JSON_NONE;
}

static enum status fail_unknown(const struct reader *reader, const struct json *json) {
  if (has(json, "centroids"))
    return tdigest_read(NULL, reader);
  return reader_fail(reader, json->values.data[0].text.start,
                     "the JSON is no report of a load tool that is known here (fortio, ghz, k6, "
                     "hyperfine, fio, memtier_benchmark), no answer of a Prometheus server, no "
                     "metrics of OpenTelemetry and no DDSketch; convert it to a .csv, one "
                     "observation a row");
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

/* Its readers take all of the document apart themselves. */
static bool is_metrics(const struct json *json) {
  return has(json, "resourceMetrics") || (has(json, "status") && has(json, "data")) ||
         (has(json, "status") && has(json, "error"));
}

/* --select chooses of metrics and of memtier_benchmark's commands (and of k6's requests); others
 * would ignore it. */
static enum status require_choice(const struct reader *reader, const struct json *json) {
  if (reader->select == NULL || is_metrics(json) || memtier_is(json) ||
      reader->known == KNOWN_FIO_JSON || reader->known == KNOWN_HYPERFINE || bench_is(reader))
    return STATUS_OK;
  return reader_fail(reader, reader->bytes,
                     "--select %.64s: there is nothing to choose in this JSON; leave it out",
                     reader->select);
}

enum status json_read(struct sample *out, const struct reader *reader) {
  struct json json = {0};
  if (k6_is(reader))
    return k6_read(out, reader);
  if (otlp_is(reader))
    return prometheus_read(out, reader);
  enum status status = json_document(&json, reader);
  if (status == STATUS_OK)
    status = require_choice(reader, &json);
  bool metrics = status == STATUS_OK && is_metrics(&json);
  if (status == STATUS_OK && !metrics)
    status = reader->known == KNOWN_FIO_JSON           ? fio_read(out, reader, &json)
             : reader->known == KNOWN_HYPERFINE        ? hyperfine_read(out, reader, &json)
             : reader->known == KNOWN_CRITERION_SAMPLE ? criterion_read(out, reader, &json)
             : bench_is(reader)                        ? bench_read(out, reader, &json)
             : has(&json, "DurationHistogram")         ? fortio_read(out, reader, &json)
             : ghz_is(&json)                           ? ghz_read(out, reader, &json)
             : memtier_is(&json)                       ? memtier_read(out, reader, &json)
             : ddsketch_is(&json)                      ? ddsketch_read(out, reader, &json)
                                                       : fail_unknown(reader, &json);
  json_clear(&json);
  return metrics ? prometheus_read(out, reader) : status;
}

enum status tdigest_read(struct sample *out, const struct reader *reader) {
  const struct format_entry *row = format_row(KNOWN_TDIGEST);
  (void)out;
  return reader_fail(reader, reader->bytes, "the file is %s; %s", row->name, row->way);
}
