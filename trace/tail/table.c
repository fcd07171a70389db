/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/table.h"

#include <string.h>

#include "base/file.h"
#include "dist/source/cell.h"
#include "dist/source/value.h"
#include "format/tell.h"

enum place_kind { PLACE_IGNORED, PLACE_LATENCY, PLACE_CALL, PLACE_LABEL };

/* A column of the file. */
struct call_place {
  enum place_kind kind;
  size_t column; /* of the calls, of the labels */
  struct slice name;
  int exponent; /* its unit is 10^exponent ns */
};

struct table_reading {
  struct call_table *table;
  const struct call_reading *wanted;
  const struct reader *reader;
  VECTOR(struct call_place) places;
  const char *at;
  size_t capacity; /* rows that there is room for */
};

void call_table_init(struct call_table *table) {
  *table = (struct call_table){0};
  names_init(&table->names);
}

void call_table_clear(struct call_table *table) {
  for (size_t i = 0; i < table->calls.count; i++) {
    mem_free(table->calls.data[i].name);
    mem_free(table->calls.data[i].ns);
  }
  for (size_t i = 0; i < table->labels.count; i++) {
    mem_free(table->labels.data[i].name);
    mem_free(table->labels.data[i].values);
  }
  for (size_t i = 0; i < table->ignored.count; i++)
    mem_free(table->ignored.data[i]);
  vector_clear(&table->calls);
  vector_clear(&table->labels);
  vector_clear(&table->ignored);
  mem_free(table->latency.name);
  mem_free(table->latency.ns);
  mem_free(table->path);
  names_clear(&table->names);
  *table = (struct call_table){0};
}

size_t call_table_find_call(const struct call_table *table, struct slice name) {
  for (size_t i = 0; i < table->calls.count; i++)
    if (slice_is(name, table->calls.data[i].name))
      return i;
  return SIZE_MAX;
}

size_t call_table_find_label(const struct call_table *table, struct slice name) {
  for (size_t i = 0; i < table->labels.count; i++)
    if (slice_is(name, table->labels.data[i].name))
      return i;
  return SIZE_MAX;
}

/* Without "_ms". */
static struct slice without_unit(struct slice name) {
  if (value_exponent(name) < 0)
    return name;
  while (name.length != 0 && name.start[--name.length] != '_')
    ;
  return name;
}

static bool is_latency(const struct table_reading *r, struct slice cell) {
  struct slice name = without_unit(cell);
  if (r->wanted->latency != NULL)
    return slice_is(cell, r->wanted->latency) || slice_is(name, r->wanted->latency);
  return slice_is_word(name, "latency") || slice_is_word(name, "duration");
}

static bool is_ignored(struct slice cell) {
  static const char *const words[] = {"timestamp",  "time",     "start",      "end", "instance",
                                      "start_time", "end_time", "request_id", "id",  "trace_id",
                                      "span_id",    "trace",    NULL};
  struct slice name = without_unit(cell);
  for (size_t i = 0; words[i] != NULL; i++)
    if (slice_is_word(name, words[i]))
      return true;
  return false;
}

static bool is_named_label(const struct table_reading *r, struct slice cell) {
  for (size_t i = 0; i < r->wanted->label_count; i++)
    if (slice_is(cell, r->wanted->labels[i]))
      return true;
  return false;
}

static bool is_number(struct slice cell) {
  uint64_t lower, upper;
  int finest = VALUE_FINEST_UNKNOWN;
  return slice_is(cell, "-") || value_read(&lower, &upper, &finest, 0, cell) != DECIMAL_NOT;
}

static enum status set_unit(struct table_reading *r, struct call_place *place) {
  place->exponent = value_exponent(place->name);
  const char *unit = r->wanted->unit;
  if (place->exponent < 0 && unit == NULL)
    return reader_fail_found(r->reader, place->name,
                             "a column of times without a unit; name it %.*s_ms, or say which unit "
                             "such columns have: --unit ms",
                             (int)(place->name.length > 64 ? 64 : place->name.length),
                             place->name.start);
  if (place->exponent < 0)
    place->exponent = unit_exponent((struct slice){unit, strlen(unit)});
  return STATUS_OK;
}

static enum status add_label(struct table_reading *r, struct call_place *place) {
  place->kind = PLACE_LABEL;
  place->column = r->table->labels.count;
  vector_push(&r->table->labels,
              (struct label_column){.name = mem_copy_text(place->name.start, place->name.length)});
  return STATUS_OK;
}

