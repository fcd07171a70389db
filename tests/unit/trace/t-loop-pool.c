/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work that waits for a thread of the pool, in logs of a few rows; times are in ms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/event/row.h"
#include "trace/loop/causes.h"
#include "trace/loop/chain.h"
#include "trace/loop/pool.h"

static const int64_t MS = 1000000;

static uint32_t name(struct event_log *log, const char *text) {
  return names_number(&log->names, (struct slice){text, strlen(text)});
}

/* Its callback runs for 0.1 ms when it is done; callbacks come in the order of begin. */
static uint32_t add(struct event_log *log, const char *type, uint8_t class, double asked,
                    double done, double begin) {
  int64_t at = (int64_t)(begin * (double)MS), ready = (int64_t)(done * (double)MS);
  struct event_row row = {.registered = (int64_t)(asked * (double)MS),
                          .ready_low = ready,
                          .ready_high = ready,
                          .begin = at,
                          .end = at + MS / 10,
                          .resource = event_log_rows(log) + 1,
                          .type = name(log, type),
                          .registrar = EVENT_NONE,
                          .releaser = EVENT_NONE,
                          .inside = EVENT_NONE,
                          .class = class};
  return event_log_add(log, &row);
}

static uint32_t add_key(struct event_log *log, double asked, double done) {
  return add(log, "PBKDF2REQUEST", EVENT_POOL, asked, done, done);
}

static uint32_t add_file(struct event_log *log, double asked, double done) {
  return add(log, "FSREQCALLBACK", EVENT_FILE, asked, done, done);
}

static void finish(struct event_log *log, struct loop_pool *pool, uint32_t threads) {
  vector_push(&log->loops,
              (struct event_loop){.count = event_log_rows(log), .end = INT64_MAX, .pool = threads});
  loop_pool_make(pool, log);
}

static void clear(struct event_log *log, struct loop_pool *pool) {
  loop_pool_clear(pool);
  event_log_clear(log);
}

/* Two threads, three keys from 0 on: the third begins at 50, and is done at 100; the second at 60.
 * A file that is asked for before 60 is not read before. */
static void test_until_a_thread_is_free(void **state) {
  (void)state;
  struct event_log log;
  struct loop_pool pool;
  event_log_init(&log);
  add_key(&log, 0, 50);
  uint32_t second = add_key(&log, 0.01, 60);
  uint32_t early = add_file(&log, 10, 62);
  uint32_t late = add_file(&log, 61, 63);
  uint32_t third = add_key(&log, 0.02, 100);
  finish(&log, &pool, 2);
  assert_true(pool.until[early] == 60 * MS && pool.behind[early] == second);
  assert_true(pool.until[late] == 0);
  assert_true(pool.until[second] == 0);
  assert_true(pool.until[third] == 50 * MS); /* of its own kind */
  clear(&log, &pool);
}

/* When a file was read is known as an interval: it waited until its start at least. */
static void test_early_end(void **state) {
  (void)state;
  struct event_log log;
  struct loop_pool pool;
  event_log_init(&log);
  add_key(&log, 0, 100);
  uint32_t file = add_file(&log, 10, 110);
  log.ready_low.data[file] = 40 * MS;
  finish(&log, &pool, 1);
  assert_true(pool.until[file] == 40 * MS);
  clear(&log, &pool);
}

/* One of two threads hashes, so files wait for the other: for files. Two of three hash: then they
 * wait because of those. */
static void test_what_most_threads_do(void **state) {
  (void)state;
  for (uint32_t threads = 2; threads <= 3; threads++) {
    struct event_log log;
    struct loop_pool pool;
    event_log_init(&log);
    uint32_t first = add_file(&log, 1, 9);
    uint32_t second = add_file(&log, 2, 20);
    for (uint32_t i = 1; i < threads; i++)
      add_key(&log, 0, 100);
    finish(&log, &pool, threads);
    assert_true(pool.until[first] == 0);
    assert_true(pool.until[second] == (threads == 2 ? 0 : 9 * MS));
    clear(&log, &pool);
  }
}

