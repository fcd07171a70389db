/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables and logs of load tools, as their row of dist/source/tools.c says.
 */
#include "dist/source/tool.h"

#include <inttypes.h>
#include <string.h>

#include "dist/source/cell.h"
#include "dist/source/kinds.h"
#include "dist/source/repeats.h"
#include "dist/source/seen.h"

enum { CELLS_MOST = 64 };

struct tool_reading {
  const struct tool *tool;
  const struct reader *reader;
  const char *at;
  size_t columns;                  /* of the header; 0: there is none */
  size_t place[TOOL_COLUMNS_MOST]; /* of each of the tool's columns; SIZE_MAX: not there */
  struct slice cells[CELLS_MOST];
  size_t count; /* of the row's cells */
  struct kinds kinds;
  struct rows_seen seen;
  struct repeats repeats; /* where a row may stand there twice */
  uint64_t half_ns;       /* of the last digit that is printed */
  uint64_t taken, failed, dropped;
  const char *dropped_at;
};

/* ---- rows */

/* Cells of a line, to be quoted where they are separated by commas. false: the row is broken, and
 * the message says so. */
static bool split_row(struct tool_reading *r) {
  const struct reader *reader = r->reader;
  const char *start = r->at;
  r->count = 0;
  for (;; r->at++) {
    struct slice cell;
    const char *from = r->at;
    if (r->tool->separator == ',') {
      cell = cell_scan(&r->at, reader->end, true);
    } else {
      while (r->at < reader->end && *r->at != r->tool->separator && *r->at != '\n')
        r->at++;
      cell = slice_trim((struct slice){from, (size_t)(r->at - from)});
    }
    if (r->at == NULL) {
      reader_fail(
          reader, from,
          "a quote is opened and not closed: the file is truncated; write or copy it again");
      return false;
    }
    if (r->count == CELLS_MOST) {
      reader_fail(reader, start, "the row has more than %d columns; is the file damaged?",
                  CELLS_MOST);
      return false;
    }
    r->cells[r->count++] = cell;
    if (r->at == reader->end || *r->at == '\n')
      return true;
  }
}

static const struct tool_column *column_at(const struct tool_reading *r, size_t i) {
  const struct tool_column *column = &r->tool->columns[i];
  return i < TOOL_COLUMNS_MOST && column->name != NULL ? column : NULL;
}

static enum status read_header(struct tool_reading *r) {
  const struct reader *reader = r->reader;
  r->at = cell_skip_blank_lines(r->at, reader->end);
  const char *start = r->at;
  if (!split_row(r))
    return STATUS_DATA;
  r->columns = r->count;
  for (size_t i = 0; column_at(r, i) != NULL; i++) {
    r->place[i] = SIZE_MAX;
    for (size_t k = 0; k < r->count; k++)
      if (slice_is_word(r->cells[k], column_at(r, i)->name) && r->place[i] == SIZE_MAX)
        r->place[i] = k;
    if (r->place[i] == SIZE_MAX && column_at(r, i)->needed)
      return reader_fail(reader, start,
                         "the header of %s lacks the column \"%s\"; write it with it",
                         r->tool->what, column_at(r, i)->name);
  }
  return STATUS_OK;
}

/* Without a header: the first row says which release wrote it. */
static enum status place_first(struct tool_reading *r, const char *start) {
  const size_t *counts = r->tool->counts;
  if (r->columns == 0 && (r->count == counts[0] || r->count == counts[1])) {
    r->columns = r->count;
    for (size_t i = 0; column_at(r, i) != NULL; i++)
      r->place[i] = column_at(r, i)->place < r->count ? column_at(r, i)->place : SIZE_MAX;
  }
  if (r->columns == r->count)
    return STATUS_OK;
  return reader_fail(r->reader, start,
                     "the row has %zu column%s, where %s has %zu or %zu and the same in every row; "
                     "is a row cut off?",
                     r->count, r->count == 1 ? "" : "s", r->tool->what, counts[0], counts[1]);
}

/* Counted from the end, which all releases have in common. The text behind OK or KO, where it is
 * empty, is lost where blanks at the end of lines are. */
