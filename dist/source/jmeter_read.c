/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What JMeter writes with jmeter.save.saveservice.output_format=csv (a .jtl): one sample a row.
 *
 *   timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,...
 *   1700000000000,53,Home,200,OK,Users 1-1,text,true,,1200,120,1,1,http://x/,53,0,12
 *
 * Which columns there are is configured; timeStamp, elapsed (whole ms) and success are needed. Its
 * traps:
 *  - A sample that failed has a time, the one until it was given up. It never ended: success is not
 *    "true". JMeter's own word counts, not responseCode, which an assertion or "ignore status" may
 *    overrule.
 *  - Each label is a kind of requests of its own.
 *  - A transaction controller writes a row with the sum of its samples, behind theirs. It is told
 *    by what JMeter writes as its responseMessage; without that column, by nothing.
 *  - Both moments are cut off to whole ms, so their difference is up to 1 ms off.
 *  - Messages are quoted, and may hold commas and ends of line.
 *  - A thread waits for an answer before it sends again (coordinated omission).
 */
#include "dist/source/cell.h"

#include <inttypes.h>
#include <string.h>

#include "dist/source/kinds.h"

enum { MILLI = 6, CUT_NS = 1000000 };
enum jmeter_column { TIMESTAMP, ELAPSED, LABEL, MESSAGE, SUCCESS, COLUMNS };

static const char *const names[COLUMNS] = {"timestamp", "elapsed", "label", "responsemessage",
                                           "success"};
static const char transaction[] = "transaction";

struct jmeter {
  const struct reader *reader;
  const char *at;
  size_t columns, place[COLUMNS]; /* of each in the header; SIZE_MAX: it has none */
  struct kinds kinds;
  uint64_t failed, count, sums;
};

static size_t column_of(struct slice cell) {
  size_t i = 0;
  while (i < COLUMNS && !slice_is_word(cell, names[i]))
    i++;
  return i;
}

static void read_names(struct jmeter *jmeter, struct slice line) {
  const char *at = line.start, *end = line.start + line.length;
  for (size_t i = 0; i < COLUMNS; i++)
    jmeter->place[i] = SIZE_MAX;
  for (;; at++) {
    struct slice cell = cell_scan(&at, end, false);
    size_t column = at == NULL ? COLUMNS : column_of(cell);
    if (column < COLUMNS && jmeter->place[column] == SIZE_MAX)
      jmeter->place[column] = jmeter->columns;
    jmeter->columns++;
    if (at == NULL || at == end)
      return;
  }
}

static bool is_header(struct slice line) {
  struct jmeter jmeter = {0};
  read_names(&jmeter, line);
  return jmeter.place[TIMESTAMP] != SIZE_MAX && jmeter.place[ELAPSED] != SIZE_MAX;
}

static enum status read_header(struct jmeter *jmeter) {
  const struct reader *reader = jmeter->reader;
  const char *at = cell_skip_blank_lines(reader->bytes, reader->end);
  struct slice line = {at, 0};
  if (!reader_line(&line, reader, &at) || !is_header(line))
    return reader_fail_found(reader, line,
                             "where the header of JMeter's table, \"timeStamp,elapsed,...\", is "
                             "expected");
  read_names(jmeter, line);
  jmeter->at = at;
  if (jmeter->place[SUCCESS] != SIZE_MAX)
    return STATUS_OK;
  return reader_fail_found(reader, line,
                           "a header of JMeter without \"success\", so that nobody knows which "
                           "samples failed; run it with "
                           "-Jjmeter.save.saveservice.successful=true");
}

/* "Number of samples in transaction : 2, number of failing samples : 0" */
static bool is_sum(const struct slice *cells) {
  return slice_starts(cells[MESSAGE], "Number of samples in transaction");
}

static bool is_taken(struct jmeter *jmeter, const struct slice *cells, const char *at) {
  kinds_begin(&jmeter->kinds);
  if (jmeter->place[LABEL] != SIZE_MAX)
    kinds_label(&jmeter->kinds, (struct slice){"label", strlen("label")}, cells[LABEL]);
  kinds_label(&jmeter->kinds, (struct slice){transaction, strlen(transaction)},
              is_sum(cells) ? (struct slice){"true", 4} : (struct slice){"", 0});
  return kinds_take(&jmeter->kinds, at);
}

