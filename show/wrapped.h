/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sentences in lines that fit the terminal, and a reader: of at most 98 columns.
 */
#ifndef SHOW_WRAPPED_H
#define SHOW_WRAPPED_H

#include <stddef.h>

#include "base/text.h"

/* Appends the text from `column` on, where the line stands, in lines of `width` columns broken at
 * blanks, further lines behind `indent` of them; and ends the line. */
void wrapped_append(struct text *out, const char *text, size_t column, size_t indent, size_t width);

/* The same on stdout, as wide as wrapped_width says. */
void wrapped_print(const char *text, size_t column, size_t indent);

/* A paragraph: behind `indent` blanks, further lines behind `more`. */
void wrapped_format(size_t indent, size_t more, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Columns that a line of a sentence may take. */
size_t wrapped_width(void);

#endif
