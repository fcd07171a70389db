/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Places as the Language Server Protocol has them: lines and characters from 0, a line ending with
 * a newline, a carriage return or both, and characters counted in code units of the encoding that
 * client and server agreed on. Offsets are bytes of UTF-8 text.
 */
#ifndef CLI_LSP_POSITION_H
#define CLI_LSP_POSITION_H

#include <stddef.h>

#include "base/vector.h"

enum position_encoding { POSITION_UTF8, POSITION_UTF16, POSITION_UTF32 };

struct text_position {
  size_t line, character;
};

/* The lines of a text; `text` is borrowed. */
struct text_lines {
  const char *text;
  size_t length;
  VECTOR(size_t) starts; /* at least one: 0 */
};

void text_lines_init(struct text_lines *lines, const char *text, size_t length);
void text_lines_clear(struct text_lines *lines);

/* An offset inside a character is taken for its beginning, one beyond the text for its end. */
struct text_position position_of(const struct text_lines *lines, enum position_encoding encoding,
                                 size_t offset);

/* A position beyond the line is taken for the line's end (before its line end), one beyond the text
 * for the end of the text, one inside a character for its beginning. */
size_t position_offset(const struct text_lines *lines, enum position_encoding encoding,
                       struct text_position position);

/* "utf-8", "utf-16" or "utf-32". */
const char *position_encoding_name(enum position_encoding encoding);

#endif
