/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests that wait for a connection of a pool, in a log of a few rows; times are in us.
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

enum { US = 1000, SOCKET = 7, OTHER = 8, NO = -1 };

static uint32_t name(struct event_log *log, const char *text) {
  return names_number(&log->names, (struct slice){text, strlen(text)});
}

struct one {
  const char *type;
  uint8_t class;
  uint32_t resource;
  int64_t registered, ready, begin, end;
  int registrar, releaser, inside;
};

static void add(struct event_log *log, const struct one *one) {
  struct event_row row = {.registered = one->registered * US,
                          .ready_low = one->ready * US,
                          .ready_high = one->ready * US,
                          .begin = one->begin * US,
                          .end = one->end * US,
                          .resource = one->resource,
                          .type = name(log, one->type),
                          .registrar = (uint32_t)one->registrar,
                          .releaser = (uint32_t)one->releaser,
                          .inside = (uint32_t)one->inside,
                          .class = one->class};
  event_log_add(log, &row);
}

/* A request asks at 10500 by a connection that others have until 60200, and gets its answer at
 * 80000. Besides, the loop is called back by that connection at 60000. */
static const struct one rows[] = {
    {"PIPEWRAP db", EVENT_SOCKET, SOCKET, 0, 0, 0, 100, NO, NO, NO},
    {"HTTPINCOMINGMESSAGE", EVENT_SOCKET, 20, 0, 10000, 10000, 11000, NO, NO, NO},
    {"PIPEWRAP db", EVENT_SOCKET, SOCKET, 100, 60000, 60000, 60500, 0, NO, NO},
    {"PIPEWRAP db", EVENT_SOCKET, SOCKET, 60500, 79000, 80000, 81000, 2, NO, NO},
    {"PROMISE", EVENT_PROMISE, 0, 10600, 80500, 80500, 81000, 1, 3, 3},
};

struct scene {
  struct event_log log;
  struct event_chains chains;
  struct loop_causes causes;
};

static void make(struct scene *s, const struct event_grant *grant) {
  struct event_log *log = &s->log;
  event_log_init(log);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    add(log, &rows[i]);
  vector_push(&log->loops,
              (struct event_loop){.count = event_log_rows(log), .end = 100000 * US, .pool = 4});
  struct event_request request = {.route = name(log, "GET /"),
                                  .source = 1,
                                  .sink = 4,
                                  .arrived_low = 10000 * US,
                                  .arrived_high = 10000 * US,
                                  .noticed = 10000 * US,
                                  .responded = 81000 * US,
                                  .state = EVENT_ANSWERED};
  vector_push(&log->requests, request);
  struct event_grant given = *grant;
  given.name = name(log, "pg's pool (2 of 2 in use)");
  given.asked *= US;
  given.granted *= US;
  vector_push(&log->grants, given);
  event_chains_make(&s->chains, log);
  loop_causes_begin(&s->causes, log, &s->chains, 99, 0);
  event_log_forget_origins(log);
  loop_causes_fill(&s->causes);
}

static void clear(struct scene *s) {
  loop_causes_clear(&s->causes);
  event_chains_clear(&s->chains);
  event_log_clear(&s->log);
}

/* us; 0: there is no such cause. Its parts add up to the latency with those of the others. */
static int64_t part(const struct scene *s, const char *wanted) {
  const struct loop_route *route = &s->causes.routes.data[0];
  int64_t found = 0, sum = 0;
  for (uint32_t c = 0; c < route->causes.causes.count; c++) {
    sum += route->causes.causes.data[c].parts[0];
    if (strcmp(route->causes.causes.data[c].name, wanted) == 0) {
      found = route->causes.causes.data[c].parts[0];
      assert_true(route->causes.replay.without(&route->causes, 0, &c, 1) >= 0);
    }
  }
  assert_int_equal(sum, route->causes.latency[0]);
  return found / US;
}

static const char connection[] = "waits for a connection of pg's pool (2 of 2 in use)";
static const char database[] = "waits for pipe to db";

/* The connection itself: others had it until it was given, and then it brought the answer. */
static void test_by_connection(void **state) {
  (void)state;
  static const struct {
    struct event_grant grant;
    int64_t connection, database;
  } cases[] = {
      {{.asker = 1, .row = 2, .connection = SOCKET, .asked = 10500, .granted = 60200},
       49600,
       18800},
      {{.asker = 1, .row = 2, .connection = OTHER, .asked = 10500, .granted = 60200}, 0, 68400},
      {{.asker = 1, .row = 2, .connection = 0, .asked = 10500, .granted = 60200}, 0, 68400},
      {{.asker = 0, .row = 2, .connection = SOCKET, .asked = 50, .granted = 60200}, 0, 68400},
      {{.asker = EVENT_NONE, .row = 2, .connection = SOCKET, .asked = 10500, .granted = 60200},
       0,
       68400},
      {{.asker = 1, .row = 3, .connection = SOCKET, .asked = 10500, .granted = 80900}, 68400, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct scene s;
    make(&s, &cases[i].grant);
    assert_int_equal(part(&s, connection), cases[i].connection);
    assert_int_equal(part(&s, database), cases[i].database);
    clear(&s);
  }
}

/* What is taken away is the wait, and no more: which connection it would have got otherwise is
 * nothing that the loop knows. */
static void test_without(void **state) {
  (void)state;
  struct scene s;
  make(&s, &(struct event_grant){
               .asker = 1, .row = 2, .connection = SOCKET, .asked = 10500, .granted = 60200});
  const struct loop_route *route = &s.causes.routes.data[0];
  for (uint32_t c = 0; c < route->causes.causes.count; c++)
    if (strcmp(route->causes.causes.data[c].name, connection) == 0)
      assert_int_equal(route->causes.replay.without(&route->causes, 0, &c, 1),
                       (71000 - 49600) * US);
  clear(&s);
}

/* Those of one pool that wait while others do are not independent of each other. */
static void test_stretches(void **state) {
  (void)state;
  static const int64_t times[][2] = {{10, 30}, {20, 50}, {50, 60}, {40, 45}, {70, 80}};
  struct event_log log;
  struct event_chains chains;
  struct loop_turns turns;
  struct loop_granted granted;
  event_log_init(&log);
  add(&log, &rows[0]);
  vector_push(&log.loops, (struct event_loop){.count = 1, .end = 100 * US});
  uint32_t pools[] = {name(&log, "one"), name(&log, "other")};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    struct event_grant grant = {
        .name = pools[i == 3], .asked = times[i][0], .granted = times[i][1]};
    vector_push(&log.grants, grant);
  }
  event_chains_make(&chains, &log);
  loop_turns_make(&turns, &log, &chains, LOOP_EARLY);
  loop_granted_make(&granted, &turns, &chains);
  assert_int_equal(granted.stretches, 4);
  assert_int_equal(granted.stretch[0], granted.stretch[1]);
  for (size_t i = 2; i < 5; i++)
    for (size_t j = 0; j < i; j++)
      assert_true(granted.stretch[i] != granted.stretch[j]);
  assert_int_equal(granted.waits.count, 0);
  loop_granted_clear(&granted);
  loop_turns_clear(&turns);
  event_chains_clear(&chains);
  event_log_clear(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_connection),
                                     cmocka_unit_test(test_without),
                                     cmocka_unit_test(test_stretches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
