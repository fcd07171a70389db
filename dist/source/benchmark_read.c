/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What benchmarks of single programs and functions write:
 *
 *   hyperfine --export-json   {"results":[{"command":"x","times":[0.5,..],"exit_codes":[0,..]}]}, in s
 *   Criterion's sample.json   {"sampling_mode":"Linear","iters":[1.0,..],"times":[1042.0,..]}, in ns
 *   go test -bench            BenchmarkParse-8   1   1042 ns/op
 *   JMH                       [{"benchmark":"a.B.c","mode":"ss","primaryMetric":{"scoreUnit":"ms/op",
 *                             "rawData":[[1.5,..],..]}}]
 *   Google Benchmark          {"benchmarks":[{"name":"BM_a","iterations":1,"real_time":1.5,
 *                             "time_unit":"ms"}]}
 *   pytest-benchmark          {"benchmarks":[{"fullname":"a","stats":{"iterations":1,"data":[..]}}]},
 *                             in s
 *   BenchmarkDotNet           {"Benchmarks":[{"FullName":"A.b","Measurements":[{"IterationMode":
 *                             "Workload","IterationStage":"Actual","Operations":1,"Nanoseconds":5}]}]}
 *
 * Their traps:
 *  - A run of hyperfine that failed (-i) has a time. It never ended: an exit code that is not 0, or
 *    null where a signal ended it.
 *  - Several commands, or benchmarks, are of different kinds.
 *  - All but hyperfine time many calls at once. The mean of several says nothing of the slow ones, so
 *    that no law of it is one of calls: they are read where each measurement is of one call.
 */
#include <inttypes.h>
#include <stdio.h>
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
  int exponent; /* of the last time */
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

/* ---- lists of benchmarks in JSON */

/* Where in the document the times of a benchmark are; paths of keys with points. */
struct bench {
  enum format_id id;
  const char *what;
  const char *list;               /* of benchmarks; NULL: the document is one */
  const char *name;               /* the label, and the key of its value */
  const char *times;              /* a list, whose lists are taken as well; NULL: one, `time` */
  const char *time;               /* within each of them; NULL: it is one */
  const char *one;                /* calls in a measurement: of the benchmark, or of a time */
  const char *only[3], *are[3];   /* keys, and what is measured where they have these values */
  const char *must, *is, *remedy; /* the benchmark's key that has to have this value */
  const char *unit;               /* of the benchmark: "ms/op", "ms"; or NULL: `exponent` */
  int exponent;
  const char *failed; /* true: it failed; or NULL */
};

static const struct bench benches[] = {
    {.id = KNOWN_JMH,
     .what = "JMH's results",
     .name = "benchmark",
     .times = "primaryMetric.rawData",
     .one = "measurementBatchSize",
     .must = "mode",
     .is = "ss",
     .remedy = "run it with -bm ss, which times single calls",
     .unit = "primaryMetric.scoreUnit"},
    {.id = KNOWN_GOOGLE_BENCHMARK,
     .what = "results of Google Benchmark",
     .list = "benchmarks",
     .name = "name",
     .time = "real_time",
     .one = "iterations",
     .only = {"run_type"},
     .are = {"iteration"},
     .remedy = "ask for Iterations(1) and Repetitions(1000), or, since 1.8, run it with "
               "--benchmark_min_time=1x --benchmark_repetitions=1000",
     .unit = "time_unit",
     .failed = "error_occurred"},
    {.id = KNOWN_PYTEST_BENCHMARK,
     .what = "results of pytest-benchmark",
     .list = "benchmarks",
     .name = "fullname",
     .times = "stats.data",
     .one = "stats.iterations",
     .remedy = "call benchmark.pedantic with iterations=1, and write --benchmark-json",
     .exponent = SECONDS},
    {.id = KNOWN_BENCHMARK_DOTNET,
     .what = "results of BenchmarkDotNet",
     .list = "Benchmarks",
     .name = "FullName",
     .times = "Measurements",
     .time = "Nanoseconds",
     .one = "Operations",
     .only = {"IterationMode", "IterationStage"},
     .are = {"Workload", "Actual"},
     .remedy = "set InvocationCount and UnrollFactor to 1, and export with JsonExporter.Full",
     .exponent = NANO},
};

static const struct bench *bench_find(enum format_id id) {
  for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
    if (benches[i].id == id)
      return &benches[i];
  return NULL;
}

/* What stands under "a.b"; JSON_NONE. */
static size_t find_path(const struct benchmark *b, size_t at, const char *path) {
  while (at != JSON_NONE && path != NULL && *path != '\0') {
    char key[40];
    size_t length = strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", (int)length, path);
    at = json_find(b->json, at, key, NULL);
    path += length + (path[length] == '.');
  }
  return at;
}

