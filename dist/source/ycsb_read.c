/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What YCSB reports of its operations, with the buckets of a histogram
 * (-p measurement.histogram.verbose=true) or with every latency (-p measurementtype=raw):
 *
 *   [OVERALL], RunTime(ms), 10110
 *   [READ], Operations, 993
 *   [READ], MinLatency(us), 204
 *   [READ], Return=OK, 993
 *   [READ], Return=ERROR, 7
 *   [READ], 205, 3.0                           hdrhistogram: up to 205 us, 3 of them
 *   [READ], 0, 985                             histogram: from 0 to 1 ms
 *   [READ], >1000, 2
 *   [READ-FAILED], Operations, 7
 *   READ latency raw data: op, timestamp(ms), latency(us)
 *   READ,1700000000000,204
 *
 * Its traps:
 *  - A latency is cut off to whole us, and then, by histogram, to whole ms.
 *  - hdrhistogram prints the last value of a bucket of HdrHistogram with three digits, which is up
 *    to 0.1 % wide below it; histogram counts what exceeds its buckets as one number.
 *  - READ-MODIFY-WRITE also times those of which a part failed, and only later releases count them.
 *  - Operations that failed are one of their own, READ-FAILED or READ-NOT_FOUND. Those that took
 *    longer than an int of us holds are in no histogram, or negative. All of them are infinite.
 *  - A time series looks like buckets, and holds averages.
 *  - In old releases a histogram has no LatencyVariance, and what returned well says 0.
 *  - Raw data is appended to what an earlier run left in the file.
 */
#include <inttypes.h>
#include <string.h>

#include "dist/source/kinds.h"
#include "dist/source/ycsb.h"

enum { MICRO = 3, OPERATIONS_MAX = 1000 };

#define RAW_HEADER " latency raw data: op, timestamp(ms), latency(us)"
#define OVERALL "[OVERALL], RunTime(ms), "

struct ycsb {
  const struct reader *reader;
  VECTOR(struct ycsb_operation) operations;
  bool overall, any_raw, any_bad;
};

static bool ends_with(struct slice text, const char *words) {
  size_t length = strlen(words);
  return text.length >= length && memcmp(text.start + text.length - length, words, length) == 0;
}

static struct ycsb_operation *find(struct ycsb *ycsb, struct slice name) {
  for (size_t i = ycsb->operations.count; i-- != 0;) /* the last is the likely one */
    if (slice_same(ycsb->operations.data[i].name, name))
      return &ycsb->operations.data[i];
  return NULL;
}

/* NULL: there are too many. */
static struct ycsb_operation *find_or_add(struct ycsb *ycsb, struct slice name) {
  if (find(ycsb, name) == NULL && ycsb->operations.count < OPERATIONS_MAX)
    vector_push(&ycsb->operations, (struct ycsb_operation){.name = name});
  return find(ycsb, name);
}

static enum status fail_many(const struct ycsb *ycsb, struct slice line) {
  return reader_fail_found(ycsb->reader, line,
                           "behind %d kinds of operations; is this a report of "
                           "YCSB?",
                           OPERATIONS_MAX);
}

/* "[READ], Return=OK, 993" */
static bool split_line(struct slice *name, struct slice *key, struct slice *value,
                       struct slice line) {
  struct slice rest = line;
  if (!slice_field(name, &rest, ',') || name->length < 3 || name->start[0] != '[' ||
      name->start[name->length - 1] != ']' || !slice_field(key, &rest, ',') || key->length == 0 ||
      !slice_field(value, &rest, ',') || rest.start != NULL)
    return false;
  *name = (struct slice){name->start + 1, name->length - 2};
  return true;
}

static enum status take_count(struct ycsb_operation *operation, const struct reader *reader,
                              struct slice value) {
  if (operation->counted)
    return reader_fail_found(reader, value,
                             "a second number of %.*s operations; keep one run in the file",
                             (int)operation->name.length, operation->name.start);
  operation->counted = true;
  if (decimal_whole(&operation->timed, value) != DECIMAL_OK)
    return reader_fail_found(reader, value, "where a number of operations is expected");
  return STATUS_OK;
}

static enum status take_return(struct ycsb *ycsb, struct ycsb_operation *operation,
                               struct slice key, struct slice value) {
  uint64_t count;
  if (decimal_whole(&count, value) != DECIMAL_OK || count > INT32_MAX)
    return reader_fail_found(ycsb->reader, value, "where a number of operations is expected");
  operation->returned = true;
  if (slice_is(key, "Return=OK") || slice_is(key, "Return=0")) {
    operation->good += count;
  } else if (slice_is(key, "Return=BATCHED_OK")) {
    operation->batched = true;
  } else {
    operation->bad += count;
    ycsb->any_bad = ycsb->any_bad || count != 0;
  }
  return STATUS_OK;
}