static enum status add_row(struct sample *out, struct jmeter *jmeter, const struct slice *cells,
                           const char *start) {
  const struct reader *reader = jmeter->reader;
  uint64_t lower = 0, upper = 0;
  bool good = slice_is_word(cells[SUCCESS], "true");
  if (!good && !slice_is_word(cells[SUCCESS], "false"))
    return reader_fail_found(reader, cells[SUCCESS],
                             "in the column \"success\", where true or false is expected");
  if (decimal_whole(&lower, cells[ELAPSED]) != DECIMAL_OK ||
      lower > (SAMPLE_NS_MAX - CUT_NS) / CUT_NS)
    return reader_fail_found(reader, cells[ELAPSED],
                             "in the column \"elapsed\", where a time in whole ms is expected");
  if (!is_taken(jmeter, cells, start))
    return STATUS_OK;
  jmeter->count++;
  jmeter->sums += is_sum(cells);
  jmeter->failed += !good;
  upper = (lower + 1) * CUT_NS;
  lower = lower == 0 ? 0 : (lower - 1) * CUT_NS;
  if (!(good ? sample_add_range(out, lower, upper, 1) : sample_add_beyond(out, 1)))
    return reader_fail_total(reader, start);
  if (good)
    sample_add_range_to_series(out, lower, upper);
  else
    sample_add_to_series(out, SAMPLE_NS_MAX);
  return STATUS_OK;
}

static enum status read_row(struct sample *out, struct jmeter *jmeter) {
  const struct reader *reader = jmeter->reader;
  const char *start = jmeter->at;
  struct slice cells[COLUMNS] = {{0}};
  size_t columns = 0;
  for (;; jmeter->at++) {
    const char *from = jmeter->at;
    struct slice cell = cell_scan(&jmeter->at, reader->end, true);
    if (jmeter->at == NULL)
      return reader_fail(reader, from,
                         "a quote is opened and not closed: the file is truncated; write or copy "
                         "it again");
    for (size_t i = 0; i < COLUMNS; i++)
      if (jmeter->place[i] == columns)
        cells[i] = cell;
    columns++;
    if (jmeter->at == reader->end || *jmeter->at == '\n')
      break;
  }
  if (columns != jmeter->columns)
    return reader_fail(reader, start, "the row has %zu column%s, the header %zu; is a row cut off?",
                       columns, columns == 1 ? "" : "s", jmeter->columns);
  return add_row(out, jmeter, cells, start);
}

/* The sum of a transaction beside its samples would count their times twice. */
static enum status check_sums(const struct jmeter *jmeter) {
  const struct reader *reader = jmeter->reader;
  if (jmeter->sums == 0 || jmeter->sums == jmeter->count)
    return STATUS_OK;
  return reader_fail(reader, reader->bytes,
                     "%" PRIu64 " of %" PRIu64
                     " rows are sums that transaction controllers made of others, and would count "
                     "twice; choose the samples: --select 'NAME={transaction=\"\"}', or the sums: "
                     "'NAME={transaction=\"true\"}'",
                     jmeter->sums, jmeter->count);
}

static void note_assumptions(const struct jmeter *jmeter) {
  const struct reader *reader = jmeter->reader;
  source_notes_add(reader->notes,
                   "%s: each thread of JMeter waits for an answer before it sends the next request "
                   "(closed loop): requests that were due while one was slow are missing "
                   "(coordinated omission)",
                   reader->path);
  if (jmeter->place[MESSAGE] == SIZE_MAX)
    source_notes_add(reader->notes,
                     "%s: no row is the sum of a transaction controller, which only "
                     "responseMessage would tell",
                     reader->path);
  if (jmeter->failed != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " samples failed (success is false) and are taken as infinite",
                     reader->path, jmeter->failed, jmeter->count);
}

static enum status read_all(struct sample *out, struct jmeter *jmeter) {
  const struct reader *reader = jmeter->reader;
  enum status status = read_header(jmeter);
  if (status == STATUS_OK)
    status = reader_require_last_line(reader);
  while (status == STATUS_OK) {
    jmeter->at = cell_skip_blank_lines(jmeter->at, reader->end);
    if (jmeter->at == reader->end)
      break;
    status = read_row(out, jmeter);
  }
  if (status == STATUS_OK && jmeter->kinds.requests == 0)
    return reader_fail(reader, reader->end,
                       "the table has a header and no rows; at least one sample is needed");
  if (status == STATUS_OK)
    status = kinds_settle(&jmeter->kinds, &out->evidence);
  return status == STATUS_OK ? check_sums(jmeter) : status;
}

enum status jmeter_read(struct sample *out, const struct reader *reader) {
  struct jmeter jmeter = {.reader = reader};
  enum status status = reader_require_unit(reader, MILLI, "JMeter's table");
  if (status == STATUS_OK)
    status = kinds_init(&jmeter.kinds, reader);
  if (status == STATUS_OK)
    status = read_all(out, &jmeter);
  out->evidence.unit = unit_name(MILLI);
  evidence_set_lost(&out->evidence, EVIDENCE_FAILED, jmeter.failed);
  if (status == STATUS_OK)
    note_assumptions(&jmeter);
  kinds_clear(&jmeter.kinds);
  return status;
}
