/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/loops.h"
#include "trace/loop/chain.h"
#include "trace/loop/replay.h"
#include "trace/loop/turns.h"

enum { REQUESTS = 1500 };

struct scene {
  struct event_log log;
  struct loops_program program;
  struct event_chains chains;
  struct loop_turns turns;
};

static void scene_make(struct scene *scene, uint64_t seed, const struct loops_plants *plants) {
  event_log_init(&scene->log);
  loops_program_make(&scene->program, &scene->log, REQUESTS, seed, plants);
  loops_run(&scene->program, plants);
  loops_record(&scene->log, &scene->program);
  event_chains_make(&scene->chains, &scene->log);
  loop_turns_make(&scene->turns, &scene->log, &scene->chains, LOOP_EARLY);
}

static void scene_clear(struct scene *scene) {
  loop_turns_clear(&scene->turns);
  event_chains_clear(&scene->chains);
  loops_clear(&scene->program);
  event_log_clear(&scene->log);
}

/* Each latency is what the program takes when it runs with other plants; the same draws. */
static void assert_predicts(const struct scene *scene, uint64_t seed,
                            const struct loop_scenario *scenario, const struct loops_plants *plants,
                            int64_t within) {
  struct event_log log;
  struct loops_program truth;
  struct loop_replay replay;
  event_log_init(&log);
  loops_program_make(&truth, &log, REQUESTS, seed, plants);
  loops_run(&truth, plants);
  loop_replay_run(&replay, &scene->turns, &scene->chains, scenario);
  assert_int_equal(replay.stuck, 0);
  for (uint32_t i = 0; i < REQUESTS; i++) {
    int64_t real = loops_latency(&truth, i);
    if (llabs(replay.latency[i] - real) > within)
      fail_msg("seed %d request %u: predicted %lld, really %lld, recorded %lld", (int)seed, i,
               (long long)replay.latency[i], (long long)real,
               (long long)loops_latency(&scene->program, i));
  }
  loop_replay_clear(&replay);
  loops_clear(&truth);
  event_log_clear(&log);
}

static const struct loops_plants all = {.spin = 40 * LOOPS_MS,
                                        .collection = 25 * LOOPS_MS,
                                        .disk = 30 * LOOPS_MS,
                                        .storm = 60 * LOOPS_MS};

static double *factors(const struct scene *scene, const char *place, double factor) {
  size_t rows = scene->log.begin.count;
  double *own = mem_alloc(rows, sizeof *own);
  for (size_t i = 0; i < rows; i++)
    own[i] =
        strcmp(names_text(&scene->log.names, scene->log.place.data[i]), place) == 0 ? factor : 1;
  return own;
}

static void test_no_change_is_the_recording(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    struct scene scene;
    scene_make(&scene, seed, &all);
    assert_int_equal(scene.chains.states[CHAIN_COMPLETE], REQUESTS);
    assert_int_equal(loop_replay_check(&scene.turns, &scene.chains, NULL), 0);
    struct loop_scenario none = loop_scenario_none();
    assert_predicts(&scene, seed, &none, &all, 0);
    scene_clear(&scene);
  }
}

/* A callback that is its own request if it has a route; all ns. */
static void add_callback(struct event_log *log, const char *route, int64_t ready, int64_t begin,
                         int64_t end) {
  uint32_t row = (uint32_t)log->begin.count;
  vector_push(&log->registered, ready);
  vector_push(&log->ready_low, ready);
  vector_push(&log->ready_high, ready);
  vector_push(&log->begin, begin);
  vector_push(&log->end, end);
  vector_push(&log->resource, row + 1);
  vector_push(&log->type, loops_name(&log->names, route == NULL ? "Immediate" : "HTTP"));
  vector_push(&log->place, 0);
  vector_push(&log->registrar, EVENT_NONE);
  vector_push(&log->releaser, EVENT_NONE);
  vector_push(&log->inside, EVENT_NONE);
  vector_push(&log->class, route == NULL ? EVENT_OTHER : EVENT_SOCKET);
  vector_push(&log->ready_source, EVENT_READY_KERNEL);
  if (route != NULL)
    vector_push(&log->requests, (struct event_request){.route = loops_name(&log->names, route),
                                                       .source = row,
                                                       .sink = row,
                                                       .arrived_low = ready,
                                                       .arrived_high = ready,
                                                       .noticed = begin,
                                                       .responded = end,
                                                       .status = 200});
}

