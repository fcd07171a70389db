/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The percentile table of HdrHistogram (`hdr_percentiles_print`, `outputPercentileDistribution`):
 *
 *          Value     Percentile TotalCount 1/(1-Percentile)
 *
 *          0.016 0.000000000000          1           1.00
 *          9.428 1.000000000000     475109
 *   #[Mean    =        0.025, StdDeviation   =        0.120]
 *   #[Max     =        9.420, Total count    =       475109]
 *   #[Buckets =           27, SubBuckets     =         2048]
 *
 * also with commas and a quoted header, then without the footer but with a last field "Infinity".
 * TotalCount observations are at or below Value. A printed
 * value is the largest integer of a bucket, divided by a scale and rounded to the nearest decimal;
 * the recorder had cut the observation off to that integer. So the true value is below the printed
 * one plus one unit in the last place that any row uses: trailing zeros common to all rows mean
 * that the integers are coarser than the printed decimals. What a row counts beyond the row before
 * was larger than that row's value before printing rounded it, so that value less one such unit is
 * a lower edge.
 */
#include "dist/source/reader.h"

#include <inttypes.h>
#include <string.h>

struct row {
  struct slice value;
  uint64_t seen; /* TotalCount */
  bool last;     /* percentile 1 */
  bool endless;  /* the last field is "Infinity" */
};

struct hgrm_table {
  const struct reader *reader;
  const char *rows;  /* behind the header */
  char separator;    /* ',' or ' ' */
  int places;        /* decimals in use in the value column */
  struct row before; /* the row before, before.value.start NULL at first */
  bool footer;
  uint64_t total; /* of the footer */
  struct slice total_text;
};

static enum status read_header(struct hgrm_table *table) {
  const struct reader *reader = table->reader;
  const char *at = reader->bytes;
  struct slice line, word, rest;
  do {
    if (!reader_line(&line, reader, &at))
      return reader_fail(reader, reader->bytes,
                         "the file holds no table; a percentile table starts with \"Value "
                         "Percentile TotalCount 1/(1-Percentile)\"");
    rest = slice_trim(line);
  } while (rest.length == 0 || rest.start[0] == '#');
  table->separator = memchr(line.start, ',', line.length) == NULL ? ' ' : ',';
  table->rows = at;
  static const char *const expected[] = {"Value", "Percentile", "TotalCount"};
  for (size_t i = 0; i < 3; i++) {
    bool there = slice_field(&word, &rest, table->separator);
    if (there && word.length > 2 && word.start[0] == '"' && word.start[word.length - 1] == '"')
      word = (struct slice){word.start + 1, word.length - 2};
    if (!there || !slice_is(word, expected[i]))
      return reader_fail_found(reader, line,
                               "where the header \"Value Percentile TotalCount 1/(1-Percentile)\" "
                               "of a percentile table is expected");
  }
  return STATUS_OK;
}

/* "#[Max     =  9.420, Total count    =  475109]" */
static enum status read_footer(struct hgrm_table *table, struct slice line) {
  static const char key[] = "Total count";
  for (const char *at = line.start; at + strlen(key) <= line.start + line.length; at++) {
    if (memcmp(at, key, strlen(key)) != 0)
      continue;
    struct slice rest = {at + strlen(key), (size_t)(line.start + line.length - at) - strlen(key)};
    rest = slice_trim(rest);
    bool closed = rest.length > 1 && rest.start[0] == '=' && rest.start[rest.length - 1] == ']';
    if (closed)
      rest = slice_trim((struct slice){rest.start + 1, rest.length - 2});
    if (!closed || decimal_whole(&table->total, rest) != DECIMAL_OK)
      return reader_fail_found(table->reader, rest,
                               "where \"= COUNT]\" is expected behind \"Total count\"");
    table->total_text = rest;
    table->footer = true;
    return STATUS_OK;
  }
  return STATUS_OK;
}

static bool split_row(struct row *row, const struct hgrm_table *table, struct slice line,
                      struct slice *percentile) {
  struct slice count = {NULL, 0}, more = {NULL, 0};
  if (!slice_field(&row->value, &line, table->separator) ||
      !slice_field(percentile, &line, table->separator) ||
      !slice_field(&count, &line, table->separator))
    return false;
  bool fourth = slice_field(&more, &line, table->separator);
  row->endless = fourth && slice_is(more, "Infinity");
  return decimal_whole(&row->seen, count) == DECIMAL_OK &&
         !(fourth && slice_field(&more, &line, table->separator));
}

