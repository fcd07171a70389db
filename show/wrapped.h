/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sentences in lines.
 */
#ifndef SHOW_WRAPPED_H
#define SHOW_WRAPPED_H

#include <stddef.h>

#include "base/text.h"

/* Appends the text from `column` on, where the line stands, in lines of `width` columns broken at
 * blanks, further lines behind `indent` of them; and ends the line. */
void wrapped_append(struct text *out, const char *text, size_t column, size_t indent, size_t width);

#endif
