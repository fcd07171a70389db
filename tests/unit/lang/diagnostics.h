/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a test of diagnostics needs: the diagnostics of a text as lines, and which codes were seen.
 */
#ifndef TESTS_UNIT_LANG_DIAGNOSTICS_H
#define TESTS_UNIT_LANG_DIAGNOSTICS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lang/check.h"
#include "lang/parse.h"
#include "lang/source.h"

static bool exercised[DIAGNOSTIC_COUNT];

static void report(struct text *out, const char *text, size_t length, struct text *printed) {
  struct source *source = source_from_text("test.tp", text, length);
  struct diagnostics queue;
  diagnostics_init(&queue);
  struct ast *ast = parse(source, &queue);
  struct model *model = check(ast, source, &queue);
  assert_int_equal(model == NULL, error_count(&queue) != 0);
  for (size_t i = 0; i < queue.items.count; i++) {
    struct diagnostic_view v = diagnostics_view(&queue, i, source);
    text_format(out, "%s %zu:%zu %s\n", v.code, v.line, v.column, v.message);
    exercised[queue.items.data[i].code] = true;
  }
  if (printed != NULL)
    diagnostics_print(printed, &queue, source, false);
  model_free(model);
  ast_free(ast);
  diagnostics_clear(&queue);
  source_free(source);
}

static void expect(const char *source, const char *diagnostics) {
  struct text out;
  text_init(&out);
  report(&out, source, strlen(source), NULL);
  if (strcmp(text_get(&out), diagnostics) != 0)
    print_message("in:\n%s\n", source);
  assert_string_equal(text_get(&out), diagnostics);
  text_clear(&out);
}

#endif
