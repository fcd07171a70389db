/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the file of a component is to be read (laws.h).
 */
#include "cli/question/law/laws.h"

#include <string.h>

#include "cli/question/law/request.h"
#include "dist/source/source.h"

char *laws_stem(const char *path) {
  const char *base = strrchr(path, '/');
  base = base == NULL ? path : base + 1;
  size_t length = strlen(base);
  if (length > 3 && strcmp(base + length - 3, ".gz") == 0)
    length -= 3;
  while (length > 0 && base[length - 1] != '.')
    length--;
  return mem_copy_text(base, length == 0 ? strlen(base) : length - 1);
}

const char *laws_unit(const settings *units, const char *path, const char *component) {
  char *name = laws_stem(path);
  const char *unit = settings_find(units, name);
  mem_free(name);
  return unit != NULL ? unit : settings_find(units, component);
}

struct source_options laws_options(const struct calculation_request *request, const char *path,
                                   const char *component) {
  return (struct source_options){.unit = laws_unit(&request->units, path, component),
                                 .select = laws_unit(&request->selects, path, component)};
}
