/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/read.h"

#include "lang/check.h"
#include "lang/parse.h"

struct model *read_model(const struct source *source, struct text *message) {
  struct diagnostics diagnostics;
  diagnostics_init(&diagnostics);
  struct ast *ast = parse(source, &diagnostics);
  struct model *model = NULL;
  if (error_count(&diagnostics) == 0)
    model = check(ast, source, &diagnostics);
  if (model == NULL)
    diagnostics_print(message, &diagnostics, source, false);
  ast_free(ast);
  diagnostics_clear(&diagnostics);
  return model;
}
