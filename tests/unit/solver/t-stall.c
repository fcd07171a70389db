/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The search for an execution in which a message waits for a guard, or time stands still.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/search/hunt.h"
#include "solver/search/stall.h"
#include "tests/unit/solver/loaded.h"

#define HEAD                                                                                       \
  "role a\nrole b\nexternal c\ncomponent A, B, C\ndelay d\nqueueing Q\n"                           \
  "message M : a -> b\nmessage N : a -> b\nmessage Out : b -> c\n"                                 \
  "state a { k : int = 0 }\nstate b { ready : bool = false }\n"                                    \
  "action a.First cost A { when k == 0  k := 1  send M }\n"                                        \
  "action a.Second cost B { when k == 1  k := 2  send N }\n"
#define TAIL "bound out: sent Out within 2*d + A + B + C\n"

struct found {
  size_t steps;
  bool waits; /* the message was there before the last step started, which is at its receiver */
};

/* For M; `steps` 0: nothing was found. */
static struct found look(const char *timing, const char *body) {
  struct text text, message;
  text_init(&text);
  text_init(&message);
  text_format(&text, "protocol t\ntiming %s\n%s%s%s", timing, HEAD, body, TAIL);
  struct loaded loaded;
  loaded_init(&loaded, "stall", text_get(&text));
  assert_non_null(loaded.model);
  struct interpreter *in = interpreter_new(loaded.model, NULL, &message);
  assert_non_null(in);
  struct hunt_options options = {.seed = 1, .runs = 200, .steps_max = 40, .work_max = 20000};
  struct stall stall;
  stall_init(&stall, in);
  struct stall_wanted wanted = {.kind = STALL_DEFERRED, .message = loaded.model->messages.items[0]};
  stall_find(&stall, in, &wanted, &options);
  struct found found = {.steps = stall.steps.count};
  assert_int_equal(stall.found, found.steps != 0);
  assert_true(stall.work <= 20000 + 400);
  if (stall.found) {
    const struct step_record *last = &stall.replay.records.data[found.steps - 1];
    found.waits = rational_compare(&stall.delivered, &last->start) < 0 &&
                  last->step.action->role == stall.message->receiver;
    assert_string_equal(stall.message->name, "M");
    assert_int_equal(stall.replay.verdict, REPLAY_NO_EVENT);
  }
  stall_clear(&stall);
  interpreter_free(in);
  loaded_clear(&loaded);
  text_clear(&text);
  text_clear(&message);
  return found;
}

static void finds_the_shortest(void **state) {
  (void)state;
  static const char *const timings[] = {"standard", "eager"};
  for (size_t i = 0; i < 2; i++) {
    struct found found = look(timings[i], "action b.OnN on N { ready := true }\n"
                                          "action b.OnM on M cost C { when ready  send Out }\n");
    assert_int_equal(found.steps, 3);
    assert_true(found.waits);
  }
}

static void finds_nothing_that_is_taken(void **state) {
  (void)state;
  struct found found = look("standard", "action b.OnN on N { ready := true }\n"
                                        "action b.OnM on M cost C { send Out }\n");
  assert_int_equal(found.steps, 0);
  /* a guard that turns false makes nobody wait: what it left is never taken */
  found = look("standard", "action b.OnN on N { ready := true }\n"
                           "action b.OnM on M cost C { when not ready  send Out }\n");
  assert_int_equal(found.steps, 0);
}

/* One node, which has to take the actions of `body`; of the kind, with all actions. */
static struct stall_found {
  bool found;
  size_t steps, round;
} look_alone(enum stall_kind kind, const char *body) {
  struct text text, message;
  text_init(&text);
  text_init(&message);
  text_format(&text,
              "protocol t\ntiming eager\nrole c\nexternal user\ndelay d\ncomponent C\n"
              "message Out(k: int) : c -> user\narrivals Out every 5 ms burst 1\n"
              "state c { n : int = 0 }\n%sbound out: sent Out(1) within 1 ms\n",
              body);
  struct loaded loaded;
  loaded_init(&loaded, "stall", text_get(&text));
  assert_non_null(loaded.model);
  struct interpreter *in = interpreter_new(loaded.model, NULL, &message);
  assert_non_null(in);
  struct hunt_options options = {.seed = 1, .runs = 100, .steps_max = 20, .work_max = 20000};
  struct stall_wanted wanted = {.kind = kind,
                                .actions = loaded.model->actions.items,
                                .action_count = loaded.model->actions.count};
  struct stall stall;
  stall_init(&stall, in);
  stall_find(&stall, in, &wanted, &options);
  struct stall_found found = {stall.found, stall.steps.count, stall.round};
  stall_clear(&stall);
  interpreter_free(in);
  loaded_clear(&loaded);
  text_clear(&text);
  text_clear(&message);
  return found;
}

static void finds_rounds(void **state) {
  (void)state;
  struct stall_found found = look_alone(STALL_AGAIN, "action c.A on timer 1 ms { n := 1 }\n");
  assert_true(found.found && found.steps == 2 && found.round == 1);
  found = look_alone(STALL_AGAIN, "action c.A on timer 1 ms { when n == 0  n := 1 }\n"
                                  "action c.B at once { when n == 1  n := 0 }\n");
  assert_true(found.found && found.steps == 3 && found.round == 2);
  /* a counter comes to nothing that was before, and what costs takes time */
  assert_false(look_alone(STALL_AGAIN, "action c.A on timer 1 ms { n := n + 1 }\n").found);
  assert_false(look_alone(STALL_AGAIN, "assume C >= 1 ns\n"
                                       "action c.A on timer 1 ms cost C { when n == 0  n := 1 }\n")
                   .found);
  assert_false(look_alone(STALL_AGAIN, "action c.A on timer 1 ms { when n == 0  n := 1 }\n").found);
}

static void finds_what_may_not_be_sent(void **state) {
  (void)state;
  struct stall_found found = look_alone(
      STALL_LIMITED, "action c.A on timer 1 ms { when n < 2  n := n + 1  send Out(n) }\n");
  assert_true(found.found && found.steps == 1);
  found = look_alone(STALL_LIMITED, "action c.A on timer 1 ms { when n < 1  n := 1  send Out(1)  "
                                    "send Out(2) }\n");
  assert_true(found.found && found.steps == 0);
  assert_false(look_alone(STALL_LIMITED,
                          "action c.A on timer 1 ms { when n == 0  n := 1  send Out(1) }\n"
                          "action c.B on timer 6 ms { when n == 1  n := 2  send Out(2) }\n")
                   .found);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_shortest), cmocka_unit_test(finds_nothing_that_is_taken),
      cmocka_unit_test(finds_rounds), cmocka_unit_test(finds_what_may_not_be_sent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
