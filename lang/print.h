/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Back to text in the one canonical form: two spaces of indentation, at most 100 columns where a
 * line can be broken, one blank line where the writer left some. What is printed parses to the same
 * tree, and printing that gives the same text. Comments stay: one on a line of its own before what
 * follows it, one behind a declaration or statement on its line; one inside goes before it.
 */
#ifndef LANG_PRINT_H
#define LANG_PRINT_H

#include "lang/ast.h"

/* Appends a tree without syntax errors. */
void print_ast(struct text *out, const struct ast *ast);

/* Appends a term of a checked model, as a user writes it, on one line. */
void print_term(struct text *out, const struct model *model, const struct term *term);

#endif
