/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/store/joint_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dist/source/joint.h"

void joint_rows_clear(struct joint_rows *rows) {
  for (size_t i = 0; i < rows->columns.count; i++)
    mem_free(rows->columns.data[i].name);
  vector_clear(&rows->columns);
  vector_clear(&rows->entries);
}

static uint16_t find(const struct joint_rows *rows, const char *name, size_t length,
                     enum rows_kind kind) {
  for (size_t i = 0; i < rows->columns.count; i++) {
    const struct rows_column *column = &rows->columns.data[i];
    if (column->kind == kind && strncmp(column->name, name, length) == 0 &&
        column->name[length] == '\0')
      return (uint16_t)i;
  }
  return ROWS_NONE;
}

uint16_t joint_rows_column(struct joint_rows *rows, const char *name, enum rows_kind kind) {
  uint16_t found = find(rows, name, strlen(name), kind);
  if (found != ROWS_NONE || rows->columns.count == JOINT_COLUMNS_MAX)
    return found;
  struct rows_column made = {
      .name = mem_copy_text(name, strlen(name)), .kind = kind, .target = ROWS_NONE};
  vector_push(&rows->columns, made);
  return (uint16_t)(rows->columns.count - 1);
}

static int compare_entries(const void *x, const void *y) {
  const struct rows_entry *a = x, *b = y;
  if (a->instance != b->instance)
    return a->instance < b->instance ? -1 : 1;
  return (a->column > b->column) - (a->column < b->column);
}

void joint_rows_sort(struct joint_rows *rows) {
  if (rows->entries.count != 0)
    qsort(rows->entries.data, rows->entries.count, sizeof *rows->entries.data, compare_entries);
}

size_t joint_rows_end(const struct joint_rows *rows, size_t first) {
  size_t end = first;
  while (end < rows->entries.count &&
         rows->entries.data[end].instance == rows->entries.data[first].instance)
    end++;
  return end;
}

void joint_rows_forget(struct joint_rows *rows, uint32_t instance) {
  size_t kept = 0;
  for (size_t i = 0; i < rows->entries.count; i++)
    if (rows->entries.data[i].instance != instance)
      rows->entries.data[kept++] = rows->entries.data[i];
  rows->entries.count = kept;
}

/* Whether arrivals of this message, with whatever fields, are recorded. */
static bool has_arrivals(const struct joint_rows *rows, const char *name) {
  for (size_t i = 0; i < rows->columns.count; i++) {
    const struct rows_column *column = &rows->columns.data[i];
    if (column->kind != ROWS_OCCURRENCE || !column->used)
      continue;
    /* up to the second dot: "d.Ack" */
    size_t length = strcspn(column->name, ".");
    length += column->name[length] == '.' ? 1 + strcspn(column->name + length + 1, ".") : 0;
    if (strncmp(column->name, name, length) == 0 && (name[length] == '.' || name[length] == '\0'))
      return true;
  }
  return false;
}

/* The sending may say to whom, behind the fields. */
static uint16_t find_delay(const struct joint_rows *rows, const char *name) {
  uint16_t found = find(rows, name, strlen(name), ROWS_OCCURRENCE);
  const char *last = strrchr(name, '.');
  if (found == ROWS_NONE && last != NULL)
    found = find(rows, name, (size_t)(last - name), ROWS_OCCURRENCE);
  return found;
}

void joint_rows_settle(struct joint_rows *rows) {
  const struct rows_entry *entries = rows->entries.data;
  for (size_t i = 0; i < rows->entries.count; i++) {
    struct rows_column *column = &rows->columns.data[entries[i].column];
    column->used = true;
    column->repeated |= column->kind != ROWS_SENDING && i != 0 &&
                        entries[i - 1].instance == entries[i].instance &&
                        entries[i - 1].column == entries[i].column;
  }
  for (size_t i = 0; i < rows->columns.count; i++) {
    struct rows_column *column = &rows->columns.data[i];
    if (column->kind != ROWS_SENDING || !column->used)
      continue;
    column->target = find_delay(rows, column->name);
    if (column->target == ROWS_NONE && has_arrivals(rows, column->name))
      column->target = (uint16_t)i; /* this one never arrived anywhere */
  }
}

bool joint_rows_writes(const struct joint_rows *rows, size_t column) {
  const struct rows_column *about = &rows->columns.data[column];
  return about->used && !about->repeated &&
         (about->kind != ROWS_SENDING || about->target == column);
}

