/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of functions as people wrote them, of C++, Rust, D and Ada: by GNU libiberty.
 */
#ifndef MEASURE_PROFILE_DEMANGLE_H
#define MEASURE_PROFILE_DEMANGLE_H

#include "base/text.h"

/* Appends the name: demangled, without the types of its parameters, so that functions of one name
 * are one; as it is where it is not mangled. */
void demangle(struct text *text, const char *name);

#endif
