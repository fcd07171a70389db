/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `k6 run --out json=FILE` writes, one document a line, times in ms:
 *
 *   {"type":"Metric","data":{...},"metric":"http_req_duration"}
 *   {"type":"Point","data":{"time":"...","value":1.83,"tags":{"status":"200",
 *    "expected_response":"true"}},"metric":"http_req_duration"}
 *
 * The points of http_req_duration, or of grpc_req_duration, are the observations. Its traps:
 *  - Each point has tags: name (of the URL), method, scenario, group ("::setup" of what prepares a
 *    test) and any that the script sets. Requests of different tags are of different kinds.
 *  - A request that failed has a duration. It is infinite: expected_response is not "true", or the
 *    status is no 2xx or 3xx (of gRPC: not 0).
 *  - Requests that an arrival rate asked for and no virtual user was free to send are points of
 *    dropped_iterations, with their scenario: they never ended.
 *  - The duration counts from when the request was sent, and leaves out connecting.
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "dist/source/kinds.h"
#include "dist/source/seen.h"
#include "dist/source/reader.h"

enum { MILLI = 6 };

struct dropped {
  struct slice scenario; /* length 0: not said */
  uint64_t count;
  const char *at;
};

struct k6 {
  const struct reader *reader;
  struct json json; /* of the line */
  struct kinds kinds;
  struct rows_seen seen;
  VECTOR(struct dropped) waiting; /* which of them are of what is measured is known at the end */
  uint64_t failed, dropped, points;
};

static struct slice text_of(const struct json *json, size_t index) {
  return index == JSON_NONE ? (struct slice){"", 0} : json->values.data[index].text;
}

static struct slice find(const struct json *json, size_t object, const char *key) {
  return text_of(json, json_find(json, object, key, NULL));
}

bool k6_is(const struct reader *reader) {
  const char *at = reader->bytes;
  struct slice line;
  struct json first = {0};
  struct json_fault ignored;
  bool found =
      reader_line(&line, reader, &at) &&
      json_parse(&first, line.start, line.start + line.length, &ignored) &&
      find(&first, 0, "metric").length != 0 &&
      (slice_is(find(&first, 0, "type"), "Metric") || slice_is(find(&first, 0, "type"), "Point"));
  json_clear(&first);
  return found;
}

static bool is_good(const struct json *json, size_t tags, bool http) {
  struct slice status = find(json, tags, "status");
  struct slice expected = find(json, tags, "expected_response");
  if (!http)
    return slice_is(status, "0") || slice_is(status, "OK");
  return (expected.length == 0 || slice_is(expected, "true")) &&
         (status.length == 3 && (status.start[0] == '2' || status.start[0] == '3'));
}

/* Tags that say how a request went, or which of many it was, not of which kind it is. "url" is what
 * "name" is made of. */
static bool tells_no_kind(struct slice tag, bool named) {
  static const char *const tags[] = {
      "status",      "error",       "error_code", "expected_response",
      "proto",       "tls_version", "ip",         "ocsp_status",
      "subproto",    "vu",          "iter",       "check",
      "instance_id", NULL};
  size_t i = 0;
  while (tags[i] != NULL && !slice_is(tag, tags[i]))
    i++;
  return tags[i] != NULL || (named && slice_is(tag, "url"));
}

static bool is_taken(struct k6 *k6, size_t tags, struct slice metric, const char *at) {
  static const struct slice metric_label = {"metric", sizeof "metric" - 1};
  bool named = json_find(&k6->json, tags, "name", NULL) != JSON_NONE;
  kinds_begin(&k6->kinds);
  kinds_label(&k6->kinds, metric_label, metric);
  bool any = tags != JSON_NONE && k6->json.values.data[tags].kind == JSON_OBJECT;
  for (size_t i = any ? json_first(&k6->json, tags) : JSON_NONE; i != JSON_NONE;
       i = json_next(&k6->json, tags, i)) {
    const struct json_value *tag = &k6->json.values.data[i];
    if (tag->text.length != 0 && !tells_no_kind(tag->key, named))
      kinds_label(&k6->kinds, tag->key, tag->text);
  }
  return kinds_take(&k6->kinds, at);
}

static enum status add_request(struct sample *out, struct k6 *k6, size_t data,
                               struct slice metric) {
  bool http = slice_is(metric, "http_req_duration");
  struct slice value = find(&k6->json, data, "value");
  uint64_t lower, upper;
  if (decimal_range(&lower, &upper, NULL, value, MILLI) != DECIMAL_OK)
    return reader_fail(k6->reader, k6->json.values.data[0].text.start,
                       "this point of k6 has no duration in ms; the file is damaged");
  size_t tags = json_find(&k6->json, data, "tags", NULL);
  k6->points++;
  if (!is_taken(k6, tags, metric, k6->json.values.data[0].text.start))
    return STATUS_OK;
  bool good = is_good(&k6->json, tags, http);
  k6->failed += !good;
  if (!(good ? sample_add_range(out, lower, upper, 1) : sample_add_beyond(out, 1)))
    return reader_fail_total(k6->reader, value.start);
  if (good)
    sample_add_range_to_series(out, lower, upper);
  else
    sample_add_to_series(out, SAMPLE_NS_MAX);
  return STATUS_OK;
}

