/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/loops.h"
#include "trace/loop/contention.h"
#include "trace/loop/replay.h"
#include "trace/loop/turns.h"

enum { REQUESTS = 5000 };

/* A recording, and what is replayed of it without the report. */
struct scene {
  struct event_log log;
  struct loops_program program;
  struct event_chains chains;
  struct loop_turns turns;
  struct loop_scenario scenario;
  double *own;
  int64_t *latency;
  uint32_t requests;
};

static void scene_make(struct scene *s, uint64_t seed, uint32_t requests,
                       const struct loops_plants *plants) {
  *s = (struct scene){.requests = requests, .scenario = loop_scenario_none()};
  event_log_init(&s->log);
  loops_program_make(&s->program, &s->log, requests, seed, plants);
  loops_run(&s->program, plants);
  loops_record(&s->log, &s->program);
  event_chains_make(&s->chains, &s->log);
  loop_turns_make(&s->turns, &s->log, &s->chains, LOOP_EARLY);
  s->own = mem_alloc(s->log.begin.count, sizeof *s->own);
  s->latency = mem_alloc(requests, sizeof *s->latency);
}

/* The report takes what it takes without the plant. */
static void without_report(struct scene *s, int64_t spin) {
  for (size_t i = 0; i < s->log.begin.count; i++) {
    bool report = s->log.class.data[i] == EVENT_TICK;
    s->own[i] = report ? (double)(50 * LOOPS_US) / (double)(spin + 50 * LOOPS_US) : 1;
  }
  s->scenario.own = s->own;
}

static void scene_clear(struct scene *s) {
  mem_free(s->own);
  mem_free(s->latency);
  loop_turns_clear(&s->turns);
  event_chains_clear(&s->chains);
  loops_clear(&s->program);
  event_log_clear(&s->log);
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int64_t percentile(int64_t *latency, uint32_t count, uint32_t percent) {
  qsort(latency, count, sizeof *latency, by_value);
  return latency[(uint64_t)count * percent / 100];
}

/* The percentile of the replay, with the waits of the contention or as recorded. */
static int64_t replayed(struct scene *s, const struct loop_contention *c, uint32_t percent) {
  struct loop_scenario scenario = s->scenario;
  struct loop_replay replay;
  if (c != NULL)
    scenario.io = c->io;
  loop_replay_run(&replay, &s->turns, &s->chains, &scenario);
  assert_int_equal(replay.stuck, 0);
  memcpy(s->latency, replay.latency, s->requests * sizeof *s->latency);
  loop_replay_clear(&replay);
  return percentile(s->latency, s->requests, percent);
}

static int64_t truth(struct scene *s, uint64_t seed, const struct loops_plants *plants,
                     uint32_t percent) {
  struct scene real;
  scene_make(&real, seed, s->requests, plants);
  for (uint32_t i = 0; i < s->requests; i++)
    s->latency[i] = loops_latency(&real.program, i);
  scene_clear(&real);
  return percentile(s->latency, s->requests, percent);
}

static bool is_near(int64_t a, int64_t b, double within) {
  return (double)llabs(a - b) <= within * (double)b;
}

/* Of a server with and without its report: the verdict, and that the truth lies between the
 * readings; and within 3 % of the one that the verdict supports. */
static void assert_between(uint64_t seed, const struct loops_plants *with,
                           enum loop_contention_verdict verdict) {
  struct scene s;
  struct loop_contention c;
  struct loops_plants less = *with;
  less.spin = less.starve = 0;
  scene_make(&s, seed, REQUESTS, with);
  without_report(&s, with->spin);
  loop_contention_make(&c, &s.turns, &s.scenario);
  if (c.verdict != verdict)
    fail_msg("seed %d: verdict %d, longer in %d of %d stretches", (int)seed, (int)c.verdict,
             (int)c.longer, (int)c.stretches);
  for (uint32_t percent = 50; percent <= 99; percent += 49) {
    int64_t as_recorded = replayed(&s, NULL, percent), as_others = replayed(&s, &c, percent);
    int64_t real = truth(&s, seed, &less, percent);
    int64_t low = as_recorded < as_others ? as_recorded : as_others;
    int64_t high = as_recorded < as_others ? as_others : as_recorded;
    int64_t best = verdict == CONTENTION_LONGER ? as_others : as_recorded;
    if ((real < low && !is_near(low, real, 0.02)) || (real > high && !is_near(high, real, 0.02)) ||
        !is_near(best, real, 0.03))
      fail_msg("seed %d: p%d as recorded %lld, as others %lld, really %lld", (int)seed,
               (int)percent, (long long)as_recorded, (long long)as_others, (long long)real);
  }
  loop_contention_clear(&c);
  scene_clear(&s);
}

static void test_waits_that_depend_on_what_runs(void **state) {
  (void)state;
  const struct loops_plants with = {.rate = 450, .spin = 30 * LOOPS_MS, .starve = 25 * LOOPS_MS};
  for (uint64_t seed = 1; seed <= 6; seed++)
    assert_between(seed, &with, CONTENTION_LONGER);
}

/* One report in four holds reads up, which no average shows. */
static void test_waits_that_seldom_do(void **state) {
  (void)state;
  const struct loops_plants with = {
      .rate = 450, .spin = 30 * LOOPS_MS, .starve = 25 * LOOPS_MS, .seldom = 4};
  for (uint64_t seed = 1; seed <= 3; seed++)
    assert_between(seed, &with, CONTENTION_LONGER);
}

/* Long reads overlap more reports, which is not to be taken for contention. */
static void test_waits_that_do_not(void **state) {
  (void)state;
  const struct loops_plants with = {.rate = 450, .spin = 30 * LOOPS_MS, .disk = 20 * LOOPS_MS};
  for (uint64_t seed = 1; seed <= 6; seed++)
    assert_between(seed, &with, CONTENTION_ALIKE);
}

/* At a level of 1 %. */
static void test_level(void **state) {
  (void)state;
  uint32_t longer = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    const struct loops_plants with = {
        .rate = 450, .spin = 30 * LOOPS_MS, .wide = 300 * LOOPS_US, .disk = 20 * LOOPS_MS};
    struct scene s;
    struct loop_contention c;
    scene_make(&s, seed, 2500, &with);
    without_report(&s, with.spin);
    loop_contention_make(&c, &s.turns, &s.scenario);
    longer += c.verdict == CONTENTION_LONGER;
    loop_contention_clear(&c);
    scene_clear(&s);
  }
  assert_in_range(longer, 0, 3);
}

