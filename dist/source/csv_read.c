/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One observation a row. The header names the value column and its unit; see dist/source/source.h.
 * The scanner touches each byte about once, for files of millions of rows.
 */
#include "dist/source/cell.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { FAST_DIGITS = 18, FINEST_UNKNOWN = 1000 };

struct csv {
  const struct reader *reader;
  const char *at;
  size_t columns, value_column; /* value_column counts from 0 */
  struct span name;             /* of the value column */
  int exponent;                 /* its unit is 10^exponent ns */
  bool round_trip;
  int finest; /* the finest digit seen stands for 10^finest ns */
};

/* The exponent of "latency_us" or "us"; -1 when the name ends in no unit. */
static int name_exponent(struct span name) {
  size_t start = name.length;
  while (start != 0 && name.start[start - 1] != '_')
    start--;
  return unit_exponent((struct span){name.start + start, name.length - start});
}

static bool is_number(struct span cell) {
  uint64_t value;
  return decimal_upper(&value, NULL, cell, 0) != DECIMAL_NOT;
}

static enum status fail_header(const struct csv *csv, struct span header, bool numbers) {
  if (numbers)
    return reader_fail_found(csv->reader, header,
                             "where a header is expected; add a first line that names the value "
                             "and its unit, such as latency_ns");
  return reader_fail_found(csv->reader, header,
                           "a header that names no unit; end the name of the value column in _ns, "
                           "_us, _ms or _s, such as latency_ns");
}

/* The unit the user stated stands in for one the header does not name, and must not contradict. */
static enum status settle_unit(struct csv *csv, struct span header, size_t named, bool numbers) {
  const struct reader *reader = csv->reader;
  int stated =
      reader->unit == NULL ? -1 : unit_exponent((struct span){reader->unit, strlen(reader->unit)});
  if (named == 0 && stated >= 0 && csv->columns == 1 && !numbers) {
    csv->exponent = stated;
    csv->name = span_trim(header);
  } else if (named == 0) {
    return fail_header(csv, header, numbers);
  } else if (stated >= 0 && stated != csv->exponent) {
    return reader_fail_found(reader, csv->name,
                             "but the unit is stated to be %s on the command line; correct the one "
                             "that is wrong",
                             reader->unit);
  }
  csv->round_trip = csv->name.length >= 3 && span_is_word((struct span){csv->name.start, 3}, "rtt");
  return STATUS_OK;
}

static enum status read_header(struct csv *csv) {
  const struct reader *reader = csv->reader;
  csv->at = cell_skip_blank_lines(csv->at, csv->reader->end);
  if (csv->at == reader->end)
    return reader_fail(reader, reader->bytes,
                       "the file is empty; its first line names the value and its unit, such as "
                       "latency_ns, and one value a line follows");
  const char *start = csv->at;
  size_t named = 0;
  bool numbers = false;
  for (;; csv->at++) {
    const char *from = csv->at;
    struct span cell = cell_scan(&csv->at, reader->end, false);
    if (csv->at == NULL)
      return reader_fail(reader, from, "a quote is opened and not closed on this line; close it");
    int exponent = name_exponent(cell);
    numbers = numbers || is_number(cell);
    if (exponent >= 0 && named++ == 0) {
      csv->name = cell;
      csv->exponent = exponent;
      csv->value_column = csv->columns;
    } else if (exponent >= 0) {
      return reader_fail_found(reader, cell,
                               "a second column with a unit, beside \"%.*s\"; keep one value "
                               "column to a file",
                               (int)(csv->name.length > 64 ? 64 : csv->name.length),
                               csv->name.start);
    }
    csv->columns++;
    if (csv->at == reader->end || *csv->at == '\n')
      break;
  }
  return settle_unit(csv, (struct span){start, (size_t)(csv->at - start)}, named, numbers);
}

/* "5ms", "5 s" */
static bool has_unit(struct span cell) {
  size_t length = 0;
  while (length < cell.length &&
         (isdigit((unsigned char)cell.start[length]) || cell.start[length] == '.'))
    length++;
  struct span unit = span_trim((struct span){cell.start + length, cell.length - length});
  return length != 0 && (unit_exponent(unit) >= 0 || span_is(unit, "\xc2\xb5s") ||
                         span_is(unit, "\xce\xbcs") || span_is_word(unit, "sec"));
}

