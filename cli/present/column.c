/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/column.h"

#include <string.h>

void column_fit(int *width, const char *name) {
  size_t length = strlen(name);
  int wanted = length < COLUMN_MOST ? (int)length : COLUMN_MOST;
  if (wanted > *width)
    *width = wanted;
}
