/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A protocol given as text, parsed and checked; a text with a mistake fails the test.
 */
#ifndef TESTS_UNIT_SOLVER_LOADED_H
#define TESTS_UNIT_SOLVER_LOADED_H

#include <stdio.h>
#include <string.h>

#include "lang/check.h"
#include "lang/parse.h"
#include "lang/source.h"

struct loaded {
  struct source *source;
  struct ast *ast;
  struct model *model; /* NULL after a mistake, which is then on stderr */
};

static inline void loaded_init(struct loaded *loaded, const char *name, const char *text) {
  struct diagnostics diagnostics;
  diagnostics_init(&diagnostics);
  *loaded = (struct loaded){.source = source_from_text(name, text, strlen(text))};
  loaded->ast = parse(loaded->source, &diagnostics);
  if (error_count(&diagnostics) == 0)
    loaded->model = check(loaded->ast, loaded->source, &diagnostics);
  if (loaded->model == NULL) {
    struct text errors;
    text_init(&errors);
    diagnostics_print(&errors, &diagnostics, loaded->source, false);
    fprintf(stderr, "%s\n", text_get(&errors));
    text_clear(&errors);
  }
  diagnostics_clear(&diagnostics);
}

static inline void loaded_clear(struct loaded *loaded) {
  model_free(loaded->model);
  ast_free(loaded->ast);
  source_free(loaded->source);
}

#endif
