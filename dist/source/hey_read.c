/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `hey -o csv` writes: one request a row, times in seconds.
 *
 *   response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset
 *   0.0087,0.0047,0.0042,0.0001,0.0019,0.0001,200,0.0016
 *
 * Its traps:
 *  - Times are rounded to the nearest of the decimals printed (four, 0.1 ms), so that the true time
 *    is within half a unit of the last place. Forks print every digit; how many decimals the file
 *    uses is therefore found out first.
 *  - A request without any answer (refused, timed out) has no row, and after a million rows hey
 *    writes no more. Neither can be seen in the file, except that the million is full.
 *  - An answer other than 2xx is a failed request. Releases before 2019 print no status.
 *  - Each worker waits for an answer before it sends again (coordinated omission).
 */
#include "dist/source/cell.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMNS = 8, OLD_COLUMNS = 6, STATUS_COLUMN = 6, SECONDS = 9, ROWS_MAX = 1000000 };

static const char *const names[COLUMNS] = {"response-time", "dns+dialup",     "dns",
                                           "request-write", "response-delay", "response-read",
                                           "status-code",   "offset"};

struct hey {
  const struct reader *reader;
  const char *rows; /* behind the header */
  size_t columns;
  int decimals; /* the most that any time is printed with */
  uint64_t failed, count;
};

/* The number of columns of a header line; 0 when it is none of hey's. */
static size_t header_columns(struct slice line) {
  const char *at = line.start, *end = line.start + line.length;
  size_t columns = 0;
  for (;; at++) {
    struct slice cell = cell_scan(&at, end, false);
    if (at == NULL || columns == COLUMNS || !slice_is_word(cell, names[columns]))
      return 0;
    columns++;
    if (at == end)
      return columns == COLUMNS || columns == OLD_COLUMNS ? columns : 0;
  }
}

static enum status read_header(struct hey *hey) {
  const struct reader *reader = hey->reader;
  const char *at = cell_skip_blank_lines(reader->bytes, reader->end);
  struct slice line = {at, 0};
  bool there = reader_line(&line, reader, &at);
  hey->columns = there ? header_columns(line) : 0;
  hey->rows = at;
  if (hey->columns == 0)
    return reader_fail_found(
        reader, line,
        "where the header of hey's table, \"response-time,DNS+dialup,...\", is "
        "expected");
  return STATUS_OK;
}

static int printed_decimals(struct slice number) {
  const char *point = memchr(number.start, '.', number.length);
  return point == NULL ? 0 : (int)(number.start + number.length - point - 1);
}

static enum status fail_time(const struct reader *reader, struct slice cell, enum decimal what) {
  return reader_fail_found(reader, cell, "%s",
                           what == DECIMAL_TOO_LARGE ? "which is above 2^63-1 ns (292 years); is "
                                                       "the file damaged?"
                           : what == DECIMAL_NEGATIVE
                               ? "a negative time; the clock was set back, measure again"
                               : "where a time in seconds is expected, such as 0.0087");
}

static enum status add_time(struct sample *out, struct hey *hey, struct slice cell) {
  uint64_t lower = 0, upper = 0, half = 1;
  enum decimal result = decimal_range(&lower, &upper, NULL, cell, SECONDS);
  if (result != DECIMAL_OK)
    return fail_time(hey->reader, cell, result);
  if (hey->decimals < SECONDS) {
    half = 5;
    decimal_scale_upper(&half, SECONDS - 1 - hey->decimals);
  }
  if (upper > SAMPLE_NS_MAX - half)
    return fail_time(hey->reader, cell, DECIMAL_TOO_LARGE);
  lower = lower < half ? 0 : lower - half;
  if (!sample_add_range(out, lower, upper + half, 1))
    return reader_fail_total(hey->reader, cell.start);
  sample_add_range_to_series(out, lower, upper + half);
  return STATUS_OK;
}

