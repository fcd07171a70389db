/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of joint measurements; see dist/source/joint.h. Like that of one column
 * (dist/source/csv_read.c) it is scanned once.
 */
#include "dist/source/cell.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "dist/source/joint_reader.h"
#include "dist/source/row_columns.h"
#include "dist/source/value.h"

enum { FIRST_ROWS = 16, NOT_A_LATENCY = -1 };

/* A column of the file. */
struct cell_place {
  size_t column; /* in the joint; SIZE_MAX: no latency */
  struct slice name;
  int exponent; /* its unit is 10^exponent ns */
  int finest;   /* the finest digit seen stands for 10^finest ns */
};

struct joint_table {
  const struct reader *reader;
  const char *at;
  VECTOR(struct cell_place) places;
  struct joint *joint;
  size_t capacity;             /* rows that there is room for */
  size_t when;                 /* the place that says when a request began; SIZE_MAX: none */
  VECTOR(struct slice) stamps; /* its cells */
  uint64_t endless;
  struct row_columns others;
};

static bool is_one_of(struct slice word, const char *const *words) {
  for (; *words != NULL; words++)
    if (slice_is(word, *words))
      return true;
  return false;
}

/* The first or the last word of "start_time". */
static bool has_word(struct slice name, const char *const *words) {
  const char *end = name.start + name.length, *first = name.start, *last = end;
  while (first < end && *first != '_')
    first++;
  while (last > name.start && last[-1] != '_')
    last--;
  return is_one_of((struct slice){name.start, (size_t)(first - name.start)}, words) ||
         is_one_of((struct slice){last, (size_t)(end - last)}, words);
}

static bool holds_timestamp(struct slice name) {
  size_t length = strlen("timestamp");
  for (size_t i = 0; i + length <= name.length; i++)
    if (slice_is_word((struct slice){name.start + i, length}, "timestamp"))
      return true;
  return false;
}

static bool has_bracket(struct slice name) {
  for (size_t i = 0; i < name.length; i++)
    if (strchr("()[]", name.start[i]) != NULL)
      return true;
  return false;
}

/* In lower case only: "start" is when something began, Start may well be a component. */
static bool is_time_stamp(struct slice name) {
  static const char *const words[] = {"start",  "started", "begin", "end", "ended",
                                      "finish", "stop",    "stamp", "ts",  "time",
                                      "date",   "epoch",   "at",    NULL};
  if (memchr(name.start, '.', name.length) != NULL || has_bracket(name))
    return false;
  return holds_timestamp(name) || has_word(name, words);
}

static bool is_identity(struct slice name) {
  static const char *const words[] = {"instance", "id", "trace", "span", "host", NULL};
  return has_word(name, words);
}

/* In lower case only, for the same reason: "status", but Status may be a component. */
static bool is_about_request(struct slice name) {
  enum column_role role = column_role(name);
  return name.length != 0 && islower((unsigned char)*name.start) && role > COLUMN_UNKNOWN &&
         role != COLUMN_KIND_OR_NUMBER;
}

static struct slice without_unit(struct slice cell) {
  while (cell.length != 0 && cell.start[--cell.length] != '_')
    ;
  return cell;
}

/* The unit of the column, *name being set to what is measured; NOT_A_LATENCY. */
static int find_unit(struct slice *name, const struct reader *reader, struct slice cell) {
  int exponent = value_exponent(cell);
  *name = exponent >= 0 ? without_unit(cell) : cell;
  if (is_time_stamp(*name) ||
      (exponent < 0 && (reader->unit == NULL || is_identity(cell) || is_about_request(cell))))
    return NOT_A_LATENCY;
  if (exponent < 0)
    exponent = unit_exponent((struct slice){reader->unit, strlen(reader->unit)});
  return exponent;
}

/* "start_ns", "timestamp", "ts": not "response_time_ms", nor when something ended. */
static bool says_begin(struct slice name) {
  static const char *const words[] = {"start", "started", "begin", "timestamp", "ts", NULL};
  return is_time_stamp(name) && has_word(name, words);
}