static enum status take_value(struct ycsb *ycsb, struct ycsb_operation *operation, struct slice key,
                              struct slice value) {
  uint64_t ignored;
  if (slice_is(key, "Operations") || slice_is(key, "Total Operations"))
    return take_count(operation, ycsb->reader, value);
  if (slice_starts(key, "Return="))
    return take_return(ycsb, operation, key, value);
  if (slice_is(key, "LatencyVariance(us)"))
    operation->by_ms = true;
  else if (slice_is(key, "MinLatency(us)"))
    operation->least = decimal_whole(&operation->least_us, value) == DECIMAL_OK;
  else if (slice_is(key, "MaxLatency(us)"))
    operation->most = decimal_whole(&operation->most_us, value) == DECIMAL_OK;
  else if (key.start[0] == '>') {
    operation->overflow_key = (struct slice){key.start + 1, key.length - 1};
    operation->overflow = value;
    operation->by_ms = true;
  } else if (decimal_whole(&ignored, key) == DECIMAL_OK)
    vector_push(&operation->buckets, (struct ycsb_bucket){key, value});
  return STATUS_OK;
}

static enum status take_raw_header(struct ycsb *ycsb, struct slice line) {
  struct slice name = {line.start, line.length - strlen(RAW_HEADER)};
  struct ycsb_operation *operation = find_or_add(ycsb, name);
  if (operation == NULL)
    return fail_many(ycsb, line);
  if (operation->raw)
    return reader_fail_found(ycsb->reader, line,
                             "a second time: YCSB appends to the file of an earlier run; keep one "
                             "run in the file");
  operation->raw = ycsb->any_raw = true;
  return STATUS_OK;
}

/* "READ,1700000000000,204". A latency that does not fit is negative: *us is UINT64_MAX then. */
static struct ycsb_operation *read_row(struct ycsb *ycsb, struct slice line, uint64_t *us) {
  struct slice rest = line, name, when, value;
  uint64_t ignored;
  if (!slice_field(&name, &rest, ',') || !slice_field(&when, &rest, ',') ||
      !slice_field(&value, &rest, ',') || rest.start != NULL ||
      decimal_whole(&ignored, when) != DECIMAL_OK)
    return NULL;
  bool negative = value.length > 1 && value.start[0] == '-';
  if (negative)
    value = (struct slice){value.start + 1, value.length - 1};
  if (decimal_whole(us, value) != DECIMAL_OK || *us > (uint64_t)INT32_MAX + negative)
    return NULL;
  if (negative)
    *us = UINT64_MAX;
  struct ycsb_operation *operation = find(ycsb, name);
  return operation != NULL && operation->raw ? operation : NULL;
}

static enum status take_line(struct ycsb *ycsb, struct slice line) {
  struct slice name, key, value;
  uint64_t ignored;
  if (ends_with(line, RAW_HEADER))
    return take_raw_header(ycsb, line);
  if (split_line(&name, &key, &value, line)) {
    if (slice_starts(line, OVERALL) && ycsb->overall)
      return reader_fail_found(ycsb->reader, line, "a second run; keep one in the file");
    ycsb->overall = ycsb->overall || slice_starts(line, OVERALL);
    struct ycsb_operation *named = find_or_add(ycsb, name);
    return named == NULL ? fail_many(ycsb, line) : take_value(ycsb, named, key, value);
  }
  struct ycsb_operation *operation = ycsb->any_raw ? read_row(ycsb, line, &ignored) : NULL;
  if (operation != NULL)
    operation->rows++;
  else if (ycsb->any_raw && line.length != 0)
    return reader_fail_found(ycsb->reader, line,
                             "where a row of raw data such as \"READ,1700000000000,204\" is "
                             "expected; have YCSB write nothing else to the file: -p "
                             "measurement.raw.output_file=FILE");
  return STATUS_OK;
}

/* Whether `other` are the operations of `name` that failed. */
static bool is_failure_of(struct slice other, struct slice name) {
  return other.length > name.length + 1 && memcmp(other.start, name.start, name.length) == 0 &&
         other.start[name.length] == '-' &&
         !slice_is((struct slice){other.start + name.length + 1, other.length - name.length - 1},
                   "MODIFY-WRITE");
}

