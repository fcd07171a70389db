/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/shown.h"

enum { GAP = 2, NARROWEST = 16, UNBROKEN = 48, COLUMNS_MOST = 16 };

void table_init(struct table *table) {
  *table = (struct table){0};
}

void table_clear(struct table *table) {
  for (size_t i = 0; i < table->columns.count; i++)
    mem_free(table->columns.data[i].title);
  for (size_t i = 0; i < table->cells.count; i++)
    mem_free(table->cells.data[i]);
  for (size_t i = 0; i < table->links.count; i++)
    mem_free(table->links.data[i].section);
  vector_clear(&table->columns);
  vector_clear(&table->cells);
  vector_clear(&table->links);
}

void table_column(struct table *table, enum table_align align, const char *title) {
  if (table->columns.count == COLUMNS_MOST || table->cells.count != 0)
    bug("a table has no place for a column");
  vector_push(&table->columns, (struct table_column){align, mem_copy_text(title, strlen(title))});
}

void table_take(struct table *table, struct text *cell) {
  if (cell->length != 0)
    cell->length = shown_clean(cell->data, cell->length, '?', true);
  vector_push(&table->cells, mem_copy_text(text_get(cell), cell->length));
  text_clear(cell);
}

void table_cell(struct table *table, const char *format, ...) {
  struct text text;
  va_list arguments;
  text_init(&text);
  va_start(arguments, format);
  text_format_list(&text, format, arguments);
  va_end(arguments);
  table_take(table, &text);
}

void table_link(struct table *table, const char *section) {
  vector_push(&table->links,
              (struct table_link){table->cells.count - 1, mem_copy_text(section, strlen(section))});
}

/* --- characters ------------------------------------------------------------------------------- */