static enum status add_latency(struct table_reading *r, struct call_place *place) {
  if (r->table->latency.name != NULL)
    return reader_fail_found(
        r->reader, place->name,
        "a second column of latencies; say which one is meant: --latency NAME");
  place->kind = PLACE_LATENCY;
  r->table->latency.name = mem_copy_text(place->name.start, place->name.length);
  return set_unit(r, place);
}

static enum status add_call(struct table_reading *r, struct call_place *place) {
  struct slice name = without_unit(place->name);
  if (call_table_find_call(r->table, name) != SIZE_MAX)
    return reader_fail_found(r->reader, place->name, "a second column of that call; keep one");
  if (r->table->calls.count == CALL_COLUMNS_MAX)
    return reader_fail_found(r->reader, place->name, "one column more than the %zu there may be",
                             CALL_COLUMNS_MAX);
  place->kind = PLACE_CALL;
  place->column = r->table->calls.count;
  vector_push(&r->table->calls,
              (struct call_column){.name = mem_copy_text(name.start, name.length)});
  return set_unit(r, place);
}

/* What a column is, by its name and its first cell. */
static enum status add_column(struct table_reading *r, size_t index, struct slice first) {
  struct call_place *place = &r->places.data[index];
  if (is_named_label(r, place->name))
    return add_label(r, place);
  if (is_latency(r, place->name))
    return add_latency(r, place);
  if (is_ignored(place->name)) {
    vector_push(&r->table->ignored, mem_copy_text(place->name.start, place->name.length));
    return STATUS_OK;
  }
  return is_number(first) ? add_call(r, place) : add_label(r, place);
}

static enum status fail_quote(const struct table_reading *r, const char *from) {
  return reader_fail(r->reader, from, "a quote is opened and not closed on this line; close it");
}

static bool at_line_end(const struct table_reading *r) {
  return r->at == r->reader->end || *r->at == '\n';
}

static enum status read_names(struct table_reading *r) {
  const struct reader *reader = r->reader;
  r->at = cell_skip_blank_lines(r->at, reader->end);
  if (r->at == reader->end)
    return reader_fail(reader, reader->bytes,
                       "the file is empty; its first line names the latency and the calls, and a "
                       "row for each request follows");
  for (;; r->at++) {
    const char *from = r->at;
    struct slice cell = cell_scan(&r->at, reader->end, false);
    if (r->at == NULL)
      return fail_quote(r, from);
    vector_push(&r->places, (struct call_place){PLACE_IGNORED, 0, cell, 0});
    if (at_line_end(r))
      return STATUS_OK;
  }
}

/* Looks at the first row without leaving its start. */
static enum status read_kinds(struct table_reading *r) {
  const struct reader *reader = r->reader;
  r->at = cell_skip_blank_lines(r->at, reader->end);
  const char *start = r->at;
  enum status status = STATUS_OK;
  for (size_t i = 0; i < r->places.count && status == STATUS_OK; i++) {
    struct slice cell = {start, 0};
    if (i == 0 || (r->at != NULL && !at_line_end(r))) {
      r->at += i != 0;
      cell = cell_scan(&r->at, reader->end, false);
    }
    if (r->at == NULL)
      return fail_quote(r, start);
    status = add_column(r, i, cell);
  }
  r->at = start;
  if (status == STATUS_OK && r->table->latency.name == NULL)
    status = reader_fail(reader, reader->bytes,
                         "no column is called %s; say which one has the latency of the request: "
                         "--latency NAME",
                         r->wanted->latency == NULL ? "Latency" : r->wanted->latency);
  return status;
}

static enum status make_room(struct table_reading *r) {
  struct call_table *t = r->table;
  if (t->rows < r->capacity)
    return STATUS_OK;
  r->capacity = r->capacity == 0 ? 256 : 2 * r->capacity;
  if (r->capacity > CALL_CELLS_MAX / (t->calls.count + t->labels.count + 1))
    return reader_fail(r->reader, r->at, "more than 2^28 cells; split the table");
  t->latency.ns = mem_resize(t->latency.ns, r->capacity, sizeof *t->latency.ns);
  for (size_t i = 0; i < t->calls.count; i++)
    t->calls.data[i].ns = mem_resize(t->calls.data[i].ns, r->capacity, sizeof(int64_t));
  for (size_t i = 0; i < t->labels.count; i++)
    t->labels.data[i].values = mem_resize(t->labels.data[i].values, r->capacity, sizeof(uint32_t));
  return STATUS_OK;
}

