/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that compilers and headers have already: scripts/reserved.py asks them and writes the
 * lists.
 */
#ifndef GENERATE_RESERVED_H
#define GENERATE_RESERVED_H

#include <stdbool.h>

/* Whether the name is a word of C, of C++ up to C++23 or of ACSL, a macro that a compiler or
 * Frama-C's preprocessor defines by itself, or a macro, type or tag of a header that generated code
 * includes: nothing can have it, not even a member. */
bool reserved_is_word(const char *name);

/* Whether it is a function or variable of these headers, or a function that compilers know by
 * themselves ("clock_gettime"): what is declared outside functions cannot have it, a member can. */
bool reserved_is_outside(const char *name);

#endif
