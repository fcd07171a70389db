/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *value_of(const char *name) {
  const char *value = getenv(name);
  return value == NULL ? "" : value;
}

bool terminal_can_rewrite(int descriptor) {
  return isatty(descriptor) == 1 && strcmp(value_of("TERM"), "dumb") != 0;
}

bool terminal_has_colour(int descriptor) {
  const char *force = value_of("FORCE_COLOR");
  if (*value_of("NO_COLOR") != '\0')
    return false;
  return (*force != '\0' && strcmp(force, "0") != 0) || terminal_can_rewrite(descriptor);
}

static long wished_width(void) {
  char *end;
  const char *text = value_of("COLUMNS");
  long columns = strtol(text, &end, 10);
  return *text == '\0' || *end != '\0' ? 0 : columns;
}

size_t terminal_width(int descriptor) {
  struct winsize size;
  long columns = wished_width();
  if (columns <= 0 && isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0)
    columns = size.ws_col;
  if (columns <= 0)
    columns = 100;
  return columns < 60 ? 60 : columns > 200 ? 200 : (size_t)columns;
}