/* A request comes while a report holds the loop for 40 ms, which then begins an immediate that the
 * loop's own code registers after that. The loop is not idle before the immediate, so without the
 * report the request is not late. */
static void test_behind_an_immediate(void **state) {
  (void)state;
  struct event_log log;
  struct event_chains chains;
  struct loop_turns turns;
  struct loop_replay replay;
  event_log_init(&log);
  add_callback(&log, "GET /report", 0, 0, 40 * LOOPS_MS);
  add_callback(&log, NULL, 40130 * LOOPS_US, 40150 * LOOPS_US, 40160 * LOOPS_US);
  add_callback(&log, "GET /page", 10 * LOOPS_MS, 40200 * LOOPS_US, 40300 * LOOPS_US);
  vector_push(&log.loops, (struct event_loop){.count = 3, .end = 41 * LOOPS_MS});
  event_chains_make(&chains, &log);
  loop_turns_make(&turns, &log, &chains, LOOP_EARLY);
  assert_int_equal(loop_replay_check(&turns, &chains, NULL), 0);
  double own[] = {0, 1, 1};
  struct loop_scenario scenario = loop_scenario_none();
  scenario.own = own;
  loop_replay_run(&replay, &turns, &chains, &scenario);
  assert_in_range(replay.latency[1], 100 * LOOPS_US, 200 * LOOPS_US);
  loop_replay_clear(&replay);
  loop_turns_clear(&turns);
  event_chains_clear(&chains);
  event_log_clear(&log);
}

/* A page waits for a timer of this length. A report holds the loop from 5 to 45 ms, then comes an
 * immediate that the loop's own code registers, and the timer. The page's latency without the
 * report. */
static int64_t latency_with_timer(int64_t length) {
  struct event_log log;
  struct event_chains chains;
  struct loop_turns turns;
  struct loop_replay replay;
  event_log_init(&log);
  add_callback(&log, "GET /page", 0, 0, 100 * LOOPS_US);
  add_callback(&log, "GET /report", 5 * LOOPS_MS, 5 * LOOPS_MS, 45 * LOOPS_MS);
  add_callback(&log, NULL, 45130 * LOOPS_US, 45150 * LOOPS_US, 45160 * LOOPS_US);
  add_callback(&log, NULL, 50 * LOOPS_US + length, 45200 * LOOPS_US, 45300 * LOOPS_US);
  log.registered.data[3] = 50 * LOOPS_US;
  log.registrar.data[3] = 0;
  log.class.data[3] = EVENT_TIMER;
  log.ready_source.data[3] = EVENT_READY_TIMER;
  log.requests.data[0].sink = 3;
  log.requests.data[0].responded = 45300 * LOOPS_US;
  vector_push(&log.loops, (struct event_loop){.count = 4, .end = 46 * LOOPS_MS});
  event_chains_make(&chains, &log);
  loop_turns_make(&turns, &log, &chains, LOOP_EARLY);
  assert_int_equal(loop_replay_check(&turns, &chains, NULL), 0);
  double own[] = {1, 0, 1, 1};
  struct loop_scenario scenario = loop_scenario_none();
  scenario.own = own;
  loop_replay_run(&replay, &turns, &chains, &scenario);
  int64_t latency = replay.latency[0];
  loop_replay_clear(&replay);
  loop_turns_clear(&turns);
  event_chains_clear(&chains);
  event_log_clear(&log);
  return latency;
}

/* The timer was due while the loop was held: it did not find the loop idle either. */
static void test_a_due_timer_behind_an_immediate(void **state) {
  (void)state;
  assert_in_range(latency_with_timer(10 * LOOPS_MS), 10 * LOOPS_MS, 10500 * LOOPS_US);
}