static enum status keep_dropped(struct k6 *k6, size_t data) {
  struct slice value = find(&k6->json, data, "value");
  const char *at = k6->json.values.data[0].text.start;
  uint64_t count, more;
  if (decimal_range(&count, &more, NULL, value, 0) != DECIMAL_OK || count != more)
    return reader_fail(k6->reader, at,
                       "this point of dropped_iterations has no count; the file is damaged");
  size_t tags = json_find(&k6->json, data, "tags", NULL);
  struct slice scenario =
      tags == JSON_NONE ? (struct slice){"", 0} : find(&k6->json, tags, "scenario");
  struct dropped *last = k6->waiting.count == 0 ? NULL : &k6->waiting.data[k6->waiting.count - 1];
  if (last != NULL && slice_same(last->scenario, scenario) &&
      count <= SAMPLE_TOTAL_MAX - last->count)
    last->count += count;
  else
    vector_push(&k6->waiting, (struct dropped){scenario, count, at});
  return STATUS_OK;
}

/* An iteration that was dropped would have made requests of any kind that its scenario makes. */
static enum status add_dropped(struct sample *out, struct k6 *k6) {
  for (size_t i = 0; i < k6->waiting.count; i++) {
    const struct dropped *dropped = &k6->waiting.data[i];
    if (dropped->scenario.length != 0 && !kinds_took(&k6->kinds, "scenario", dropped->scenario) &&
        !kinds_took(&k6->kinds, "scenario", (struct slice){"", 0}))
      continue;
    if (!sample_add_beyond(out, dropped->count))
      return reader_fail_total(k6->reader, dropped->at);
    k6->dropped += dropped->count;
  }
  return STATUS_OK;
}

/* A point with a time of microseconds or finer is another one; coarser times may be rewritten ones,
 * where equal points may be of different requests. */
static bool is_fine(struct slice time) {
  const char *point = time.length == 0 ? NULL : memchr(time.start, '.', time.length);
  size_t digits = 0;
  for (const char *at = point;
       at != NULL && ++at < time.start + time.length && *at >= '0' && *at <= '9';)
    digits++;
  return digits >= 6;
}

static bool is_second(struct k6 *k6, size_t data, struct slice line) {
  return is_fine(find(&k6->json, data, "time")) && seen_add(&k6->seen, line).start != NULL;
}

static enum status fail_twice(const struct k6 *k6, struct slice line) {
  return reader_fail(k6->reader, line.start,
                     "this point stands in the file a second time, so that its request would count "
                     "twice; keep each line once");
}

static enum status read_point(struct sample *out, struct k6 *k6, struct slice line) {
  struct json_fault fault;
  if (!json_parse(&k6->json, line.start, line.start + line.length, &fault))
    return fault.found.length != 0 ? reader_fail_found(k6->reader, fault.found, "%s", fault.reason)
                                   : reader_fail(k6->reader, fault.found.start, "%s", fault.reason);
  enum status status = STATUS_OK;
  struct slice metric = find(&k6->json, 0, "metric");
  size_t data = json_find(&k6->json, 0, "data", NULL);
  if (!slice_is(find(&k6->json, 0, "type"), "Point"))
    status = STATUS_OK;
  else if (slice_is(metric, "http_req_duration") || slice_is(metric, "grpc_req_duration"))
    status = is_second(k6, data, line) ? fail_twice(k6, line) : add_request(out, k6, data, metric);
  else if (slice_is(metric, "dropped_iterations"))
    status = keep_dropped(k6, data);
  json_clear(&k6->json);
  return status;
}

static void note_assumptions(const struct sample *out, const struct k6 *k6) {
  const struct reader *reader = k6->reader;
  source_notes_add(reader->notes,
                   "%s: durations of k6 count from when a request was sent; requests that were due "
                   "while a virtual user waited are missing (coordinated omission), but for the "
                   "iterations it counts as dropped",
                   reader->path);
  if (k6->failed + k6->dropped != 0)
    source_notes_add(reader->notes,
                     "%s: of %" PRIu64 " requests %" PRIu64 " failed and %" PRIu64
                     " were dropped; they are taken as infinite",
                     reader->path, out->total, k6->failed, k6->dropped);
}

enum status k6_read(struct sample *out, const struct reader *reader) {
  struct k6 k6 = {.reader = reader};
  const char *at = reader->bytes;
  struct slice line;
  enum status status = reader_require_unit(reader, MILLI, "k6's output");
  if (status == STATUS_OK)
    status = reader_require_last_line(reader);
  if (status == STATUS_OK)
    status = kinds_init(&k6.kinds, reader);
  while (status == STATUS_OK && reader_line(&line, reader, &at))
    if (slice_trim(line).length != 0)
      status = read_point(out, &k6, line);
  if (status == STATUS_OK && k6.points == 0)
    status = reader_fail(reader, reader->bytes,
                         "there is no point of http_req_duration or grpc_req_duration");
  if (status == STATUS_OK)
    status = kinds_settle(&k6.kinds, &out->evidence);
  if (status == STATUS_OK)
    status = add_dropped(out, &k6);
  out->evidence.unit = unit_name(MILLI);
  evidence_set_lost(&out->evidence, EVIDENCE_FAILED, k6.failed);
  evidence_set_lost(&out->evidence, EVIDENCE_CUT_OFF, k6.dropped);
  if (status == STATUS_OK)
    note_assumptions(out, &k6);
  kinds_clear(&k6.kinds);
  seen_clear(&k6.seen);
  vector_clear(&k6.waiting);
  return status;
}