static void place_from_end(struct tool_reading *r) {
  struct slice last = r->cells[r->count - 1];
  size_t lost = slice_is(last, "OK") || slice_is(last, "KO");
  for (size_t i = 0; column_at(r, i) != NULL; i++)
    r->place[i] = i < lost || r->count + lost <= i + 1 ? SIZE_MAX : r->count + lost - 1 - i;
}

static bool has(const struct tool_reading *r, enum tool_role role) {
  for (size_t i = 0; column_at(r, i) != NULL; i++)
    if (column_at(r, i)->role == role && r->place[i] != SIZE_MAX)
      return true;
  return false;
}

/* Empty where there is no such column. */
static struct slice cell_of(const struct tool_reading *r, enum tool_role role) {
  for (size_t i = 0; column_at(r, i) != NULL; i++)
    if (column_at(r, i)->role == role && r->place[i] != SIZE_MAX)
      return r->cells[r->place[i]];
  return (struct slice){"", 0};
}

/* ---- what a row says */

static bool is_class(struct slice status, char class) {
  return status.length == 3 && status.start[0] == class;
}

/* STATUS_DATA for a cell that does not say it. */
static enum status judge(bool *good, const struct tool_reading *r, enum tool_role role,
                         struct slice cell) {
  uint64_t code;
  bool number = decimal_whole(&code, cell) == DECIMAL_OK && code < 1000;
  switch (role) {
  case TOOL_STATUS:
    if (!number)
      return reader_fail_found(r->reader, cell, "where a status such as 200 is expected");
    *good = *good && is_class(cell, '2');
    break;
  case TOOL_STATUS_3XX:
    *good = *good && (is_class(cell, '2') || is_class(cell, '3') || slice_is(cell, "OK") ||
                      (slice_is(cell, "0") && cell_of(r, TOOL_METRIC).length != 0 &&
                       slice_starts(cell_of(r, TOOL_METRIC), "grpc_")));
    break;
  case TOOL_TRUE:
    *good = *good && (cell.length == 0 || slice_is(cell, "true"));
    break;
  case TOOL_ERROR:
    *good = *good && cell.length == 0;
    break;
  case TOOL_WHOLE:
    if (decimal_whole(&code, cell) != DECIMAL_OK)
      return reader_fail_found(r->reader, cell, "where a whole number is expected");
    break;
  case TOOL_OK:
    if (!slice_is(cell, "OK") && !slice_is(cell, "KO"))
      return reader_fail_found(r->reader, cell, "where OK or KO is expected");
    *good = *good && slice_is(cell, "OK");
    break;
  case TOOL_ONE:
    if (decimal_whole(&code, cell) != DECIMAL_OK || code != 1)
      return reader_fail_found(r->reader, cell,
                               "operations in one measurement: the mean of several says nothing of "
                               "the slow ones; measure them one by one");
    break;
  case TOOL_SECONDS:
    if (cell.length != 10 || decimal_whole(&code, cell) == DECIMAL_NOT)
      return reader_fail_found(
          r->reader, cell,
          "where seconds since 1970 are expected, in ten digits: releases that "
          "write others have times in other units; write it with a newer one");
    break;
  default:
    break;
  }
  return STATUS_OK;
}

static bool is_measured(const struct tool *tool, struct slice metric) {
  for (size_t i = 0; i < TOOL_METRICS_MOST && tool->metrics[i] != NULL; i++)
    if (slice_is(metric, tool->metrics[i]))
      return true;
  return tool->metrics[0] == NULL;
}

static bool is_taken(struct tool_reading *r, const char *start) {
  kinds_begin(&r->kinds);
  for (size_t i = 0; column_at(r, i) != NULL; i++) {
    const struct tool_column *column = column_at(r, i);
    bool kind = column->role == TOOL_KIND || column->role == TOOL_METRIC;
    if (kind && r->place[i] != SIZE_MAX && r->cells[r->place[i]].length != 0)
      kinds_label(&r->kinds, (struct slice){column->name, strlen(column->name)},
                  r->cells[r->place[i]]);
  }
  return kinds_take(&r->kinds, start);
}

/* ---- times */

