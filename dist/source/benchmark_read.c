/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What benchmarks of single programs and functions write:
 *
 *   hyperfine --export-json   {"results":[{"command":"x","times":[0.5,..],"exit_codes":[0,..]}]}, in s
 *   Criterion's sample.json   {"sampling_mode":"Linear","iters":[1.0,..],"times":[1042.0,..]}, in ns
 *   go test -bench            BenchmarkParse-8   1   1042 ns/op
 *
 * Their traps:
 *  - A run of hyperfine that failed (-i) has a time. It never ended: an exit code that is not 0, or
 *    null where a signal ended it.
 *  - Several commands, or benchmarks, are of different kinds.
 *  - Criterion and Go time many calls at once. The mean of several says nothing of the slow ones, so
 *    that no law of it is one of calls: they are read where each measurement is of one call.
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "dist/source/kinds.h"
#include "dist/source/reader.h"

enum { NANO = 0, SECONDS = 9 };

struct benchmark {
  const struct reader *reader;
  const struct json *json;
  struct kinds kinds;
  uint64_t taken, failed;
};

static const struct json_value *value_at(const struct benchmark *b, size_t index) {
  return &b->json->values.data[index];
}

static size_t list_of(const struct benchmark *b, size_t object, const char *key) {
  size_t list = json_find(b->json, object, key, NULL);
  return list != JSON_NONE && value_at(b, list)->kind == JSON_LIST ? list : JSON_NONE;
}

static enum status fail_mean(const struct reader *reader, struct slice count, const char *remedy) {
  return reader_fail_found(reader, count,
                           "calls in one measurement: the mean of several says nothing of the slow "
                           "ones; %s",
                           remedy);
}

static enum status add_time(struct sample *out, struct benchmark *b, struct slice cell,
                            int exponent, bool good) {
  uint64_t lower, upper;
  if (decimal_range(&lower, &upper, NULL, cell, exponent) != DECIMAL_OK || upper > SAMPLE_NS_MAX)
    return reader_fail_found(b->reader, cell, "where a time in %s is expected",
                             unit_name(exponent));
  b->taken++;
  b->failed += !good;
  if (!(good ? sample_add_range(out, lower, upper, 1) : sample_add_beyond(out, 1)))
    return reader_fail_total(b->reader, cell.start);
  if (good)
    sample_add_range_to_series(out, lower, upper);
  else
    sample_add_to_series(out, SAMPLE_NS_MAX);
  return STATUS_OK;
}

static bool is_taken(struct benchmark *b, const char *label, struct slice value) {
  kinds_begin(&b->kinds);
  kinds_label(&b->kinds, (struct slice){label, strlen(label)}, value);
  return kinds_take(&b->kinds, value.start);
}

static enum status finish(struct sample *out, struct benchmark *b, int exponent, const char *what,
                          const char *assumed) {
  enum status status = kinds_settle(&b->kinds, &out->evidence);
  out->evidence.unit = unit_name(exponent);
  evidence_set_lost(&out->evidence, EVIDENCE_FAILED, b->failed);
  if (status != STATUS_OK)
    return status;
  source_notes_add(b->reader->notes, "%s: %s", b->reader->path, assumed);
  if (b->failed != 0)
    source_notes_add(b->reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64 " %s failed and are taken as infinite",
                     b->reader->path, b->failed, b->taken, what);
  return STATUS_OK;
}

/* ---- hyperfine */

static enum status add_command(struct sample *out, struct benchmark *b, size_t result) {
  size_t command = json_find(b->json, result, "command", NULL);
  size_t times = list_of(b, result, "times"), codes = list_of(b, result, "exit_codes");
  if (command == JSON_NONE || times == JSON_NONE || codes == JSON_NONE)
    return reader_fail_found(b->reader, value_at(b, result)->text,
                             "where a command of hyperfine with \"times\" and \"exit_codes\" is "
                             "expected; measure with hyperfine 1.10 or later");
  if (!is_taken(b, "command", value_at(b, command)->text))
    return STATUS_OK;
  size_t code = json_first(b->json, codes);
  for (size_t time = json_first(b->json, times); time != JSON_NONE;
       time = json_next(b->json, times, time)) {
    if (code == JSON_NONE)
      return reader_fail_found(b->reader, value_at(b, time)->text,
                               "a run without an exit code; the file is damaged");
    enum status status =
        add_time(out, b, value_at(b, time)->text, SECONDS, slice_is(value_at(b, code)->text, "0"));
    if (status != STATUS_OK)
      return status;
    code = json_next(b->json, codes, code);
  }
  return STATUS_OK;
}

