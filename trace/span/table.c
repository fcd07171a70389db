/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/table.h"

#include <string.h>
#include <strings.h>

#include "trace/span/row.h"

struct span_table {
  struct json_scan *scan;
  const struct span_columns *columns;
  struct row_maker maker;
  char separator;
  bool has_header, ended;
  VECTOR(struct slice) cells; /* of the row, without quotes, else as they stand there */
  VECTOR(struct text) header;
  VECTOR(bool) used;                     /* by column: it says something of the span itself */
  struct text written[COLUMN_COUNT + 1]; /* texts as JSON has them */
};

/* ---- rows */

static char separator_of(struct slice line) {
  static const char separators[] = "\t,;";
  for (const char *at = separators; *at != '\0'; at++)
    if (memchr(line.start, *at, line.length) != NULL)
      return *at;
  return ',';
}

/* Behind the cell that begins here; NULL: it goes on beyond the bytes in memory. */
static const char *take_quoted(struct slice *cell, const char *at, const char *end) {
  const char *start = ++at;
  while ((at = memchr(at, '"', (size_t)(end - at))) != NULL && at + 1 < end && at[1] == '"')
    at += 2;
  if (at == NULL || at >= end)
    return NULL;
  *cell = (struct slice){start, (size_t)(at - start)};
  return at + 1;
}

static const char *take_plain(struct slice *cell, const char *at, const char *end, char separator) {
  const char *start = at;
  while (at < end && *at != separator && *at != '\n')
    at++;
  *cell = slice_trim((struct slice){start, (size_t)(at - start)});
  return at;
}

/* The cells up to the end of the line, in *at behind it. False: more bytes are needed. */
static bool take_cells(struct span_table *table, const char **at) {
  struct json_scan *scan = table->scan;
  const char *here = *at;
  table->cells.count = 0;
  for (bool more = true; more; here += here < scan->end) {
    struct slice cell;
    here = here < scan->end && *here == '"' ? take_quoted(&cell, here, scan->end)
                                            : take_plain(&cell, here, scan->end, table->separator);
    if (here == NULL)
      return false;
    while (here < scan->end && (*here == '\r' || *here == ' '))
      here++;
    if (here == scan->end && !scan->ended)
      return false;
    if (here < scan->end && *here != table->separator && *here != '\n')
      return scan_fail(scan, here, "this stands behind a quoted cell; the table is damaged");
    vector_push(&table->cells, cell);
    more = here < scan->end && *here == table->separator;
  }
  *at = here;
  return true;
}

static bool is_blank(const struct span_table *table) {
  return table->cells.count == 1 && table->cells.data[0].length == 0;
}

/* ---- columns */

static bool is_called(const struct text *header, struct slice path) {
  return header->length == path.length &&
         strncasecmp(text_get(header), path.start, path.length) == 0;
}

static size_t column_of(const struct span_table *table, struct slice path) {
  for (size_t i = 0; i < table->header.count; i++)
    if (is_called(&table->header.data[i], path))
      return i;
  return SIZE_MAX;
}

static void mark_used(struct span_table *table, struct slice path) {
  size_t column = path.length == 0 ? SIZE_MAX : column_of(table, path);
  if (column != SIZE_MAX)
    table->used.data[column] = true;
}

/* Fails where the columns that are asked for are not there. */
static bool check_columns(struct span_table *table, const char *place) {
  const struct span_columns *columns = table->columns;
  for (size_t i = 0; i < columns->sources.count; i++) {
    mark_used(table, columns->sources.data[i].path);
    mark_used(table, columns->sources.data[i].other);
  }
  for (size_t i = 0; i < columns->sources.count; i++)
    if (columns->sources.data[i].role == COLUMN_TRACE &&
        column_of(table, columns->sources.data[i].path) != SIZE_MAX)
      return true;
  struct slice wanted = columns->sources.data[0].path;
  return scan_fail(table->scan, place,
                   "no column is called %.*s; name those that there are: --columns "
                   "trace=COLUMN,span=COLUMN,..",
                   (int)(wanted.length < 40 ? wanted.length : 40), wanted.start);
}

static bool take_header(struct span_table *table, const char *place) {
  for (size_t i = 0; i < table->cells.count; i++) {
    struct text name = {0};
    text_append_bytes(&name, table->cells.data[i].start, table->cells.data[i].length);
    vector_push(&table->header, name);
    vector_push(&table->used, false);
  }
  table->has_header = true;
  return check_columns(table, place);
}

