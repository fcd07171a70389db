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

static void explain_in(struct text *text, const char *header, const char *lines) {
  char protocol[3000];
  snprintf(protocol, sizeof protocol, "%s%s\n", header, lines);
  struct loaded loaded;
  loaded_init(&loaded, "meeting", protocol);
  assert_non_null(loaded.model);
  struct proof_options options = {.jobs = 1, .limit_ms = 1000};
  struct proof proof;
  proof_init(&proof, loaded.model, &options);
  for (size_t i = 0; i < proof.obligations.count; i++) {
    const struct obligation *o = &proof.obligations.data[i];
    if (o->proved || o->property == NULL || o->property->kind == PROPERTY_GENERATED)
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

static void explain(struct text *text, const char *lines) {
  explain_in(text, meeting, lines);
}

static void assert_has_not(const struct text *text, const char *part) {
  if (strstr(text_get(text), part) != NULL)
    fail_msg("\"%s\" in:\n%s", part, text_get(text));
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
  assert_has(&text, "to be shown: action a.Go keeps bound b");
  assert_has(&text, "a state that has every invariant");
  assert_has(&text, "s = false");
  assert_has(&text, "then a does Go");
  assert_has(&text, "s = true");
  assert_has(&text, "M(true): pending");
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

/* a sends M(1), M(2), ...; b keeps the last number. */
#define NUMBERED                                                                                   \
  "role a\nrole b[2]\nexternal c\ncomponent Go, Do[int]\nqueueing Q\n"                             \
  "message M(k: int) : a -> b over d fifo\nmessage Out(k: int) : b -> c over d\n"                  \
  "state a { n : int = 0 }\nstate b { last : int = 0  due : time = 3 ms }\n"                       \
  "action a.Go cost Go { when n == 0  n := 1  send M(1) to last }\n"                               \
  "action b x.Do on M(k) cost Do[k] { last := k  send Out(k) }\n"                                  \
  "invariant idle: n == 0 implies time(a) <= 0\n"                                                  \
  "invariant numbered: forall j in int. sent M(j) implies 0 <= j and j <= 3\n"                     \
  "invariant early: forall j in int. sent M(j) implies time(M(j)) <= Go + d(M(j))\n"               \
  "delay d\nbound o: sent Out(1) within Go + d(M(1)) + Q(M(1)) + Do[1]\n"

/* What is received was sent, so it has what the invariants say of what was sent. */
static void test_integers_in_range(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  explain_in(&text, "protocol p\n" NUMBERED, "invariant few: forall x in b. x.last <= 2");
  assert_has(&text, "to be shown: action b.Do keeps invariant few");
  assert_has(&text, "]: pending, sent as number ");
  assert_has(&text, "M(3) to b[");
  assert_has(&text, "does Do on M(3)");
  assert_has_not(&text, "M(4)");
  assert_has_not(&text, "M(41)");
  text_clear(&text);
}

static void test_the_smallest(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  explain_in(&text, "protocol p\ntiming eager\n" NUMBERED,
             "invariant few: forall x in b. x.last <= 2");
  assert_has(&text, "      now 0\n      a: clock 0, n = ");
  assert_has(&text, "      b[0]: clock 0, last = 0, due = 3000000\n");
  assert_has(&text, "      b[1]: clock 0, last = 0, due = 3000000\n");
  assert_has(&text, "      it takes Do[3] = 0, and may be late by Q(M(3)) = 0\n");
  assert_has(&text, "      charged: Do[3]\n");
  assert_has_not(&text, "M(1)");
  assert_has_not(&text, "clock 0.");
  text_clear(&text);
}

static void test_arrivals(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  explain_in(&text,
             "protocol p\ntiming advanced\nrole a\nrole z\ncomponent A\nrepeated W\ndelay d\n"
             "message M : a -> z\nstate z { w : bool = false }\n"
             "action a.Go cost A { send M }\naction z.Take on M cost W { w := true }\n",
             "bound b: when w at z within W");
  assert_has(&text, "      z: clock 0, arrival 0, w = false\n");
  text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_missing_invariant), cmocka_unit_test(test_received_message),
      cmocka_unit_test(test_inductive),         cmocka_unit_test(test_first_state),
      cmocka_unit_test(test_integers_in_range), cmocka_unit_test(test_the_smallest),
      cmocka_unit_test(test_arrivals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
