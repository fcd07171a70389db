/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The search for an execution in which a message waits for a guard.
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_shortest),
                                     cmocka_unit_test(finds_nothing_that_is_taken)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