static bool is_measured(const struct ycsb_operation *operation) {
  return operation->counted || operation->raw;
}

static bool is_failure(const struct ycsb *ycsb, const struct ycsb_operation *operation) {
  for (size_t i = 0; i < ycsb->operations.count; i++)
    if (is_measured(&ycsb->operations.data[i]) &&
        is_failure_of(operation->name, ycsb->operations.data[i].name))
      return true;
  return false;
}

static enum status fail_choice(const struct ycsb *ycsb, const struct text *names, size_t count) {
  const struct reader *reader = ycsb->reader;
  if (count == 0)
    return reader_fail(reader, reader->end, "no operation is reported; is the file truncated?");
  if (reader->select != NULL)
    return reader_fail(reader, reader->bytes, "no operation \"%.64s\"; there is %s", reader->select,
                       text_get(names));
  return reader_fail(reader, reader->bytes, "%zu operations: %s; choose one: --select 'NAME=%.*s'",
                     count, text_get(names), (int)strcspn(text_get(names), ","), text_get(names));
}

/* The operation that --select names, or the only one, besides closing what was opened. */
static enum status choose(const struct ycsb_operation **chosen, const struct ycsb *ycsb) {
  const char *select = ycsb->reader->select;
  struct text names;
  size_t count = 0;
  bool found = false;
  text_init(&names);
  for (size_t i = 0; i < ycsb->operations.count && !found; i++) {
    const struct ycsb_operation *operation = &ycsb->operations.data[i];
    if (!is_measured(operation) || is_failure(ycsb, operation))
      continue;
    found = select != NULL && slice_is(operation->name, select);
    if (found || (select == NULL && !ends_with(operation->name, "CLEANUP")))
      *chosen = operation;
    if (ends_with(operation->name, "CLEANUP"))
      continue;
    count++;
    if (names.length < 200)
      text_format(&names, "%s%.*s", names.length == 0 ? "" : ", ",
                  (int)(operation->name.length > 64 ? 64 : operation->name.length),
                  operation->name.start);
  }
  reader_blank(&names, 0);
  enum status status =
      found || (select == NULL && count == 1) ? STATUS_OK : fail_choice(ycsb, &names, count);
  text_clear(&names);
  return status;
}

static uint64_t count_of(const struct ycsb_operation *operation) {
  return operation->raw ? operation->rows : operation->timed;
}

/* *lost: how many have no time of their own, or one until they failed. */
static enum status count_lost(uint64_t *lost, const struct ycsb *ycsb,
                              const struct ycsb_operation *chosen) {
  const struct reader *reader = ycsb->reader;
  uint64_t failed = 0, timed = count_of(chosen);
  bool any = ycsb->any_bad;
  for (size_t i = 0; i < ycsb->operations.count; i++) {
    const struct ycsb_operation *other = &ycsb->operations.data[i];
    any = any || (is_failure(ycsb, other) && count_of(other) != 0);
    if (is_failure_of(other->name, chosen->name)) {
      if (count_of(other) > INT32_MAX)
        return reader_fail_total(reader, other->name.start);
      failed += count_of(other);
    }
  }
  *lost = failed;
  if (chosen->batched)
    return reader_fail_found(reader, chosen->name,
                             "of which some were only put into a batch, and which times are theirs "
                             "is not known; run YCSB without batches");
  if (chosen->raw && chosen->counted && chosen->rows != chosen->timed)
    return reader_fail_found(reader, chosen->name,
                             "of which there are %" PRIu64 " rows, but \"Total Operations\" are "
                             "%" PRIu64 ": the file is truncated; write or copy it again",
                             chosen->rows, chosen->timed);
  if (!chosen->returned && ends_with(chosen->name, "READ-MODIFY-WRITE") && any)
    return reader_fail_found(reader, chosen->name,
                             "but some operations failed, and which of its times are theirs is not "
                             "known; measure a run without failures");
  if (!chosen->returned)
    return STATUS_OK;
  if (chosen->good < timed)
    return reader_fail_found(reader, chosen->name,
                             "of which %" PRIu64 " are timed, but %" PRIu64
                             " returned OK; which of the times are of others is not known",
                             timed, chosen->good);
  *lost = chosen->good + chosen->bad - timed;
  if (*lost < failed)
    return reader_fail_found(reader, chosen->name,
                             "of which %" PRIu64 " failed, but only %" PRIu64
                             " returned so; is the file damaged?",
                             failed, chosen->bad);
  return STATUS_OK;
}