/* It would have been due while the loop was idle, and did not begin: it was refreshed, nobody knows
 * when. So it stays. */
static void test_a_refreshed_timer_stays(void **state) {
  (void)state;
  assert_in_range(latency_with_timer(2 * LOOPS_MS), 45 * LOOPS_MS, 45300 * LOOPS_US);
}

/* A page is answered by a callback of another thread, which was there before it and waits for a
 * report. Without the report that runs before the page comes: nobody knows what would answer the
 * page then, but not before it comes. */
static void test_no_answer_before_the_request(void **state) {
  (void)state;
  struct event_log log;
  struct event_chains chains;
  struct loop_turns turns;
  struct loop_replay replay;
  event_log_init(&log);
  add_callback(&log, "GET /report", 0, 0, 40 * LOOPS_MS);
  add_callback(&log, NULL, 5 * LOOPS_US, 40050 * LOOPS_US, 40100 * LOOPS_US);
  add_callback(&log, "GET /page", 20 * LOOPS_MS, 20 * LOOPS_MS, 20100 * LOOPS_US);
  log.requests.data[1].loop = 1;
  log.requests.data[1].sink = 1;
  log.requests.data[1].responded = 40100 * LOOPS_US;
  vector_push(&log.loops, (struct event_loop){.count = 2, .end = 41 * LOOPS_MS});
  vector_push(&log.loops, (struct event_loop){.first = 2, .count = 1, .end = 41 * LOOPS_MS});
  event_chains_make(&chains, &log);
  loop_turns_make(&turns, &log, &chains, LOOP_EARLY);
  assert_int_equal(loop_replay_check(&turns, &chains, NULL), 0);
  double own[] = {0, 1, 1};
  struct loop_scenario scenario = loop_scenario_none();
  scenario.own = own;
  loop_replay_run(&replay, &turns, &chains, &scenario);
  assert_int_equal(replay.latency[1], 0);
  loop_replay_clear(&replay);
  loop_turns_clear(&turns);
  event_chains_clear(&chains);
  event_log_clear(&log);
}

/* A callback that the clock has as ready before it was registered, as stamps of two threads may be,
 * is replayed as it was: with a list of waits that changes none of them, too. */
static void test_ready_before_it_was_registered(void **state) {
  (void)state;
  struct event_log log;
  struct event_chains chains;
  struct loop_turns turns;
  struct loop_replay replay;
  event_log_init(&log);
  add_callback(&log, "GET /page", 0, 0, 100 * LOOPS_US);
  add_callback(&log, NULL, 150 * LOOPS_US, 160 * LOOPS_US, 170 * LOOPS_US);
  log.registered.data[1] = 50 * LOOPS_US;
  log.registrar.data[1] = 0;
  log.requests.data[0].sink = 1;
  log.requests.data[0].responded = 170 * LOOPS_US;
  vector_push(&log.loops, (struct event_loop){.count = 2, .end = LOOPS_MS});
  event_chains_make(&chains, &log);
  loop_turns_make(&turns, &log, &chains, LOOP_EARLY);
  assert_int_equal(turns.kept.count, 2);
  turns.since[1] = 155 * LOOPS_US; /* as of a link that follows from another */
  assert_int_equal(loop_replay_check(&turns, &chains, NULL), 0);
  int64_t io[] = {0, 0};
  struct loop_scenario scenario = loop_scenario_none();
  scenario.io = io;
  loop_replay_run(&replay, &turns, &chains, &scenario);
  assert_int_equal(replay.latency[0], 170 * LOOPS_US);
  loop_replay_clear(&replay);
  loop_turns_clear(&turns);
  event_chains_clear(&chains);
  event_log_clear(&log);
}

/* A log whose chains do not fit its loop is refused. */
static void test_a_contradiction_is_seen(void **state) {
  (void)state;
  struct scene scene;
  scene_make(&scene, 1, &all);
  for (size_t i = 0; i < scene.turns.kept.count / 2; i++) /* later ones overtake */
    narrow_set(&scene.turns.early, i, narrow_get(&scene.turns.early, i) - 50 * LOOPS_MS);
  assert_true(loop_replay_check(&scene.turns, &scene.chains, NULL) > 0);
  scene_clear(&scene);
}

