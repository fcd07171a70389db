/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The warnings that only a proof can give: which actions are never taken, which messages never
 * received. That the examples of `tailproof explain` give them is tested in
 * tests/unit/lang/t-explain.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/tell/unused.h"
#include "tests/unit/solver/loaded.h"

#define HEAD                                                                                       \
  "protocol t\nrole a\nrole b\nexternal c\ncomponent A\nrepeated B\ndelay d\n"                     \
  "message M : a -> b\nmessage N : a -> c\nmessage Out : b -> c\n"                                 \
  "state a { done : bool = false }\nstate b { never : bool = false }\n"                            \
  "action a.Go cost A { when not done  done := true  send M  send N }\n"
#define NEVER "invariant no: not never\n"
#define BOUND "bound out: delivered N within 2*A + 2*d\n"

/* "W0506 14" of each warning: its code and line, by place. */
static void expect(const char *body, const char *expected) {
  struct text text, found;
  text_init(&text);
  text_init(&found);
  text_format(&text, "%s%s", HEAD, body);
  struct loaded loaded;
  loaded_init(&loaded, "unused", text_get(&text));
  assert_non_null(loaded.model);
  struct proof_options options = {.jobs = 1, .limit_ms = 1000};
  struct proof proof;
  proof_init(&proof, loaded.model, &options);
  struct diagnostics queue;
  diagnostics_init(&queue);
  bool *never = unused_actions(&proof);
  unused_warn(&queue, loaded.model, never);
  mem_free(never);
  diagnostics_sort(&queue);
  for (size_t i = 0; i < queue.items.count; i++) {
    struct diagnostic_view view = diagnostics_view(&queue, i, loaded.source);
    text_format(&found, "%s %zu: %s\n", view.code, view.line, view.message);
  }
  assert_int_equal(error_count(&queue), 0);
  assert_string_equal(text_get(&found), expected);
  diagnostics_clear(&queue);
  proof_clear(&proof);
  loaded_clear(&loaded);
  text_clear(&text);
  text_clear(&found);
}

static void actions_and_messages(void **state) {
  (void)state;
  expect("action b.Get on M cost B { send Out }\n" NEVER BOUND, "");
  expect("action b.Get on M cost B { when never  send Out }\n" NEVER BOUND,
         "W0507 8: message \"M\" is never received: what takes it never acts\n"
         "W0506 14: action \"b.Get\" is never taken: the invariants rule it out\n");
  expect("action b.Get on M cost B { send Out }\n"
         "action b.Other on M cost B { when never  never := false }\n" NEVER BOUND,
         "W0506 15: action \"b.Other\" is never taken: the invariants rule it out\n");
  expect(BOUND, "W0507 8: message \"M\" is never received: no action takes it\n");
  /* a bound watches it */
  expect("bound out: delivered M within 2*A + 2*d\n", "");
}

/* An invariant that is none rules nothing out. */
static void only_by_what_is_proved(void **state) {
  (void)state;
  expect("action b.Get on M cost B { when never  send Out }\n"
         "action b.Set cost B { when not never  never := true }\n"
         "invariant wrong: not never\n" BOUND,
         "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(actions_and_messages),
                                     cmocka_unit_test(only_by_what_is_proved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
