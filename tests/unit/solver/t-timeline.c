/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executions as rows and messages: a row a step, numbers only when there are times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/judge/replay.h"
#include "solver/judge/valuation.h"
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

static struct timeline *make(bool timed) {
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
  struct timeline *timeline = timeline_new(loaded.model, &replay, timed ? &valuation : NULL);
  replay_clear(&replay);
  rational_clear(&unit);
  explored_clear(&explored);
  interpreter_free(in);
  text_clear(&message);
  loaded_clear(&loaded);
  return timeline;
}

static void assert_row(const struct timeline *timeline, size_t i, const char *node,
                       const char *step, const char *what) {
  assert_true(i < timeline->rows.count);
  assert_string_equal(timeline->rows.data[i].node, node);
  assert_string_equal(timeline->rows.data[i].step, step);
  assert_string_equal(timeline->rows.data[i].what, what);
}

static void assert_ns(const struct rational *value, int64_t expected) {
  struct rational ns;
  rational_init(&ns);
  rational_set_integer(&ns, expected);
  assert_int_equal(rational_compare(value, &ns), 0);
  rational_clear(&ns);
}

static void assert_messages(const struct timeline *timeline, int64_t at, int64_t later) {
  assert_int_equal(timeline->messages.count, 2);
  const struct timeline_message *m = &timeline->messages.data[0], *done = m + 1;
  assert_string_equal(m->name, "M(1)");
  assert_string_equal(m->receiver, "z");
  assert_int_equal(m->sent, 0);
  assert_int_equal(m->received, 1);
  assert_ns(&m->delivered, at);
  assert_string_equal(done->name, "Done");
  assert_int_equal(done->sent, 1);
  assert_true(done->received == TIMELINE_NEVER);
  assert_ns(&done->delivered, later);
}

static void test_timed(void **state) {
  (void)state;
  struct timeline *timeline = make(true);
  assert_true(timeline->timed);
  assert_int_equal(timeline->rows.count, 2);
  assert_row(timeline, 0, "a", "Go", "takes A = 1; s := true; sends M(1), d(M(1)) = 1, arrives 2");
  assert_row(timeline, 1, "z", "Take on M(1)",
             "may be late by Q(M(1)) = 1; takes R = 1; sends Done, d(Done) = 1, arrives 4");
  assert_ns(&timeline->rows.data[0].start, 0);
  assert_ns(&timeline->rows.data[0].end, 1);
  assert_ns(&timeline->rows.data[1].start, 2);
  assert_ns(&timeline->rows.data[1].end, 3);
  assert_messages(timeline, 2, 4);
  timeline_free(timeline);
}

static void test_untimed(void **state) {
  (void)state;
  struct timeline *timeline = make(false);
  assert_false(timeline->timed);
  assert_row(timeline, 0, "a", "Go", "takes A; s := true; sends M(1)");
  assert_row(timeline, 1, "z", "Take on M(1)", "takes R; sends Done");
  assert_messages(timeline, 0, 0);
  timeline_free(timeline);
  timeline_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_timed), cmocka_unit_test(test_untimed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
