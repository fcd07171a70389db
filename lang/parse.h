/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text to syntax tree. Syntax errors go to the queue, as many as the text has; the tree then holds
 * what could be read and is good for nothing but ast_free. Never NULL. The caller owns the tree,
 * which does not point into the source.
 */
#ifndef LANG_PARSE_H
#define LANG_PARSE_H

#include "lang/ast.h"
#include "lang/diagnostic.h"

struct ast *parse(const struct source *source, struct diagnostics *diagnostics);

#endif
