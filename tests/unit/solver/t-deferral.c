/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which messages have to be shown not to wait for a guard, and for which of them that is so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/prove/proof.h"
#include "tests/unit/solver/loaded.h"

#define HEAD                                                                                       \
  "param P : time\nrole a\nrole b\nexternal c\nrepeated A, B\ndelay d\n"                           \
  "message M : a -> b\nmessage N : a -> b\nmessage Out : b -> c\n"                                 \
  "state a { done : bool = false }\nstate b { ready : bool = false  k : int = 0 }\n"               \
  "action a.Go cost A { when not done  done := true  send M  send N }\n"
#define READY "action b.OnN on N cost B { ready := true }\n"
#define TAKE "action b.OnM on M cost B { when ready  send Out }\n"
#define QUEUEING "queueing Q\n"
#define BOUND "bound out: sent Out within 2*A + 2*B\n"

/* "M b.OnN open": of each obligation, what waits for what (nothing: for time) and whether it was
 * shown. */
static void expect(const char *body, const char *expected) {
  struct text text, found;
  text_init(&text);
  text_init(&found);
  text_format(&text, "protocol t\n%s%s", body, BOUND);
  struct loaded loaded;
  loaded_init(&loaded, "deferral", text_get(&text));
  assert_non_null(loaded.model);
  struct proof_options options = {.jobs = 1, .limit_ms = 1000};
  struct proof proof;
  proof_init(&proof, loaded.model, &options);
  for (size_t i = 0; i < proof.obligations.count; i++) {
    const struct obligation *o = &proof.obligations.data[i];
    if (o->kind == OBLIGATION_DEFERRAL)
      text_format(&found, "%s %s %s\n", o->message->name, o->action == NULL ? "-" : o->action->name,
                  o->proved ? "never" : "open");
  }
  assert_string_equal(text_get(&found), expected);
  proof_clear(&proof);
  loaded_clear(&loaded);
  text_clear(&text);
  text_clear(&found);
}

static void where_waits_are_limited(void **state) {
  (void)state;
  expect(HEAD READY TAKE, "");
  expect("timing eager\n" HEAD READY TAKE, "");
  expect(QUEUEING HEAD READY TAKE, "M b.OnN open\n");
  expect("timing eager\n" QUEUEING HEAD READY TAKE, "M b.OnN open\n");
  expect("timing advanced\n" HEAD READY TAKE, "M b.OnN open\n");
}

static void only_what_a_step_turns_true(void **state) {
  (void)state;
  /* the message that the step itself takes does not wait for it */
  expect(QUEUEING HEAD "action b.OnM on M cost B { when not ready  ready := true  send Out }\n"
                       "action b.OnN on N { }\n",
         "M b.OnM never\n");
  /* nobody assigns what the guard reads */
  expect(QUEUEING HEAD TAKE, "");
  /* one of two receivers can take it before */
  expect(QUEUEING HEAD READY TAKE "action b.Early on M cost B { when not ready }\n",
         "M b.OnN never\n");
  /* sent only by who has made sure of it */
  expect(QUEUEING "role a\nrole b\nexternal c\nrepeated A, B\ndelay d\nmessage M : b -> b\n"
                  "message Out : b -> c\nstate b { ready : bool = false }\n"
                  "action b.Go cost A { when not ready  ready := true  send M }\n" TAKE,
         "");
}

/* While no action that waits can be taken the node is busy, in whatever step. */
static void a_guard_of_all_that_waits(void **state) {
  (void)state;
  static const char loop[] = "action b.OnM on M cost B { when k == 0  k := 1 }\n"
                             "action b.Next cost B { when k == 1  k := 0  send Out }\n";
  struct text text;
  text_init(&text);
  text_format(&text, QUEUEING HEAD "%saction b.OnN on N cost B { when k == 0  ready := true }\n",
              loop);
  expect(text_get(&text), "");
  text_clear(&text);
  text_format(&text, QUEUEING HEAD "%saction b.OnN on N cost B { ready := true }\n", loop);
  expect(text_get(&text), "M b.OnM never\nM b.Next open\n");
  text_clear(&text);
  text_format(&text,
              QUEUEING HEAD "%saction b.Tick on timer P { when not ready  ready := true }\n"
                            "invariant taken: k == 0 or received M\n",
              loop);
  expect(text_get(&text), "M b.OnM never\nM b.Next never\n");
  text_clear(&text);
}

/* The wait for a slot is Queuing's, the wait for another guard is not. */
static void schedules(void **state) {
  (void)state;
  static const char slots[] = QUEUEING HEAD "timeout T0\nschedule b = [Take, Work] timeout T0\n";
  struct text text;
  text_init(&text);
  text_format(&text, "%saction b.OnM in Take on M { send Out }\n", slots);
  expect(text_get(&text), "");
  text_clear(&text);
  text_format(&text,
              "%saction b.OnM in Take on M { when ready  send Out }\n"
              "action b.Get in Work { when not ready  ready := true }\n",
              slots);
  expect(text_get(&text), "M b.Get open\n");
  text_clear(&text);
}

static void clocks(void **state) {
  (void)state;
  expect(QUEUEING HEAD "action b.OnM on M reads t cost B { when t <= P  send Out }\n", "");
  expect(QUEUEING HEAD "action b.OnM on M reads t cost B { when not (P <= t)  send Out }\n", "");
  expect(QUEUEING HEAD "action b.OnM on M reads t cost B { when t >= P  send Out }\n",
         "M - open\n");
  expect(QUEUEING HEAD "action b.OnM on M reads t cost B { when P < t + P  send Out }\n",
         "M - open\n");
  /* it turns false for ever, but a step may put that off */
  expect(QUEUEING HEAD
         "action b.OnM on M reads t cost B { when t <= P and ready  send Out }\n" READY,
         "M b.OnN open\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(where_waits_are_limited),
                                     cmocka_unit_test(only_what_a_step_turns_true),
                                     cmocka_unit_test(a_guard_of_all_that_waits),
                                     cmocka_unit_test(schedules), cmocka_unit_test(clocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
