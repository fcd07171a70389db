/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/setting.h"

#include <string.h>

const char *settings_find(const settings *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->data[i].name, name) == 0)
      return list->data[i].value;
  return NULL;
}
