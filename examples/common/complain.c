/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/common/complain.h"

#include <stdarg.h>
#include <stdio.h>

static const char *name = "example";

void complain_as(const char *program) {
  name = program;
}

void complain(const char *format, ...) {
  char line[768];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s: %s\n", name, line); /* stderr is not buffered: glibc writes this at once */
}
