/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Abbreviations written out: `let T(w: worker) = d(Job(w)) + Work[w]` stands for its body.
 *
 * T(x) becomes the body with x for w. Substitution avoids capture: a variable that the body binds
 * gets a new name where its own is taken, and the body sees no variable of the place that uses it.
 */
#ifndef LANG_EXPAND_H
#define LANG_EXPAND_H

#include "lang/ast.h"
#include "lang/diagnostic.h"

/* A tree that says the same as `ast` without a use of an abbreviation; its `let` declarations are
 * kept, for their names. Reports what is wrong in a use, and abbreviations that nobody uses. The
 * result shares nodes with `ast`, which outlives it; the caller frees it (ast_free). */
struct ast *ast_expand(const struct ast *ast, struct diagnostics *diagnostics);

#endif