static enum status fail_time(const struct tool_reading *r, struct slice cell, enum decimal what) {
  if (what == DECIMAL_NEGATIVE)
    return reader_fail_found(r->reader, cell,
                             "a negative time; the clock was set back, measure again");
  if (what == DECIMAL_TOO_LARGE)
    return reader_fail_found(r->reader, cell,
                             "which is above 2^63-1 ns (292 years); is the file damaged?");
  return reader_fail_found(r->reader, cell, "where a time in %s is expected",
                           unit_name(r->tool->exponent));
}

static enum status read_difference(uint64_t *lower, uint64_t *upper, const struct tool_reading *r) {
  struct slice start = cell_of(r, TOOL_START), end = cell_of(r, TOOL_END);
  uint64_t from, to, least, most;
  enum decimal began = decimal_range(&least, &most, NULL, start, 0);
  if (began != DECIMAL_OK || decimal_whole(&from, start) != DECIMAL_OK)
    return fail_time(r, start, began);
  enum decimal ended = decimal_range(&least, &most, NULL, end, 0);
  if (ended != DECIMAL_OK || decimal_whole(&to, end) != DECIMAL_OK)
    return fail_time(r, end, ended);
  if (to < from)
    return reader_fail_found(r->reader, end, "which is before the request began; measure again");
  *lower = *upper = to - from;
  for (int i = 0; i < r->tool->exponent; i++) {
    if (*upper > SAMPLE_NS_MAX / 10)
      return fail_time(r, end, DECIMAL_TOO_LARGE);
    *lower *= 10;
    *upper *= 10;
  }
  return STATUS_OK;
}

static int exponent_of(const struct tool_reading *r) {
  return has(r, TOOL_UNIT) ? unit_exponent(cell_of(r, TOOL_UNIT)) : r->tool->exponent;
}

static enum status read_time(uint64_t *lower, uint64_t *upper, const struct tool_reading *r) {
  struct slice cell = cell_of(r, TOOL_TIME);
  int exponent = exponent_of(r);
  if (exponent < 0)
    return reader_fail_found(r->reader, cell_of(r, TOOL_UNIT), "where ns, us, ms or s is expected");
  if (!has(r, TOOL_TIME))
    return read_difference(lower, upper, r);
  enum decimal result = decimal_range(lower, upper, NULL, cell, exponent);
  return result == DECIMAL_OK ? STATUS_OK : fail_time(r, cell, result);
}

static uint64_t unit_ns(int exponent) {
  uint64_t ns = 1;
  for (int i = 0; i < exponent; i++)
    ns *= 10;
  return ns;
}

/* By how much a time may be off. */
static uint64_t slack_of(const struct tool_reading *r) {
  return r->tool->rounding == TOOL_CUT       ? unit_ns(r->tool->exponent)
         : r->tool->rounding == TOOL_NEAREST ? r->half_ns
                                             : 0;
}

static enum status add_time(struct sample *out, const struct tool_reading *r, const char *start) {
  uint64_t lower = 0, upper = 0, slack = slack_of(r);
  enum status status = read_time(&lower, &upper, r);
  if (status != STATUS_OK)
    return status;
  lower -= lower < slack ? lower : slack;
  if (upper > SAMPLE_NS_MAX - slack)
    return fail_time(r, has(r, TOOL_TIME) ? cell_of(r, TOOL_TIME) : cell_of(r, TOOL_END),
                     DECIMAL_TOO_LARGE);
  if (!sample_add_range(out, lower, upper + slack, 1))
    return reader_fail_total(r->reader, start);
  if (!r->tool->sorted)
    sample_add_range_to_series(out, lower, upper + slack);
  return STATUS_OK;
}

static enum status add_dropped(struct tool_reading *r, const char *start) {
  struct slice cell = cell_of(r, TOOL_TIME);
  uint64_t count, more;
  if (decimal_range(&count, &more, NULL, cell, 0) != DECIMAL_OK || count != more ||
      count > SAMPLE_TOTAL_MAX - r->dropped)
    return reader_fail_found(r->reader, cell, "where a count is expected");
  r->dropped += count;
  if (r->dropped_at == NULL)
    r->dropped_at = start;
  return STATUS_OK;
}

