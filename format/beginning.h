/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The beginning of a file, taken apart once for all rows of the table: its lines, whether it is
 * text, and the paths of its JSON. It borrows the bytes.
 */
#ifndef FORMAT_BEGINNING_H
#define FORMAT_BEGINNING_H

#include "base/status.h"
#include "base/text.h"
#include "format/format.h"
#include "format/paths.h"

/* So much of a file is looked at. */
enum { FORMAT_LOOKED = 64 << 10, FORMAT_LINES_MOST = 128 };

struct format_beginning {
  struct slice bytes;                    /* without a byte order mark */
  bool text;                             /* no byte that text does not have */
  struct slice lines[FORMAT_LINES_MOST]; /* that are not blank, trimmed at their ends */
  size_t line_count;
  size_t body;               /* the first line that is no comment; line_count: none */
  struct format_paths paths; /* of no JSON: none */
};

/* Of `bytes` the first FORMAT_LOOKED. */
void format_beginning_init(struct format_beginning *beginning, struct slice bytes);
void format_beginning_clear(struct format_beginning *beginning);

/* Reads the first bytes of a file, expanded if it is compressed, into *bytes (FORMAT_LOOKED of
 * them, owned by the caller); of what is no regular file, and so cannot be read twice, none.
 * STATUS_NO_INPUT or STATUS_DATA without a message. */
enum status format_read_beginning(char **bytes, size_t *length, const char *path);

#endif