static void ignore_column(struct joint_table *table, struct slice cell) {
  bool begins = says_begin(cell) || (value_exponent(cell) >= 0 && says_begin(without_unit(cell)));
  if (table->when == SIZE_MAX && begins)
    table->when = table->places.count;
  if (!is_time_stamp(cell))
    row_columns_add(&table->others, table->places.count, cell);
  vector_push(&table->places, (struct cell_place){SIZE_MAX, cell, 0, 0});
  vector_push(&table->joint->ignored, mem_copy_text(cell.start, cell.length));
}

static enum status fail_name(const struct joint_table *table, struct slice cell) {
  return reader_fail_found(table->reader, cell,
                           "which names no occurrence; write it as d.Ack.2_ns, d(Ack(2))_ns or "
                           "Receive[0]_ns, in quotes where it holds a comma");
}

static enum status add_column(struct joint_table *table, struct slice cell) {
  struct slice name;
  int exponent = find_unit(&name, table->reader, cell);
  struct text text;
  text_init(&text);
  if (exponent < 0 || !joint_name(&text, name)) {
    if (value_exponent(cell) >= 0 && has_bracket(name))
      return fail_name(table, cell);
    ignore_column(table, cell);
    return STATUS_OK;
  }
  struct joint *joint = table->joint;
  size_t count = joint->columns.count;
  if (count == JOINT_COLUMNS_MAX || joint_find_name(joint, text.data) != SIZE_MAX) {
    text_clear(&text);
    return count == JOINT_COLUMNS_MAX
               ? reader_fail_found(table->reader, cell,
                                   "one column more than the %zu latencies "
                                   "that a table may have; leave out what no bound needs",
                                   count)
               : reader_fail_found(table->reader, cell,
                                   "a second column of the same occurrence; keep one of them");
  }
  vector_push(&table->places, (struct cell_place){count, cell, exponent, VALUE_FINEST_UNKNOWN});
  vector_push(&joint->columns, (struct joint_column){.name = text_take(&text)});
  return STATUS_OK;
}

static enum status fail_quote(const struct joint_table *table, const char *from) {
  return reader_fail(table->reader, from,
                     "a quote is opened and not closed on this line; close it");
}

static enum status read_header(struct joint_table *table) {
  const struct reader *reader = table->reader;
  table->at = cell_skip_blank_lines(table->at, reader->end);
  if (table->at == reader->end)
    return reader_fail(reader, reader->bytes,
                       "the file is empty; its first line names the occurrences and their units, "
                       "such as Grant.0_ns, and a row for each request follows");
  const char *start = table->at;
  for (;; table->at++) {
    const char *from = table->at;
    struct slice cell = cell_scan(&table->at, reader->end, false);
    if (table->at == NULL)
      return fail_quote(table, from);
    enum status status = add_column(table, cell);
    if (status != STATUS_OK)
      return status;
    if (table->at == reader->end || *table->at == '\n')
      break;
  }
  if (table->joint->columns.count == 0)
    return reader_fail_found(reader, (struct slice){start, (size_t)(table->at - start)},
                             "a header in which no column is a latency; name each for its "
                             "occurrence and its unit, such as Grant.0_ns");
  return STATUS_OK;
}

static enum status fail_cell(const struct joint_table *table, const struct cell_place *place,
                             struct slice cell, enum decimal what) {
  if (slice_is_word(cell, "nan") || slice_is_word(cell, "na") || slice_is_word(cell, "null"))
    return reader_fail_found(table->reader, cell,
                             "which is no time; leave the cell empty where it was not measured, "
                             "write \"-\" where it did not happen, \"timeout\" where it never "
                             "ended");
  if (what == DECIMAL_NEGATIVE)
    return reader_fail_found(table->reader, cell,
                             "a negative time; correct the clock it came from, or leave the cell "
                             "empty: not measured");
  return value_fail(table->reader, cell, what, place->name, place->exponent);
}

/* "1234..1240": lies between the two. */
static bool read_range(struct joint_cell *out, struct cell_place *place, struct slice cell) {
  struct joint_cell ends[2];
  for (size_t i = 1; i + 2 < cell.length; i++) {
    if (cell.start[i] != '.' || cell.start[i + 1] != '.')
      continue;
    struct slice first = {cell.start, i}, last = {cell.start + i + 2, cell.length - i - 2};
    if (value_read(&ends[0].lower_ns, &ends[0].upper_ns, &place->finest, place->exponent, first) !=
            DECIMAL_OK ||
        value_read(&ends[1].lower_ns, &ends[1].upper_ns, &place->finest, place->exponent, last) !=
            DECIMAL_OK)
      return false;
    *out = (struct joint_cell){ends[0].lower_ns, ends[1].upper_ns};
    return out->lower_ns <= out->upper_ns;
  }
  return false;
}