/* A cell as JSON would have it. */
static struct slice as_written(struct text *room, struct slice cell) {
  bool plain = true;
  for (size_t i = 0; i < cell.length && plain; i++)
    plain = (unsigned char)cell.start[i] >= 0x20 && cell.start[i] != '\\' && cell.start[i] != '"';
  if (plain)
    return cell;
  text_clear(room);
  text_append(room, "");
  for (size_t i = 0; i < cell.length; i++) {
    char c = cell.start[i];
    i += c == '"' && i + 1 < cell.length && cell.start[i + 1] == '"';
    if (c == '\\')
      text_append(room, "\\\\");
    else
      text_append_bytes(room, (unsigned char)c < 0x20 ? " " : &c, 1);
  }
  return (struct slice){room->data, room->length};
}

static struct slice look(void *context, const struct column_source *source, struct slice path) {
  struct span_table *table = context;
  size_t column = source->from == FROM_SPAN ? column_of(table, path) : SIZE_MAX;
  return column == SIZE_MAX ? (struct slice){"", 0} : table->cells.data[column];
}

static bool is_text(enum span_role role) {
  return role == COLUMN_SERVICE || role == COLUMN_NAME || role == COLUMN_HOST ||
         role == COLUMN_CALLER || role == COLUMN_CALLED;
}

static void take_tags(struct span_table *table) {
  struct row_maker *maker = &table->maker;
  maker->tags.count = 0;
  for (size_t i = 0; i < table->cells.count && maker->intake->reading->tags; i++) {
    struct slice cell = table->cells.data[i];
    const struct text *name = &table->header.data[i];
    struct span_tag tag;
    bool nests = cell.length != 0 && (*cell.start == '{' || *cell.start == '[');
    if (table->used.data[i] || cell.length == 0 || nests)
      continue;
    struct text key;
    text_init(&key); /* both share one room otherwise */
    struct slice written = as_written(&key, (struct slice){text_get(name), name->length});
    if (intake_tag(maker->intake, &tag, written, as_written(&table->written[COLUMN_COUNT], cell)))
      vector_push(&maker->tags, tag);
    text_clear(&key);
  }
}

static bool give(struct span_table *table) {
  struct column_values *values = &table->maker.values;
  if (table->cells.count != table->header.count) {
    table->maker.intake->notes.misshapen++;
    return true;
  }
  columns_fill(values, table->columns, look, table);
  for (int role = 0; role < COLUMN_COUNT; role++)
    if (is_text((enum span_role)role))
      values->text[role] = as_written(&table->written[role], values->text[role]);
  take_tags(table);
  return row_scatter(&table->maker, table->scan, false);
}

static bool take_row(void *context) {
  struct span_table *table = context;
  struct json_scan *scan = table->scan;
  const char *start = scan->at, *at = start;
  if (start == scan->end && scan->ended) {
    table->ended = true;
    return true;
  }
  if (!table->has_header && table->separator == '\0') {
    const char *end = memchr(start, '\n', (size_t)(scan->end - start));
    if (end == NULL && !scan->ended)
      return scan_starve(scan);
    table->separator =
        separator_of((struct slice){start, (size_t)((end == NULL ? scan->end : end) - start)});
  }
  if (!take_cells(table, &at))
    return scan_good(scan) && scan_starve(scan);
  scan->at = at;
  if (is_blank(table) || (table->cells.data[0].length != 0 && *table->cells.data[0].start == '#' &&
                          !table->has_header))
    return true;
  bool cut_off = table->has_header && scan->end == at && at[-1] != '\n' &&
                 table->cells.count < table->header.count;
  if (cut_off)
    return scan_fail(scan, start,
                     "the file ends within a row; it is truncated: fetch or write it "
                     "again");
  return table->has_header ? give(table) : take_header(table, start);
}

enum status table_read(struct intake *intake, struct json_scan *scan,
                       const struct span_layout *layout, const struct span_columns *columns) {
  struct span_table table = {
      .scan = scan, .columns = columns, .maker = {.intake = intake, .layout = layout}};
  while (table.maker.status == STATUS_OK && scan_good(scan) && !table.ended)
    scan_unit(scan, take_row, &table);
  for (size_t i = 0; i < table.header.count; i++)
    text_clear(&table.header.data[i]);
  for (size_t i = 0; i < COLUMN_COUNT + 1; i++)
    text_clear(&table.written[i]);
  vector_clear(&table.header);
  vector_clear(&table.used);
  vector_clear(&table.cells);
  row_clear(&table.maker);
  return scan_good(scan) ? table.maker.status : scan->status;
}
