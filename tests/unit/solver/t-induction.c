/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counterexamples to induction name the action and both states; what is inductive has none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/prove/induction.h"
#include "tests/unit/solver/loaded.h"
#include "tests/unit/solver/meeting.h"

static void explain(struct text *text, const char *lines) {
  char protocol[2000];
  snprintf(protocol, sizeof protocol, "%s%s\n", meeting, lines);
  struct loaded loaded;
  loaded_init(&loaded, "meeting", protocol);
  assert_non_null(loaded.model);
  struct proof_options options = {.jobs = 1, .limit_ms = 1000};
  struct proof proof;
  proof_init(&proof, loaded.model, &options);
  for (size_t i = 0; i < proof.obligations.count; i++) {
    const struct obligation *o = &proof.obligations.data[i];
    if (o->proved || o->property == NULL || o->property->bound == NULL)
      continue;
    obligation_print(text, o);
    text_append(text, "\n");
    struct induction induction;
    induction_init(&induction, &proof, o);
    assert_true(induction.state.length != 0);
    text_append(text, induction.state.data);
    text_append(text, text_get(&induction.scopes));
    text_append(text, text_get(&induction.hint));
    induction_clear(&induction);
  }
  proof_clear(&proof);
  loaded_clear(&loaded);
}

static void assert_has(const struct text *text, const char *part) {
  if (strstr(text_get(text), part) == NULL)
    fail_msg("no \"%s\" in:\n%s", part, text_get(text));
}

static void test_missing_invariant(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  explain(&text, "bound b: sent M(true) within A");
  assert_has(&text, "action a.Go keeps bound b");
  assert_has(&text, "a state that has every invariant");
  assert_has(&text, "s = false");
  assert_has(&text, "then a does Go");
  assert_has(&text, "s = true");
  assert_has(&text, "M(1): pending");
  text_clear(&text);
}

static void test_received_message(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  explain(&text, "bound b: sent Done within R");
  assert_has(&text, "then z does Take on M(");
  assert_has(&text, "received");
  text_clear(&text);
}

static void test_inductive(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  explain(&text, "invariant idle: not s implies time(a) <= 0\nbound b: sent M(true) within A");
  assert_int_equal(text.length, 0);
  text_clear(&text);
}

static void test_first_state(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  explain(&text, "bound b: when not s at a within (0 - 1)*A");
  assert_has(&text, "the first state:");
  text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_missing_invariant), cmocka_unit_test(test_received_message),
      cmocka_unit_test(test_inductive), cmocka_unit_test(test_first_state)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
