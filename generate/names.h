/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The names of generated C: which ones C, C++, ACSL, system headers and the library have already,
 * and that no two things of a protocol get the same one.
 */
#ifndef GENERATE_NAMES_H
#define GENERATE_NAMES_H

#include "generate/generate.h"
#include "generate/plan.h"

/* Whether the name means something already: a word of C, C++ or ACSL, a macro or type of the system
 * headers that generated code includes, a macro of compilers in their own dialects, or a name that
 * the library or the generated functions themselves use. */
bool name_is_taken(const char *name);

/* Refuses a protocol whose generated names would be taken or double, such as those of a role `a`
 * with an action `b_c` beside a role `a_b` with an action `c`. */
void names_refuse(struct plan_context *context);

/* Refuses files of which one would be written over another, be left out of the proof for its name,
 * or take the place of a file of the library. */
void names_refuse_files(struct plan_context *context, const struct generated *generated);

#endif