static bool is_continued(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t characters(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    count += !is_continued(text[i]);
  return count;
}

/* Bytes of the first `count` characters of a line. */
static size_t bytes_of(const char *line, size_t length, size_t count) {
  size_t at = 0;
  while (at < length && (count > 0 || is_continued(line[at]))) {
    count -= !is_continued(line[at]);
    at++;
  }
  return at;
}

/* Whether a name may be broken behind its first `at` bytes: behind a mark, or else where a word of
 * several that are written together begins ("GetQuote"). */
static bool is_joint(const char *line, size_t at, bool within) {
  if (at == 0)
    return false;
  if (!within)
    return strchr("./,:;)]_-", line[at - 1]) != NULL;
  return line[at] >= 'A' && line[at] <= 'Z' && line[at - 1] >= 'a' && line[at - 1] <= 'z';
}

/* Bytes up to the next place where the text may be broken. */
static size_t piece_length(const char *text, bool within) {
  size_t at = 0;
  while (text[at] != '\0' && strchr(" \n", text[at]) == NULL && !is_joint(text, at, false) &&
         !(within && is_joint(text, at, true)))
    at++;
  return at;
}

static size_t last_joint(const char *line, size_t most, bool within) {
  while (most > 0 && !is_joint(line, most, within))
    most--;
  return most;
}

/* Where a name is broken that is longer than `most` bytes, the width: what can be whole within the
 * width stays whole. */
static size_t break_name(const char *line, size_t most) {
  size_t at = last_joint(line, most, false);
  if (at > 0 && piece_length(&line[at], false) <= most)
    return at;
  size_t word = last_joint(line, most, true);
  at = word > at ? word : at;
  return at > 0 ? at : most;
}

/* A part of a cell: bytes that fit the width, up to a newline, a blank, or else inside of a name;
 * *text behind it, and behind the blank. */
static size_t next_line(const char **line, const char **text, size_t width) {
  size_t length = strcspn(*text, "\n"), most = bytes_of(*text, length, width), end = most;
  *line = *text;
  if (most < length) {
    while (end > 0 && (*text)[end] != ' ')
      end--;
    end = end == 0 ? break_name(*text, most) : end;
  }
  *text += end;
  *text += **text == '\n' ? 1 : strspn(*text, " ");
  while (end > 0 && (*line)[end - 1] == ' ')
    end--;
  return end;
}

static size_t widest_piece(const char *text, bool within) {
  size_t widest = 0;
  while (*text != '\0') {
    size_t length = piece_length(text, within), count = characters(text, length);
    widest = count > widest ? count : widest;
    text += length == 0 ? 1 : length;
  }
  return widest;
}

static size_t widest_line(const char *text) {
  size_t widest = 0;
  const char *line;
  while (*text != '\0') {
    size_t length = next_line(&line, &text, SIZE_MAX), count = characters(line, length);
    widest = count > widest ? count : widest;
  }
  return widest;
}

static void append_blanks(struct text *out, size_t count) {
  text_format(out, "%*s", (int)count, "");
}

/* --- the grid --------------------------------------------------------------------------------- */

struct layout {
  const struct table *table;
  size_t indent, widths[COLUMNS_MOST];
};

static void measure(struct layout *layout) {
  const struct table *table = layout->table;
  size_t columns = table->columns.count;
  for (size_t c = 0; c < columns; c++)
    layout->widths[c] = widest_line(table->columns.data[c].title);
  for (size_t i = 0; i < table->cells.count; i++) {
    size_t width = widest_line(table->cells.data[i]);
    if (width > layout->widths[i % columns])
      layout->widths[i % columns] = width;
  }
}

static size_t total_of(const struct layout *layout) {
  size_t total = layout->indent;
  for (size_t c = 0; c < layout->table->columns.count; c++)
    total += layout->widths[c] + (c == 0 || layout->widths[c] == 0 ? 0 : GAP);
  return total;
}

/* Where names are broken: behind marks, or also between words, or anywhere. */
enum breaking { BREAK_MARKS, BREAK_WORDS, BREAK_ANYWHERE };

/* What a column may be narrowed to: its pieces stay whole, unless they are very long. */
static void find_narrowest(size_t narrowest[COLUMNS_MOST], const struct table *table,
                           enum breaking breaking) {
  size_t columns = table->columns.count;
  for (size_t c = 0; c < columns; c++)
    narrowest[c] = NARROWEST;
  for (size_t i = 0; breaking != BREAK_ANYWHERE && i < table->cells.count; i++) {
    size_t width = widest_piece(table->cells.data[i], breaking == BREAK_WORDS),
           *least = &narrowest[i % columns];
    width = width > UNBROKEN ? NARROWEST : width;
    *least = width > *least ? width : *least;
  }
}

/* Makes the widest left columns narrower until all fit; false when they do not. */
static bool narrow(struct layout *layout, const size_t narrowest[COLUMNS_MOST], size_t width) {
  const struct table *table = layout->table;
  while (total_of(layout) > width) {
    size_t widest = COLUMNS_MOST;
    for (size_t c = 0; c < table->columns.count; c++)
      if (table->columns.data[c].align == TABLE_LEFT && layout->widths[c] > narrowest[c] &&
          (widest == COLUMNS_MOST || layout->widths[c] >= layout->widths[widest]))
        widest = c;
    if (widest == COLUMNS_MOST)
      return false;
    layout->widths[widest]--;
  }
  return true;
}

static bool fit(struct layout *layout, size_t width) {
  size_t narrowest[COLUMNS_MOST];
  for (enum breaking breaking = BREAK_MARKS; breaking <= BREAK_ANYWHERE; breaking++) {
    struct layout tried = *layout;
    find_narrowest(narrowest, layout->table, breaking);
    if (!narrow(&tried, narrowest, width))
      continue;
    *layout = tried;
    return true;
  }
  return false;
}

/* Takes the next line of each cell; false when there was none left. */
static bool append_line(struct text *out, const struct layout *layout, const char **rest) {
  const struct table *table = layout->table;
  size_t gap = layout->indent, start = out->length, kept = start;
  bool any = false;
  for (size_t c = 0; c < table->columns.count; c++) {
    if (layout->widths[c] == 0)
      continue;
    any |= *rest[c] != '\0';
    const char *line;
    size_t length = next_line(&line, &rest[c], layout->widths[c]);
    size_t blanks = layout->widths[c] - characters(line, length);
    bool right = table->columns.data[c].align == TABLE_RIGHT;
    append_blanks(out, gap + (right ? blanks : 0));
    text_append_bytes(out, line, length);
    kept = length == 0 ? kept : out->length;
    gap = GAP + (right ? 0 : blanks);
  }
  out->length = any ? kept : start; /* without the blanks at the end */
  if (out->data != NULL)
    out->data[out->length] = '\0';
  if (any)
    text_append(out, "\n");
  return any;
}

static void append_row(struct text *out, const struct layout *layout, const char *const *cells) {
  const char *rest[COLUMNS_MOST];
  for (size_t c = 0; c < layout->table->columns.count; c++)
    rest[c] = cells[c];
  while (append_line(out, layout, rest))
    continue;
}

/* Titles stand at the bottom of their lines. */
static void append_titles(struct text *out, const struct layout *layout) {
  const struct table *table = layout->table;
  size_t lines[COLUMNS_MOST] = {0}, most = 0;
  const char *titles[COLUMNS_MOST];
  char *padded[COLUMNS_MOST];
  for (size_t c = 0; c < table->columns.count; c++) {
    for (const char *at = table->columns.data[c].title; *at != '\0'; at++)
      lines[c] += *at == '\n';
    most = lines[c] > most ? lines[c] : most;
  }
  for (size_t c = 0; c < table->columns.count; c++) {
    struct text text;
    text_init(&text);
    for (size_t i = lines[c]; i < most; i++)
      text_append(&text, "\n");
    text_append(&text, table->columns.data[c].title);
    titles[c] = padded[c] = text_take(&text);
  }
  append_row(out, layout, titles);
  for (size_t c = 0; c < table->columns.count; c++)
    mem_free(padded[c]);
}

static void append_grid(struct text *out, const struct layout *layout) {
  const struct table *table = layout->table;
  append_titles(out, layout);
  for (size_t i = 0; i < table->cells.count; i += table->columns.count)
    append_row(out, layout, (const char *const *)&table->cells.data[i]);
}

/* --- paragraphs ------------------------------------------------------------------------------- */

/* A title on one line. */
static char *flat_title(const char *title) {
  char *flat = mem_copy_text(title, strlen(title));
  for (char *c = flat; *c != '\0'; c++)
    *c = *c == '\n' ? ' ' : *c;
  return flat;
}

static void append_wrapped(struct text *out, const char *cell, size_t indent, size_t width) {
  size_t room = width > indent + NARROWEST ? width - indent : NARROWEST;
  const char *line;
  for (bool first = true; *cell != '\0'; first = false) {
    size_t length = next_line(&line, &cell, room);
    append_blanks(out, first ? 0 : indent);
    text_append_bytes(out, line, length);
    text_append(out, "\n");
  }
}

static void append_paragraphs(struct text *out, const struct table *table, size_t indent,
                              size_t width) {
  size_t titles = 0, columns = table->columns.count;
  for (size_t c = 1; c < columns; c++) {
    size_t length = strlen(table->columns.data[c].title);
    titles = length > titles ? length : titles;
  }
  for (size_t i = 0; i < table->cells.count; i++) {
    const char *cell = table->cells.data[i];
    if (*cell == '\0')
      continue;
    append_blanks(out, indent);
    if (i % columns == 0) {
      append_wrapped(out, cell, indent, width);
      continue;
    }
    char *title = flat_title(table->columns.data[i % columns].title);
    text_format(out, "  %-*s  ", (int)titles, title);
    append_wrapped(out, cell, indent + 2 + titles + 2, width);
    mem_free(title);
  }
}

void table_format(struct text *out, const struct table *table, size_t indent, size_t width) {
  struct layout layout = {.table = table, .indent = indent};
  if (table->cells.count == 0)
    return;
  if (table->columns.count == 0 || table->cells.count % table->columns.count != 0)
    bug("a table whose last row is not whole");
  measure(&layout);
  if (fit(&layout, width))
    append_grid(out, &layout);
  else
    append_paragraphs(out, table, indent, width);
}