static void test_no_change_is_the_recording(void **state) {
  (void)state;
  const struct loops_plants with = {.rate = 450, .spin = 30 * LOOPS_MS, .starve = 25 * LOOPS_MS};
  struct scene s;
  struct loop_contention c;
  scene_make(&s, 1, REQUESTS, &with);
  loop_contention_make(&c, &s.turns, &s.scenario);
  assert_int_equal(c.verdict, CONTENTION_NONE);
  s.scenario.io = c.io;
  struct loop_replay replay;
  loop_replay_run(&replay, &s.turns, &s.chains, &s.scenario);
  for (uint32_t i = 0; i < REQUESTS; i++)
    assert_int_equal(replay.latency[i], loops_latency(&s.program, i));
  loop_replay_clear(&replay);
  loop_contention_clear(&c);
  scene_clear(&s);
}

static void test_too_few_to_tell(void **state) {
  (void)state;
  const struct loops_plants with = {.rate = 450, .spin = 30 * LOOPS_MS, .disk = 20 * LOOPS_MS};
  struct scene s;
  struct loop_contention c;
  scene_make(&s, 3, 400, &with);
  without_report(&s, with.spin);
  loop_contention_make(&c, &s.turns, &s.scenario);
  assert_int_equal(c.verdict, CONTENTION_UNKNOWN);
  assert_in_range(c.stretches, 1, CONTENTION_STRETCHES - 1);
  loop_contention_clear(&c);
  scene_clear(&s);
}

/* Of 400 requests a handful ask for the report: where reads wait for it 25 ms, which they never do
 * else, no 20 stretches are needed; where they do not, chance is not taken for that. */
static void test_few_that_are_clear(void **state) {
  (void)state;
  uint32_t clear = 0, wrong = 0;
  for (uint64_t seed = 1; seed <= 60; seed++)
    for (int starve = 0; starve < 2; starve++) {
      const struct loops_plants with = {
          .rate = 450, .spin = 30 * LOOPS_MS, .starve = starve * 25 * LOOPS_MS};
      struct scene s;
      struct loop_contention c;
      scene_make(&s, seed, 800, &with);
      without_report(&s, with.spin);
      loop_contention_make(&c, &s.turns, &s.scenario);
      bool longer = c.verdict == CONTENTION_LONGER;
      clear += starve && longer;
      wrong += !starve && longer;
      loop_contention_clear(&c);
      scene_clear(&s);
    }
  if (clear < 40 || wrong > 3)
    fail_msg("longer in %d of 60 where they are, in %d of 60 where not", (int)clear, (int)wrong);
}

/* A change of some waits removes work from under others, and says itself what those take. */
static void test_waits_that_are_changed(void **state) {
  (void)state;
  const struct loops_plants with = {.rate = 450, .disk = 20 * LOOPS_MS};
  struct scene s;
  struct loop_contention c;
  scene_make(&s, 2, REQUESTS, &with);
  int64_t *io = mem_alloc(s.log.begin.count, sizeof *io);
  for (uint32_t row = 0; row < s.log.begin.count; row++)
    if (s.log.class.data[row] == EVENT_FILE && loop_wait_of(&s.turns, row) > 10 * LOOPS_MS)
      io[row] = -20 * LOOPS_MS;
  s.scenario.io = io;
  loop_contention_make(&c, &s.turns, &s.scenario);
  uint64_t others = 0;
  for (uint32_t row = 0; row < s.log.begin.count; row++) {
    if (io[row] != 0)
      assert_int_equal(c.io[row], io[row]);
    others += io[row] == 0 && c.io[row] != 0;
  }
  assert_in_range(others, 100, c.waits);
  assert_int_equal(c.verdict, CONTENTION_ALIKE);
  mem_free(io);
  loop_contention_clear(&c);
  scene_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_waits_that_depend_on_what_runs),
      cmocka_unit_test(test_waits_that_seldom_do),
      cmocka_unit_test(test_waits_that_do_not),
      cmocka_unit_test(test_level),
      cmocka_unit_test(test_no_change_is_the_recording),
      cmocka_unit_test(test_too_few_to_tell),
      cmocka_unit_test(test_few_that_are_clear),
      cmocka_unit_test(test_waits_that_are_changed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