static enum status add_row(struct sample *out, struct tool_reading *r, const char *start) {
  struct slice metric = cell_of(r, TOOL_METRIC);
  bool good = true;
  if (r->tool->dropped != NULL && slice_is(metric, r->tool->dropped))
    return add_dropped(r, start);
  if (!is_measured(r->tool, metric))
    return STATUS_OK;
  enum status status = STATUS_OK;
  for (size_t i = 0; column_at(r, i) != NULL && status == STATUS_OK; i++)
    if (r->place[i] != SIZE_MAX)
      status = judge(&good, r, column_at(r, i)->role, r->cells[r->place[i]]);
  if (status != STATUS_OK || !is_taken(r, start))
    return status;
  r->taken++;
  if (good)
    return add_time(out, r, start);
  r->failed++;
  if (!r->tool->sorted)
    sample_add_to_series(out, SAMPLE_NS_MAX);
  return sample_add_beyond(out, 1) ? STATUS_OK : reader_fail_total(r->reader, start);
}

/* Where the columns of the row are; *skip: it is of another kind of rows. */
static enum status place_row(bool *skip, struct tool_reading *r, const char *start) {
  *skip = r->tool->line != NULL && !slice_is(r->cells[0], r->tool->line);
  if (*skip)
    return STATUS_OK;
  if (r->tool->counts[0] != 0)
    return place_first(r, start);
  if (r->tool->line != NULL) {
    place_from_end(r);
    for (size_t i = 0; column_at(r, i) != NULL; i++)
      if (r->place[i] == SIZE_MAX && column_at(r, i)->needed)
        return reader_fail(r->reader, start, "the row has too few columns; is it cut off?");
  } else if (r->count != r->columns) {
    return reader_fail(r->reader, start,
                       "the row has %zu column%s, the header %zu; is a row cut off?", r->count,
                       r->count == 1 ? "" : "s", r->columns);
  }
  return STATUS_OK;
}

static enum status read_row(struct sample *out, struct tool_reading *r) {
  const char *start = r->at;
  bool skip = false;
  if (!split_row(r))
    return STATUS_DATA;
  enum status status = place_row(&skip, r, start);
  if (status != STATUS_OK || skip || out == NULL)
    return status;
  struct slice row = slice_trim((struct slice){start, (size_t)(r->at - start)});
  if (r->tool->once && seen_add(&r->seen, row).start != NULL)
    return reader_fail(
        r->reader, start,
        "this row stands in the table a second time, so that its request would count "
        "twice; keep each row once");
  if (!r->tool->once)
    repeats_add(&r->repeats, row);
  return add_row(out, r, start);
}

/* ---- the file */

/* Half of the last digit that any number of the row is printed with: all are of one clock. */
static void find_half(struct tool_reading *r) {
  for (size_t i = 0; i < r->count; i++) {
    struct slice cell = r->cells[i];
    uint64_t ignored;
    const char *point = memchr(cell.start, '.', cell.length);
    if (decimal_upper(&ignored, NULL, cell, 0) != DECIMAL_OK)
      continue;
    size_t decimals = point == NULL ? 0 : (size_t)(cell.start + cell.length - point - 1);
    int last = r->tool->exponent - (int)(decimals < 32 ? decimals : 32);
    uint64_t half = last <= 0 ? 1 : 5 * unit_ns(last - 1);
    if (r->half_ns == 0 || half < r->half_ns)
      r->half_ns = half;
  }
}

static enum status walk(struct sample *out, struct tool_reading *r, const char *from) {
  r->at = from;
  for (;;) {
    r->at = cell_skip_blank_lines(r->at, r->reader->end);
    if (r->at == r->reader->end)
      return STATUS_OK;
    enum status status = read_row(out, r);
    if (status != STATUS_OK)
      return status;
    if (out == NULL)
      find_half(r);
  }
}

