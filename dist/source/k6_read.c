/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `k6 run --out json=FILE` writes, one document a line, times in ms:
 *
 *   {"type":"Metric","data":{...},"metric":"http_req_duration"}
 *   {"type":"Point","data":{"time":"...","value":1.83,"tags":{"status":"200",
 *    "expected_response":"true"}},"metric":"http_req_duration"}
 *
 * The points of http_req_duration, or of grpc_req_duration, are the observations. Its traps:
 *  - A request that failed has a duration. It is infinite: expected_response is not "true", or the
 *    status is no 2xx or 3xx (of gRPC: not 0).
 *  - Requests that an arrival rate asked for and no virtual user was free to send are points of
 *    dropped_iterations: they never ended.
 *  - The duration counts from when the request was sent, and leaves out connecting.
 */
#include <inttypes.h>

#include "base/json.h"
#include "dist/source/reader.h"

enum { MILLI = 6 };

struct k6 {
  const struct reader *reader;
  struct json json; /* of the line */
  uint64_t failed, dropped;
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

static enum status add_request(struct sample *out, struct k6 *k6, size_t data, bool http) {
  struct slice value = find(&k6->json, data, "value");
  uint64_t lower, upper;
  if (decimal_range(&lower, &upper, NULL, value, MILLI) != DECIMAL_OK)
    return reader_fail(k6->reader, k6->json.values.data[0].text.start,
                       "this point of k6 has no duration in ms; the file is damaged");
  bool good = is_good(&k6->json, json_find(&k6->json, data, "tags", NULL), http);
  k6->failed += !good;
  if (!(good ? sample_add_range(out, lower, upper, 1) : sample_add_beyond(out, 1)))
    return reader_fail_total(k6->reader, value.start);
  if (good)
    sample_add_range_to_series(out, lower, upper);
  else
    sample_add_to_series(out, SAMPLE_NS_MAX);
  return STATUS_OK;
}

static enum status add_dropped(struct sample *out, struct k6 *k6, size_t data) {
  struct slice value = find(&k6->json, data, "value");
  uint64_t count, more;
  if (decimal_range(&count, &more, NULL, value, 0) != DECIMAL_OK || count != more)
    return reader_fail(k6->reader, k6->json.values.data[0].text.start,
                       "this point of dropped_iterations has no count; the file is damaged");
  k6->dropped += count;
  return sample_add_beyond(out, count) ? STATUS_OK : reader_fail_total(k6->reader, value.start);
}

static enum status read_point(struct sample *out, struct k6 *k6, struct slice line) {
  struct json_fault fault;
  if (!json_parse(&k6->json, line.start, line.start + line.length, &fault))
    return fault.found.length != 0 ? reader_fail_found(k6->reader, fault.found, "%s", fault.reason)
                                   : reader_fail(k6->reader, fault.found.start, "%s", fault.reason);
  enum status status = STATUS_OK;
  struct slice metric = find(&k6->json, 0, "metric");
  size_t data = json_find(&k6->json, 0, "data", NULL);
  bool http = slice_is(metric, "http_req_duration");
  if (!slice_is(find(&k6->json, 0, "type"), "Point"))
    status = STATUS_OK;
  else if (http || slice_is(metric, "grpc_req_duration"))
    status = add_request(out, k6, data, http);
  else if (slice_is(metric, "dropped_iterations"))
    status = add_dropped(out, k6, data);
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
  while (status == STATUS_OK && reader_line(&line, reader, &at))
    if (slice_trim(line).length != 0)
      status = read_point(out, &k6, line);
  if (status == STATUS_OK && out->total == k6.dropped)
    status = reader_fail(reader, reader->bytes,
                         "there is no point of http_req_duration or grpc_req_duration");
  out->unit = unit_name(MILLI);
  if (status == STATUS_OK)
    note_assumptions(out, &k6);
  return status;
}
