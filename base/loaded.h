/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A shared library that is loaded when it is first needed, and not at every start: libcurl and
 * libmicrohttpd bring thirty others, and FLINT and Z3 have twenty thousand functions to find, which
 * took four fifths of the time that a command needs to start.
 *
 *     #define FUNCTIONS(X) X(deflate) X(inflate)
 *     static struct { FUNCTIONS(LOADED_POINTER) } zlib;
 *     static const char *const names[] = {FUNCTIONS(LOADED_NAME)};
 *     static struct loaded_library library = {"libz.so.1", &zlib, names, 2, false};
 *     ... loaded_open(&library, &message) ... zlib.inflate(...)
 */
#ifndef BASE_LOADED_H
#define BASE_LOADED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define LOADED_POINTER(function) __typeof__(function) *function;
#define LOADED_NAME(function) #function,

struct loaded_library {
  const char *library;      /* a name for the run-time linker, "libz.so.1" */
  void *pointers;           /* a struct of pointers to functions, which loaded_open sets ... */
  const char *const *names; /* ... of these names, in that order */
  size_t count;             /* of either */
  bool is_open;
};

/* Does nothing the second time. The library stays loaded until the process ends. On failure no
 * pointer is to be used, and `message` gets one line. From one thread. */
bool loaded_open(struct loaded_library *loaded, struct text *message);

/* The same of what a program that is linked with the library would not start without: on failure
 * the process ends with STATUS_UNAVAILABLE and that line on standard error. From any thread. */
void loaded_need(struct loaded_library *loaded);

#endif
