/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/trace/loops.h"
#include "trace/loop/judge.h"

enum { REQUESTS = 4000 };

struct scene {
  struct event_log log;
  struct loops_program program;
  struct event_chains chains;
  struct loop_causes causes;
};

static void scene_record(struct scene *scene, uint64_t seed, const struct loops_plants *plants) {
  event_log_init(&scene->log);
  loops_program_make(&scene->program, &scene->log, REQUESTS, seed, plants);
  loops_run(&scene->program, plants);
  loops_record(&scene->log, &scene->program);
}

static void scene_judge(struct scene *scene) {
  event_chains_make(&scene->chains, &scene->log);
  loop_causes_make(&scene->causes, &scene->log, &scene->chains, 99, 0);
}

static void scene_make(struct scene *scene, uint64_t seed, const struct loops_plants *plants) {
  scene_record(scene, seed, plants);
  scene_judge(scene);
}

static void scene_clear(struct scene *scene) {
  loop_causes_clear(&scene->causes);
  event_chains_clear(&scene->chains);
  loops_clear(&scene->program);
  event_log_clear(&scene->log);
}

/* The phases of a cause add up to its parts; of how many phases it is. */
static size_t check_phases(const struct loop_route *route, uint32_t cause) {
  int64_t *sum = mem_alloc(route->chains.count, sizeof *sum);
  size_t phases = 0;
  for (int phase = 0; phase < HOLD_PHASES; phase++) {
    const int64_t *values = loop_route_phase(route, cause, (enum hold_phase)phase);
    phases += values != NULL;
    for (size_t i = 0; values != NULL && i < route->chains.count; i++)
      sum[i] += values[i];
  }
  for (size_t i = 0; i < route->chains.count; i++)
    assert_int_equal(sum[i], route->causes.causes.data[cause].parts[i]);
  mem_free(sum);
  return phases;
}

/* All that a request waited for adds up to its latency, cause by cause. A collection is met in the
 * queue and while executing, a file's read in one phase. */
static void test_parts_add_up(void **state) {
  (void)state;
  const struct loops_plants all = {.spin = 40 * LOOPS_MS,
                                   .collection = 25 * LOOPS_MS,
                                   .disk = 30 * LOOPS_MS,
                                   .storm = 60 * LOOPS_MS};
  struct scene scene;
  scene_make(&scene, 1, &all);
  assert_int_equal(scene.causes.unfaithful, 0);
  assert_int_equal(scene.causes.routes.count, 2);
  size_t requests = 0, of_one = 0, of_two = 0;
  for (size_t r = 0; r < scene.causes.routes.count; r++) {
    const struct loop_route *route = &scene.causes.routes.data[r];
    requests += route->chains.count;
    for (uint32_t c = 0; c < route->causes.causes.count; c++) {
      size_t phases = check_phases(route, c);
      of_one += phases == 1;
      of_two += phases == 2;
    }
    for (size_t i = 0; i < route->chains.count; i++) {
      int64_t sum = 0;
      for (size_t c = 0; c < route->causes.causes.count; c++)
        sum += route->causes.causes.data[c].parts[i];
      assert_int_equal(sum, route->causes.latency[i]);
    }
  }
  assert_int_equal(requests, REQUESTS);
  assert_true(of_one != 0 && of_two != 0);
  scene_clear(&scene);
}

static void say(const struct loop_judgement *j) {
  for (size_t i = 0; i < j->report.findings.count; i++) {
    const struct tail_finding *f = &j->report.findings.data[i];
    printf("%s: adds %.2f ms of %.2f (rest %.2f), significant %d, necessary %zu/%zu; %zu\n",
           j->route->causes.causes.data[f->cause].name, f->difference.difference / 1e6,
           j->report.latency.difference / 1e6, j->report.latency.rest / 1e6, f->significant,
           f->necessary.count, f->necessary.of, j->report.slow_observed);
  }
}

/* Of the first route; NULL: nothing is to be named. */
static bool is_first(const char *wanted, uint64_t seed, const struct loops_plants *plants) {
  struct scene scene;
  struct loop_judgement j;
  scene_make(&scene, seed, plants);
  loop_judge(&j, &scene.causes.routes.data[0], 0.05);
  bool right = j.named.count == 0;
  if (wanted != NULL && !right) {
    const struct tail_finding *first = &j.report.findings.data[j.named.data[0]];
    right = strcmp(j.route->causes.causes.data[first->cause].name, wanted) == 0 &&
            first->necessary.count * 2 > first->necessary.of;
  } else if (wanted != NULL) {
    right = false;
  }
  if (!right || getenv("LOOPS_SAY") != NULL)
    say(&j);
  loop_judgement_clear(&j);
  scene_clear(&scene);
  return right;
}

