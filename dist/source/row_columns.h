/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The columns of a table that are no times, row by row: whether a row stands there twice, is of the
 * kind that is measured, and is of a request that failed. What they do not say is never guessed.
 *
 * Use: row_columns_init; row_columns_add for each column of the header but the values; for each row
 * row_columns_begin, row_columns_cell for each cell in order, row_columns_judge, and row_columns_time
 * where it is taken; row_columns_settle after the last row; row_columns_clear in any case. Names and cells are borrowed.
 */
#ifndef DIST_SOURCE_ROW_COLUMNS_H
#define DIST_SOURCE_ROW_COLUMNS_H

#include "base/arena.h"
#include "dist/source/column.h"
#include "dist/source/kinds.h"
#include "dist/source/repeats.h"
#include "dist/source/seen.h"
#include "dist/source/telling.h"

struct row_column {
  size_t index; /* among all columns of the table */
  struct slice name;
  enum column_role role;
  struct slice cell; /* of the row at hand */
  size_t telling;    /* its index there, of COLUMN_UNKNOWN; SIZE_MAX: not looked at */
};

struct row_columns {
  const struct reader *reader;
  VECTOR(struct row_column) all; /* those that say something, in order */
  size_t next;                   /* of the cells of the row */
  size_t identities;             /* how many of them are one */
  bool strict;                   /* some say that a request failed, and not in words alone */
  struct kinds kinds;
  struct rows_seen seen;
  struct kind_telling telling;
  struct repeats repeats; /* where no column is an identity */
  struct arena texts;     /* identities of several cells */
  struct text identity;   /* scratch space */
  uint64_t judged, failed;
};

struct row_verdict {
  bool taken;  /* of the kind that is measured */
  bool failed; /* and never ended */
};

enum status row_columns_init(struct row_columns *columns, const struct reader *reader);
void row_columns_clear(struct row_columns *columns);
void row_columns_add(struct row_columns *columns, size_t index, struct slice name);

/* The cells of values say already what failed: no column is asked for it. */
void row_columns_trust_values(struct row_columns *columns);

/* Forgets those that were added. */
void row_columns_forget(struct row_columns *columns);

static inline void row_columns_begin(struct row_columns *columns) {
  columns->next = 0;
}

static inline void row_columns_cell(struct row_columns *columns, size_t index, struct slice cell) {
  if (columns->next < columns->all.count && columns->all.data[columns->next].index == index)
    columns->all.data[columns->next++].cell = cell;
}

/* The row, which starts at `at`, has as many cells as the header. STATUS_DATA with the message for
 * a row that stands there twice, or of which nobody knows whether it failed. */
enum status row_columns_judge(struct row_verdict *verdict, struct row_columns *columns,
                              const char *at);

/* The row that was judged, all of it. */
static inline void row_columns_whole(struct row_columns *columns, struct slice row) {
  if (columns->identities == 0)
    repeats_add(&columns->repeats, row);
}

/* The row that was judged is taken, did not fail, and took so long. */
void row_columns_time(struct row_columns *columns, uint64_t ns);

/* STATUS_DATA for rows that all stand there several times, several kinds without a choice, one that
 * nothing matches, or a column of unknown
 * meaning that tells slow requests from fast ones and that --select does not name; else the evidence
 * has the kinds, and how many failed. */
enum status row_columns_settle(struct row_columns *columns, struct evidence *evidence);

/* Notes how many of the requests failed, where some did. */
void row_columns_note_failed(const struct row_columns *columns);

#endif