static enum status read_cell(struct joint_cell *out, struct joint_table *table,
                             struct cell_place *place, struct slice cell) {
  if (cell.length == 0) {
    *out = JOINT_MISSING;
    return STATUS_OK;
  }
  if (cell.length == 1 && *cell.start == '-') {
    *out = JOINT_ABSENT;
    return STATUS_OK;
  }
  if (value_is_unpaired(cell)) {
    *out = JOINT_MISSING;
    table->joint->columns.data[place->column].unpaired++;
    return STATUS_OK;
  }
  enum decimal result =
      value_read(&out->lower_ns, &out->upper_ns, &place->finest, place->exponent, cell);
  if (result == DECIMAL_OK)
    return STATUS_OK;
  if (read_range(out, place, cell))
    return STATUS_OK;
  if (!value_is_endless(cell))
    return fail_cell(table, place, cell, result);
  *out = (struct joint_cell){SAMPLE_NS_MAX, SAMPLE_NS_MAX};
  table->endless++;
  return STATUS_OK;
}

static void set_capacity(struct joint_table *table, size_t capacity) {
  struct joint *joint = table->joint;
  for (size_t i = 0; i < joint->columns.count; i++) {
    struct joint_column *column = &joint->columns.data[i];
    column->cells = mem_resize(column->cells, capacity, sizeof *column->cells);
  }
  table->capacity = capacity;
}

static enum status make_room(struct joint_table *table) {
  struct joint *joint = table->joint;
  size_t most = JOINT_CELLS_MAX / joint->columns.count;
  if (joint->rows == most)
    return reader_fail(table->reader, table->at,
                       "one row more than the %zu that a table of %zu latencies may have (2^28 "
                       "cells); split it",
                       most, joint->columns.count);
  if (joint->rows == table->capacity) {
    size_t more = table->capacity == 0 ? FIRST_ROWS : 2 * table->capacity;
    set_capacity(table, more < most ? more : most);
  }
  return STATUS_OK;
}

/* Which of its times are those of what failed is not known: anything may have taken anything. */
static void forget_times(struct joint_table *table) {
  struct joint *joint = table->joint;
  for (size_t i = 0; i < joint->columns.count; i++) {
    struct joint_cell *cell = &joint->columns.data[i].cells[joint->rows];
    if (cell->lower_ns <= cell->upper_ns)
      *cell = JOINT_MISSING;
  }
}

/* How long the parts of the row took, one after the other. */
static uint64_t sum_of(const struct joint *joint) {
  uint64_t sum = 0;
  for (size_t i = 0; i < joint->columns.count; i++) {
    uint64_t ns = joint->columns.data[i].cells[joint->rows].upper_ns;
    sum = ns > SAMPLE_NS_MAX - sum ? SAMPLE_NS_MAX : sum + ns;
  }
  return sum;
}

static enum status end_row(struct joint_table *table, const char *start) {
  struct row_verdict verdict;
  enum status status = row_columns_judge(&verdict, &table->others, start);
  if (status == STATUS_OK && !verdict.taken && table->when != SIZE_MAX)
    table->stamps.count--; /* the row's own */
  if (status != STATUS_OK || !verdict.taken)
    return status;
  if (verdict.failed)
    forget_times(table);
  else
    row_columns_time(&table->others, sum_of(table->joint));
  table->joint->rows++;
  return STATUS_OK;
}

