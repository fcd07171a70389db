/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A protocol from a text, for the tests of generate/.
 */
#ifndef TESTS_UNIT_GENERATE_PROTOCOL_TEXT_H
#define TESTS_UNIT_GENERATE_PROTOCOL_TEXT_H

#include <string.h>

#include "lang/check.h"
#include "lang/parse.h"
#include "lang/source.h"

struct protocol_text {
  struct source *source;
  struct ast *ast;
  struct model *model;
};

/* The text has no mistake. */
static inline void protocol_text_make(struct protocol_text *made, const char *text) {
  struct diagnostics queue;
  diagnostics_init(&queue);
  made->source = source_from_text("test.tp", text, strlen(text));
  made->ast = parse(made->source, &queue);
  made->model = check(made->ast, made->source, &queue);
  struct text out;
  text_init(&out);
  diagnostics_print(&out, &queue, made->source, false);
  if (made->model == NULL)
    print_message("%s", text_get(&out));
  assert_non_null(made->model);
  text_clear(&out);
  diagnostics_clear(&queue);
}

static inline void protocol_text_clear(struct protocol_text *made) {
  model_free(made->model);
  ast_free(made->ast);
  source_free(made->source);
}

#endif