static enum status check_repeats(const struct tool_reading *r) {
  struct repeats_found found;
  if (!repeats_find(&found, &r->repeats))
    return STATUS_OK;
  if (found.times != 0)
    return reader_fail(
        r->reader, r->reader->bytes,
        "each row stands there %zu times, so that each request would count as often; "
        "keep each once",
        found.times);
  source_notes_add(
      r->reader->notes,
      "%s: %zu rows from row %zu on stand there again from row %zu on, and are taken as "
      "other requests",
      r->reader->path, found.block, found.first + 1, found.again + 1);
  return STATUS_OK;
}

/* A request that was dropped is of a kind that nothing says. */
static enum status settle(struct sample *out, struct tool_reading *r) {
  enum status status = kinds_settle(&r->kinds, &out->evidence);
  if (status == STATUS_OK)
    status = check_repeats(r);
  if (status == STATUS_OK && r->dropped != 0 && r->reader->select != NULL)
    status = reader_fail(r->reader, r->dropped_at,
                         "%" PRIu64 " requests were dropped, and nothing says of which kind; use "
                         "--out json=OUT.json, or leave out --select",
                         r->dropped);
  if (status == STATUS_OK && !sample_add_beyond(out, r->dropped))
    status = reader_fail_total(r->reader, r->reader->end);
  return status;
}

static void note(struct sample *out, const struct tool_reading *r) {
  const struct reader *reader = r->reader;
  for (size_t i = 0; i < TOOL_NOTES_MOST && r->tool->notes[i] != NULL; i++)
    source_notes_add(reader->notes, "%s: %s", reader->path, r->tool->notes[i]);
  if (slack_of(r) > 1)
    source_notes_add(reader->notes,
                     "%s: times are whole multiples of what is printed, and may be up to %" PRIu64
                     " us off either way",
                     reader->path, slack_of(r) / 1000);
  for (size_t i = 0; column_at(r, i) != NULL; i++)
    if (column_at(r, i)->role == TOOL_STATUS && r->place[i] == SIZE_MAX)
      source_notes_add(reader->notes,
                       "%s: every request is taken as answered, for no row has a status",
                       reader->path);
  if (r->tool->rows_most != 0 && r->kinds.requests >= r->tool->rows_most)
    source_notes_add(reader->notes,
                     "%s: the tool writes its first %" PRIu64 " requests only; later ones are "
                     "missing",
                     reader->path, r->tool->rows_most);
  if (r->failed + r->dropped != 0)
    source_notes_add(reader->notes,
                     "%s: of %" PRIu64 " requests %" PRIu64 " failed and %" PRIu64
                     " were dropped; they are taken as infinite",
                     reader->path, out->total, r->failed, r->dropped);
  evidence_set_lost(&out->evidence, EVIDENCE_CUT_OFF, r->dropped);
  if (r->tool->answered)
    out->evidence.lost[EVIDENCE_FAILED].least = r->failed;
  else
    evidence_set_lost(&out->evidence, EVIDENCE_FAILED, r->failed);
}

enum status tool_read(struct sample *out, const struct reader *reader, const struct tool *tool) {
  struct tool_reading *r = mem_alloc(1, sizeof *r);
  *r = (struct tool_reading){.tool = tool, .reader = reader, .at = reader->bytes};
  enum status status = kinds_init(&r->kinds, reader);
  if (status == STATUS_OK)
    status = reader_require_unit(reader, tool->exponent, tool->what);
  if (status == STATUS_OK)
    status = reader_require_last_line(reader);
  if (status == STATUS_OK && tool->line == NULL && tool->counts[0] == 0)
    status = read_header(r);
  const char *rows = r->at;
  if (status == STATUS_OK && tool->rounding == TOOL_NEAREST)
    status = walk(NULL, r, rows);
  if (status == STATUS_OK)
    status = walk(out, r, rows);
  if (status == STATUS_OK && r->kinds.requests == 0)
    status = reader_fail(reader, reader->end, "there is no request in %s", tool->what);
  if (status == STATUS_OK)
    status = settle(out, r);
  out->evidence.unit = unit_name(tool->exponent);
  if (status == STATUS_OK)
    note(out, r);
  kinds_clear(&r->kinds);
  seen_clear(&r->seen);
  repeats_clear(&r->repeats);
  mem_free(r);
  return status;
}
