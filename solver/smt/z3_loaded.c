/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/smt/z3_loaded.h"

#include "base/loaded.h"

struct z3_functions z3;

_Static_assert(sizeof Z3_LIBRARY > 1, "the Makefile found no SONAME");

static const char *const names[] = {
#define FUNCTION(name) "Z3_" #name,
#include "solver/smt/z3_functions.def"
};

static struct loaded_library library = {Z3_LIBRARY, &z3, names, sizeof names / sizeof *names,
                                        false};

void z3_need(void) {
  loaded_need(&library);
}
