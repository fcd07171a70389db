/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scripts in SMT-LIB 2 for other solvers: what Z3 prints, without the attributes that only Z3
 * knows.
 */
#ifndef SOLVER_SMT_SMTLIB_H
#define SOLVER_SMT_SMTLIB_H

#include "base/text.h"

/* Appends the script without the `:weight N` of its quantifiers (a hint, without meaning); an
 * annotation `(! F)` of which nothing else is left becomes F. The names of shared subterms are
 * numbered in order of appearance. */
void smtlib_portable(struct text *out, const char *script);

#endif
