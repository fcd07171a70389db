/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names as UTF-8: foreign programs name their functions in any bytes.
 */
#ifndef TRACE_STACKS_UTF8_H
#define TRACE_STACKS_UTF8_H

#include "base/slice.h"
#include "base/text.h"

/* How many bytes the character of UTF-8 at the start of `text` has, 0 where there is none; text is
 * not empty. */
size_t utf8_length(struct slice text);

/* Appends a name with U+FFFD for each byte that is no UTF-8, and for each control character. */
void utf8_append(struct text *out, struct slice name);

#endif
