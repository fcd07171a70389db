/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What of foreign text is never shown. Names and contents of files that others wrote may hold what
 * a terminal obeys (escape sequences, also those that begin with a C1 control), what hides or turns
 * around the text beside it (U+202E and its like), and lines of their own, which a CI system may
 * read as commands.
 */
#ifndef BASE_SHOWN_H
#define BASE_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Controls (C0, DEL, C1), separators of lines and paragraphs, marks of direction, and characters
 * without width that hide in a name. */
bool shown_never(uint32_t character);

/* The length of the valid UTF-8 character at the start of `length` > 0 bytes, and which it is; 0
 * when there is none. */
size_t shown_character(uint32_t *character, const char *bytes, size_t length);

/* Whether all of it may be shown as it is, in one line. */
bool shown_is_clean(const char *bytes, size_t length);

/* In place: `instead` for each character that is never shown, and for each byte that is none. With
 * `lines` ends of lines and tabs stay. The new length, at most the old; no NUL is written. */
size_t shown_clean(char *bytes, size_t length, char instead, bool lines);

/* The same of a text that ends with a NUL, in one line. */
void shown_clean_text(char *text, char instead);

/* Appends bytes in one line, with U+FFFD for each that is never shown. */
void shown_append(struct text *out, const char *bytes, size_t length);

#endif