static void assert_first(const char *wanted, uint64_t seed, const struct loops_plants *plants) {
  if (!is_first(wanted, seed, plants))
    fail_msg("seed %d: %s is not first", (int)seed, wanted);
}

static void test_a_plant_is_first(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    assert_first("held by report.js:7:3 makeReport of GET /report", seed,
                 &(struct loops_plants){.spin = 40 * LOOPS_MS});
    assert_first("full collection", seed, &(struct loops_plants){.collection = 25 * LOOPS_MS});
    assert_first("waits for file at app.js:9:3 onFile", seed,
                 &(struct loops_plants){.disk = 30 * LOOPS_MS});
    assert_first("held by poll.js:3:1 tick", seed, &(struct loops_plants){.storm = 60 * LOOPS_MS});
  }
}

/* Reports come one upon another, so that who is slow waited for several: each of them is less than
 * half of what the slow take, and is to blame all the same. */
static void test_what_piles_up_is_no_load(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2; seed++)
    assert_first("held by report.js:7:3 makeReport of GET /report", seed,
                 &(struct loops_plants){.spin = 80 * LOOPS_MS, .rate = 200});
}

/* Two files are compiled in turn. Without one of them what waited for the other is still slow. */
static void test_compilations_are_told_apart(void **state) {
  (void)state;
  static const char *const files[] = {"app/even.js", "app/odd.js"};
  struct scene scene;
  struct loop_judgement j;
  size_t found = 0;
  scene_record(&scene, 1, &(struct loops_plants){.collection = 25 * LOOPS_MS});
  for (size_t i = 0; i < scene.log.pauses.count; i++) {
    scene.log.pauses.data[i].kind = EVENT_PAUSE_COMPILE;
    scene.log.pauses.data[i].name = loops_name(&scene.log.names, files[i % 2]);
  }
  scene_judge(&scene);
  loop_judge(&j, &scene.causes.routes.data[0], 0.05);
  for (size_t i = 0; i < j.named.count; i++) {
    const struct tail_finding *f = &j.report.findings.data[j.named.data[i]];
    assert_non_null(strstr(j.route->causes.causes.data[f->cause].name, "compilation of app/"));
    assert_in_range(f->necessary.count, f->necessary.of / 5, f->necessary.of * 4 / 5);
    found++;
  }
  assert_int_equal(found, 2);
  loop_judgement_clear(&j);
  scene_clear(&scene);
}

/* Nothing is planted, at any load: at level 5 % nothing is named. */
static void test_nothing_is_blamed(void **state) {
  (void)state;
  uint64_t runs = getenv("TEST_ALL") != NULL ? 20 : 4, wrong = 0;
  for (uint64_t seed = 1; seed <= runs; seed++)
    for (size_t load = 0; load < 4; load++) {
      static const double rates[] = {100, 300, 700, 1100};
      wrong += !is_first(NULL, seed, &(struct loops_plants){.rate = rates[load]});
    }
  assert_int_equal(wrong, 0);
}

/* Slow requests read a file for longer, of course. That its times are of one kind is said. */
static void test_one_kind_is_not_blamed(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    struct scene scene;
    struct loop_judgement j;
    scene_make(&scene, seed, &(struct loops_plants){.wide = LOOPS_MS / 2});
    loop_judge(&j, &scene.causes.routes.data[0], 0.05);
    assert_int_equal(j.named.count, 0);
    assert_int_equal(j.ordinary.count, 1);
    const struct tail_finding *finding = &j.report.findings.data[j.ordinary.data[0]];
    assert_string_equal(j.route->causes.causes.data[finding->cause].name,
                        "waits for file at app.js:9:3 onFile");
    loop_judgement_clear(&j);
    scene_clear(&scene);
  }
}

/* Where the loop waited for processors, threads that read files did as well. */
static void test_a_starved_pool_is_no_disk(void **state) {
  (void)state;
  for (int starved = 0; starved <= 1; starved++) {
    struct scene scene;
    struct loop_judgement j;
    scene_record(&scene, 1, &(struct loops_plants){.disk = 30 * LOOPS_MS});
    struct event_loop *loop = &scene.log.loops.data[0];
    loop->waited = starved != 0 ? (loop->end - loop->start) / 20 : 0;
    scene_judge(&scene);
    loop_judge(&j, &scene.causes.routes.data[0], 0.05);
    assert_int_equal(j.named.count, !starved);
    assert_int_equal(j.starved.count, starved);
    loop_judgement_clear(&j);
    scene_clear(&scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts_add_up),
      cmocka_unit_test(test_a_plant_is_first),
      cmocka_unit_test(test_what_piles_up_is_no_load),
      cmocka_unit_test(test_compilations_are_told_apart),
      cmocka_unit_test(test_nothing_is_blamed),
      cmocka_unit_test(test_one_kind_is_not_blamed),
      cmocka_unit_test(test_a_starved_pool_is_no_disk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
