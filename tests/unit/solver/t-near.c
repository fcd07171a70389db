/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Of many facts the solver is first told those that are near a step (solver/prove/session.h): few
 * of a long chain of stages. What needs others is proved all the same.
 */
#include "tests/unit/base/breaks.h"

#include "base/text.h"
#include "solver/prove/session.h"
#include "tests/unit/solver/loaded.h"

enum { STAGES = 45 };

/* Beside the stages: x implies w, by way of z, of which neither the step nor this speaks. */
static const char by_way[] =
    "state stage0 { w : bool = false  x : bool = false  y : bool = false  z : bool = false }\n"
    "action stage0.W { when not w  w := true }\n"
    "action stage0.Z { when w and not z  z := true }\n"
    "action stage0.Y { when z and not y  y := true }\n"
    "action stage0.X { when y and not x  x := true }\n"
    "invariant y_z: y implies z\n"
    "invariant z_w: z implies w\n"
    "invariant x_w: x implies w\n";

static void write_chain(struct text *t) {
  text_append(t, "protocol chain\ndelay d\nqueueing Q\nexternal client\n");
  for (int i = 0; i <= STAGES; i++)
    text_format(t, "role stage%d\ncomponent C%d\n", i, i);
  for (int i = 0; i < STAGES; i++)
    text_format(t, "message M%d : stage%d -> stage%d\n", i, i, i + 1);
  text_format(t, "message M%d : stage%d -> client\n", STAGES, STAGES);
  text_append(t, "state stage0 { begun : bool = false }\n"
                 "action stage0.Begin cost C0 { when not begun  begun := true  send M0 }\n");
  for (int i = 1; i <= STAGES; i++)
    text_format(t, "action stage%d.Step on M%d cost C%d { send M%d }\n", i, i - 1, i, i);
  text_append(t, by_way);
  text_append(t, "invariant fresh: not begun implies time(stage0) <= 0 ns\n"
                 "invariant time0: sent M0 implies time(M0) <= C0 + d(M0)\n");
  for (int i = 1; i <= STAGES; i++)
    text_format(t,
                "invariant time%d: sent M%d implies time(M%d) <= time(M%d) + Q(M%d) + C%d + "
                "d(M%d)\n",
                i, i, i, i - 1, i - 1, i, i);
  text_format(t, "bound last: from sent M%d delivered M%d within Q(M%d) + C%d + d(M%d) + d(M%d)\n",
              STAGES - 1, STAGES, STAGES - 1, STAGES, STAGES, STAGES - 1);
}

static const struct action *action_named(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->actions.count; i++)
    if (strcmp(model->actions.items[i]->name, name) == 0)
      return model->actions.items[i];
  fail_msg("no action %s", name);
  return NULL;
}

static bool asserts(const struct session *s, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (s->facts.data[i].property != NULL && strcmp(s->facts.data[i].property->name, name) == 0)
      return true;
  return false;
}

static void few_are_near(const struct proof *proof, const struct proof_options *options) {
  struct session_place place = {.action = action_named(proof->properties.model, "stage20.Step")};
  struct session s;
  session_open(&s, proof, options, &place);
  assert_true(s.facts.count >= MANY_FACTS);
  assert_true(s.near > 0 && s.near < s.facts.count / 4);
  assert_true(asserts(&s, s.near, "time19") && asserts(&s, s.near, "time20"));
  assert_false(asserts(&s, s.near, "time30"));
  assert_true(asserts(&s, s.facts.count, "time30"));
  session_close(&s);
}

static void near(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  write_chain(&text);
  struct loaded p;
  loaded_init(&p, "chain.tp", text_get(&text));
  text_clear(&text);
  assert_non_null(p.model);
  struct proof proof;
  struct proof_options options = {.jobs = 1, .limit_ms = 10000};
  proof_init(&proof, p.model, &options);
  bool far = false;
  for (size_t i = 0; i < proof.obligations.count; i++) {
    struct text name;
    text_init(&name);
    obligation_print(&name, &proof.obligations.data[i]);
    if (!proof.obligations.data[i].proved)
      fail_msg("not proved: %s", text_get(&name));
    far = far || strcmp(text_get(&name), "action stage0.X keeps invariant x_w") == 0;
    text_clear(&name);
  }
  assert_true(far);
  few_are_near(&proof, &options);
  proof_clear(&proof);
  loaded_clear(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(near)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
