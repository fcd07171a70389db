/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells of tables with commas, for the readers of such tables. In a header, so that a reader of
 * millions of rows pays no call for a cell.
 */
#ifndef DIST_SOURCE_CELL_H
#define DIST_SOURCE_CELL_H

#include <stdbool.h>

#include "dist/source/reader.h"

/* One cell: `text` without blanks and quotes. Leaves *at on the separator, the line's end, or NULL
 * when a quote is not closed on its line (with `lines`: not closed at all). */
static inline struct slice cell_scan(const char **at, const char *end, bool lines) {
  const char *p = *at;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  if (p < end && *p == '"') {
    struct slice inside = {p + 1, 0};
    for (p++; p < end && (lines || *p != '\n') && (*p != '"' || (p + 1 < end && p[1] == '"'));)
      p += *p == '"' ? 2 : 1;
    if (p >= end || *p != '"') {
      *at = NULL;
      return inside;
    }
    inside.length = (size_t)(p - inside.start);
    const char *behind = p + 1;
    for (p = behind; p < end && *p != ',' && *p != '\n'; p++)
      ;
    if (slice_trim((struct slice){behind, (size_t)(p - behind)}).length != 0)
      inside = (struct slice){inside.start - 1, (size_t)(p - inside.start + 1)};
    *at = p;
    return slice_trim(inside);
  }
  const char *start = p;
  while (p < end && *p != ',' && *p != '\n')
    p++;
  *at = p;
  return slice_trim((struct slice){start, (size_t)(p - start)});
}

/* Behind the lines that hold nothing but blanks. */
static inline const char *cell_skip_blank_lines(const char *at, const char *end) {
  for (const char *p = at; p < end; p++) {
    if (*p == '\n')
      at = p + 1;
    else if (*p != ' ' && *p != '\t' && *p != '\r')
      return at;
  }
  return end;
}

#endif