struct printing {
  const struct joint_rows *rows;
  VECTOR(uint16_t) order;          /* the columns that are written */
  const struct rows_entry **cells; /* by column: of this row */
  bool *sent;                      /* by column: a sending of this row */
};

static struct rows_column *sorting; /* qsort has no context */

static int compare_columns(const void *x, const void *y) {
  const struct rows_column *a = &sorting[*(const uint16_t *)x], *b = &sorting[*(const uint16_t *)y];
  if ((a->kind == ROWS_REQUEST) != (b->kind == ROWS_REQUEST))
    return a->kind == ROWS_REQUEST ? 1 : -1;
  return strcmp(a->name, b->name);
}

static void print_header(struct text *text, struct printing *printing) {
  const struct joint_rows *rows = printing->rows;
  for (size_t i = 0; i < rows->columns.count; i++)
    if (joint_rows_writes(rows, i))
      vector_push(&printing->order, (uint16_t)i);
  sorting = rows->columns.data;
  if (printing->order.count != 0)
    qsort(printing->order.data, printing->order.count, sizeof(uint16_t), compare_columns);
  text_append(text, "instance");
  for (size_t i = 0; i < printing->order.count; i++)
    text_format(text, ",%s_ns", rows->columns.data[printing->order.data[i]].name);
  text_append(text, "\n");
}

static void print_measured(struct text *text, const struct rows_entry *entry) {
  if (entry->unknown)
    return;
  if (entry->lower_ns > SAMPLE_NS_MAX)
    text_append(text, "inf");
  else if (entry->upper_ns > SAMPLE_NS_MAX)
    text_format(text, "%" PRIu64 "..%" PRIu64, entry->lower_ns, SAMPLE_NS_MAX);
  else if (entry->lower_ns == entry->upper_ns)
    text_format(text, "%" PRIu64, entry->upper_ns);
  else
    text_format(text, "%" PRIu64 "..%" PRIu64, entry->lower_ns, entry->upper_ns);
}

static void take_entries(struct printing *printing, const struct rows_entry *entries,
                         size_t count) {
  const struct rows_column *columns = printing->rows->columns.data;
  for (size_t i = 0; i < count; i++) {
    const struct rows_column *column = &columns[entries[i].column];
    if (column->kind != ROWS_SENDING)
      printing->cells[entries[i].column] = &entries[i];
    else if (column->target != ROWS_NONE)
      printing->sent[column->target] = true;
  }
}

static void print_row(struct text *text, struct printing *printing,
                      const struct rows_lacking *lacking, uint32_t instance) {
  text_format(text, "%" PRIu32, instance);
  for (size_t i = 0; i < printing->order.count; i++) {
    uint16_t column = printing->order.data[i];
    text_append(text, ",");
    if (printing->cells[column] != NULL)
      print_measured(text, printing->cells[column]);
    else if (printing->sent[column] && !lacking->doubtful)
      text_append(text, "inf");
    else
      text_append(text, printing->rows->columns.data[column].kind == ROWS_REQUEST ? lacking->request
                                                                                  : lacking->cell);
  }
  text_append(text, "\n");
}

uint64_t joint_rows_print(struct text *text, const struct joint_rows *rows,
                          struct rows_lacking (*lacking)(void *context,
                                                         const struct rows_entry *entries,
                                                         size_t count),
                          void *context) {
  size_t columns = rows->columns.count;
  struct printing printing = {.rows = rows,
                              .cells = mem_alloc(columns, sizeof *printing.cells),
                              .sent = mem_alloc(columns, sizeof *printing.sent)};
  uint64_t printed = 0;
  print_header(text, &printing);
  for (size_t first = 0, end; first < rows->entries.count; first = end) {
    end = joint_rows_end(rows, first);
    const struct rows_entry *entries = &rows->entries.data[first];
    struct rows_lacking what = lacking(context, entries, end - first);
    memset(printing.cells, 0, columns * sizeof *printing.cells);
    memset(printing.sent, 0, columns * sizeof *printing.sent);
    take_entries(&printing, entries, end - first);
    print_row(text, &printing, &what, entries->instance);
    printed++;
  }
  vector_clear(&printing.order);
  mem_free(printing.cells);
  mem_free(printing.sent);
  return printed;
}