static enum status add_row(struct sample *out, struct hey *hey, struct slice time,
                           struct slice status) {
  uint64_t code = 200;
  if (hey->columns == COLUMNS && (decimal_whole(&code, status) != DECIMAL_OK || code > 999))
    return reader_fail_found(hey->reader, status, "where a status such as 200 is expected");
  hey->count++;
  if (code >= 200 && code <= 299)
    return add_time(out, hey, time);
  hey->failed++;
  sample_add_to_series(out, SAMPLE_NS_MAX);
  return sample_add_beyond(out, 1) ? STATUS_OK : reader_fail_total(hey->reader, time.start);
}

/* Every other cell is a time, too; its decimals count, and nothing else of it. */
static enum status read_row(struct sample *out, struct hey *hey, const char **at) {
  const struct reader *reader = hey->reader;
  const char *start = *at;
  struct slice cells[COLUMNS] = {{0}};
  size_t columns = 0;
  for (;; (*at)++) {
    const char *from = *at;
    struct slice cell = cell_scan(at, reader->end, false);
    uint64_t ignored;
    if (*at == NULL)
      return reader_fail(reader, from, "a quote is opened and not closed on this line; close it");
    enum decimal number = decimal_upper(&ignored, NULL, cell, SECONDS);
    if (number != DECIMAL_OK)
      return fail_time(reader, cell, number);
    if (columns < hey->columns)
      cells[columns] = cell;
    if (columns != STATUS_COLUMN && printed_decimals(cell) > hey->decimals)
      hey->decimals = printed_decimals(cell);
    columns++;
    if (*at == reader->end || **at == '\n')
      break;
  }
  if (columns != hey->columns)
    return reader_fail(reader, start, "the row has %zu column%s, the header %zu; is a row cut off?",
                       columns, columns == 1 ? "" : "s", hey->columns);
  return out == NULL ? STATUS_OK : add_row(out, hey, cells[0], cells[STATUS_COLUMN]);
}

/* Once to find the decimals in use (out NULL), once to add the rows. */
static enum status walk_rows(struct sample *out, struct hey *hey) {
  const char *at = hey->rows, *end = hey->reader->end;
  for (;;) {
    at = cell_skip_blank_lines(at, end);
    if (at == end)
      return STATUS_OK;
    enum status status = read_row(out, hey, &at);
    if (status != STATUS_OK)
      return status;
  }
}

static void note_assumptions(const struct hey *hey) {
  const struct reader *reader = hey->reader;
  const char *path = reader->path;
  source_notes_add(reader->notes,
                   "%s: hey waits for each answer before it sends the next request (closed loop): "
                   "requests that were due while one was slow are missing (coordinated omission)",
                   path);
  source_notes_add(reader->notes,
                   "%s: no request failed without an answer (hey writes no row for one), and none "
                   "was left out",
                   path);
  if (hey->decimals < SECONDS)
    source_notes_add(reader->notes,
                     "%s: each time is raised by half of 1e-%d s, for hey rounds to the nearest",
                     path, hey->decimals);
  if (hey->columns == OLD_COLUMNS)
    source_notes_add(reader->notes,
                     "%s: every request is taken as answered, for no row has a status", path);
  if (hey->failed != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " requests got an answer other than 2xx and are taken as infinite",
                     path, hey->failed, hey->count);
  if (hey->count >= ROWS_MAX)
    source_notes_add(reader->notes,
                     "%s: hey keeps its first %d requests only; later ones are missing", path,
                     ROWS_MAX);
}

enum status hey_read(struct sample *out, const struct reader *reader) {
  struct hey hey = {.reader = reader};
  enum status status = reader_require_unit(reader, SECONDS, "hey's table");
  if (status == STATUS_OK)
    status = read_header(&hey);
  if (status == STATUS_OK)
    status = reader_require_last_line(reader);
  if (status == STATUS_OK)
    status = walk_rows(NULL, &hey);
  if (status == STATUS_OK)
    status = walk_rows(out, &hey);
  if (status == STATUS_OK && hey.count == 0)
    return reader_fail(reader, reader->end,
                       "the table has a header and no rows; at least one request is needed");
  out->evidence.unit = unit_name(SECONDS);
  out->evidence.lost[EVIDENCE_FAILED].least = hey.failed; /* none without an answer has a row */
  if (status == STATUS_OK)
    note_assumptions(&hey);
  return status;
}
