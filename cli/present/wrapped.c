/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/wrapped.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 98 };

void wrapped_print(const char *text, size_t column, size_t indent) {
  bool first = true;
  for (const char *at = text; *at != '\0';) {
    size_t length = strcspn(at, " ");
    if (!first && column + 1 + length > WIDTH) {
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
