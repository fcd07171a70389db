/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Back to text. What is printed parses to the same tree, and printing that gives the same text.
 * Two spaces of indentation, lines broken to 100 columns where they can be, one blank line where
 * the writer left some. Comments stay: one on a line of its own before what follows it, one behind
 * a declaration or statement on its line; one inside goes before it.
 */
#ifndef LANG_PRINT_H
#define LANG_PRINT_H

#include "lang/ast.h"

/* Appends a tree without syntax errors, whose layout nobody chose: it was made. */
void print_ast(struct text *out, const struct ast *ast);

/* The same for one that somebody wrote: keeps line breaks, columns (layout.h), parentheses that are
 * not needed, and what is between braces on one line. */
void format_ast(struct text *out, const struct ast *ast);

/* Appends a term of a checked model, as a user writes it, on one line. */
void print_term(struct text *out, const struct model *model, const struct term *term);

#endif
