/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A shared library that is loaded when it is first needed, and not at every start: libcurl and
 * libmicrohttpd bring thirty others, which took two thirds of the time that a command needs to
 * start.
 *
 *     #define FUNCTIONS(X) X(deflate) X(inflate)
 *     static struct { FUNCTIONS(LOADED_POINTER) } zlib;
 *     static const char *const names[] = {FUNCTIONS(LOADED_NAME)};
 *     ... loaded_open("libz.so.1", &zlib, names, 2, &message) ... zlib.inflate(...)
 */
#ifndef BASE_LOADED_H
#define BASE_LOADED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define LOADED_POINTER(function) __typeof__(function) *function;
#define LOADED_NAME(function) #function,

/* Sets `pointers`, a struct of `count` pointers to the functions of these names in that order. The
 * library stays loaded until the process ends. `library` is a name for the run-time linker,
 * "libz.so.1". On failure no pointer is to be used, and `message` gets one line. */
bool loaded_open(const char *library, void *pointers, const char *const *names, size_t count,
                 struct text *message);

#endif
