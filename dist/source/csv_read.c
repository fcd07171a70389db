/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One observation a row. The header names the value column and its unit; see dist/source/source.h.
 * The scanner touches each byte about once, for files of millions of rows.
 */
#include "dist/source/cell.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "dist/source/row_columns.h"
#include "dist/source/value.h"

struct csv {
  const struct reader *reader;
  const char *at;
  size_t columns, value_column; /* value_column counts from 0 */
  struct slice name;            /* of the value column */
  int exponent;                 /* its unit is 10^exponent ns */
  bool round_trip;
  int finest; /* the finest digit seen stands for 10^finest ns */
  struct row_columns others;
  uint64_t endless; /* of what did not fail: "inf", "timeout" */
};

static bool is_number(struct slice cell) {
  uint64_t value;
  return decimal_upper(&value, NULL, cell, 0) != DECIMAL_NOT;
}

static enum status fail_header(const struct csv *csv, struct slice header, bool numbers) {
  if (numbers)
    return reader_fail_found(csv->reader, header,
                             "where a header is expected; add a first line that names the value "
                             "and its unit, such as latency_ns");
  return reader_fail_found(csv->reader, header,
                           "a header that names no unit; end the name of the value column in _ns, "
                           "_us, _ms or _s, such as latency_ns");
}

/* Whether a name such as "timestamp_ms", "start_s" or "time_ms" speaks of when something was, not
 * of how long it took ("end_to_end_ms", "start_delay_us", "response_time_ms"). */
static bool says_when(struct slice name) {
  static const char *const when[] = {
      "timestamp", "timestamps", "stamp",   "ts",    "date",  "datetime", "epoch", "unix",   "utc",
      "clock",     "start",      "started", "begin", "began", "end",      "ended", "finish", "sent",
      "finished",  "received",   "created", "at",    "when",  "now",      NULL};
  static const char *const how_long[] = {
      "latency", "latencies", "duration", "durations", "elapsed", "delay",    "wait",
      "waited",  "took",      "taken",    "since",     "until",   "response", "service",
      "to",      "interval",  "lag",      "cost",      "rtt",     NULL};
  struct slice word, rest = name;
  size_t words = 0, times = 0;
  bool found = false;
  while (column_word(&word, &rest) && (rest.length != 0 || unit_exponent(word) < 0)) {
    if (column_word_among(word, how_long))
      return false;
    found = found || column_word_among(word, when);
    times += slice_is_word(word, "time");
    words++;
  }
  return found || (words == 1 && times == 1);
}

static enum status check_name(struct csv *csv, bool confirmed) {
  struct slice name = csv->name;
  bool rtt = name.length >= 3 && slice_is_word((struct slice){name.start, 3}, "rtt");
  csv->round_trip = rtt && (name.length == 3 || !isalpha((unsigned char)name.start[3]));
  if (rtt && !csv->round_trip)
    return reader_fail_found(csv->reader, name,
                             "a name that only begins as a round trip's; call the column rtt_us if "
                             "half of each value is the delay, latency_us if all of it is");
  if (csv->round_trip && !csv->reader->is_delay)
    return reader_fail_found(csv->reader, name,
                             "a round trip, half of which is taken for a delay d(...) of a bound "
                             "with --data, and nothing else; call the column latency_%s if all of "
                             "it is what is measured here",
                             unit_name(csv->exponent));
  if (!confirmed && says_when(name))
    return reader_fail_found(csv->reader, name,
                             "a name that says when something was, not how long it took; call the "
                             "column latency_%s if it holds times that were taken, or confirm its "
                             "unit with --unit NAME=%s",
                             unit_name(csv->exponent), unit_name(csv->exponent));
  return STATUS_OK;
}

/* The unit the user stated stands in for one the header does not name, and must not contradict. */
static enum status settle_unit(struct csv *csv, struct slice header, size_t named, bool numbers) {
  const struct reader *reader = csv->reader;
  int stated =
      reader->unit == NULL ? -1 : unit_exponent((struct slice){reader->unit, strlen(reader->unit)});
  if (named == 0 && stated >= 0 && csv->columns == 1 && !numbers) {
    row_columns_forget(&csv->others); /* the only column holds the values */
    csv->exponent = stated;
    csv->name = slice_trim(header);
  } else if (named == 0) {
    return fail_header(csv, header, numbers);
  } else if (stated >= 0 && stated != csv->exponent) {
    return reader_fail_found(reader, csv->name,
                             "but the unit is stated to be %s on the command line; correct the one "
                             "that is wrong",
                             reader->unit);
  }
  return check_name(csv, stated >= 0);
}

/* What `tailproof load` writes, which gives no time to what failed; any status below 400 is good,
 * and exit code 0. */