static struct slice text_at(const struct benchmark *b, size_t at, const char *path) {
  size_t found = path == NULL ? JSON_NONE : find_path(b, at, path);
  return found == JSON_NONE ? (struct slice){"", 0} : value_at(b, found)->text;
}

/* A key that is not there says nothing. */
static bool is_measured(const struct benchmark *b, const struct bench *bench, size_t at) {
  for (size_t i = 0; i < 3 && bench->only[i] != NULL; i++) {
    struct slice is = text_at(b, at, bench->only[i]);
    if (is.length != 0 && !slice_is(is, bench->are[i]))
      return false;
  }
  return true;
}

static enum status check_one(const struct benchmark *b, const struct bench *bench, size_t entry,
                             size_t at) {
  struct slice must = text_at(b, entry, bench->must);
  if (bench->must != NULL && !slice_is(must, bench->is))
    return reader_fail_found(b->reader, must.length != 0 ? must : value_at(b, entry)->text,
                             "where \"%s\" is to be \"%s\"; %s", bench->must, bench->is,
                             bench->remedy);
  size_t count = find_path(b, at, bench->one);
  if (count == JSON_NONE)
    count = find_path(b, entry, bench->one);
  if (count != JSON_NONE && slice_is(value_at(b, count)->text, "1"))
    return STATUS_OK;
  return fail_mean(b->reader, value_at(b, count == JSON_NONE ? entry : count)->text, bench->remedy);
}

static enum status add_bench_time(struct sample *out, struct benchmark *b,
                                  const struct bench *bench, size_t entry, size_t at) {
  struct slice unit = text_at(b, entry, bench->unit), rest = unit, word;
  size_t time = bench->time == NULL ? at : find_path(b, at, bench->time);
  if (!is_measured(b, bench, at))
    return STATUS_OK;
  enum status status = check_one(b, bench, entry, at);
  if (status != STATUS_OK)
    return status;
  if (time == JSON_NONE)
    return reader_fail_found(b->reader, value_at(b, at)->text,
                             "which has no \"%s\"; is the file "
                             "damaged?",
                             bench->time);
  int exponent = bench->exponent;
  if (bench->unit != NULL)
    exponent = slice_field(&word, &rest, '/') ? unit_exponent(word) : -1;
  if (exponent < 0)
    return reader_fail_found(b->reader, unit.length != 0 ? unit : value_at(b, entry)->text,
                             "where a unit ns, us, ms or s is expected");
  b->exponent = exponent;
  return add_time(out, b, value_at(b, time)->text, exponent,
                  !slice_is(text_at(b, entry, bench->failed), "true"));
}

/* One time, or those of a list, and of the lists in it. */
static enum status add_bench_times(struct sample *out, struct benchmark *b,
                                   const struct bench *bench, size_t entry, size_t at,
                                   unsigned depth) {
  enum status status = STATUS_OK;
  if (value_at(b, at)->kind != JSON_LIST || depth == 2)
    return add_bench_time(out, b, bench, entry, at);
  for (size_t item = json_first(b->json, at); item != JSON_NONE && status == STATUS_OK;
       item = json_next(b->json, at, item))
    status = add_bench_times(out, b, bench, entry, item, depth + 1);
  return status;
}

static enum status add_bench(struct sample *out, struct benchmark *b, const struct bench *bench,
                             size_t entry) {
  size_t times = bench->times == NULL ? entry : find_path(b, entry, bench->times);
  if (!is_measured(b, bench, entry))
    return STATUS_OK;
  if (times == JSON_NONE) /* what it has are means: what to do is the same */
    return reader_fail_found(b->reader, value_at(b, entry)->text,
                             "a benchmark without its single "
                             "times (\"%s\"); %s",
                             bench->times, bench->remedy);
  if (!is_taken(b, bench->name, text_at(b, entry, bench->name)))
    return STATUS_OK;
  return add_bench_times(out, b, bench, entry, times, 0);
}

bool bench_is(const struct reader *reader) {
  return bench_find(reader->known) != NULL;
}

enum status bench_read(struct sample *out, const struct reader *reader, const struct json *json) {
  const struct bench *bench = bench_find(reader->known);
  struct benchmark b = {.reader = reader, .json = json};
  enum status status = kinds_init(&b.kinds, reader);
  size_t list = bench->list == NULL ? 0 : list_of(&b, 0, bench->list);
  for (size_t entry = list == JSON_NONE ? JSON_NONE : json_first(json, list);
       entry != JSON_NONE && status == STATUS_OK; entry = json_next(json, list, entry))
    status = add_bench(out, &b, bench, entry);
  if (status == STATUS_OK && b.kinds.requests == 0)
    status = reader_fail(reader, reader->bytes, "there is no benchmark in %s", bench->what);
  if (status == STATUS_OK)
    status = finish(out, &b, b.exponent, "calls",
                    "calls follow each other (closed loop), each was measured by itself, and what "
                    "it warmed up with is left out");
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
