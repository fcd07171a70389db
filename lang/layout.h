/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What canonical form leaves to the author: where a line is broken, and columns of neighbours.
 *
 * A line keeps the breaks of its source when it differs from it in white space only and each part
 * is at most LAYOUT_WIDTH columns wide. A wider gap stays where the line before or after has the
 * same thing in the same column; the whole column then moves as far as its widest line needs. What
 * comes out is kept as it is when it is printed again.
 */
#ifndef LANG_LAYOUT_H
#define LANG_LAYOUT_H

#include "lang/printer.h"

enum { LAYOUT_WIDTH = 130 }; /* of what is as the author wrote it */

/* Where a column may begin: a gap on the first line of what was kept. */
struct stop {
  size_t entry; /* whose it is */
  size_t at;    /* in the output: of what stands behind the gap */
  size_t column, gap;
  size_t pad;  /* spaces to insert */
  size_t next; /* the stop below it in the same column; SIZE_MAX */
  bool below;  /* it is the next of another */
  char kind;
};

/* Something that was printed: the first of its lines. */
struct layout_entry {
  size_t line, end; /* in the output */
  size_t stop, stop_count;
};

/* A comment behind something, in the output: the start of its line, and its "#". */
struct layout_behind {
  size_t line, start;
  size_t column; /* in the source, in characters */
};

struct format_layout {
  bool keeps; /* what the author chose; else nothing of it */
  VECTOR(struct stop) stops;
  VECTOR(struct layout_entry) entries;
  VECTOR(struct layout_behind) behind;
};

void layout_clear(struct format_layout *layout);

/* Appends the line as `span` of the source has it, or as line_flush does where that cannot be. */
void layout_flush(struct format_layout *layout, struct text *out, const struct line *line,
                  size_t indent, const struct ast *ast, struct source_span span);

/* Appends the text to which all was flushed, with its columns aligned. */
void layout_align(struct text *out, const struct text *text, struct format_layout *layout);

#endif
