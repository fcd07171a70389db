/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every code is explained; the wrong example has that mistake and no error besides, the right one
 * has no error at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lang/check.h"
#include "lang/explain.h"
#include "lang/parse.h"
#include "lang/source.h"
#include "solver/tell/unused.h"

static void prove(struct diagnostics *queue, const struct model *model) {
  struct proof_options options = {.jobs = 1, .limit_ms = 1000};
  struct proof proof;
  proof_init(&proof, model, &options);
  bool *never = unused_actions(&proof);
  unused_warn(queue, model, never);
  mem_free(never);
  proof_clear(&proof);
}

/* Counts how often the example gives the code, and its errors of other codes. */
static void examine(const struct diagnostic_explanation *e, const char *example,
                    enum diagnostic_code code, size_t *found, size_t *others) {
  struct text text, printed;
  text_init(&text);
  text_init(&printed);
  explain_source(&text, e, example);
  struct source *source = source_from_text("example.tp", text_get(&text), text.length);
  struct diagnostics queue;
  diagnostics_init(&queue);
  struct ast *ast = parse(source, &queue);
  struct model *model = error_count(&queue) == 0 ? check(ast, source, &queue) : NULL;
  if (model != NULL && diagnostic_needs_proof(code))
    prove(&queue, model);
  *found = *others = 0;
  for (size_t i = 0; i < queue.items.count; i++) {
    enum diagnostic_code got = queue.items.data[i].code;
    *found += got == code;
    *others += got != code && diagnostic_is_error(got);
  }
  diagnostics_print(&printed, &queue, source, false);
  if (*others != 0)
    print_message("%s\n%s\n", diagnostic_code_name(code), text_get(&printed));
  model_free(model);
  ast_free(ast);
  diagnostics_clear(&queue);
  source_free(source);
  text_clear(&text);
  text_clear(&printed);
}

static void test_frame(void **state) {
  (void)state;
  struct diagnostic_explanation whole = {.context = EXPLAIN_WHOLE};
  size_t found, others;
  examine(&whole, explain_frame(), DIAGNOSTIC_E0101, &found, &others);
  assert_int_equal(found + others, 0);
}

static void test_every_code(void **state) {
  (void)state;
  size_t wrong = 0;
  for (size_t i = 0; i < DIAGNOSTIC_COUNT; i++) {
    enum diagnostic_code code = (enum diagnostic_code)i;
    const struct diagnostic_explanation *e = explanation_of(code);
    if (e == NULL) {
      print_message("%s has no explanation\n", diagnostic_code_name(code));
      wrong++;
      continue;
    }
    size_t found, others;
    examine(e, e->wrong, code, &found, &others);
    if (found == 0 || others != 0) {
      print_message("%s: its wrong example gives it %zu times, %zu other errors\n",
                    diagnostic_code_name(code), found, others);
      wrong++;
    }
    examine(e, e->right, code, &found, &others);
    if (found + others != 0) {
      print_message("%s: its right example gives it %zu times, %zu other errors\n",
                    diagnostic_code_name(code), found, others);
      wrong++;
    }
  }
  assert_int_equal(wrong, 0);
}

static void test_find(void **state) {
  (void)state;
  for (size_t i = 0; i < DIAGNOSTIC_COUNT; i++) {
    enum diagnostic_code code = DIAGNOSTIC_COUNT;
    assert_true(diagnostic_code_find(&code, diagnostic_code_name((enum diagnostic_code)i)));
    assert_int_equal(code, i);
  }
  enum diagnostic_code code = DIAGNOSTIC_COUNT;
  assert_true(diagnostic_code_find(&code, "e0203"));
  assert_int_equal(code, DIAGNOSTIC_E0203);
  assert_false(diagnostic_code_find(&code, "E9999"));
  assert_false(diagnostic_code_find(&code, ""));
  assert_false(diagnostic_code_find(&code, "E020"));
}

/* Printed: ASCII only, no line longer than a terminal's. */
static void test_print(void **state) {
  (void)state;
  for (size_t i = 0; i < DIAGNOSTIC_COUNT; i++) {
    struct text out;
    text_init(&out);
    explain_print(&out, (enum diagnostic_code)i);
    size_t column = 0;
    for (size_t k = 0; k < out.length; k++) {
      column = out.data[k] == '\n' ? 0 : column + 1;
      assert_true(column <= 100);
      assert_true(out.data[k] == '\n' || (out.data[k] >= 0x20 && out.data[k] < 0x7F));
    }
    assert_true(strstr(text_get(&out), " ...\n") == NULL || i == DIAGNOSTIC_E0105);
    assert_non_null(strstr(text_get(&out), "\nWrong:\n"));
    assert_non_null(strstr(text_get(&out), "\nRight:\n"));
    text_clear(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frame),
      cmocka_unit_test(test_every_code),
      cmocka_unit_test(test_find),
      cmocka_unit_test(test_print),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
