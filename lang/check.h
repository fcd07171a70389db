/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Syntax tree to checked model (model.h). All mistakes go to the queue, in the order of their
 * places; NULL when the queue holds an error, also one of the parser. The caller owns the model
 * (model_free), which points neither into the tree nor into the source.
 */
#ifndef LANG_CHECK_H
#define LANG_CHECK_H

#include "lang/ast.h"
#include "lang/diagnostic.h"

struct model *check(const struct ast *ast, const struct source *source,
                    struct diagnostics *diagnostics);

#endif
