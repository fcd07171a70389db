/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `vegeta encode --to csv` writes: one request a row, no header. The columns:
 *
 *   start (ns since 1970), status, latency (ns), bytes out, bytes in, error, body (base64),
 *   attack, number of the request; since 12.8.4 also method, URL, headers (base64)
 *   1700000000000000000,200,1834502,0,17,,aGVsbG8=,,0,GET,http://x/,
 *
 * (9 columns, then 12; earlier releases had others.) Its traps:
 *  - A request that failed has a row and a latency, the one until it was given up. It is an
 *    observation that never ended: a status outside 200 to 299 (0: no answer), or any error text.
 *  - Error texts are quoted as Go quotes them: they may hold commas and ends of line.
 *  - Several targets, or attacks that were encoded together, are requests of different kinds.
 *  - vegeta sends at a rate (open loop), but the latency counts from when a worker sends, and with
 *    all -max-workers busy that is later than the rate asks for.
 */
#include "dist/source/cell.h"

#include <inttypes.h>
#include <string.h>

#include "dist/source/kinds.h"
#include "dist/source/seen.h"

enum {
  TIMESTAMP,
  CODE,
  LATENCY,
  BYTES_OUT,
  BYTES_IN,
  ERROR_TEXT,
  BODY,
  ATTACK,
  NUMBER,
  METHOD,
  URL,
  KNOWN
};
enum { COLUMNS_THEN = 9, COLUMNS_NOW = 12 };

struct vegeta {
  const struct reader *reader;
  const char *at;
  size_t columns; /* of the first row */
  uint64_t failed, count;
  struct kinds kinds; /* targets and attacks */
  struct rows_seen seen;
};

static bool is_column_count(size_t columns) {
  return columns == COLUMNS_THEN || columns == COLUMNS_NOW;
}

static enum status fail_cell(const struct reader *reader, struct slice cell, size_t column) {
  static const char *const expected[] = {
      "where a time in ns since 1970 is expected", "where a status from 0 to 999 is expected",
      "where a latency in whole ns is expected", "where a number of bytes is expected",
      "where a number of bytes is expected"};
  if (column == LATENCY && cell.length != 0 && cell.start[0] == '-')
    return reader_fail_found(reader, cell,
                             "a negative time; the clock was set back, measure again");
  return reader_fail_found(reader, cell, "%s",
                           column == NUMBER ? "where the number of the request is expected"
                                            : expected[column]);
}

static bool is_taken(struct vegeta *vegeta, const struct slice *cells, const char *at) {
  static const struct {
    const char *name;
    size_t column;
  } labels[] = {{"attack", ATTACK}, {"method", METHOD}, {"url", URL}};
  kinds_begin(&vegeta->kinds);
  for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
    if (cells[labels[i].column].length != 0)
      kinds_label(&vegeta->kinds, (struct slice){labels[i].name, strlen(labels[i].name)},
                  cells[labels[i].column]);
  return kinds_take(&vegeta->kinds, at);
}

static enum status add_row(struct sample *out, struct vegeta *vegeta, const struct slice *cells) {
  const struct reader *reader = vegeta->reader;
  uint64_t numbers[KNOWN] = {0};
  for (size_t i = 0; i < KNOWN && i < vegeta->columns; i++) {
    if (i > BYTES_IN && i != NUMBER)
      continue;
    if (decimal_whole(&numbers[i], cells[i]) != DECIMAL_OK || (i == CODE && numbers[i] > 999))
      return fail_cell(reader, cells[i], i);
  }
  if (!is_taken(vegeta, cells, cells[TIMESTAMP].start))
    return STATUS_OK;
  vegeta->count++;
  bool good = numbers[CODE] >= 200 && numbers[CODE] <= 299 && cells[ERROR_TEXT].length == 0;
  vegeta->failed += !good;
  bool added = good ? sample_add_range(out, numbers[LATENCY], numbers[LATENCY], 1)
                    : sample_add_beyond(out, 1);
  if (!added)
    return reader_fail_total(reader, cells[LATENCY].start);
  sample_add_to_series(out, good ? numbers[LATENCY] : SAMPLE_NS_MAX);
  return STATUS_OK;
}

static enum status read_row(struct sample *out, struct vegeta *vegeta) {
  const struct reader *reader = vegeta->reader;
  const char *start = vegeta->at;
  struct slice cells[KNOWN] = {{0}};
  size_t columns = 0;
  for (;; vegeta->at++) {
    const char *from = vegeta->at;
    struct slice cell = cell_scan(&vegeta->at, reader->end, true);
    if (vegeta->at == NULL)
      return reader_fail(reader, from,
                         "a quote is opened and not closed: the file is truncated; encode it "
                         "again");
    if (columns < KNOWN)
      cells[columns] = cell;
    columns++;
    if (vegeta->at == reader->end || *vegeta->at == '\n')
      break;
  }
  if (vegeta->columns == 0)
    vegeta->columns = columns;
  if (columns != vegeta->columns || !is_column_count(columns))
    return reader_fail(reader, start,
                       "the row has %zu column%s, where vegeta writes %d or %d and the same in "
                       "every row; is a row cut off?",
                       columns, columns == 1 ? "" : "s", COLUMNS_THEN, COLUMNS_NOW);
  struct slice row = slice_trim((struct slice){start, (size_t)(vegeta->at - start)});
  if (seen_add(&vegeta->seen, row).start != NULL)
    return reader_fail(reader, start,
                       "this row stands in the table a second time, so that its request would "
                       "count twice; keep each row once");
  return add_row(out, vegeta, cells);
}

static void note_assumptions(const struct vegeta *vegeta) {
  const struct reader *reader = vegeta->reader;
  source_notes_add(reader->notes,
                   "%s: vegeta sent each request when its rate asked for it (open loop); where all "
                   "-max-workers were busy it did not, and that wait is missing (coordinated "
                   "omission)",
                   reader->path);
  if (vegeta->failed != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " requests failed (an error, or an answer other than 2xx) and are taken as "
                     "infinite",
                     reader->path, vegeta->failed, vegeta->count);
}

enum status vegeta_read(struct sample *out, const struct reader *reader) {
  struct vegeta vegeta = {.reader = reader, .at = reader->bytes};
  enum status status = reader_require_unit(reader, 0, "vegeta's table");
  if (status == STATUS_OK)
    status = reader_require_last_line(reader);
  if (status == STATUS_OK)
    status = kinds_init(&vegeta.kinds, reader);
  while (status == STATUS_OK) {
    vegeta.at = cell_skip_blank_lines(vegeta.at, reader->end);
    if (vegeta.at == reader->end)
      break;
    status = read_row(out, &vegeta);
  }
  out->evidence.unit = unit_name(0);
  evidence_set_lost(&out->evidence, EVIDENCE_FAILED, vegeta.failed);
  if (status == STATUS_OK)
    status = kinds_settle(&vegeta.kinds, &out->evidence);
  if (status == STATUS_OK)
    note_assumptions(&vegeta);
  kinds_clear(&vegeta.kinds);
  seen_clear(&vegeta.seen);
  return status;
}