static enum status read_time(int64_t *ns, const struct table_reading *r,
                             const struct call_place *place, struct slice cell) {
  uint64_t lower = 0, upper;
  int finest = VALUE_FINEST_UNKNOWN;
  if (place->kind == PLACE_CALL && slice_is(cell, "-")) {
    *ns = 0;
    return STATUS_OK;
  }
  enum decimal result = value_read(&lower, &upper, &finest, place->exponent, cell);
  if (result == DECIMAL_NOT)
    return reader_fail_found(r->reader, cell,
                             "which is no time; write \"-\" where the call was not made, leave the "
                             "row out where it is not known, or name the column as one of labels: "
                             "--tag %.*s",
                             (int)(place->name.length > 64 ? 64 : place->name.length),
                             place->name.start);
  if (result != DECIMAL_OK)
    return value_fail(r->reader, cell, result, place->name, place->exponent);
  if (lower > CALL_NS_MAX)
    return reader_fail_found(r->reader, cell,
                             "which is above 2^50 ns (13 days); is the unit of the column right?");
  *ns = (int64_t)lower;
  return STATUS_OK;
}

static enum status read_cell(struct table_reading *r, const struct call_place *place,
                             struct slice cell) {
  struct call_table *t = r->table;
  switch (place->kind) {
  case PLACE_LATENCY:
    return read_time(&t->latency.ns[t->rows], r, place, cell);
  case PLACE_CALL:
    return read_time(&t->calls.data[place->column].ns[t->rows], r, place, cell);
  case PLACE_LABEL:
    t->labels.data[place->column].values[t->rows] = names_number(&t->names, cell);
    return STATUS_OK;
  default:
    return STATUS_OK;
  }
}

static enum status read_row(struct table_reading *r) {
  const char *start = r->at;
  size_t columns = 0;
  enum status status = make_room(r);
  for (; status == STATUS_OK; r->at++) {
    const char *from = r->at;
    struct slice cell = cell_scan(&r->at, r->reader->end, false);
    if (r->at == NULL)
      return fail_quote(r, from);
    if (columns < r->places.count)
      status = read_cell(r, &r->places.data[columns], cell);
    columns++;
    if (at_line_end(r))
      break;
  }
  if (status == STATUS_OK && columns != r->places.count)
    return reader_fail(r->reader, start,
                       "the row has %zu cell%s, the header %zu; is a row cut off?", columns,
                       columns == 1 ? "" : "s", r->places.count);
  r->table->rows++;
  return status;
}

static enum status read_all(struct table_reading *r) {
  enum status status = read_names(r);
  if (status == STATUS_OK)
    status = read_kinds(r);
  while (status == STATUS_OK &&
         (r->at = cell_skip_blank_lines(r->at, r->reader->end)) != r->reader->end)
    status = read_row(r);
  if (status == STATUS_OK && r->table->rows == 0)
    status =
        reader_fail(r->reader, r->reader->bytes, "a header without a row; is the file cut off?");
  return status;
}

enum status call_table_parse(struct call_table *table, const char *path, const char *bytes,
                             size_t length, const struct call_reading *reading,
                             const struct asker *asker) {
  struct text message;
  text_init(&message);
  struct reader reader = {.path = path,
                          .bytes = bytes,
                          .end = bytes + length,
                          .unit = reading->unit,
                          .message = &message};
  reader_skip_mark(&reader);
  struct table_reading r = {
      .table = table, .wanted = reading, .reader = &reader, .at = reader.bytes};
  table->path = mem_copy_text(path, strlen(path));
  enum status status = reader_require_text(&reader);
  if (status == STATUS_OK)
    status = read_all(&r);
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  vector_clear(&r.places);
  text_clear(&message);
  return status;
}

enum status call_table_read(struct call_table *table, const char *path,
                            const struct call_reading *reading, const struct asker *asker) {
  const char *unit = reading->unit;
  if (unit != NULL && unit_exponent((struct slice){unit, strlen(unit)}) < 0)
    return asker_fail(asker, STATUS_USAGE, "--unit %s: give ns, us, ms or s", unit);
  struct text message;
  text_init(&message);
  char *bytes = NULL;
  size_t length = 0;
  enum status status = file_read_or_input(path, FILE_LIMIT_MAX, &bytes, &length, &message);
  static const struct format_wanted tables = {1u << YIELDS_SAMPLES, "table of calls", ""};
  if (status == STATUS_OK &&
      format_refuse_bytes(&message, path, (struct slice){bytes, length}, &tables))
    status = STATUS_DATA;
  if (status == STATUS_OK)
    status = call_table_parse(table, file_name(path), bytes, length, reading, asker);
  else
    asker_fail(asker, status, "%s", text_get(&message));
  mem_free(bytes);
  text_clear(&message);
  return status;
}
