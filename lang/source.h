/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of one protocol file, and the way from byte offsets to what a user sees: lines and
 * columns, both from 1; a column counts characters (UTF-8), a tab as one. A byte order mark at the
 * start of the file is left out of it.
 *
 * The source owns its name and bytes until source_free.
 */
#ifndef LANG_SOURCE_H
#define LANG_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct arena;
struct source_span;
struct text;

struct source {
  char *name;  /* as the user gave it */
  char *bytes; /* NUL behind them */
  size_t length;
  size_t line_count;
  uint32_t *lines; /* offset of the first byte of each line */
};

struct place {
  size_t line, column;
};

/* Reads the file into *source; "-" is standard input, and the name is then FILE_INPUT_NAME. On
 * failure *source is NULL and `message` gets one line; the status is file_read's. */
enum status source_load(struct source **source, const char *path, struct text *message);

/* Copies `length` bytes (at most 64 MB, which source_load guarantees). */
struct source *source_from_text(const char *name, const char *bytes, size_t length);
void source_free(struct source *source);

struct place source_place(const struct source *source, size_t offset);

/* The line (from 1) without its end: its first byte and *length. */
const char *source_line(const struct source *source, size_t line, size_t *length);

/* The offset of the first byte that is not UTF-8 text (or is NUL); `length` when there is none. */
size_t source_invalid(const struct source *source);

/* The slice as one line: white space and comments become one space. Lives in the arena. */
const char *source_slice(const struct source *source, struct source_span span, struct arena *arena);

#endif