enum status hyperfine_read(struct sample *out, const struct reader *reader,
                           const struct json *json) {
  struct benchmark b = {.reader = reader, .json = json};
  enum status status = reader_require_unit(reader, SECONDS, "hyperfine's report");
  if (status == STATUS_OK)
    status = kinds_init(&b.kinds, reader);
  size_t results = list_of(&b, 0, "results");
  for (size_t result = results == JSON_NONE ? JSON_NONE : json_first(json, results);
       result != JSON_NONE && status == STATUS_OK; result = json_next(json, results, result))
    status = add_command(out, &b, result);
  if (status == STATUS_OK)
    status = finish(out, &b, SECONDS, "runs",
                    "the time that a shell takes to start was measured by hyperfine and taken off, "
                    "but for -N; runs follow each other");
  kinds_clear(&b.kinds);
  return status;
}

/* ---- Criterion */

enum status criterion_read(struct sample *out, const struct reader *reader,
                           const struct json *json) {
  struct benchmark b = {.reader = reader, .json = json};
  size_t counts = list_of(&b, 0, "iters"), times = list_of(&b, 0, "times");
  enum status status = reader_require_unit(reader, NANO, "Criterion's sample");
  if (status == STATUS_OK)
    status = kinds_init(&b.kinds, reader);
  if (status == STATUS_OK && (counts == JSON_NONE || times == JSON_NONE))
    status = reader_fail(reader, reader->bytes, "\"iters\" and \"times\" are no lists");
  bool good = status == STATUS_OK;
  size_t count = good ? json_first(json, counts) : JSON_NONE;
  for (size_t time = good ? json_first(json, times) : JSON_NONE;
       time != JSON_NONE && status == STATUS_OK; time = json_next(json, times, time)) {
    uint64_t one = 0, more = 0;
    if (count == JSON_NONE ||
        decimal_range(&one, &more, NULL, value_at(&b, count)->text, 0) != DECIMAL_OK || one != 1 ||
        more != 1)
      status = fail_mean(reader, value_at(&b, count == JSON_NONE ? time : count)->text,
                         "Criterion has no way to time single calls: time them in the program, one "
                         "a row, in a .csv");
    else if (is_taken(&b, "benchmark", (struct slice){reader->bytes, 0}))
      status = add_time(out, &b, value_at(&b, time)->text, NANO, true);
    if (status == STATUS_OK)
      count = json_next(json, counts, count);
  }
  if (status == STATUS_OK)
    status = finish(out, &b, NANO, "calls", "calls follow each other (closed loop)");
  kinds_clear(&b.kinds);
  return status;
}

/* ---- Go */

static enum status add_line(struct sample *out, struct benchmark *b, struct slice line) {
  struct slice rest = line, name, count, time, unit;
  if (slice_starts(line, "--- FAIL") || slice_starts(line, "FAIL") || slice_starts(line, "panic:"))
    return reader_fail_found(b->reader, line, "so that benchmarks are missing; run it again");
  if (!slice_starts(line, "Benchmark"))
    return STATUS_OK;
  char *blanks = mem_copy_text(line.start, line.length);
  for (size_t i = 0; i < line.length; i++)
    blanks[i] = blanks[i] == '\t' ? ' ' : blanks[i];
  rest = (struct slice){blanks, line.length};
  bool whole = slice_field(&name, &rest, ' ') && slice_field(&count, &rest, ' ') &&
               slice_field(&time, &rest, ' ') && slice_field(&unit, &rest, ' ');
  enum status status = STATUS_OK;
  /* the same places of the file, which messages need */
  ptrdiff_t move = line.start - blanks;
  if (whole && slice_is(unit, "ns/op")) {
    name.start += move;
    count.start += move;
    time.start += move;
    if (!slice_is(count, "1"))
      status = fail_mean(b->reader, count, "run it with -benchtime=1x -count=1000");
    else if (is_taken(b, "benchmark", name))
      status = add_time(out, b, time, NANO, true);
  }
  mem_free(blanks);
  return status;
}

enum status go_bench_read(struct sample *out, const struct reader *reader) {
  struct benchmark b = {.reader = reader};
  const char *at = reader->bytes;
  struct slice line;
  enum status status = reader_require_unit(reader, NANO, "what Go's benchmarks print");
  if (status == STATUS_OK)
    status = reader_require_last_line(reader);
  if (status == STATUS_OK)
    status = kinds_init(&b.kinds, reader);
  while (status == STATUS_OK && reader_line(&line, reader, &at))
    status = add_line(out, &b, slice_trim(line));
  if (status == STATUS_OK)
    status = finish(out, &b, NANO, "calls",
                    "calls follow each other (closed loop); each was run once, and the time is of "
                    "all goroutines of it together");
  kinds_clear(&b.kinds);
  return status;
}
