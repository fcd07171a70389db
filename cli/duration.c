/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/duration.h"

#include <string.h>

#include "base/memory.h"

/* ns in one of the unit; 0: no unit. Micro is also the sign (U+00B5) and the Greek letter. */
static int64_t unit_size(const char *unit) {
  static const struct {
    const char *name;
    int64_t size;
  } units[] = {{"ns", 1},         {"us", 1000},    {"\u00B5s", 1000},
               {"\u03BCs", 1000}, {"ms", 1000000}, {"s", 1000000000}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(unit, units[i].name) == 0)
      return units[i].size;
  return 0;
}

bool duration_parse(struct rational *ns, const char *text) {
  size_t digits = strspn(text, "0123456789.");
  int64_t size = unit_size(text + digits + strspn(text + digits, " \t"));
  char *number = mem_copy_text(text, digits);
  bool good = size != 0 && rational_parse(ns, number);
  mem_free(number);
  if (!good)
    return false;
  struct rational factor;
  rational_init(&factor);
  rational_set_integer(&factor, size);
  rational_mul(ns, ns, &factor);
  rational_clear(&factor);
  return true;
}
