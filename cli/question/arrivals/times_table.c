/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table of moments: a header that names the unit of the column (due_ns), a row for each arrival.
 */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/slice.h"
#include "cli/question/arrivals/times.h"
#include "format/tell.h"

#define TABLE_BYTES ((size_t)1 << 30)
#define MOMENT_MOST (UINT64_C(1) << 62)

struct table_column_place {
  size_t index;
  int exponent; /* of its unit, in ns */
};

/* The power of ten of the unit that a name ends in, or that is stated for it; or -1. */
static int unit_of(struct slice name, const settings *units) {
  for (size_t i = 0; units != NULL && i < units->count; i++)
    if (slice_is(name, units->data[i].name))
      return unit_exponent((struct slice){units->data[i].value, strlen(units->data[i].value)});
  for (size_t i = name.length; i-- > 0;)
    if (name.start[i] == '_')
      return unit_exponent((struct slice){name.start + i + 1, name.length - i - 1});
  return -1;
}

static enum status fail_header(const char *path, const char *column, size_t units,
                               struct text *message) {
  if (column != NULL)
    text_format(message,
                "%s: line 1: there is no column \"%s\" with a unit (_ns, _us, _ms or _s) at the "
                "end of its name; of one without say it: --unit %s=s",
                path, column, column);
  else if (units == 0)
    text_format(message,
                "%s: line 1: no column says its unit; name the one with the times of arrivals in a "
                "first line, with _ns, _us, _ms or _s at its end: arrival_ns",
                path);
  else
    text_format(
        message,
        "%s: line 1: %zu columns have a unit; say with --column which of them has the times "
        "of arrivals",
        path, units);
  return STATUS_DATA;
}

/* The first name of --unit that is no column; NULL: all are. */
static const char *unknown_unit(struct slice header, const settings *units) {
  for (size_t i = 0; units != NULL && i < units->count; i++) {
    struct slice rest = header, name;
    bool found = false;
    while (!found && slice_field(&name, &rest, ','))
      found = slice_is(name, units->data[i].name);
    if (!found)
      return units->data[i].name;
  }
  return NULL;
}

static enum status find_column(struct table_column_place *place, const char *path,
                               struct slice header, const struct times_wanted *wanted,
                               struct text *message) {
  const char *column = wanted->column;
  size_t units = 0, index = 0;
  const char *unknown = unknown_unit(header, wanted->units);
  if (unknown != NULL) {
    text_format(message, "%s: --unit %s: the table has no such column", path, unknown);
    return STATUS_USAGE;
  }
  for (struct slice name; slice_field(&name, &header, ','); index++) {
    int exponent = unit_of(name, wanted->units);
    if (exponent < 0 || (column != NULL && !slice_is(name, column)))
      continue;
    *place = (struct table_column_place){index, exponent};
    units++;
  }
  return units == 1 ? STATUS_OK : fail_header(path, column, units, message);
}

static bool nth_cell(struct slice *cell, struct slice line, size_t index) {
  for (size_t i = 0; i <= index; i++)
    if (!slice_field(cell, &line, ','))
      return false;
  return true;
}

/* A time finer than ns is rounded down. */
static enum status add_row(struct times *times, const char *path, size_t number, struct slice line,
                           const struct table_column_place *place, struct text *message) {
  struct slice cell = {line.start, 0};
  uint64_t lower, upper;
  int places;
  if (nth_cell(&cell, line, place->index) &&
      decimal_range(&lower, &upper, &places, cell, place->exponent) == DECIMAL_OK &&
      lower <= MOMENT_MOST) {
    times_add(times, NULL, (int64_t)lower);
    return STATUS_OK;
  }
  text_format(message,
              "%s: line %zu: \"%.*s\" is no time; every row needs a number, 0 or more and below "
              "146 years, in the column of the arrivals' times",
              path, number, (int)(cell.length < 40 ? cell.length : 40), cell.start);
  return STATUS_DATA;
}

static enum status read_rows(struct times *times, const char *path, struct slice rest,
                             const struct times_wanted *wanted, struct ledger *ledger,
                             struct text *message) {
  struct table_column_place place = {0};
  struct slice line = {rest.start, 0};
  slice_field(&line, &rest, '\n');
  enum status status = find_column(&place, path, line, wanted, message);
  if (status != STATUS_OK)
    return status;
  struct slice name = {0};
  nth_cell(&name, line, place.index);
  struct text what;
  text_init(&what);
  text_format(&what, "column %.*s of %s", (int)name.length, name.start, path);
  times->what = text_take(&what);
  int64_t before = INT64_MIN;
  size_t back = 0;
  for (size_t number = 2; status == STATUS_OK && slice_field(&line, &rest, '\n'); number++) {
    if (line.length == 0)
      continue;
    status = add_row(times, path, number, line, &place, message);
    if (status != STATUS_OK)
      break;
    const struct times_stream *stream = &times->streams.data[0];
    int64_t now = stream->ns.data[stream->ns.count - 1];
    back += now < before;
    before = now;
  }
  if (back != 0)
    ledger_warn(ledger, LEDGER_DATA,
                "%s: %zu rows are earlier than the row before them; they were put in order", path,
                back);
  return status;
}

enum status times_read_table(struct times *times, const char *path,
                             const struct times_wanted *wanted, struct ledger *ledger,
                             struct text *message) {
  if (wanted->message != NULL || wanted->by_node || wanted->place != TIMES_SENT) {
    text_format(message, "%s: is a table, which has neither messages nor nodes; leave out %s", path,
                wanted->message != NULL ? "--message"
                : wanted->by_node       ? "--by-node"
                                        : "--at");
    return STATUS_USAGE;
  }
  char *bytes = NULL;
  size_t length = 0;
  enum status status = file_read_or_input(path, TABLE_BYTES, &bytes, &length, message);
  static const struct format_wanted tables = {1u << YIELDS_SAMPLES, "table of times", ""};
  if (status == STATUS_OK &&
      format_refuse_bytes(message, path, (struct slice){bytes, length}, &tables))
    status = STATUS_DATA;
  if (status == STATUS_OK)
    status = read_rows(times, path, (struct slice){bytes, length}, wanted, ledger, message);
  mem_free(bytes);
  return status;
}