static enum status read_row(struct joint_table *table) {
  const struct reader *reader = table->reader;
  const char *start = table->at;
  size_t columns = 0;
  enum status status = make_room(table);
  row_columns_begin(&table->others);
  for (; status == STATUS_OK; table->at++) {
    const char *from = table->at;
    struct slice cell = cell_scan(&table->at, reader->end, false);
    if (table->at == NULL)
      return fail_quote(table, from);
    struct cell_place *place = columns < table->places.count ? &table->places.data[columns] : NULL;
    if (columns == table->when)
      vector_push(&table->stamps, slice_trim(cell));
    row_columns_cell(&table->others, columns++, cell);
    if (place != NULL && place->column != SIZE_MAX)
      status = read_cell(&table->joint->columns.data[place->column].cells[table->joint->rows],
                         table, place, cell);
    if (table->at == reader->end || *table->at == '\n')
      break;
  }
  if (status == STATUS_OK && columns != table->places.count)
    return reader_fail(reader, start,
                       "the row has %zu cell%s, the header %zu; is a row cut off, or a comma meant "
                       "as a decimal point?",
                       columns, columns == 1 ? "" : "s", table->places.count);
  if (status != STATUS_OK)
    return status;
  row_columns_whole(&table->others, slice_trim((struct slice){start, (size_t)(table->at - start)}));
  return end_row(table, start);
}

/* The latency whose numbers have the fewest digits. */
static const struct cell_place *coarsest(const struct joint_table *table) {
  const struct cell_place *found = NULL;
  for (size_t i = 0; i < table->places.count; i++) {
    const struct cell_place *place = &table->places.data[i];
    if (place->column != SIZE_MAX && place->finest > 0 && place->finest != VALUE_FINEST_UNKNOWN &&
        (found == NULL || place->finest > found->finest))
      found = place;
  }
  return found;
}

static void note_assumptions(const struct joint_table *table) {
  const struct reader *reader = table->reader;
  const struct cell_place *place = coarsest(table);
  if (place != NULL)
    source_notes_add(reader->notes,
                     "%s: values are taken as exact, also where they are whole multiples, such as "
                     "of 1e%d ns in %s (a recorder that cuts off finer digits must round up "
                     "instead)",
                     reader->path, place->finest, table->joint->columns.data[place->column].name);
  if (reader->end[-1] != '\n')
    source_notes_add(reader->notes,
                     "%s: the last line has no end and is taken as whole, not as cut off",
                     reader->path);
  for (size_t i = 0; i < table->joint->columns.count; i++)
    if (table->joint->columns.data[i].unpaired != 0)
      source_notes_add(
          reader->notes,
          "%s: %" PRIu64 " of %zu cells of %s are \"unpaired\": whether and when they "
          "ended is not known, so that each counts as nothing in what is at least, and "
          "as infinite in what is at most",
          reader->path, table->joint->columns.data[i].unpaired, table->joint->rows,
          table->joint->columns.data[i].name);
  if (table->endless != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %zu cells never ended (\"inf\" or \"timeout\") and are "
                     "taken as infinite",
                     reader->path, table->endless,
                     table->joint->rows * table->joint->columns.count);
  if (table->others.failed != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %zu requests failed, as their row says; which of their "
                     "times ended is not known, and each may have taken anything",
                     reader->path, table->others.failed, table->joint->rows);
}

static enum status read_rows(struct joint_table *table) {
  const struct reader *reader = table->reader;
  enum status status = STATUS_OK;
  while (status == STATUS_OK) {
    table->at = cell_skip_blank_lines(table->at, reader->end);
    if (table->at == reader->end)
      break;
    status = read_row(table);
  }
  if (status == STATUS_OK && table->joint->rows == 0 && table->others.kinds.requests == 0)
    return reader_fail(reader, table->at,
                       "the table has a header and no rows; at least one request is needed");
  return status == STATUS_OK ? row_columns_settle(&table->others, &table->joint->evidence) : status;
}

enum status joint_csv_read(struct joint *out, const struct reader *reader) {
  struct joint_table table = {
      .reader = reader, .at = reader->bytes, .joint = out, .when = SIZE_MAX};
  enum status status = row_columns_init(&table.others, reader);
  if (status == STATUS_OK)
    status = read_header(&table);
  if (status == STATUS_OK)
    status = read_rows(&table);
  if (status == STATUS_OK) {
    set_capacity(&table, out->rows);
    if (table.stamps.count == out->rows && joint_order_rows(out, table.stamps.data))
      source_notes_add(
          reader->notes,
          "%s: the rows are taken in the order of column %.*s, not in that of the file",
          reader->path, (int)table.places.data[table.when].name.length,
          table.places.data[table.when].name.start);
    note_assumptions(&table);
  }
  row_columns_clear(&table.others);
  vector_clear(&table.places);
  vector_clear(&table.stamps);
  return status;
}
