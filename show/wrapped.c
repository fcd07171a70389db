/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/wrapped.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "show/terminal.h"

enum { MARGIN = 2, PROSE_MOST = 98 }; /* longer lines are hard to read */

size_t wrapped_width(void) {
  size_t width = terminal_width(STDOUT_FILENO) - MARGIN;
  return width < PROSE_MOST ? width : PROSE_MOST;
}

void wrapped_append(struct text *out, const char *text, size_t column, size_t indent,
                    size_t width) {
  bool first = true;
  for (const char *at = text; *at != '\0';) {
    size_t length = strcspn(at, " ");
    if (!first && column + 1 + length > width) {
      text_format(out, "\n%*s", (int)indent, "");
      column = indent;
    } else if (!first) {
      text_append(out, " ");
      column++;
    }
    text_append_bytes(out, at, length);
    column += length;
    at += length + (at[length] == ' ');
    first = false;
  }
  text_append(out, "\n");
}

void wrapped_print(const char *text, size_t column, size_t indent) {
  struct text lines;
  text_init(&lines);
  wrapped_append(&lines, text, column, indent, wrapped_width());
  fputs(text_get(&lines), stdout);
  text_clear(&lines);
}

void wrapped_format(size_t indent, size_t more, const char *format, ...) {
  struct text text;
  va_list arguments;
  text_init(&text);
  va_start(arguments, format);
  text_format_list(&text, format, arguments);
  va_end(arguments);
  printf("%*s", (int)indent, "");
  wrapped_print(text_get(&text), indent, more);
  text_clear(&text);
}
