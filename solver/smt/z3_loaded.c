/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/smt/z3_loaded.h"

#include <pthread.h>

#include "base/loaded.h"
#include "base/memory.h"

struct z3_functions z3;

_Static_assert(sizeof Z3_LIBRARY > 1, "the Makefile found no SONAME");

static const char *const names[] = {
#define FUNCTION(name) "Z3_" #name,
#include "solver/smt/z3_functions.def"
};

static struct loaded_library library = {Z3_LIBRARY, &z3, names, sizeof names / sizeof *names,
                                        false};

/* What C++ keeps of a thread's exceptions. As it was loaded late, that is allocated with the first one
 * that Z3 throws; where this says that memory is out, the run-time linker would end the process. */
static struct { void *(*of_thread)(void); } exceptions;

static const char *const exception_names[] = {"__cxa_get_globals"};
static struct loaded_library exception_library = {"libstdc++.so.6", &exceptions, exception_names, 1,
                                                  false};

static void open_exceptions(void) {
  struct text message; /* another library of C++ is none that is needed */
  text_init(&message);
  loaded_open(&exception_library, &message);
  text_clear(&message);
}

void z3_need(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  loaded_need(&library);
  mem_reserve(Z3_START_BYTES);
  pthread_once(&once, open_exceptions);
  if (exception_library.is_open)
    exceptions.of_thread();
}