/* Three names of hosts are asked for before a file: two of four threads look them up at most, so the
 * file finds one. Two keys besides: then it waits, because of those that most threads do. A name waits
 * for the names before it in both cases: until all but one of them are told. */
static void test_names_of_hosts(void **state) {
  (void)state;
  for (uint32_t keys = 0; keys <= 2; keys += 2) {
    struct event_log log;
    struct loop_pool pool;
    event_log_init(&log);
    uint32_t file = add_file(&log, 10, 110);
    uint32_t asked = add(&log, "GETADDRINFOREQWRAP", EVENT_POOL, 11, 220, 220);
    add(&log, "GETADDRINFOREQWRAP", EVENT_POOL, 0, 100, 100);
    uint32_t second = add(&log, "GETNAMEINFOREQWRAP", EVENT_POOL, 0.01, 120, 120);
    uint32_t third = add(&log, "GETADDRINFOREQWRAP", EVENT_POOL, 0.02, 200, 200);
    uint32_t last = add(&log, "GETADDRINFOREQWRAP", EVENT_POOL, 115, 225, 225);
    uint32_t later = add(&log, "GETADDRINFOREQWRAP", EVENT_POOL, 300, 310, 310);
    uint32_t alone = add(&log, "GETADDRINFOREQWRAP", EVENT_POOL, 301, 311, 311);
    uint32_t again = add(&log, "GETADDRINFOREQWRAP", EVENT_POOL, 302, 312, 312);
    uint32_t key = EVENT_NONE;
    for (uint32_t i = 0; i < keys; i++)
      key = add_key(&log, 1 + i, 105 + i);
    finish(&log, &pool, 4);
    assert_true(pool.until[file] == (keys == 0 ? 0 : 105 * MS));
    assert_true(keys == 0 || pool.behind[file] == key);
    assert_true(pool.until[second] == 0 && pool.until[later] == 0 && pool.until[alone] == 0);
    assert_true(pool.until[third] == 100 * MS && pool.until[asked] == 120 * MS);
    assert_true(pool.until[again] == 310 * MS);
    assert_true(pool.until[last] == 200 * MS && pool.behind[last] == third);
    assert_int_equal(pool.behind[asked], second);
    assert_int_equal(pool.stretch[third], pool.stretch[asked]);
    assert_int_not_equal(pool.stretch[asked], pool.stretch[again]);
    clear(&log, &pool);
  }
}

/* A stream that compresses asks for one piece after the other. Each is work from when it was asked
 * for: so the file waits for the second, from 60 to 90, and not for a stream that asked for nothing
 * in between, or whose asking an older log does not have. */