static enum status read_row(struct row *row, const struct hgrm_table *table, struct slice line,
                            int *places) {
  const struct reader *reader = table->reader;
  struct slice percentile = {line.start, 0};
  uint64_t value, parts;
  if (!split_row(row, table, line, &percentile))
    return reader_fail_found(reader, slice_trim(line),
                             "where a row \"Value Percentile TotalCount 1/(1-Percentile)\" is "
                             "expected");
  int ignored;
  enum decimal share = decimal_upper(&parts, &ignored, percentile, 12);
  if (share != DECIMAL_OK || parts > UINT64_C(1000000000000))
    return reader_fail_found(reader, percentile, "where a percentile from 0 to 1 is expected");
  row->last = parts == UINT64_C(1000000000000);
  enum decimal number = decimal_upper(&value, places, row->value, 0);
  if (number == DECIMAL_TOO_LARGE)
    return reader_fail_found(reader, row->value, "which is above 2^63-1; is the file damaged?");
  if (number != DECIMAL_OK)
    return reader_fail_found(reader, row->value, "where a non-negative value is expected");
  return STATUS_OK;
}

static enum status add_row(struct sample *out, struct hgrm_table *table, const struct row *row,
                           int exponent, uint64_t *last) {
  const struct reader *reader = table->reader;
  uint64_t value, lower;
  enum decimal scaled = decimal_upper(&value, NULL, row->value, table->places);
  if (scaled == DECIMAL_OK && value < *last)
    return reader_fail_found(reader, row->value,
                             "but the row before has a larger value; the file is damaged");
  lower = *last == 0 ? 0 : decimal_scale_lower(*last - 1, exponent - table->places);
  *last = value;
  if (scaled == DECIMAL_OK)
    value++;
  if (scaled != DECIMAL_OK || value > SAMPLE_NS_MAX ||
      !decimal_scale_upper(&value, exponent - table->places))
    return reader_fail_found(reader, row->value,
                             "which is above 2^63-1 ns (292 years) in %s; is the unit right?",
                             unit_name(exponent));
  if (row->seen < table->before.seen)
    return reader_fail_found(reader, row->value,
                             "a row whose TotalCount is below the %" PRIu64
                             " of the row before; the file is damaged",
                             table->before.seen);
  if (!sample_add_range(out, lower, value, row->seen - table->before.seen))
    return reader_fail_total(reader, row->value.start);
  table->before = *row;
  return STATUS_OK;
}

/* Once to find the decimals in use (out NULL), once to add the rows. */
static enum status walk_rows(struct sample *out, struct hgrm_table *table, int exponent) {
  const char *at = table->rows;
  struct slice line;
  uint64_t last = 0;
  while (reader_line(&line, table->reader, &at)) {
    struct slice text = slice_trim(line);
    enum status status = STATUS_OK;
    struct row row;
    int places = 0;
    if (text.length == 0)
      continue;
    if (text.start[0] == '#') {
      status = read_footer(table, text);
    } else {
      status = read_row(&row, table, line, &places);
      if (status == STATUS_OK && out != NULL)
        status = add_row(out, table, &row, exponent, &last);
    }
    if (status != STATUS_OK)
      return status;
    if (places > table->places)
      table->places = places;
  }
  return STATUS_OK;
}

static enum status check_whole(const struct sample *out, const struct hgrm_table *table) {
  const struct reader *reader = table->reader;
  bool closed = table->separator == ',' && table->before.endless;
  if (!table->footer && !closed)
    return reader_fail(reader, reader->end,
                       "the footer \"#[Max = ..., Total count = ...]\" is missing: the file is "
                       "truncated; write or copy it again");
  if (table->footer && out->total != table->total)
    return reader_fail_found(reader, table->total_text,
                             "but the rows count %" PRIu64
                             " observations; the file is damaged, write or copy it again",
                             out->total);
  if (out->total == 0)
    return reader_fail(reader, reader->bytes,
                       "the table counts no observation; at least one is needed");
  if (!table->before.last)
    return reader_fail(reader, table->before.value.start,
                       "the last row is not percentile 1: the file is truncated; write or copy it "
                       "again");
  return STATUS_OK;
}

static void note_assumptions(const struct hgrm_table *table, int exponent) {
  struct source_notes *notes = table->reader->notes;
  const char *path = table->reader->path;
  if (table->places == 0)
    source_notes_add(notes,
                     "%s: each value is raised by 1 %s for what recording and printing cut "
                     "off",
                     path, unit_name(exponent));
  else
    source_notes_add(notes,
                     "%s: each value is raised by 1e-%d %s for what recording and printing "
                     "cut off",
                     path, table->places, unit_name(exponent));
  source_notes_add(notes,
                   "%s: every count is taken as a recorded observation (none dropped by the "
                   "recorder, none clamped to its range, none made up to correct for "
                   "coordinated omission)",
                   path);
}

enum status hgrm_read(struct sample *out, const struct reader *reader) {
  struct hgrm_table table = {.reader = reader};
  enum status status = read_header(&table);
  if (status != STATUS_OK)
    return status;
  int exponent = reader_unit(reader, "HdrHistogram's percentile table");
  if (exponent < 0)
    return STATUS_DATA;
  out->evidence.unit = unit_name(exponent);
  status = walk_rows(NULL, &table, exponent);
  if (status == STATUS_OK)
    status = walk_rows(out, &table, exponent);
  if (status == STATUS_OK)
    status = check_whole(out, &table);
  if (status == STATUS_OK)
    note_assumptions(&table, exponent);
  return status;
}
