/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>

void demangle(struct text *text, const char *name) {
  char *plain = name[0] == '_' ? cplus_demangle(name, DMGL_AUTO | DMGL_ANSI) : NULL;
  text_append(text, plain == NULL ? name : plain);
  free(plain);
}