static void test_without_collections(void **state) {
  (void)state;
  struct loops_plants less = all;
  less.collection = all.collection / 5;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    struct scene scene;
    scene_make(&scene, seed, &all);
    struct loop_scenario scenario = loop_scenario_none();
    scenario.pause[EVENT_PAUSE_MAJOR] = 0.2;
    assert_predicts(&scene, seed, &scenario, &less, 0);
    scene_clear(&scene);
  }
}

static void test_a_faster_callback(void **state) {
  (void)state;
  struct loops_plants less = all;
  less.spin = (all.spin + 50 * LOOPS_US) / 4 - 50 * LOOPS_US;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    struct scene scene;
    scene_make(&scene, seed, &all);
    struct loop_scenario scenario = loop_scenario_none();
    double *own = factors(&scene, "report.js:7:3 makeReport", 0.25);
    scenario.own = own;
    assert_predicts(&scene, seed, &scenario, &less, 0);
    mem_free(own);
    scene_clear(&scene);
  }
}

/* Without a report, and with half of it: the pause of this kind within the report goes, or stays. */
static void assert_pause_in_report(enum event_pause_kind kind, double left, bool goes) {
  struct loops_plants with = all, less = all;
  with.preempted = 15 * LOOPS_MS;
  less.spin = (int64_t)(left * (double)(all.spin + 50 * LOOPS_US)) - 50 * LOOPS_US;
  less.preempted = goes ? (int64_t)(left * (double)with.preempted) : with.preempted;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    struct scene scene;
    scene_make(&scene, seed, &with);
    for (size_t i = 0; i < scene.log.pauses.count; i++)
      if (scene.log.pauses.data[i].kind == EVENT_PAUSE_WAITING)
        scene.log.pauses.data[i].kind = kind;
    struct loop_scenario scenario = loop_scenario_none();
    double *own = factors(&scene, "report.js:7:3 makeReport", left);
    scenario.own = own;
    assert_predicts(&scene, seed, &scenario, &less, 2);
    mem_free(own);
    scene_clear(&scene);
  }
}

/* Who does not execute waits for no processor, and allocates nothing; who executes half as long is
 * not known to do less of it. Whoever stops the process does so whatever it executes. */
static void test_pauses_go_with_what_is_removed(void **state) {
  (void)state;
  assert_pause_in_report(EVENT_PAUSE_WAITING, 0.01, true);
  assert_pause_in_report(EVENT_PAUSE_LOOK, 0.01, true);
  assert_pause_in_report(EVENT_PAUSE_MINOR, 0.01, true);
  assert_pause_in_report(EVENT_PAUSE_STOPPED, 0.01, false);
  assert_pause_in_report(EVENT_PAUSE_WAITING, 0.5, false);
}

/* Registrations between move with their callback: by at most what rounding makes of them. */
static void test_a_faster_handler(void **state) {
  (void)state;
  struct scene scene;
  scene_make(&scene, 5, &all);
  struct loop_scenario scenario = loop_scenario_none();
  double *own = factors(&scene, "app.js:5:1 onRequest", 0);
  scenario.own = own;
  struct loop_replay replay;
  loop_replay_run(&replay, &scene.turns, &scene.chains, &scenario);
  assert_int_equal(replay.stuck, 0);
  for (uint32_t i = 0; i < REQUESTS; i++)
    assert_true(replay.latency[i] < loops_latency(&scene.program, i) + 60 * LOOPS_MS);
  loop_replay_clear(&replay);
  mem_free(own);
  scene_clear(&scene);
}