static void test_streams(void **state) {
  (void)state;
  static const struct {
    bool has_asked;
    double asked;
    int64_t until;
  } cases[] = {{true, 60, 90}, {true, 50.1, 0}, {false, 60, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct event_log log;
    struct loop_pool pool;
    event_log_init(&log);
    uint32_t first = add(&log, "ZLIB", EVENT_POOL, 0, 50, 50);
    uint32_t second = add(&log, "ZLIB", EVENT_POOL, cases[i].asked, 90, 90);
    log.resource.data[second] = log.resource.data[first];
    log.registrar.data[second] = first;
    uint32_t file = add_file(&log, 70, 95);
    add_key(&log, 200, 210);
    finish(&log, &pool, 1);
    loop_pool_clear(&pool);
    log.loops.data[0].has_asked = cases[i].has_asked;
    loop_pool_make(&pool, &log);
    assert_true(pool.until[file] == cases[i].until * MS);
    assert_true(cases[i].until == 0 || pool.behind[file] == second);
    clear(&log, &pool);
  }
}

/* Those that come while no thread is free are one stretch. */
static void test_stretches(void **state) {
  (void)state;
  struct event_log log;
  struct loop_pool pool;
  uint32_t file[4];
  event_log_init(&log);
  for (uint32_t i = 0; i < 2; i++) {
    add_key(&log, 200 * i, 100 + 200 * i);
    file[2 * i] = add_file(&log, 10 + 200 * i, 110 + 200 * i);
    file[2 * i + 1] = add_file(&log, 20 + 200 * i, 120 + 200 * i);
  }
  finish(&log, &pool, 1);
  assert_true(pool.until[file[0]] == 100 * MS && pool.until[file[2]] == 300 * MS);
  assert_true(pool.until[file[1]] == 100 * MS); /* and then for a file */
  assert_int_not_equal(pool.stretch[file[0]], pool.stretch[file[2]]);
  clear(&log, &pool);
  event_log_init(&log);
  for (uint32_t i = 0; i < 2; i++)
    add_key(&log, 0, 100);
  file[0] = add_file(&log, 10, 110);
  file[1] = add_file(&log, 20, 111);
  finish(&log, &pool, 2);
  assert_true(pool.until[file[0]] == 100 * MS && pool.until[file[1]] == 100 * MS);
  assert_int_equal(pool.stretch[file[0]], pool.stretch[file[1]]);
  clear(&log, &pool);
}

/* Nothing is said of a pool of unknown size, or that serves files alone; nor where the log
 * contradicts: a file is there while no thread can have read it. Streams that are compressed are
 * asked for nothing yet when they are made. */
static void test_what_is_not_known(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 4; i++) {
    struct event_log log;
    struct loop_pool pool;
    event_log_init(&log);
    uint32_t soon = add_file(&log, 10, i == 2 ? 20 : 110);
    if (i == 1)
      add_file(&log, 0, 100);
    else if (i == 3)
      add(&log, "ZLIB", EVENT_POOL, 0, 100, 100);
    else
      add_key(&log, 0, 100);
    finish(&log, &pool, i == 0 ? 0 : 1);
    if (i == 2)
      assert_true(pool.until != NULL && pool.until[soon] == 0);
    else
      assert_true(pool.until == NULL);
    clear(&log, &pool);
  }
}

/* Two of three threads derive keys. What else there is holds none: a file that is watched, or what
 * is called back within another callback. */
static void test_what_holds_no_thread(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 3; i++) {
    struct event_log log;
    struct loop_pool pool;
    event_log_init(&log);
    uint32_t first = add_key(&log, 0, 100);
    add_key(&log, 0, 100);
    uint32_t file = add_file(&log, 10, 110);
    uint32_t third =
        i == 1 ? add(&log, "STATWATCHER", EVENT_FILE, 0, 500, 500) : add_key(&log, 0, 500);
    log.inside.data[third] = i == 2 ? first : EVENT_NONE;
    finish(&log, &pool, 3);
    assert_true(pool.until[file] == (i == 0 ? 100 * MS : 0));
    clear(&log, &pool);
  }
}

/* Loops of one process have one pool: a worker's two keys hold what the main loop asks for. Another
 * process has its own, as does one of this number that was recorded elsewhere. */
static void test_loops_of_a_process(void **state) {
  (void)state;
  static const struct {
    uint64_t process;
    uint32_t folder;
    bool is_same;
  } cases[] = {{7, 3, true}, {8, 3, false}, {7, 4, false}};
  for (size_t i = 0; i < 3; i++) {
    struct event_log log;
    struct loop_pool pool;
    event_log_init(&log);
    uint32_t file = add_file(&log, 10, 62);
    add_key(&log, 61, 200);
    vector_push(
        &log.loops,
        (struct event_loop){.process = 7, .folder = 3, .count = 2, .end = INT64_MAX, .pool = 2});
    add_key(&log, 0, 60);
    uint32_t other = add_key(&log, 0, 100);
    vector_push(&log.loops, (struct event_loop){.process = cases[i].process,
                                                .folder = cases[i].folder,
                                                .thread = 1,
                                                .first = 2,
                                                .count = 2,
                                                .end = INT64_MAX,
                                                .pool = 2});
    loop_pool_make(&pool, &log);
    assert_true(pool.until[file] == (cases[i].is_same ? 60 * MS : 0));
    assert_true(!cases[i].is_same || pool.behind[file] == other);
    clear(&log, &pool);
  }
}

