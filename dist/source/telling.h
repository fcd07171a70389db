/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Columns whose names say nothing, but whose values tell slow requests from fast ones: another kind
 * of request, or whether it failed, under a name of the user's own.
 *
 * For each value of a column that has few of them, the times with it are held against all others:
 * P(x > y) + P(x = y) / 2 for one of each (Mann and Whitney). A column tells where that is 3/4 or
 * more, or 1/4 or less, and beyond five standard deviations of independent draws; so a small
 * difference is none, and a finding is no accident. At most 2^16 rows are kept, evenly spread.
 *
 * Use: telling_column for each column; for each row telling_cell for each column and telling_time;
 * telling_find; telling_clear in any case. Cells are borrowed until then.
 */
#ifndef DIST_SOURCE_TELLING_H
#define DIST_SOURCE_TELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/vector.h"

enum { TELLING_COLUMNS = 16, TELLING_VALUES = 32 };

struct telling_values {
  struct slice all[TELLING_VALUES];
  size_t count; /* TELLING_VALUES + 1: there are more, and the column tells nothing */
};

struct telling_row {
  uint64_t ns;
  unsigned char values[TELLING_COLUMNS]; /* of each column, in its `all` */
};

struct kind_telling {
  struct telling_values columns[TELLING_COLUMNS];
  size_t count;           /* of columns */
  struct telling_row row; /* at hand */
  uint64_t seen, step;    /* rows; each step-th is kept */
  VECTOR(struct telling_row) rows;
};

/* The index of a new column; SIZE_MAX: there are too many. */
size_t telling_column(struct kind_telling *telling);

void telling_cell(struct kind_telling *telling, size_t column, struct slice cell);

/* The row's cells were given; it took so long. */
void telling_time(struct kind_telling *telling, uint64_t ns);

struct telling_found {
  size_t column;
  struct slice value, usual; /* that tells, and the most frequent of the column */
  uint64_t rows, others;     /* kept, with the value and without */
  uint64_t median_ns, other_median_ns;
};

/* The column that tells most; false: none does. */
bool telling_find(struct telling_found *found, struct kind_telling *telling);

void telling_clear(struct kind_telling *telling);

#endif
