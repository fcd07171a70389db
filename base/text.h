/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A growable string. `data` is NUL-terminated once anything was appended and NULL before; text_get
 * gives "" then. The text owns its bytes until text_clear or text_take.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
  char *data;
  size_t length, capacity;
};

void text_init(struct text *text);
void text_clear(struct text *text);
const char *text_get(const struct text *text);
void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const char *bytes, size_t length);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_format_list(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* The string, owned by the caller (mem_free); `text` is empty afterwards. */
char *text_take(struct text *text);

/* Edit distance (insert, delete, replace, swap of neighbours), for "did you mean". */
size_t text_distance(const char *a, const char *b);

#endif
