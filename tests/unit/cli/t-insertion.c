/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where inferred lines go in a file, and when a file is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/question/verify/insertion.h"
#include "lang/check.h"
#include "lang/parse.h"
#include "lang/source.h"
#include "solver/infer/infer.h"
#include "solver/verify.h"

/* Two steps with a message between them; what follows is the claims. */
static const char head[] = "protocol p\nrole a\nrole b\ncomponent A, B\ndelay d\nqueueing Q\n"
                           "message M : a -> b\nmessage N : b -> a\n"
                           "state a { begun : bool = false }\n"
                           "action a.Go cost A { when not begun  begun := true  send M }\n"
                           "action b.Take on M cost B { send N }\n";
#define MISSING                                                                                    \
  "invariant order_1: not begun implies time(a) <= 0\n"                                            \
  "invariant order_2: pending M implies time(b) <= time(M)\n"                                      \
  "invariant order_4: not received M implies time(b) <= 0\n"                                       \
  "invariant m_time: sent M implies time(M) <= A + d(M)\n"

struct insert {
  struct source *source;
  struct ast *ast;
  struct model *model;
  struct inference inference;
  struct verification verification;
  struct insertion insertion;
};

static void insert_init(struct insert *t, const char *claims) {
  struct text text, message;
  text_init(&text);
  text_init(&message);
  text_append(&text, head);
  text_append(&text, claims);
  t->source = source_from_text("p.tp", text.data, text.length);
  struct diagnostics queue;
  diagnostics_init(&queue);
  t->ast = parse(t->source, &queue);
  t->model = check(t->ast, t->source, &queue);
  assert_non_null(t->model);
  diagnostics_clear(&queue);
  struct infer_options infer = {.jobs = 1, .limit_ms = 10000};
  inference_init(&t->inference, t->model, &infer);
  struct verify_options how = {
      .jobs = 1, .limit_ms = 10000, .search_seconds = 5, .fallen = t->inference.fallen};
  verification_init(&t->verification, &t->inference.model, &how);
  assert_int_equal(
      insertion_init(&t->insertion, t->source, t->ast, &t->inference, &t->verification, &message),
      STATUS_OK);
  text_clear(&message);
  text_clear(&text);
}

static void insert_clear(struct insert *t) {
  insertion_clear(&t->insertion);
  verification_clear(&t->verification);
  inference_clear(&t->inference);
  model_free(t->model);
  ast_free(t->ast);
  source_free(t->source);
}

/* `claims` become `expected`, in which MISSING is what was found. */
static void expect(const char *claims, const char *expected, size_t invariants, size_t bounds) {
  struct insert t;
  insert_init(&t, claims);
  assert_memory_equal(text_get(&t.insertion.text), head, sizeof head - 1);
  assert_string_equal(text_get(&t.insertion.text) + sizeof head - 1, expected);
  assert_int_equal(t.insertion.invariants, invariants);
  assert_int_equal(t.insertion.bounds, bounds);
  insert_clear(&t);
}

#define ASKED "bound asked: delivered N within ?"
#define ANSWER "bound asked: delivered N within A + d(M) + B + d(N)"

static void test_places(void **state) {
  (void)state;
  expect(ASKED "\n", MISSING ANSWER "\n", 4, 1);
  expect(ASKED, MISSING ANSWER, 4, 1); /* no newline at the end of the file */
  expect("\n# What is asked,\n# of whom.\n" ASKED "  # when\n",
         "\n" MISSING "# What is asked,\n# of whom.\n" ANSWER "  # when\n", 4, 1);
  expect("invariant one: begun or not sent M  # first\n\n" ASKED "\n",
         "invariant one: begun or not sent M  # first\n" MISSING "\n" ANSWER "\n", 4, 1);
  expect("invariant one: begun or not sent M bound asked:\n  delivered N within ?\n",
         "invariant one: begun or not sent M\n" MISSING " bound asked:\n  delivered N within "
         "A + d(M) + B + d(N)\n",
         4, 1);
  expect(MISSING ANSWER "\n", MISSING ANSWER "\n", 0, 0);
}

/* A file that somebody has edited meanwhile keeps what they wrote. */
static void test_edited(void **state) {
  (void)state;
  char path[] = "/tmp/t-insertion.XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  struct insert t;
  struct text message;
  insert_init(&t, ASKED "\n");
  text_init(&message);
  assert_int_equal(file_write(path, t.source->bytes, t.source->length, &message), STATUS_OK);
  assert_int_equal(insertion_write(&t.insertion, path, t.source, &message), STATUS_OK);
  assert_int_equal(insertion_write(&t.insertion, path, t.source, &message), STATUS_DATA);
  assert_non_null(strstr(text_get(&message), "has changed since it was read"));
  char *bytes;
  size_t length;
  assert_int_equal(file_read(path, 1 << 20, &bytes, &length, &message), STATUS_OK);
  assert_string_equal(bytes, text_get(&t.insertion.text));
  mem_free(bytes);
  assert_int_equal(unlink(path), 0);
  text_clear(&message);
  assert_int_equal(insertion_write(&t.insertion, path, t.source, &message), STATUS_NO_INPUT);
  text_clear(&message);
  insert_clear(&t);
}

static void test_count(void **state) {
  (void)state;
  static const struct {
    size_t invariants, bounds;
    const char *said;
  } cases[] = {{0, 0, "0 invariants"},
               {1, 0, "1 invariant"},
               {0, 2, "2 bounds"},
               {3, 1, "3 invariants and 1 bound"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct insertion insertion = {.invariants = cases[i].invariants, .bounds = cases[i].bounds};
    struct text text;
    text_init(&text);
    insertion_count(&text, &insertion);
    assert_string_equal(text.data, cases[i].said);
    text_clear(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_edited),
      cmocka_unit_test(test_count),
  };
  return cmocka_run_group_tests_name("cli/question/verify/insertion", tests, NULL, NULL);
}