/* A pool may have as many threads as libuv allows. */
static void test_many_threads(void **state) {
  (void)state;
  for (uint32_t threads = 1023; threads <= 1025; threads++) {
    struct event_log log;
    struct loop_pool pool;
    event_log_init(&log);
    for (uint32_t i = 0; i < 1024; i++)
      add_key(&log, 0, 100 + i);
    uint32_t file = add_file(&log, 10, 2000);
    finish(&log, &pool, threads);
    if (threads == 1025)
      assert_true(pool.until == NULL);
    else
      assert_true(pool.until[file] == (threads == 1023 ? 101 : 100) * MS);
    clear(&log, &pool);
  }
}

static uint32_t find_cause(const struct loop_route *route, const char *wanted) {
  for (uint32_t c = 0; c < route->causes.causes.count; c++)
    if (strcmp(route->causes.causes.data[c].name, wanted) == 0)
      return c;
  fail_msg("no cause \"%s\"", wanted);
  return EVENT_NONE;
}

struct scene {
  struct event_log log;
  struct event_chains chains;
  struct loop_causes causes;
};

/* A request that arrives when its source begins, and is answered when its sink ends. */
static void add_request(struct scene *s, const char *route, uint32_t source, uint32_t sink) {
  struct event_log *log = &s->log;
  int64_t arrived = log->begin.data[source];
  log->registrar.data[sink] = source;
  struct event_request request = {.route = name(log, route),
                                  .source = source,
                                  .sink = sink,
                                  .arrived_low = arrived,
                                  .arrived_high = arrived,
                                  .noticed = arrived,
                                  .responded = log->end.data[sink],
                                  .state = EVENT_ANSWERED};
  vector_push(&log->requests, request);
}

/* Of a pool with one thread. */
static void scene_make(struct scene *s) {
  struct event_log *log = &s->log;
  vector_push(&log->loops,
              (struct event_loop){.count = event_log_rows(log), .end = INT64_MAX, .pool = 1});
  event_chains_make(&s->chains, log);
  loop_causes_make(&s->causes, log, &s->chains, 99, 0);
}

static void scene_clear(struct scene *s) {
  loop_causes_clear(&s->causes);
  event_chains_clear(&s->chains);
  event_log_clear(&s->log);
}

static int64_t without(const struct loop_route *route, const uint32_t *causes, size_t count) {
  return route->causes.replay.without(&route->causes, 0, causes, count);
}

/* A request reads a file behind keys of nobody: 90 ms of its 100 are the pool's, and without them
 * it takes 10. Files are read in 4 ms otherwise: that its own takes longer than that is a cause of
 * 6 ms, which has nothing of the pool's. */
