/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/loops.h"
#include "trace/loop/garbage.h"
#include "trace/loop/replay.h"
#include "trace/loop/turns.h"

enum { REQUESTS = 3000 };

struct scene {
  struct event_log log;
  struct loops_program program;
  struct event_chains chains;
  struct loop_turns turns;
  struct loop_scenario scenario;
};

static void scene_make(struct scene *s) {
  const struct loops_plants plants = {.collection = 30 * LOOPS_MS};
  *s = (struct scene){.scenario = loop_scenario_none()};
  event_log_init(&s->log);
  loops_program_make(&s->program, &s->log, REQUESTS, 1, &plants);
  loops_run(&s->program, &plants);
  loops_record(&s->log, &s->program);
  event_chains_make(&s->chains, &s->log);
  loop_turns_make(&s->turns, &s->log, &s->chains, LOOP_EARLY);
}

static void scene_clear(struct scene *s) {
  loop_turns_clear(&s->turns);
  event_chains_clear(&s->chains);
  loops_clear(&s->program);
  event_log_clear(&s->log);
}

/* Looked up one by one. */
static bool meets(const struct scene *s, const struct event_chain *chain) {
  for (size_t i = 0; i < s->log.pauses.count; i++)
    if (s->log.pauses.data[i].start < chain->answer && s->log.pauses.data[i].end > chain->arrived &&
        s->log.pauses.data[i].loop == s->log.requests.data[chain->request].loop)
      return true;
  return false;
}

/* So many requests were under way; `all`: each that met a collection, else none. */
static void assert_delayed(struct scene *s, bool all) {
  uint64_t collections = 0, delayed = 0;
  uint8_t *found = loop_garbage_delayed(&s->turns, &s->chains, &s->scenario, &collections);
  assert_int_equal(collections, all ? s->log.pauses.count : 0);
  for (size_t i = 0; i < s->chains.chains.count; i++) {
    assert_int_equal(found[i], all && meets(s, &s->chains.chains.data[i]));
    delayed += found[i];
  }
  if (all)
    assert_in_range(delayed, 1, REQUESTS / 2);
  mem_free(found);
}

static void test_what_met_a_removed_collection(void **state) {
  (void)state;
  struct scene s;
  scene_make(&s);
  assert_delayed(&s, false);
  s.scenario.pause[EVENT_PAUSE_MAJOR] = 0;
  assert_delayed(&s, true);
  s.scenario.pause[EVENT_PAUSE_MAJOR] = 0.5;
  assert_delayed(&s, false);
  s.scenario.pause[EVENT_PAUSE_MAJOR] = 1;
  s.scenario.rarer[EVENT_PAUSE_MAJOR] = 2;
  assert_delayed(&s, false);
  s.scenario = loop_scenario_none();
  s.scenario.pause[EVENT_PAUSE_MINOR] = 0;
  assert_delayed(&s, false);
  scene_clear(&s);
}

/* What another loop collects delays no request of this one. */
static void test_another_loop(void **state) {
  (void)state;
  struct scene s;
  scene_make(&s);
  s.scenario.pause[EVENT_PAUSE_MAJOR] = 0;
  for (size_t i = 0; i < s.log.pauses.count; i += 3)
    s.log.pauses.data[i].loop = 1;
  struct event_loop other = s.log.loops.data[0];
  other.first = (uint32_t)s.log.begin.count;
  other.count = 0;
  vector_push(&s.log.loops, other);
  assert_delayed(&s, true);
  scene_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_met_a_removed_collection),
      cmocka_unit_test(test_another_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
