/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times for a known execution: that exceed a bound exactly when some do, that attain it exactly
 * when some do, and that let it happen at all exactly when the assumptions and waits allow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/attack.h"
#include "tests/unit/solver/loaded.h"

static const char meeting[] = "protocol meeting\n"
                              "role a\n"
                              "role z\n"
                              "component A, W, R\n"
                              "delay d\n"
                              "queueing Q\n"
                              "message M(ok: bool) : a -> z\n"
                              "message Done : z -> z\n"
                              "state a { s : bool = false }\n"
                              "state z { w : bool = false }\n"
                              "action a.Go cost A {\n"
                              "  when not s\n"
                              "  s := true\n"
                              "  send M(true)\n"
                              "}\n"
                              "action z.Work cost W {\n"
                              "  when not w\n"
                              "  w := true\n"
                              "}\n"
                              "action z.Take on M(ok) cost R { send Done }\n";

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
  t->found = attack_path(&values, &replay, t->interpreter, t->bound, path, t->goal);
  if (t->found && t->goal == ATTACK_EXCEED)
    assert_true(rational_compare(&replay.time, &replay.limit) > 0);
  if (t->found && t->goal == ATTACK_ATTAIN)
    assert_int_equal(rational_compare(&replay.time, &replay.limit), 0);
  replay_clear(&replay);
  values_clear(&values);
  return !t->found;
}

/* Whether any execution of the meeting, with these lines added, has times for the goal. */
static bool attacked(const char *lines, enum attack_goal goal) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s\n", meeting, lines);
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

static void test_attain(void **state) {
  (void)state;
  assert_true(attacked("bound b: sent Done within A + d(M(true)) + Q(M(true)) + R", ATTACK_ATTAIN));
  assert_false(attacked("bound b: sent Done within A + W + d + Q + R + 1 ms", ATTACK_ATTAIN));
  assert_true(attacked("bound b: sent Done within max(A + d(M(true)), W) + R", ATTACK_ATTAIN));
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exceed), cmocka_unit_test(test_attain),
                                     cmocka_unit_test(test_happen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