static void test_a_cause(void **state) {
  (void)state;
  struct scene s;
  event_log_init(&s.log);
  add(&s.log, "Timeout", EVENT_TIMER, 0, 1, 1);
  uint32_t source = add(&s.log, "HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 10, 10);
  add_key(&s.log, 1, 100.05);
  uint32_t sink = add_file(&s.log, 10.05, 110.05);
  for (uint32_t i = 2; i <= 3; i++)
    add_file(&s.log, 100 * i, 100 * i + 4);
  add_request(&s, "GET /", source, sink);
  scene_make(&s);
  const struct loop_route *route = &s.causes.routes.data[0];
  uint32_t held = find_cause(route, "waits for a thread of the pool (1), held by pbkdf2");
  uint32_t both[] = {held, find_cause(route, "waits for file")};
  int64_t latency = 100 * MS + 3 * MS / 20;
  assert_true(route->causes.causes.data[held].parts[0] == 90 * MS);
  assert_true(route->causes.causes.data[both[1]].parts[0] == 10 * MS);
  assert_true(route->causes.latency[0] == latency);
  assert_true(without(route, &held, 1) == latency - 90 * MS);
  assert_true(without(route, &both[1], 1) == latency - 6 * MS);
  assert_true(without(route, both, 2) == latency - 96 * MS);
  scene_clear(&s);
}

/* The same file is read while a timer holds the loop, with a collection: each has a part of its
 * own, and they add up. */
static void test_parts_add_up(void **state) {
  (void)state;
  struct scene s;
  event_log_init(&s.log);
  uint32_t source = add(&s.log, "HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 10, 10);
  add_key(&s.log, 1, 90.05);
  uint32_t timer = add(&s.log, "Timeout", EVENT_TIMER, 0, 105, 105);
  s.log.end.data[timer] = 130 * MS;
  uint32_t sink = add(&s.log, "FSREQCALLBACK", EVENT_FILE, 10.05, 110.05, 130);
  vector_push(&s.log.pauses,
              (struct event_pause){.kind = EVENT_PAUSE_MAJOR, .start = 108 * MS, .end = 115 * MS});
  add_request(&s, "GET /", source, sink);
  scene_make(&s);
  const struct loop_route *route = &s.causes.routes.data[0];
  static const struct {
    const char *name;
    int64_t part; /* us */
  } parts[] = {{"waits for a thread of the pool (1), held by pbkdf2", 80000},
               {"waits for file", 20000},
               {"full collection", 4950},
               {"held by timer", 15000},
               {"runs request GET /", 50},
               {"runs file of GET /", 100}};
  int64_t sum = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    uint32_t cause = find_cause(route, parts[i].name);
    assert_int_equal(route->causes.causes.data[cause].parts[0], parts[i].part * 1000);
    sum += parts[i].part * 1000;
  }
  assert_int_equal(sum, route->causes.latency[0]);
  assert_int_equal(route->causes.causes.count, sizeof parts / sizeof *parts);
  scene_clear(&s);
}

/* Keys of a request are told with its route, and those of nobody are another cause. What waits
 * while the pool is not free is one cluster, as it is not independent of each other; what waits
 * later is another. */
static void test_clusters(void **state) {
  (void)state;
  struct scene s;
  uint32_t source[4], sink[4];
  event_log_init(&s.log);
  source[0] = add(&s.log, "HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 1, 1);
  source[1] = add(&s.log, "HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 10, 10);
  source[2] = add(&s.log, "HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 12, 12);
  sink[0] = add_key(&s.log, 1.05, 100);
  sink[1] = add_file(&s.log, 10.05, 101);
  sink[2] = add_file(&s.log, 12.05, 102);
  source[3] = add(&s.log, "HTTPINCOMINGMESSAGE", EVENT_SOCKET, 0, 210, 210);
  add_key(&s.log, 201, 300);
  sink[3] = add_file(&s.log, 210.05, 301);
  for (size_t i = 0; i < 4; i++)
    add_request(&s, i == 0 ? "GET /key" : "GET /", source[i], sink[i]);
  scene_make(&s);
  const struct loop_route *route = &s.causes.routes.data[0];
  assert_string_equal(names_text(&s.log.names, route->route), "GET /");
  assert_int_equal(route->chains.count, 3);
  static const char *const names[] = {
      "waits for a thread of the pool (1), held by pbkdf2 of GET /key",
      "waits for a thread of the pool (1), held by pbkdf2"};
  static const int64_t waits[][3] = {{8995, 8795, 0}, {0, 0, 8995}}; /* 10 us */
  for (size_t c = 0; c < 2; c++)
    for (size_t i = 0; i < 3; i++) {
      uint32_t held = find_cause(route, names[c]);
      int64_t wait = waits[c][i] * MS / 100;
      assert_int_equal(route->causes.causes.data[held].parts[i], wait);
      assert_int_equal(route->causes.replay.without(&route->causes, i, &held, 1),
                       route->causes.latency[i] - wait);
    }
  assert_int_equal(route->cluster[0], route->cluster[1]);
  assert_int_not_equal(route->cluster[0], route->cluster[2]);
  scene_clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_until_a_thread_is_free),
                                     cmocka_unit_test(test_early_end),
                                     cmocka_unit_test(test_what_most_threads_do),
                                     cmocka_unit_test(test_names_of_hosts),
                                     cmocka_unit_test(test_streams),
                                     cmocka_unit_test(test_stretches),
                                     cmocka_unit_test(test_what_is_not_known),
                                     cmocka_unit_test(test_what_holds_no_thread),
                                     cmocka_unit_test(test_loops_of_a_process),
                                     cmocka_unit_test(test_many_threads),
                                     cmocka_unit_test(test_a_cause),
                                     cmocka_unit_test(test_parts_add_up),
                                     cmocka_unit_test(test_clusters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
