/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/trace/loops.h"
#include "trace/event/row.h"
#include "trace/loop/changes.h"
#include "trace/event/word.h"
#include "trace/loop/judge.h"
#include "trace/loop/seen.h"

static char said[600];

static void say(void *context, enum saying saying, const char *line) {
  (void)context;
  (void)saying;
  snprintf(said, sizeof said, "%s", line);
}

static const struct asker asker = {.say = say};

struct scene {
  struct event_log log;
  struct loops_program program;
  struct event_chains chains;
  struct loop_turns turns;
  struct loop_changes changes;
};

static void scene_make(struct scene *scene) {
  const struct loops_plants plants = {.spin = 40 * LOOPS_MS, .collection = 25 * LOOPS_MS};
  event_log_init(&scene->log);
  loops_program_make(&scene->program, &scene->log, 600, 3, &plants);
  loops_run(&scene->program, &plants);
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

static enum status read(struct scene *scene, const char *text) {
  said[0] = '\0';
  return loop_changes_read(&scene->changes, &scene->turns, NULL, &text, 1, &asker);
}

static void test_names_of_positions(void **state) {
  (void)state;
  static const char place[] = "/srv/shop/app.js:12:3 onFile";
  static const char *const means[] = {
      "app.js:12",     "app.js:12:3",        "app.js", "onFile",          "shop/app.js:12",
      "*:12:3 onFile", "app.js:12:3 onFile", "*",      "/srv/shop/app.js"};
  static const char *const others[] = {"app.js:1", "pp.js:12", "File", "app.js:12:33", "b.js"};
  for (size_t i = 0; i < sizeof means / sizeof *means; i++)
    if (!loop_place_means(means[i], place))
      fail_msg("%s does not mean %s", means[i], place);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (loop_place_means(others[i], place))
      fail_msg("%s means %s", others[i], place);
}

/* What people call a type, and whom a connection goes to. */
static void test_words(void **state) {
  (void)state;
  static const char *const words[][2] = {
      {"HTTPINCOMINGMESSAGE", "request"},
      {"FSREQPROMISE", "file"},
      {"FSEVENTWRAP", "file watch"},
      {"TCPWRAP", "connection"},
      {"TCPWRAP 10.0.0.2:6379", "Redis 10.0.0.2:6379"},
      {"TCPWRAP [::1]:5432", "PostgreSQL [::1]:5432"},
      {"PIPEWRAP /run/postgresql/.s.PGSQL.5432", "PostgreSQL /run/postgresql/.s.PGSQL.5432"},
      {"TCPWRAP 127.0.0.1:46623", "connection to 127.0.0.1:46623"},
      {"PIPEWRAP /run/app.sock", "pipe to /run/app.sock"},
      {"Timeout 700 ms", "timer of 700 ms"},
      {"PGQUERY", "PGQUERY"},
      {"", "callback"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    struct text text;
    text_init(&text);
    event_word_append(&text, words[i][0]);
    assert_string_equal(text_get(&text), words[i][1]);
    text_clear(&text);
  }
}

/* The application's own function comes first, then the package's that it was in, and its callers. */
static void test_stacks(void **state) {
  (void)state;
  static const char *const stacks[][2] = {
      {"app.js:9:3 render", "app.js:9:3 render"},
      {"app.js:9:3 render;app.js:20:5 handler", "app.js:9:3 render, called by app.js:20:5 handler"},
      {"node_modules/pg/x.js:1:2 parse;app.js:9:3 render;app.js:20:5 handler",
       "app.js:9:3 render, in node_modules/pg/x.js:1:2 parse, called by app.js:20:5 handler"},
      {"node_modules/pg/x.js:1:2 parse;node_modules/pg/y.js:3:4 read",
       "node_modules/pg/x.js:1:2 parse, called by node_modules/pg/y.js:3:4 read"}};
  for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
    struct text text;
    text_init(&text);
    loop_stack_say(&text, stacks[i][0]);
    assert_string_equal(text_get(&text), stacks[i][1]);
    text_clear(&text);
  }
  assert_true(loop_stack_means("handler", stacks[1][0]));
  assert_true(loop_stack_means("app.js:20", stacks[2][0]));
  assert_false(loop_stack_means("hand", stacks[1][0]));
}

static void assert_affects(struct scene *scene, const char *text, uint64_t count) {
  if (read(scene, text) != STATUS_OK)
    fail_msg("%s: %s", text, said);
  assert_int_equal(scene->changes.affected.data[0].count, count);
  loop_changes_clear(&scene->changes);
}

static void assert_refused(struct scene *scene, const char *text, const char *why) {
  assert_int_equal(read(scene, text), STATUS_USAGE);
  if (strstr(said, why) == NULL)
    fail_msg("%s: %s", text, said);
  loop_changes_clear(&scene->changes);
}

static void test_what_is_meant(void **state) {
  (void)state;
  struct scene scene;
  scene_make(&scene);
  assert_affects(&scene, "app.js:5: *0.5", 600);
  assert_affects(&scene, "io app.js:9: - 1 ms", 600);
  assert_affects(&scene, "io app.js:9: at most 5 ms", 600);
  assert_affects(&scene, "gc: *0.65", scene.log.pauses.count);
  assert_affects(&scene, "gc major: rarer 3", scene.log.pauses.count);
  assert_affects(&scene, "processes: 2", 1);
  assert_refused(&scene, "gc minor: *0.5", "none is recorded");
  assert_refused(&scene, "gc: offload", "collections can be shorter");
  assert_refused(&scene, "gc: rarer 17", "at most rarer 16");
  assert_refused(&scene, "app.js:5: rarer 2", "only collections can be rarer");
  assert_refused(&scene, "io: split 2", "waits can be shorter or longer");
  assert_refused(&scene, "app.js:6: *0.5", "such as app.js:5:1 onRequest");
  assert_refused(&scene, "app.js:5: split 1001", "at most 1000 pieces");
  assert_refused(&scene, "load=60", "is of traces");
  assert_refused(&scene, "app.js:5: split", "column 16");
  scene_clear(&scene);
}

/* 64 copies of each turn: as many units as there are numbers, and one too many. Only the count of
 * turns is looked at. */
static void test_more_units_than_numbers(void **state) {
  (void)state;
  struct scene scene;
  scene_make(&scene);
  assert_int_equal(read(&scene, "processes: 64"), STATUS_OK);
  size_t count = scene.turns.kept.count;
  scene.turns.kept.count = (1 << 26) - 1;
  assert_int_equal(loop_changes_check(&scene.changes, &scene.turns, &asker), STATUS_OK);
  scene.turns.kept.count = 1 << 26;
  said[0] = '\0';
  assert_int_equal(loop_changes_check(&scene.changes, &scene.turns, &asker), STATUS_USAGE);
  assert_non_null(strstr(said, "give fewer pieces or processes"));
  scene.turns.kept.count = count;
  loop_changes_clear(&scene.changes);
  scene_clear(&scene);
}

/* A shift is of each run, and takes no more than there is. */
static void test_a_shift(void **state) {
  (void)state;
  struct scene scene;
  scene_make(&scene);
  assert_int_equal(read(&scene, "app.js:5: - 300 us"), STATUS_OK);
  for (uint32_t row = 0; row < scene.log.begin.count; row++) {
    double own = 0, factor = scene.changes.own[row];
    const struct loop_turn turn = loop_turn_at(&scene.turns, scene.turns.turn_of[row]);
    for (uint32_t i = turn.piece; i < turn.piece + turn.pieces; i++) {
      const struct loop_piece piece = loop_piece_of(&scene.turns, &turn, i);
      if (piece.kind == PIECE_RUN && piece.what == row)
        own += (double)(piece.end - piece.start);
    }
    if (scene.log.class.data[row] != EVENT_SOCKET)
      assert_true(factor == 1);
    else if (own <= 300000)
      assert_true(factor == 0);
    else
      assert_true(llabs((long long)(own * factor - (own - 300000))) <= 1);
    row += 7; /* the search is slow */
  }
  loop_changes_clear(&scene.changes);
  scene_clear(&scene);
}

/* What is shorter stays as it is; what is longer takes as long as another of them. */
static void test_at_most(void **state) {
  (void)state;
  struct scene scene;
  scene_make(&scene);
  assert_int_equal(read(&scene, "io app.js:9: at most 1500 us"), STATUS_OK);
  size_t changed = 0, below = 0;
  for (uint32_t row = 0; row < scene.log.begin.count; row++) {
    int64_t wait = scene.log.ready_low.data[row] - scene.turns.since[row];
    bool longer = scene.log.class.data[row] == EVENT_FILE && wait > 1500000;
    int64_t now = wait + scene.changes.io[row];
    if (longer)
      assert_in_range(now, 1000000, 1500000);
    else
      assert_int_equal(scene.changes.io[row], 0);
    changed += longer;
    below += longer && now < 1250000;
  }
  assert_in_range(changed, 100, 500);
  assert_in_range(below, changed / 3, changed * 2 / 3);
  loop_changes_clear(&scene.changes);
  assert_int_equal(read(&scene, "makeReport: at most 30 ms"), STATUS_OK);
  for (uint32_t row = 0; row < scene.log.begin.count; row++)
    if (scene.log.class.data[row] == EVENT_TICK)
      assert_true(fabs(scene.changes.own[row] - 30.0 / 40.05) < 1e-3);
  loop_changes_clear(&scene.changes);
  scene_clear(&scene);
}

/* --- logs without sense ------------------------------------------------------------------------
 */

static uint32_t any_row(struct random *random, uint32_t rows) {
  return random_below(random, 4) == 0 ? EVENT_NONE : (uint32_t)random_below(random, rows);
}

static void add_row(struct event_log *log, struct random *random, uint32_t rows, int64_t *begin) {
  *begin += loops_between(random, 0, 50);
  int64_t end = *begin + loops_between(random, 0, 80);
  int64_t low = loops_between(random, 0, *begin), high = loops_between(random, low, *begin);
  char place[20];
  snprintf(place, sizeof place, "a.js:%d", (int)random_below(random, 5));
  vector_push(&log->registered, loops_between(random, 0, *begin));
  vector_push(&log->ready_low, low);
  vector_push(&log->ready_high, high);
  vector_push(&log->begin, *begin);
  vector_push(&log->end, end);
  vector_push(&log->resource, (uint32_t)random_below(random, 6));
  vector_push(&log->type, loops_name(&log->names, random_below(random, 2) ? "A" : "B"));
  vector_push(&log->place, random_below(random, 3) ? loops_name(&log->names, place) : 0);
  vector_push(&log->registrar, any_row(random, rows));
  vector_push(&log->releaser, random_below(random, 3) ? EVENT_NONE : any_row(random, rows));
  vector_push(&log->inside, EVENT_NONE);
  vector_push(&log->class, (uint8_t)random_below(random, EVENT_PROGRAM + 1));
  vector_push(&log->ready_source, EVENT_READY_UNKNOWN);
}

/* Work of a pool takes its turn, or nothing would be said of it. */
static void add_work(struct event_log *log, struct random *random) {
  uint32_t row = event_log_rows(log) - 1;
  bool is_file = random_below(random, 2) != 0;
  log->type.data[row] = loops_name(&log->names, is_file ? "FSREQCALLBACK" : "PBKDF2REQUEST");
  log->class.data[row] = is_file ? EVENT_FILE : EVENT_POOL;
  log->registered.data[row] = log->begin.data[row] - 100;
  log->ready_low.data[row] = log->ready_high.data[row] = log->begin.data[row];
}

static void make_any(struct event_log *log, struct random *random) {
  uint32_t rows = 20 + (uint32_t)random_below(random, 60), half = rows / 2;
  event_log_init(log);
  for (uint32_t loop = 0, row = 0; loop < 2; loop++) {
    int64_t begin = 0;
    uint32_t first = row, end = loop == 0 ? half : rows;
    for (; row < end; row++) {
      add_row(log, random, rows, &begin);
      if (random_below(random, 3) == 0)
        add_work(log, random);
    }
    vector_push(&log->loops,
                (struct event_loop){.process = loop == 0 ? 1 : 1 + random_below(random, 2),
                                    .first = first,
                                    .count = end - first,
                                    .pool = 1});
  }
  for (uint32_t i = 0, start = 0; i < 10; i++) {
    start += (uint32_t)random_below(random, 100);
    vector_push(&log->pauses,
                (struct event_pause){.loop = i % 2,
                                     .kind = (enum event_pause_kind)(i % LOOP_PAUSES),
                                     .start = start,
                                     .end = start + (int64_t)random_below(random, 60)});
  }
  for (uint32_t i = 0; i < 30; i++) {
    uint32_t source = (uint32_t)random_below(random, rows),
             sink = (uint32_t)random_below(random, rows);
    vector_push(&log->requests,
                (struct event_request){.loop = source >= half,
                                       .route = loops_name(&log->names, i % 3 ? "GET /" : "GET /a"),
                                       .source = source,
                                       .sink = sink,
                                       .arrived_low = log->begin.data[source] - 5,
                                       .arrived_high = log->begin.data[source],
                                       .noticed = log->begin.data[source],
                                       .responded = log->end.data[sink]});
  }
}

/* Nothing of that crashes, and the parts of each chain add up all the same. */
static void test_any_log(void **state) {
  (void)state;
  static const char *const changes[] = {"*: split 3", "gc: rarer 2", "A: offload", "io: *0.5"};
  size_t pooled = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct random random = {seed};
    struct event_log log;
    struct event_chains chains;
    struct loop_causes causes;
    make_any(&log, &random);
    event_chains_make(&chains, &log);
    loop_causes_make(&causes, &log, &chains, 50, 0);
    for (size_t r = 0; r < causes.routes.count; r++) {
      struct loop_route *route = &causes.routes.data[r];
      struct loop_judgement judgement;
      for (size_t c = 0; c < route->causes.causes.count; c++)
        pooled += causes.causes.data[route->kinds.data[c]].kind == LOOP_POOL;
      for (size_t i = 0; i < route->chains.count; i++) {
        int64_t sum = 0;
        for (size_t c = 0; c < route->causes.causes.count; c++)
          sum += route->causes.causes.data[c].parts[i];
        assert_int_equal(sum, route->causes.latency[i]);
      }
      loop_judge(&judgement, route, 0.05);
      loop_judgement_clear(&judgement);
    }
    struct loop_changes read_changes;
    struct loop_replay replay;
    loop_changes_read(&read_changes, &causes.turns, NULL, changes, 4, &asker);
    read_changes.scenario.processes = 1 + (uint32_t)(seed % 3);
    loop_replay_run(&replay, &causes.turns, &chains, &read_changes.scenario);
    loop_replay_clear(&replay);
    loop_changes_clear(&read_changes);
    loop_causes_clear(&causes);
    event_chains_clear(&chains);
    event_log_clear(&log);
  }
  assert_true(pooled != 0);
}

/* A loop in which nothing happened. */
static void test_nothing(void **state) {
  (void)state;
  struct event_log log;
  struct event_chains chains;
  struct loop_causes causes;
  event_log_init(&log);
  for (int loops = 0; loops < 2; loops++) {
    event_chains_make(&chains, &log);
    loop_causes_make(&causes, &log, &chains, 99, 0);
    assert_int_equal(causes.routes.count, 0);
    assert_int_equal(causes.unfaithful, 0);
    loop_causes_clear(&causes);
    event_chains_clear(&chains);
    vector_push(&log.loops, (struct event_loop){.pool = 4});
  }
  event_log_clear(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_of_positions),
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_stacks),
      cmocka_unit_test(test_what_is_meant),
      cmocka_unit_test(test_more_units_than_numbers),
      cmocka_unit_test(test_a_shift),
      cmocka_unit_test(test_at_most),
      cmocka_unit_test(test_any_log),
      cmocka_unit_test(test_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
