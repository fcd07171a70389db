/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/wrapped.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/present/terminal.h"

enum { MARGIN = 2, PROSE_MOST = 98 }; /* longer lines are hard to read */

size_t wrapped_width(void) {
  size_t width = terminal_width(STDOUT_FILENO) - MARGIN;
  return width < PROSE_MOST ? width : PROSE_MOST;
}

void wrapped_print(const char *text, size_t column, size_t indent) {
  size_t width = wrapped_width();
  bool first = true;
  for (const char *at = text; *at != '\0';) {
    size_t length = strcspn(at, " ");
    if (!first && column + 1 + length > width) {
      printf("\n%*s", (int)indent, "");
      column = indent;
    } else if (!first) {
      putchar(' ');
      column++;
    }
    printf("%.*s", (int)length, at);
    column += length;
    at += length + (at[length] == ' ');
    first = false;
  }
  putchar('\n');
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
