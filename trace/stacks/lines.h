/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of a file, one at a time, of any number; private to trace/stacks.
 */
#ifndef TRACE_STACKS_LINES_H
#define TRACE_STACKS_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/stream.h"

/* No line is longer: a stack of a thousand frames with names of 64 kB. */
#define LINE_MAX_BYTES ((size_t)64 << 20)

struct stack_lines {
  struct stream *stream;
  const char *name; /* of the file */
  char *bytes;      /* of which first .. last are read and not yet taken */
  size_t first, last, capacity;
  bool ended;
  bool borrowed;   /* the bytes are another's */
  uint64_t number; /* of the line taken last, from 1 */
};

/* Opens a file and reads its first bytes. As stream_open; close in both cases. */
enum status stack_lines_open(struct stack_lines *lines, const char *path, struct text *message);
/* The lines of bytes in memory, which stay the caller's. */
void stack_lines_over(struct stack_lines *lines, struct slice bytes, const char *name);
void stack_lines_close(struct stack_lines *lines);

/* What was read and not taken: at least 1 kB, or all there is. For a look at the form of a file. */
struct slice stack_lines_ahead(const struct stack_lines *lines);

/* Skips the mark that some programs put before UTF-8. Before the first line. */
void stack_lines_skip_mark(struct stack_lines *lines);

/* Reads the rest of the file, so that stack_lines_ahead is all of it. STATUS_DATA with `message`
 * when that is more than `limit` bytes. */
enum status stack_lines_all(struct stack_lines *lines, size_t limit, struct text *message);

/* The next line, without its end (LF or CR LF), good until the next call; *more is false when there
 * is none. STATUS_DATA with `message`: the file cannot be read, or a line is too long. */
enum status stack_lines_next(struct stack_lines *lines, struct slice *line, bool *more,
                             struct text *message);

#endif