static enum status fail_value(const struct csv *csv, struct span cell, enum decimal what) {
  const struct reader *reader = csv->reader;
  if (what == DECIMAL_TOO_LARGE)
    return reader_fail_found(reader, cell,
                             "which is above 2^63-1 ns (292 years); is the unit of \"%.*s\" right?",
                             (int)(csv->name.length > 64 ? 64 : csv->name.length), csv->name.start);
  if (what == DECIMAL_NEGATIVE)
    return reader_fail_found(
        reader, cell,
        "a negative time; correct the clock it came from, or leave the row out "
        "with a reason");
  if (cell.length == 0)
    return reader_fail(reader, cell.start,
                       "the value is empty; write a number, or \"timeout\" for "
                       "one that never came");
  if (span_is_word(cell, "nan") || span_is_word(cell, "na") || span_is_word(cell, "null"))
    return reader_fail_found(
        reader, cell,
        "which is no time; write \"timeout\" for one that never came, or leave "
        "the row out with a reason");
  if (has_unit(cell))
    return reader_fail_found(reader, cell,
                             "a number with a unit; all values are in %s, as the header says: "
                             "convert this one and write the number alone",
                             unit_name(csv->exponent));
  return reader_fail_found(reader, cell, "where a number is expected, such as 1250 or 12.5");
}

static bool is_endless(struct span cell) {
  if (cell.length != 0 && cell.start[0] == '+')
    return span_is_word(cell, "+inf") || span_is_word(cell, "+infinity");
  return span_is_word(cell, "inf") || span_is_word(cell, "infinity") ||
         span_is_word(cell, "timeout");
}

static enum decimal read_number(uint64_t *lower, uint64_t *upper, struct csv *csv,
                                struct span cell) {
  if (cell.length <= FAST_DIGITS && csv->finest <= csv->exponent &&
      decimal_whole(upper, cell) == DECIMAL_OK) {
    if (!decimal_scale_upper(upper, csv->exponent))
      return DECIMAL_TOO_LARGE;
    *lower = *upper;
    return DECIMAL_OK;
  }
  int places = 0;
  enum decimal result = decimal_range(lower, upper, &places, cell, csv->exponent);
  if (result == DECIMAL_OK && csv->exponent - places < csv->finest)
    csv->finest = csv->exponent - places;
  return result;
}

static enum status add_value(struct sample *out, struct csv *csv, struct span cell) {
  uint64_t lower = 0, upper = 0;
  enum decimal result = read_number(&lower, &upper, csv, cell);
  bool added;
  if (result == DECIMAL_OK) {
    if (csv->round_trip) {
      lower /= 2;
      upper = upper / 2 + upper % 2;
    }
    added = sample_add_range(out, lower, upper, 1);
  } else if (is_endless(cell)) {
    upper = SAMPLE_NS_MAX;
    added = sample_add_beyond(out, 1);
  } else {
    return fail_value(csv, cell, result);
  }
  if (!added)
    return reader_fail_total(csv->reader, cell.start);
  sample_add_to_series(out, upper);
  return STATUS_OK;
}

static enum status read_row(struct sample *out, struct csv *csv) {
  const struct reader *reader = csv->reader;
  const char *start = csv->at;
  struct span value = {start, 0};
  size_t columns = 0;
  for (;; csv->at++) {
    const char *from = csv->at;
    struct span cell = cell_scan(&csv->at, reader->end, false);
    if (csv->at == NULL)
      return reader_fail(reader, from, "a quote is opened and not closed on this line; close it");
    if (columns++ == csv->value_column)
      value = cell;
    if (csv->at == reader->end || *csv->at == '\n')
      break;
  }
  if (columns != csv->columns)
    return reader_fail(reader, start,
                       "the row has %zu column%s, the header %zu; is a row cut off, or a comma "
                       "meant as a decimal point?",
                       columns, columns == 1 ? "" : "s", csv->columns);
  return add_value(out, csv, value);
}

static void note_assumptions(const struct sample *out, const struct csv *csv) {
  const struct reader *reader = csv->reader;
  if (csv->round_trip)
    source_notes_add(reader->notes,
                     "%s: the delay is taken as half a measured round trip, rounded up (assumes "
                     "symmetric links)",
                     reader->path);
  if (csv->finest > 0 && csv->finest != FINEST_UNKNOWN)
    source_notes_add(
        reader->notes,
        "%s: values are whole multiples of 1e%d ns and taken as exact (a recorder that "
        "cuts off finer digits must round up instead)",
        reader->path, csv->finest);
  if (reader->end[-1] != '\n')
    source_notes_add(reader->notes,
                     "%s: the last line has no end and is taken as whole, not as cut off",
                     reader->path);
  if (out->beyond != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64 " observations never ended (\"inf\" or "
                     "\"timeout\") and are taken as infinite",
                     reader->path, out->beyond, out->total);
}

enum status csv_read(struct sample *out, const struct reader *reader) {
  struct csv csv = {.reader = reader, .at = reader->bytes, .finest = FINEST_UNKNOWN};
  enum status status = read_header(&csv);
  if (status != STATUS_OK)
    return status;
  for (;;) {
    csv.at = cell_skip_blank_lines(csv.at, reader->end);
    if (csv.at == reader->end)
      break;
    status = read_row(out, &csv);
    if (status != STATUS_OK)
      return status;
  }
  if (out->total == 0)
    return reader_fail(reader, csv.at,
                       "the file has a header and no rows; at least one observation is needed");
  note_assumptions(out, &csv);
  return STATUS_OK;
}
