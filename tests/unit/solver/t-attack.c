/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times for a known execution: that exceed a bound exactly when some do, and that let it happen at
 * all exactly when the assumptions and waits allow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/judge/valuation.h"
#include "solver/search/attack.h"
#include "tests/unit/solver/loaded.h"
#include "tests/unit/solver/meeting.h"

struct tried {
  struct interpreter *interpreter;
  const struct bound *bound;
  enum attack_goal goal;
  bool found;
};

static bool try_path(const struct path *path, void *context) {
  struct tried *t = context;
  struct values values;
  struct replay replay;
  values_init(&values, t->interpreter->model);
  replay_init(&replay);
  t->found = attack_path(&values, &replay, t->interpreter, t->bound, path, t->goal, NULL);
  if (t->found && t->goal == ATTACK_EXCEED)
    assert_true(rational_compare(&replay.time, &replay.limit) > 0);
  replay_clear(&replay);
  values_clear(&values);
  return !t->found;
}

/* Whether any execution of the protocol, with these lines added, has times for the goal. */
static bool attacked_in(const char *protocol, const char *lines, enum attack_goal goal) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s\n", protocol, lines);
  struct loaded loaded;
  loaded_init(&loaded, "meeting", text);
  assert_non_null(loaded.model);
  struct text message;
  text_init(&message);
  struct tried tried = {.interpreter = interpreter_new(loaded.model, NULL, &message),
                        .bound = loaded.model->bounds.items[0],
                        .goal = goal};
  struct explore_limits limits = {.depth_max = 5};
  struct explored explored;
  explored_init(&explored);
  explore_paths(&explored, tried.interpreter, tried.bound, &limits, try_path, &tried);
  assert_true(explored.paths != 0);
  explored_clear(&explored);
  interpreter_free(tried.interpreter);
  text_clear(&message);
  loaded_clear(&loaded);
  return tried.found;
}

static bool attacked(const char *lines, enum attack_goal goal) {
  return attacked_in(meeting, lines, goal);
}

static void test_exceed(void **state) {
  (void)state;
  assert_false(
      attacked("bound b: sent Done within A + d(M(true)) + Q(M(true)) + R", ATTACK_EXCEED));
  assert_true(attacked("bound b: sent Done within A + d(M(true)) + R", ATTACK_EXCEED));
  assert_true(
      attacked("bound b: sent Done within A + d(M(false)) + Q(M(true)) + R", ATTACK_EXCEED));
  assert_true(attacked("bound b: sent Done within A + Q(M(true)) + R", ATTACK_EXCEED));
  assert_false(attacked("bound b: sent Done within max(A + d(M(true)), W) + R", ATTACK_EXCEED));
  assert_true(attacked("bound b: sent Done within max(A + d(M(true)), W, R)", ATTACK_EXCEED));
  assert_true(attacked("bound b: sent Done within min(A + d(M(true)), W) + R", ATTACK_EXCEED));
  assert_false(attacked("bound b: delivered Done within A + 2*d + Q + R", ATTACK_EXCEED));
  assert_true(attacked("bound b: delivered Done within A + d + Q + R", ATTACK_EXCEED));
}

static void test_happen(void **state) {
  (void)state;
  static const char *const bound = "bound b: when w and sent Done at z within 0 ms\n";
  char lines[300];
  snprintf(lines, sizeof lines, "%s", bound);
  assert_true(attacked(lines, ATTACK_HAPPEN));
  snprintf(lines, sizeof lines, "assume W >= 5 ms\nassume Q <= 1 ms\n%s", bound);
  assert_true(attacked(lines, ATTACK_HAPPEN));
  snprintf(lines, sizeof lines, "assume d >= 2 ms\nassume d <= 1 ms\n%s", bound);
  assert_false(attacked(lines, ATTACK_HAPPEN));
}