static const char load_header[] = "due,route,status,latency_ns";

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
    struct slice cell = cell_scan(&csv->at, reader->end, false);
    if (csv->at == NULL)
      return reader_fail(reader, from, "a quote is opened and not closed on this line; close it");
    int exponent = value_exponent(cell);
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
    } else {
      row_columns_add(&csv->others, csv->columns, cell);
    }
    csv->columns++;
    if (csv->at == reader->end || *csv->at == '\n')
      break;
  }
  struct slice header = {start, (size_t)(csv->at - start)};
  if (slice_is(slice_trim(header), load_header))
    row_columns_trust_values(&csv->others);
  return settle_unit(csv, header, named, numbers);
}

static enum status add_value(struct sample *out, struct csv *csv, struct slice cell) {
  uint64_t lower = 0, upper = 0;
  enum decimal result = value_read(&lower, &upper, &csv->finest, csv->exponent, cell);
  bool added;
  if (result == DECIMAL_OK) {
    if (csv->round_trip) {
      lower /= 2;
      upper = upper / 2 + upper % 2;
    }
    added = sample_add_range(out, lower, upper, 1);
  } else if (value_is_endless(cell)) {
    lower = upper = SAMPLE_NS_MAX;
    added = sample_add_beyond(out, 1);
    csv->endless++;
  } else if (value_is_unpaired(cell)) {
    upper = SAMPLE_NS_MAX;
    added = sample_add_range(out, 0, SAMPLE_NS_MAX, 1);
  } else {
    return value_fail(csv->reader, cell, result, csv->name, csv->exponent);
  }
  if (!added)
    return reader_fail_total(csv->reader, cell.start);
  sample_add_range_to_series(out, lower, upper);
  row_columns_time(&csv->others, upper);
  return STATUS_OK;
}

/* A request that failed has the time until it was given up, or none. */
static enum status add_row(struct sample *out, struct csv *csv, struct slice value,
                           const char *start) {
  struct row_verdict verdict;
  enum status status = row_columns_judge(&verdict, &csv->others, start);
  if (status != STATUS_OK || !verdict.taken)
    return status;
  if (!verdict.failed)
    return add_value(out, csv, value);
  if (!sample_add_beyond(out, 1))
    return reader_fail_total(csv->reader, value.start);
  sample_add_to_series(out, SAMPLE_NS_MAX);
  return STATUS_OK;
}

static enum status read_row(struct sample *out, struct csv *csv) {
  const struct reader *reader = csv->reader;
  const char *start = csv->at;
  struct slice value = {start, 0};
  size_t columns = 0;
  row_columns_begin(&csv->others);
  for (;; csv->at++) {
    const char *from = csv->at;
    struct slice cell = cell_scan(&csv->at, reader->end, false);
    if (csv->at == NULL)
      return reader_fail(reader, from, "a quote is opened and not closed on this line; close it");
    row_columns_cell(&csv->others, columns, cell);
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
  row_columns_whole(&csv->others, slice_trim((struct slice){start, (size_t)(csv->at - start)}));
  return add_row(out, csv, value, start);
}

static void note_assumptions(const struct sample *out, const struct csv *csv) {
  const struct reader *reader = csv->reader;
  if (csv->round_trip)
    source_notes_add(reader->notes,
                     "%s: the delay is taken as half a measured round trip, rounded up (assumes "
                     "symmetric links)",
                     reader->path);
  if (csv->finest > 0 && csv->finest != VALUE_FINEST_UNKNOWN)
    source_notes_add(
        reader->notes,
        "%s: values are whole multiples of 1e%d ns and taken as exact (a recorder that "
        "cuts off finer digits must round up instead)",
        reader->path, csv->finest);
  if (reader->end[-1] != '\n')
    source_notes_add(reader->notes,
                     "%s: the last line has no end and is taken as whole, not as cut off",
                     reader->path);
  if (csv->endless != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64 " observations never ended (\"inf\" or "
                     "\"timeout\") and are taken as infinite",
                     reader->path, csv->endless, out->total);
  row_columns_note_failed(&csv->others);
}

static enum status read_all(struct sample *out, struct csv *csv) {
  const struct reader *reader = csv->reader;
  enum status status = read_header(csv);
  while (status == STATUS_OK) {
    csv->at = cell_skip_blank_lines(csv->at, reader->end);
    if (csv->at == reader->end)
      break;
    status = read_row(out, csv);
  }
  if (status != STATUS_OK)
    return status;
  if (out->total == 0 && csv->others.kinds.requests == 0)
    return reader_fail(reader, csv->at,
                       "the file has a header and no rows; at least one observation is needed");
  return row_columns_settle(&csv->others, &out->evidence);
}

enum status csv_read(struct sample *out, const struct reader *reader) {
  struct csv csv = {.reader = reader, .at = reader->bytes, .finest = VALUE_FINEST_UNKNOWN};
  enum status status = row_columns_init(&csv.others, reader);
  if (status == STATUS_OK)
    status = read_all(out, &csv);
  if (status == STATUS_OK) {
    out->evidence.unit = unit_name(csv.exponent);
    out->evidence.halved = csv.round_trip;
    note_assumptions(out, &csv);
  }
  row_columns_clear(&csv.others);
  return status;
}
