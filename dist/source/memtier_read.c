/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `memtier_benchmark --json-out-file` writes (release 1.3 and later), with a histogram of
 * HdrHistogram in us for each kind of command:
 *
 *   {"configuration": {...}, "ALL STATS": {"Runtime": {...},
 *     "Sets": {"Count": 3, "MOVED/sec": 0.00, "Percentile Latencies": {"p50.00": 0.255,
 *       "Histogram log format": {"Compressed Histogram": "HISTF..."}}},
 *     "Gets": {...}, "Totals": {...}}}
 *
 * Its traps:
 *  - A time is a difference of a clock of whole microseconds: the true one is within 1 us of it.
 *  - What exceeds the histogram's range is dropped without a word. Where "Count" is larger than
 *    the histogram, the rest is infinite.
 *  - With -x there are several runs, each with all of this, and their average.
 *  - In a cluster, an answer that only says where to ask (MOVED, ASK) counts as an answer.
 *  - The text that it prints has percentages of two decimals and no counts: it is refused.
 *  - What --hdr-file-prefix writes as .hgrm is a log of HdrHistogram (hlog_read.c).
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "dist/source/kinds.h"

enum { MICRO = 3, TICK_NS = 1000 };

static const struct json_value *at(const struct json *json, size_t index) {
  return &json->values.data[index];
}

/* The histogram of a kind of command, as base64; JSON_NONE where there is none. */
static size_t histogram_of(const struct json *json, size_t kind) {
  size_t latencies = json_find(json, kind, "Percentile Latencies", NULL);
  size_t log = json_find(json, latencies, "Histogram log format", NULL);
  return json_find(json, log, "Compressed Histogram", NULL);
}

static bool is_run(const struct json *json, size_t member) {
  return at(json, member)->kind == JSON_OBJECT &&
         json_find(json, member, "Totals", NULL) != JSON_NONE;
}

bool memtier_is(const struct json *json) {
  for (size_t member = json_first(json, 0); member != JSON_NONE;
       member = json_next(json, 0, member))
    if (at(json, 0)->kind == JSON_OBJECT && is_run(json, member))
      return true;
  return false;
}

/* "4         Threads", the title of the first table, or what is said before both. */
bool memtier_is_log_header(struct slice line) {
  static const char title[] = " command HDR latency histogram results]";
  size_t length = strlen(title);
  return slice_starts(line, "#[") && line.length > length &&
         memcmp(line.start + line.length - length, title, length) == 0;
}

/* The only run of the document. */
static enum status find_run(size_t *run, const struct json *json, const struct reader *reader) {
  struct text names;
  size_t count = 0;
  text_init(&names);
  for (size_t member = json_first(json, 0); member != JSON_NONE;
       member = json_next(json, 0, member)) {
    if (!is_run(json, member))
      continue;
    if (count++ == 0)
      *run = member;
    struct slice key = at(json, member)->key;
    if (names.length < 200)
      text_format(&names, "%s%.*s", names.length == 0 ? "" : ", ",
                  (int)(key.length > 64 ? 64 : key.length), key.start);
  }
  reader_blank(&names, 0);
  enum status status = STATUS_OK;
  if (count != 1)
    status = reader_fail(reader, reader->bytes,
                         "several runs, of which requests would count twice: %s; run "
                         "memtier_benchmark without -x",
                         text_get(&names));
  text_clear(&names);
  return status;
}

static uint64_t count_of(const struct json *json, size_t kind) {
  size_t count = json_find(json, kind, "Count", NULL);
  uint64_t number = 0;
  return count != JSON_NONE && decimal_whole(&number, at(json, count)->text) == DECIMAL_OK ? number
                                                                                           : 0;
}

/* The kind that --select names, or the only one that was asked for. */
static enum status choose(size_t *kind, const struct json *json, size_t run,
                          const struct reader *reader) {
  struct text names;
  size_t count = 0, found = 0;
  text_init(&names);
  for (size_t member = json_first(json, run); member != JSON_NONE;
       member = json_next(json, run, member)) {
    struct slice key = at(json, member)->key;
    bool wanted = reader->select != NULL && slice_is(key, reader->select);
    if (count_of(json, member) == 0 || (slice_is(key, "Totals") && !wanted))
      continue;
    if (wanted || (reader->select == NULL && count == 0))
      *kind = member;
    found += wanted;
    if (slice_is(key, "Totals"))
      continue;
    count++;
    if (names.length < 200)
      text_format(&names, "%s%.*s", names.length == 0 ? "" : ", ",
                  (int)(key.length > 64 ? 64 : key.length), key.start);
  }
  reader_blank(&names, 0);
  enum status status = STATUS_OK;
  if (found > 1)
    status = reader_fail(reader, reader->bytes,
                         "\"%.64s\" stands there %zu times; measure one of these commands at a "
                         "time",
                         reader->select, found);
  else if (reader->select != NULL && found == 0)
    status = reader_fail(reader, reader->bytes, "no command \"%.64s\" was sent; there is %s",
                         reader->select, names.length == 0 ? "none" : names.data);
  else if (reader->select == NULL && count == 0)
    status = reader_fail(reader, at(json, run)->text.start,
                         "no requests are counted; measure with memtier_benchmark 1.3 or later");
  else if (reader->select == NULL && count > 1)
    status =
        reader_fail(reader, reader->bytes,
                    "%zu commands: %s; choose one: --select 'NAME=%.*s', or all of them: "
                    "'NAME=Totals'",
                    count, text_get(&names), (int)strcspn(text_get(&names), ","), text_get(&names));
  text_clear(&names);
  return status;
}

