/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables for people, as wide as what is in them and no wider than the terminal.
 *
 * A table is given column by column, then cell by cell, row after row. It is printed as a grid
 * where that fits; else its left columns are wrapped; else, with more columns than a terminal
 * holds, each row becomes a paragraph: its first cell, then a line for each other cell, behind the
 * column's title. Lengths are counted in characters of UTF-8.
 */
#ifndef SHOW_TABLE_H
#define SHOW_TABLE_H

#include <stddef.h>

#include "base/text.h"
#include "base/vector.h"

enum table_align { TABLE_LEFT, TABLE_RIGHT };

struct table_column {
  enum table_align align;
  char *title; /* may have several lines; "": none */
};

struct table_link {
  size_t cell;
  char *section; /* its id */
};

/* Owns its texts. */
struct table {
  VECTOR(struct table_column) columns;
  VECTOR(char *) cells;            /* by row, then column */
  VECTOR(struct table_link) links; /* on pages, rising */
};

void table_init(struct table *table);
void table_clear(struct table *table);

/* All columns before the first cell. */
void table_column(struct table *table, enum table_align align, const char *title);

/* The next cell of the row, or the first of the next one. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with what the text holds, which is empty and cleared afterwards. */
void table_take(struct table *table, struct text *cell);

/* On pages the last cell leads to the section with this id. */
void table_link(struct table *table, const char *section);

/* Appends the table in lines of at most `width` characters, each behind `indent` blanks. A cell
 * longer than a line is cut into several. */
void table_format(struct text *out, const struct table *table, size_t indent, size_t width);

#endif