static void test_a_faster_disk(void **state) {
  (void)state;
  struct loops_plants less = all;
  less.disk = 0;
  struct scene scene;
  scene_make(&scene, 6, &all);
  int64_t *io = mem_alloc(scene.log.begin.count, sizeof *io);
  for (size_t i = 0; i < scene.log.begin.count; i++)
    if (scene.log.class.data[i] == EVENT_FILE &&
        scene.log.ready_low.data[i] - scene.log.registered.data[i] > all.disk)
      io[i] = -all.disk;
  struct loop_scenario scenario = loop_scenario_none();
  scenario.io = io;
  assert_predicts(&scene, 6, &scenario, &less, 0);
  mem_free(io);
  scene_clear(&scene);
}

static void test_split_and_offloaded(void **state) {
  (void)state;
  struct scene scene;
  scene_make(&scene, 7, &all);
  size_t rows = scene.log.begin.count;
  uint32_t *split = mem_alloc(rows, sizeof *split);
  uint8_t *offload = mem_alloc(rows, sizeof *offload);
  for (size_t i = 0; i < rows; i++)
    if (strcmp(names_text(&scene.log.names, scene.log.type.data[i]), "Immediate") == 0)
      offload[i] = (split[i] = 4) != 0;
  struct loop_scenario scenario = loop_scenario_none();
  struct loops_plants changed = all;
  scenario.split = split;
  changed.pieces = 4;
  assert_predicts(&scene, 7, &scenario, &changed, 0);
  scenario.split = NULL;
  scenario.offload = offload;
  changed.pieces = 0;
  changed.elsewhere = true;
  assert_predicts(&scene, 7, &scenario, &changed, 0);
  mem_free(split);
  mem_free(offload);
  scene_clear(&scene);
}

static void test_two_processes(void **state) {
  (void)state;
  struct loops_plants plants = all, two;
  plants.storm = 0; /* its timers would be in both */
  two = plants;
  two.processes = 2;
  struct scene scene;
  scene_make(&scene, 8, &plants);
  struct loop_scenario scenario = loop_scenario_none();
  scenario.processes = 2;
  assert_predicts(&scene, 8, &scenario, &two, 0);
  scene_clear(&scene);
}

/* Every fourth collection is left: over all four choices each happens once. */
static void test_rarer_collections(void **state) {
  (void)state;
  struct scene scene;
  scene_make(&scene, 9, &all);
  struct loop_scenario scenario = loop_scenario_none(), gone = loop_scenario_none();
  gone.pause[EVENT_PAUSE_MAJOR] = 0;
  scenario.rarer[EVENT_PAUSE_MAJOR] = 4;
  int64_t saved = 0, saved_all = 0;
  struct loop_replay replay;
  loop_replay_run(&replay, &scene.turns, &scene.chains, &gone);
  for (uint32_t i = 0; i < REQUESTS; i++)
    saved_all += loops_latency(&scene.program, i) - replay.latency[i];
  loop_replay_clear(&replay);
  for (scenario.offset = 0; scenario.offset < 4; scenario.offset++) {
    loop_replay_run(&replay, &scene.turns, &scene.chains, &scenario);
    for (uint32_t i = 0; i < REQUESTS; i++)
      saved += loops_latency(&scene.program, i) - replay.latency[i];
    loop_replay_clear(&replay);
  }
  assert_true(saved_all > 0);
  assert_true(saved > 4 * saved_all * 6 / 10 && saved < 4 * saved_all);
  scene_clear(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_change_is_the_recording),
      cmocka_unit_test(test_behind_an_immediate),
      cmocka_unit_test(test_a_due_timer_behind_an_immediate),
      cmocka_unit_test(test_a_refreshed_timer_stays),
      cmocka_unit_test(test_no_answer_before_the_request),
      cmocka_unit_test(test_ready_before_it_was_registered),
      cmocka_unit_test(test_a_contradiction_is_seen),
      cmocka_unit_test(test_without_collections),
      cmocka_unit_test(test_a_faster_callback),
      cmocka_unit_test(test_pauses_go_with_what_is_removed),
      cmocka_unit_test(test_a_faster_handler),
      cmocka_unit_test(test_a_faster_disk),
      cmocka_unit_test(test_split_and_offloaded),
      cmocka_unit_test(test_two_processes),
      cmocka_unit_test(test_rarer_collections),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
