/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executions as a table: one line a step, columns aligned, numbers only when there are times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/search/explore.h"
#include "solver/tell/timeline.h"
#include "tests/unit/solver/loaded.h"
#include "tests/unit/solver/meeting.h"

static const struct rational *one(const struct occurrence *occurrence, void *context) {
  (void)occurrence;
  return context;
}

static const struct rational *one_bare(const struct component *component, void *context) {
  (void)component;
  return context;
}

static void print(struct text *text, bool timed) {
  char protocol[2000];
  snprintf(protocol, sizeof protocol, "%s%s\n", meeting, "bound b: sent Done within A");
  struct loaded loaded;
  loaded_init(&loaded, "meeting", protocol);
  assert_non_null(loaded.model);
  struct text message;
  text_init(&message);
  struct interpreter *in = interpreter_new(loaded.model, NULL, &message);
  struct explore_limits limits = {.depth_max = 5};
  struct explored explored;
  explored_init(&explored);
  explore_reach(&explored, in, loaded.model->bounds.items[0], &limits);
  assert_int_equal(explored.path.steps.count, 2);
  struct rational unit;
  rational_init(&unit);
  rational_set_integer(&unit, 1);
  struct valuation valuation = {one, one_bare, &unit};
  struct replay replay;
  replay_init(&replay);
  replay_run(&replay, in, loaded.model->bounds.items[0], explored.path.steps.data,
             explored.path.steps.count, timed ? &valuation : NULL);
  timeline_print(text, &replay, timed ? &valuation : NULL);
  replay_clear(&replay);
  rational_clear(&unit);
  explored_clear(&explored);
  interpreter_free(in);
  text_clear(&message);
  loaded_clear(&loaded);
}

static void assert_has(const struct text *text, const char *part) {
  if (strstr(text_get(text), part) == NULL)
    fail_msg("no \"%s\" in:\n%s", part, text_get(text));
}

static void test_timed(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  print(&text, true);
  assert_has(&text, "time (ns)    node    step");
  assert_has(&text, "\n    0 .. 1       a       Go              takes A = 1; s := true; ");
  assert_has(&text, "sends M(1), d(M(1)) = 1, arrives 2\n");
  assert_has(&text, "\n    2 .. 3       z       Take on M(1)    ");
  assert_has(&text, "takes R = 1; sends Done, d(Done) = 1, arrives 4\n");
  text_clear(&text);
}

static void test_untimed(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  print(&text, false);
  assert_has(&text, "    node    step");
  assert_has(&text, "\n    a       Go              takes A; s := true; sends M(1)\n");
  assert_has(&text, "\n    z       Take on M(1)    takes R; sends Done\n");
  assert_null(strstr(text_get(&text), " = "));
  assert_null(strstr(text_get(&text), "(ns)"));
  text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_timed), cmocka_unit_test(test_untimed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
