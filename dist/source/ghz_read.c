/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of `ghz -O json`, nanoseconds throughout:
 *
 *   {"count":3, "options":{"rps":100}, "details":[
 *     {"timestamp":"2026-01-31T12:00:00Z","latency":1834502,"error":"","status":"OK"}, ...]}
 *
 * Its traps:
 *  - Calls that failed have a latency, the one until they were given up. They are infinite: any
 *    status but OK, or any error text.
 *  - At most a million calls are in "details"; "count" tells.
 *  - A worker waits for its answer before it calls again, whatever rate was asked for.
 */
#include <inttypes.h>

#include "base/json.h"
#include "dist/source/kinds.h"

static const struct json_value *at(const struct json *json, size_t index) {
  return &json->values.data[index];
}

bool ghz_is(const struct json *json) {
  size_t details = json_find(json, 0, "details", NULL);
  return details != JSON_NONE && at(json, details)->kind == JSON_LIST &&
         json_find(json, 0, "latencyDistribution", NULL) != JSON_NONE;
}

static enum status add_call(struct sample *out, const struct reader *reader,
                            const struct json *json, size_t call, uint64_t *failed) {
  size_t latency = json_find(json, call, "latency", NULL);
  size_t status = json_find(json, call, "status", NULL);
  size_t error = json_find(json, call, "error", NULL);
  uint64_t ns;
  if (latency == JSON_NONE || status == JSON_NONE ||
      decimal_whole(&ns, at(json, latency)->text) != DECIMAL_OK)
    return reader_fail_found(reader, at(json, call)->text,
                             "where a call of ghz with \"latency\" in whole ns and \"status\" is "
                             "expected");
  bool good = slice_is(at(json, status)->text, "OK") &&
              (error == JSON_NONE || at(json, error)->text.length == 0);
  *failed += !good;
  if (!(good ? sample_add_range(out, ns, ns, 1) : sample_add_beyond(out, 1)))
    return reader_fail_total(reader, at(json, call)->text.start);
  sample_add_to_series(out, good ? ns : SAMPLE_NS_MAX);
  return STATUS_OK;
}

enum status ghz_read(struct sample *out, const struct reader *reader, const struct json *json) {
  size_t details = json_find(json, 0, "details", NULL), said = json_find(json, 0, "count", NULL);
  uint64_t failed = 0, count = 0;
  enum status status = reader_require_unit(reader, 0, "a report of ghz");
  for (size_t call = json_first(json, details); call != JSON_NONE && status == STATUS_OK;
       call = json_next(json, details, call))
    status = add_call(out, reader, json, call, &failed);
  if (status == STATUS_OK &&
      (said == JSON_NONE || decimal_whole(&count, at(json, said)->text) != DECIMAL_OK ||
       count != out->total))
    status = reader_fail(reader, at(json, details)->text.start,
                         "there are %" PRIu64 " calls, but \"count\" says otherwise; ghz keeps a "
                         "million of them: make fewer",
                         out->total);
  out->evidence.unit = unit_name(0);
  evidence_set_lost(&out->evidence, EVIDENCE_FAILED, failed);
  if (status != STATUS_OK)
    return status;
  size_t called = json_find(json, json_find(json, 0, "options", NULL), "call", NULL);
  if (called != JSON_NONE)
    kinds_keep_one(&out->evidence, "call", at(json, called)->text);
  source_notes_add(reader->notes,
                   "%s: each worker of ghz waits for an answer before it calls again (closed "
                   "loop): calls that were due while one was slow are missing (coordinated "
                   "omission)",
                   reader->path);
  if (failed != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " calls failed (a status other than OK) and are taken as infinite",
                     reader->path, failed, out->total);
  return STATUS_OK;
}
