/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/terminal.h"

#include <stdlib.h>
#include <string.h>
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