/* That nothing happened of which some of the times may be. */
static enum status require_none(const struct json *json, size_t object, const char *key,
                                const char *what, const struct reader *reader) {
  size_t value = json_find(json, object, key, NULL);
  uint64_t number = 0;
  if (value == JSON_NONE ||
      (decimal_upper(&number, NULL, at(json, value)->text, 0) == DECIMAL_OK && number == 0))
    return STATUS_OK;
  return reader_fail_found(reader, at(json, value)->text, "%s; measure a run without them", what);
}

static enum status check_answers(const struct json *json, size_t run, size_t kind,
                                 const struct reader *reader) {
  static const char moved[] = "redirections a second, and which of the times are theirs is not "
                              "known",
                    broken[] = "broken connections, and what was lost with them is not known";
  size_t totals = json_find(json, run, "Totals", NULL);
  enum status status = require_none(json, kind, "MOVED/sec", moved, reader);
  if (status == STATUS_OK)
    status = require_none(json, kind, "ASK/sec", moved, reader);
  if (status == STATUS_OK)
    status = require_none(json, kind, "Connection Errors", broken, reader);
  return status == STATUS_OK ? require_none(json, totals, "Connection Errors", broken, reader)
                             : status;
}

static void note_assumptions(const struct reader *reader, struct slice kind, uint64_t missing,
                             uint64_t highest_us, const struct sample *sample) {
  const char *path = reader->path;
  source_notes_add(reader->notes, "%s: what is counted as \"%.*s\" is counted", path,
                   (int)(kind.length > 64 ? 64 : kind.length), kind.start);
  source_notes_add(reader->notes,
                   "%s: memtier_benchmark waits for answers before it sends further requests "
                   "(closed loop), also with --rate-limiting: requests that were due while one was "
                   "slow are missing (coordinated omission), as are those under way at the end",
                   path);
  source_notes_add(reader->notes, "%s: an error that the server answered counts as an answer",
                   path);
  source_notes_add(reader->notes,
                   "%s: no request took longer than %" PRIu64
                   " s, which memtier_benchmark would not count, and its clock (of the day) was "
                   "not set",
                   path, highest_us / 1000000);
  if (missing != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " requests are in no histogram and are taken as infinite",
                     path, missing, sample->total);
}

static enum status read_kind(struct sample *out, const struct reader *reader,
                             const struct json *json, size_t kind) {
  size_t histogram = histogram_of(json, kind);
  uint64_t highest_us = 0, count = count_of(json, kind);
  if (histogram == JSON_NONE)
    return reader_fail_found(reader, at(json, kind)->key,
                             "which has no \"Compressed Histogram\"; measure with "
                             "memtier_benchmark 1.3 or later");
  enum status status =
      hlog_read_one(out, &highest_us, reader, at(json, histogram)->text, MICRO, TICK_NS);
  if (status != STATUS_OK)
    return status;
  if (out->total > count)
    return reader_fail_found(reader, at(json, kind)->key,
                             "whose histogram counts %" PRIu64
                             " requests, but \"Count\" is %" PRIu64 "; is the file damaged?",
                             out->total, count);
  uint64_t missing = count - out->total;
  if (!sample_add_beyond(out, missing))
    return reader_fail_total(reader, at(json, kind)->text.start);
  out->evidence.lost[EVIDENCE_CUT_OFF].least = missing;
  note_assumptions(reader, at(json, kind)->key, missing, highest_us, out);
  if (json_find(json, kind, "MOVED/sec", NULL) != JSON_NONE)
    source_notes_add(reader->notes,
                     "%s: the cluster redirected nobody (MOVED, ASK), which counts as an answer: "
                     "memtier_benchmark rounds fewer than 0.005 a second to none",
                     reader->path);
  return STATUS_OK;
}

enum status memtier_read(struct sample *out, const struct reader *reader, const struct json *json) {
  size_t run = JSON_NONE, kind = JSON_NONE;
  enum status status = reader_require_unit(reader, MICRO, "memtier_benchmark's histogram");
  if (status == STATUS_OK)
    status = find_run(&run, json, reader);
  if (status == STATUS_OK)
    status = choose(&kind, json, run, reader);
  if (status == STATUS_OK)
    status = check_answers(json, run, kind, reader);
  if (status == STATUS_OK)
    status = read_kind(out, reader, json, kind);
  if (status == STATUS_OK && !slice_is(at(json, kind)->key, "Totals"))
    kinds_keep_one(&out->evidence, "command", at(json, kind)->key);
  out->evidence.unit = unit_name(MICRO);
  return status;
}
