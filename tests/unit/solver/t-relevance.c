/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which part of a formula is about what matters (solver/search/relevance.h): what follows upon a
 * question, or goes on beside it, is left out.
 */
#include "tests/unit/base/breaks.h"

#include "base/text.h"
#include "lang/print.h"
#include "solver/search/relevance.h"
#include "tests/unit/solver/loaded.h"

/* What is known of M, and of N behind it. */
static const char protocol[] =
    "protocol parts\n"
    "role a\nparam n : int >= 1\nrole b[n]\nrole c\n"
    "component A, B[b]\ndelay d\n"
    "message M(x: b) : a -> b x\n"
    "message N(x: b) : b x -> c\n"
    "state a { asked : bool = false }\n"
    "state b { told : bool = false }\n"
    "state c { heard : set of b = {} }\n"
    "action a.Ask cost A { when not asked  asked := true  send M(x) for all x in b }\n"
    "action b x.Tell on M(x) cost B[x] { told := true  send N(x) }\n"
    "action c.Hear on N(x) { heard := heard + {x} }\n"
    "invariant whole: forall x in b. sent M(x) implies a.asked\n"
    "invariant both: forall x in b. (sent M(x) implies a.asked) and (sent N(x) implies x.told)\n"
    "invariant three: (a.asked or A >= 0 ns) and c.heard == {} and A >= 0 ns\n"
    "invariant after: a.asked implies (forall x in b. sent N(x)) and (forall x in b. sent M(x))\n"
    "invariant when_told: forall x in b. x.told implies sent M(x)\n"
    "invariant among: forall x in c.heard. sent M(x)\n"
    "invariant none: forall x in b. sent N(x) implies x in c.heard\n"
    "invariant delayed: forall x in b. a.asked implies A <= A + d(M(x))\n"
    "bound told: delivered N(first) within A\n";

/* Of what the sending of M depends on. */
static void part(void **state) {
  (void)state;
  static const char *const parts[] = {
      "forall x in b. sent M(x) implies asked",
      "forall x in b. sent M(x) implies asked",
      "(asked or A >= 0) and A >= 0",
      "asked implies forall x in b. sent M(x)",
      NULL,
      NULL,
      NULL,
  };
  struct loaded p;
  loaded_init(&p, "parts.tp", protocol);
  assert_non_null(p.model);
  struct needs needs;
  needs_init(&needs, p.model);
  needs_add_term(&needs, p.model->invariants.items[0]->formula);
  needs_close(&needs);
  struct arena arena;
  arena_init(&arena);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const struct term *formula = p.model->invariants.items[i]->formula;
    const struct term *made = needs_part(&needs, &arena, formula);
    struct text text;
    text_init(&text);
    if (made != NULL)
      print_term(&text, p.model, made);
    assert_string_equal(made == NULL ? "none" : text_get(&text),
                        parts[i] == NULL ? "none" : parts[i]);
    assert_true(i != 0 || made == formula);
    text_clear(&text);
  }
  arena_clear(&arena);
  needs_clear(&needs);
  loaded_clear(&p);
}

/* What the step b.Tell changes: it receives M, sends N, and assigns `told`. */
static void effects(void **state) {
  (void)state;
  static const bool meets[] = {true, true, false, true, true, true, true};
  struct loaded p;
  loaded_init(&p, "parts.tp", protocol);
  assert_non_null(p.model);
  for (size_t k = 0; k < 2; k++) {
    struct needs needs;
    needs_init(&needs, p.model);
    needs.but_delays = k == 1;
    needs_add_effects(&needs, p.model->actions.items[1]);
    for (size_t i = 0; i < p.model->invariants.count - 1; i++)
      assert_int_equal(needs_meet(&needs, p.model->invariants.items[i]->formula), meets[i]);
    assert_int_equal(needs_meet(&needs, p.model->invariants.items[7]->formula), k == 0);
    needs_clear(&needs);
  }
  loaded_clear(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(part), cmocka_unit_test(effects)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
