/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/wrapped.h"

#include <stdbool.h>
#include <string.h>

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