static enum status add_rows(struct sample *out, struct ycsb *ycsb,
                            const struct ycsb_operation *chosen, bool in_order) {
  const struct reader *reader = ycsb->reader;
  const char *at = reader->bytes;
  struct slice line;
  while (reader_line(&line, reader, &at)) {
    uint64_t us = 0;
    if (read_row(ycsb, slice_trim(line), &us) != chosen)
      continue;
    bool endless = us == UINT64_MAX;
    if (!(endless ? sample_add_beyond(out, 1)
                  : sample_add_range(out, YCSB_US_NS * us, YCSB_US_NS * (us + 1), 1)))
      return reader_fail_total(reader, line.start);
    if (in_order && endless)
      sample_add_to_series(out, SAMPLE_NS_MAX);
    else if (in_order)
      sample_add_range_to_series(out, YCSB_US_NS * us, YCSB_US_NS * (us + 1));
  }
  return STATUS_OK;
}

static void note_assumptions(const struct ycsb *ycsb, const struct ycsb_operation *chosen,
                             uint64_t lost, const struct sample *sample) {
  const struct reader *reader = ycsb->reader;
  const char *path = reader->path;
  int length = (int)(chosen->name.length > 64 ? 64 : chosen->name.length);
  source_notes_add(reader->notes, "%s: the operation %.*s is counted", path, length,
                   chosen->name.start);
  source_notes_add(reader->notes,
                   slice_holds(chosen->name, "Intended-")
                       ? "%s: times count from when operations were due if YCSB ran with -target; "
                         "else each thread waited for an answer before it asked again (closed "
                         "loop), and operations that were due meanwhile are missing (coordinated "
                         "omission)"
                       : "%s: each thread of YCSB waits for an answer before it asks again (closed "
                         "loop): operations that were due while one was slow are missing "
                         "(coordinated omission), unless YCSB ran with -target and -p "
                         "measurement.interval=intended",
                   path);
  source_notes_add(reader->notes,
                   "%s: no operation took longer than 35 minutes, the most that YCSB's counters "
                   "hold",
                   path);
  if (!chosen->returned)
    source_notes_add(reader->notes,
                     "%s: the file is whole, and all that failed is in it: YCSB says of this "
                     "operation nowhere how many there were",
                     path);
  if (lost != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " operations failed or were not timed and are taken as infinite",
                     path, lost, sample->total);
}

/* Those that returned well and were not timed took too long. */
static void keep_lost(struct evidence *evidence, const struct ycsb_operation *chosen,
                      uint64_t lost) {
  uint64_t failed = chosen->returned && chosen->bad < lost ? chosen->bad : lost;
  evidence_set_lost(evidence, EVIDENCE_FAILED, failed);
  evidence->lost[EVIDENCE_FAILED].known = chosen->returned;
  evidence->lost[EVIDENCE_CUT_OFF].least = lost - failed;
}

static enum status read_chosen(struct sample *out, struct ycsb *ycsb) {
  const struct ycsb_operation *chosen = NULL;
  uint64_t lost = 0;
  enum status status = choose(&chosen, ycsb);
  if (status == STATUS_OK)
    status = count_lost(&lost, ycsb, chosen);
  if (status != STATUS_OK)
    return status;
  status = chosen->raw ? add_rows(out, ycsb, chosen, lost == 0)
                       : ycsb_add_buckets(out, chosen, ycsb->reader);
  if (status == STATUS_OK && !sample_add_beyond(out, lost))
    status = reader_fail_total(ycsb->reader, chosen->name.start);
  if (status != STATUS_OK)
    return status;
  note_assumptions(ycsb, chosen, lost, out);
  kinds_keep_one(&out->evidence, "operation", chosen->name);
  keep_lost(&out->evidence, chosen, lost);
  return STATUS_OK;
}

enum status ycsb_read(struct sample *out, const struct reader *reader) {
  struct ycsb ycsb = {.reader = reader};
  const char *at = reader->bytes;
  struct slice line;
  enum status status = reader_require_unit(reader, MICRO, "YCSB's report");
  if (status == STATUS_OK)
    status = reader_require_last_line(reader);
  while (status == STATUS_OK && reader_line(&line, reader, &at))
    status = take_line(&ycsb, slice_trim(line));
  if (status == STATUS_OK)
    status = read_chosen(out, &ycsb);
  out->evidence.unit = unit_name(MICRO);
  for (size_t i = 0; i < ycsb.operations.count; i++)
    vector_clear(&ycsb.operations.data[i].buckets);
  vector_clear(&ycsb.operations);
  return status;
}