/* A is delivered by 2 ms, B not before 10 ms; Late says that B was taken first. */
#define CROSSING                                                                                   \
  "role a\nrole b\nrole q\nexternal e\ncomponent C, D\nrepeated R\ndelay d\n"                      \
  "assume C <= 1 ms and d <= 1 ms and D >= 10 ms\n"                                                \
  "message A : a -> q\nmessage B : b -> q\nmessage Late : q -> e\n"                                \
  "state a { off : bool = false }\nstate b { off : bool = false }\nstate q { seen : bool = false " \
  "}\n"                                                                                            \
  "action a.Send cost C { when not off  off := true  send A }\n"                                   \
  "action b.Send cost D { when not off  off := true  send B }\n"                                   \
  "action q.TakeA on A cost R { if seen { send Late } }\n"                                         \
  "action q.TakeB on B cost R { seen := true }\nbound late: sent Late within 1 ms\n"

static void test_order_of_delivery(void **state) {
  (void)state;
  assert_true(attacked_in("protocol t\n" CROSSING, "", ATTACK_HAPPEN));
  assert_false(attacked_in("protocol t\ntiming advanced\n" CROSSING, "", ATTACK_HAPPEN));
  assert_true(attacked_in("protocol t\ntiming eager\n" CROSSING, "", ATTACK_HAPPEN));
  assert_true(attacked_in("protocol t\ntiming eager\nqueueing Q\n" CROSSING, "", ATTACK_HAPPEN));
  assert_false(attacked_in("protocol t\ntiming eager\nqueueing Q\n" CROSSING, "assume Q <= 1 ms",
                           ATTACK_HAPPEN));
}

/* q stops at P; p goes on for at least 10 ms, and then asks q, who answers unless it has stopped.
 */
#define STOPPING                                                                                   \
  "param P : time\nrole p\nrole q\ncomponent C, D\nrepeated R\ndelay d\nassume C >= 10 ms\n"       \
  "message Ask : p -> q\nmessage Yes : q -> p\n"                                                   \
  "state p { n : int = 0 }\nstate q { stopped : bool = false }\n"                                  \
  "action p.One cost C { when n == 0  n := 1 }\naction p.Two cost D { when n == 1  n := 2  send "  \
  "Ask }\n"                                                                                        \
  "action q.Answer on Ask { when not stopped  send Yes }\n"                                        \
  "action q.Stop on timer P cost R { when not stopped  stopped := true }\n"                        \
  "bound unstopped: sent Yes within 1 ms\n"

static void test_timers(void **state) {
  (void)state;
  static const char *const early = "assume P <= 9 ms", *const late = "assume P >= 20 ms";
  assert_true(attacked_in("protocol t\n" STOPPING, early, ATTACK_HAPPEN));
  assert_false(attacked_in("protocol t\ntiming eager\n" STOPPING, early, ATTACK_HAPPEN));
  assert_true(attacked_in("protocol t\ntiming eager\n" STOPPING, late, ATTACK_HAPPEN));
}

/* The clock is read within the step, the state changes with what was read. */
static const char reading[] = "protocol t\nparam P : time\nrole p\nexternal e\nrepeated R\n"
                              "delay d\nmessage M : p -> e\n"
                              "state p { n : int = 0  due : time = P }\n"
                              "action p.Look reads t cost R {\n"
                              "  when t >= due and n < 2\n  n := n + 1\n  due := t + 2 * P\n"
                              "  if n == 2 { send M }\n}\n";

static void test_clock_reads(void **state) {
  (void)state;
  static const char bound[] = "bound m: sent M within 2 * R";
  char lines[200];
  assert_true(attacked_in(reading, bound, ATTACK_HAPPEN));
  assert_false(attacked_in(reading, bound, ATTACK_EXCEED));
  snprintf(lines, sizeof lines, "assume P >= 2 ms and R <= 3 ms\n%s", bound);
  assert_true(attacked_in(reading, lines, ATTACK_HAPPEN)); /* at 2 and at 6 */
  snprintf(lines, sizeof lines, "assume P >= 2 ms and R < 3 ms\n%s", bound);
  assert_false(attacked_in(reading, lines, ATTACK_HAPPEN));
  assert_true(attacked_in(reading, "bound m: sent M within 4 * P", ATTACK_EXCEED));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exceed), cmocka_unit_test(test_happen),
                                     cmocka_unit_test(test_order_of_delivery),
                                     cmocka_unit_test(test_timers),
                                     cmocka_unit_test(test_clock_reads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
