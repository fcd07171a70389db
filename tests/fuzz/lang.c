/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a protocol: a model or diagnostics, and what was read without syntax errors prints
 * to text that reads the same and prints the same. With clang -fsanitize=fuzzer a libFuzzer target;
 * with -DSTANDALONE a program that replays the files it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "lang/check.h"
#include "lang/instantiate.h"
#include "lang/parse.h"
#include "lang/source.h"
#include "lang/print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool good, const char *what) {
  if (good)
    return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void check_printed(const struct ast *ast,
                          void (*print)(struct text *out, const struct ast *ast)) {
  struct text first, second;
  text_init(&first);
  text_init(&second);
  print(&first, ast);
  struct source *source = source_from_text("printed", text_get(&first), first.length);
  struct diagnostics diagnostics;
  diagnostics_init(&diagnostics);
  struct ast *again = parse(source, &diagnostics);
  expect(error_count(&diagnostics) == 0, "what was printed does not parse");
  expect(ast_equal(ast, again), "what was printed parses to something else");
  print(&second, again);
  expect(strcmp(text_get(&first), text_get(&second)) == 0, "printing is not stable");
  ast_free(again);
  diagnostics_clear(&diagnostics);
  source_free(source);
  text_clear(&first);
  text_clear(&second);
}

static void check_model(const struct model *model) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < model->invariants.count; i++)
    print_term(&text, model, model->invariants.items[i]->formula);
  int64_t *params = mem_alloc(model->params.count, sizeof *params);
  bool *given = mem_alloc(model->params.count, sizeof *given);
  for (size_t i = 0; i < model->params.count; i++) {
    params[i] = 3;
    given[i] = true;
  }
  for (size_t i = 0; i < model->roles.count; i++) {
    int64_t nodes;
    expect(!role_size(&nodes, model, model->roles.items[i], params) || nodes >= 0, "role size");
  }
  mem_free(params);
  mem_free(given);
  text_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct source *source = source_from_text("input.tp", (const char *)data, size);
  struct diagnostics diagnostics;
  diagnostics_init(&diagnostics);
  struct ast *ast = parse(source, &diagnostics);
  if (error_count(&diagnostics) == 0) {
    check_printed(ast, print_ast);
    check_printed(ast, format_ast);
  }
  struct model *model = check(ast, source, &diagnostics);
  expect((model == NULL) == (error_count(&diagnostics) != 0), "a model and errors");
  if (model != NULL)
    check_model(model);
  struct text text;
  text_init(&text);
  diagnostics_print(&text, &diagnostics, source, false);
  text_clear(&text);
  model_free(model);
  ast_free(ast);
  diagnostics_clear(&diagnostics);
  source_free(source);
  return 0;
}

#include "tests/fuzz/standalone.h"
