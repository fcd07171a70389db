/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls that feed calls which run beside them (trace/graph/streams.c), against programs that hand on
 * chunks, and programs that do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/unit/trace/graphs.h"
#include "tests/unit/trace/scenarios.h"

enum { STAGES = 3, CHUNKS = 8, REQUESTS = 60 };

static const char *const ids[STAGES] = {"1", "2", "3"};
static const char *const services[STAGES] = {"ex", "tr", "ld"};

static int64_t below(struct random *random, int64_t count) {
  return (int64_t)random_below(random, (uint64_t)count);
}

/* When each stage starts and ends, if stage s takes up to 2 * mean[s] for a chunk and begins one
 * when the stage before has handed it on. Returns the end of the request. */
static int64_t run_stages(struct random *random, const int64_t *mean, size_t stages, int64_t *start,
                          int64_t *end) {
  int64_t ready[CHUNKS] = {0};
  for (size_t s = 0; s < stages; s++) {
    int64_t now = 10;
    start[s] = ready[0] > now ? ready[0] : now;
    for (size_t c = 0; c < CHUNKS; c++) {
      now = (ready[c] > now ? ready[c] : now) + 1 + below(random, 2 * mean[s]);
      ready[c] = now;
    }
    end[s] = now;
  }
  return end[stages - 1] + 5;
}

static void add(struct graphed *graphed, const int64_t *start, const int64_t *end, size_t stages,
                int64_t whole) {
  struct span_row rows[STAGES + 2] = {{"0", NULL, "web", "go", 0, whole, 0, 0}};
  for (size_t s = 0; s < stages; s++)
    rows[s + 1] = (struct span_row){ids[s], "0", services[s], services[s], start[s], end[s], 0, 0};
  graphed_add(graphed, rows);
}

static void add_stream(struct graphed *graphed, const int64_t *mean, size_t stages) {
  struct random random = {1};
  int64_t start[STAGES], end[STAGES];
  for (int i = 0; i < REQUESTS; i++) {
    int64_t whole = run_stages(&random, mean, stages, start, end);
    add(graphed, start, end, stages, whole);
  }
}

static size_t fed(const struct graphed *graphed) {
  const struct request_flow *flow = graphed->graph.flows.data[0];
  size_t count = 0;
  for (size_t i = 0; i < flow->orders.count; i++)
    if (flow->orders.data[i].kind == ORDER_FEEDS) {
      assert_int_equal(flow->orders.data[i].verdict, ORDER_UNDECIDED);
      count++;
    }
  return count;
}

/* One reading has the end of the second stage wait for the first, and the other does not. */
static void test_stream_is_open(void **state) {
  struct graphed *graphed = *state;
  add_stream(graphed, (int64_t[]){100, 50}, 2);
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(fed(graphed), 1);
  assert_non_null(strstr(graphed_show(graphed, "tr", false), " ex/ex >tr/tr"));
  assert_non_null(strstr(graphed_show(graphed, "tr", true), " >ex/ex"));
  graphed_make(graphed, UNDECIDED_FREE);
  assert_int_equal(fed(graphed), 1);
  assert_null(strstr(graphed_show(graphed, "tr", false), "ex"));
  assert_null(strstr(graphed_show(graphed, "tr", true), "ex"));
}

/* The third follows from the second, and not from the first besides. */
static void test_stages_in_a_row(void **state) {
  struct graphed *graphed = *state;
  add_stream(graphed, (int64_t[]){100, 60, 40}, 3);
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(fed(graphed), 2);
  assert_non_null(strstr(graphed_show(graphed, "ld", false), " tr/tr >ld/ld"));
}

/* The same lengths, and nothing handed on. */
static void test_no_stream(void **state) {
  struct graphed *graphed = *state;
  struct random random = {1};
  int64_t start[STAGES], end[STAGES], from[STAGES] = {10, 30, 50};
  for (int i = 0; i < REQUESTS; i++) {
    int64_t last = 0;
    for (size_t s = 0; s < STAGES; s++) {
      start[s] = from[s];
      end[s] = from[s] + 400 + below(&random, 600);
      last = end[s] > last ? end[s] : last;
    }
    add(graphed, start, end, STAGES, last + 5);
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(fed(graphed), 0);
  assert_int_equal(graphed->graph.flows.data[0]->beside.count, 0);
}

/* A client whose server is what takes its time, beside a call that ends with its answer. */
static void test_own_calls_account_for_it(void **state) {
  struct graphed *graphed = *state;
  struct random random = {1};
  for (int i = 0; i < REQUESTS; i++) {
    int64_t took = 500 + below(&random, 600);
    const struct span_row rows[] = {{"0", NULL, "gate", "go", 0, took + 30, 0, 0},
                                    {"1", "0", "gate", "handle", 5, took + 15, 0, 0},
                                    {"2", "0", "gate", "post", 8, took + 18, SPAN_CLIENT, 0},
                                    {"3", "2", "back", "serve", 10, took + 10, SPAN_SERVER, 0},
                                    {NULL, NULL, NULL, NULL, 0, 0, 0, 0}};
    graphed_add(graphed, rows);
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(fed(graphed), 0);
}

enum { WIRE = 4 };

/* Each stage, if it is in `paired`, as the span of a client, and in it that of the server: of the kinds
 * that are given. */
static void add_paired(struct graphed *graphed, const int64_t *start, const int64_t *end,
                       size_t stages, unsigned paired, enum span_kind client,
                       enum span_kind server) {
  static const char *const inner[STAGES] = {"4", "5", "6"}, *const asked[] = {"ask1", "ask2",
                                                                              "ask3"};
  struct span_row rows[2 * STAGES + 2] = {{0}};
  int64_t whole = 0;
  size_t count = 1;
  for (size_t s = 0; s < stages; s++) {
    bool twice = (paired >> s & 1) != 0;
    int64_t wire = twice ? WIRE : 0;
    whole = end[s] + wire + 5 > whole ? end[s] + wire + 5 : whole;
    if (twice)
      rows[count++] = (struct span_row){ids[s],          "0",           "web",  asked[s],
                                        start[s] - wire, end[s] + wire, client, 0};
    rows[count++] = (struct span_row){twice ? inner[s] : ids[s],
                                      twice ? ids[s] : "0",
                                      services[s],
                                      services[s],
                                      start[s],
                                      end[s],
                                      twice ? server : SPAN_UNKNOWN,
                                      0};
  }
  rows[0] = (struct span_row){"0", NULL, "web", "go", 0, whole, 0, 0};
  graphed_add(graphed, rows);
}

static void add_paired_stream(struct graphed *graphed, unsigned paired, enum span_kind client,
                              enum span_kind server) {
  struct random random = {1};
  int64_t start[STAGES], end[STAGES];
  for (int i = 0; i < REQUESTS; i++) {
    run_stages(&random, (int64_t[]){100, 50}, 2, start, end);
    add_paired(graphed, start, end, 2, paired, client, server);
  }
}

static void check_paired(struct graphed *graphed) {
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(fed(graphed), 1);
  const struct request_flow *flow = graphed->graph.flows.data[0];
  const struct order *order = &flow->orders.data[flow->orders.count - 1];
  assert_int_equal(order->before, graphed_call(graphed, 0, "ex"));
  assert_int_equal(order->after, graphed_call(graphed, 0, "tr"));
  assert_non_null(strstr(graphed_show(graphed, "tr", false), "ex"));
  graphed_make(graphed, UNDECIDED_FREE);
  assert_int_equal(fed(graphed), 1);
  assert_null(strstr(graphed_show(graphed, "tr", false), "ex"));
}

/* Either stage, or both, recorded by the client too: it is one call. */
static void test_recorded_twice(void **state) {
  enum { FIRST = 1, SECOND = 2, BOTH = 3 };
  (void)state;
  static const struct {
    unsigned paired;
    enum span_kind client, server;
  } ways[] = {{FIRST, SPAN_CLIENT, SPAN_SERVER},  {SECOND, SPAN_CLIENT, SPAN_SERVER},
              {BOTH, SPAN_CLIENT, SPAN_SERVER},   {SECOND, SPAN_UNKNOWN, SPAN_UNKNOWN},
              {BOTH, SPAN_UNKNOWN, SPAN_UNKNOWN}, {BOTH, SPAN_INTERNAL, SPAN_INTERNAL}};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    void *fresh;
    graphed_set_up(&fresh);
    add_paired_stream(fresh, ways[w].paired, ways[w].client, ways[w].server);
    check_paired(fresh);
    graphed_tear_down(&fresh);
  }
}

/* The same lengths, recorded twice, and nothing handed on. */
static void test_no_stream_recorded_twice(void **state) {
  struct graphed *graphed = *state;
  struct random random = {1};
  int64_t start[STAGES] = {10, 30, 50}, end[STAGES];
  for (int i = 0; i < REQUESTS; i++) {
    for (size_t s = 0; s < STAGES; s++)
      end[s] = start[s] + 400 + below(&random, 600);
    add_paired(graphed, start, end, STAGES, 7, SPAN_CLIENT, SPAN_SERVER);
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(fed(graphed), 0);
  assert_int_equal(graphed->graph.flows.data[0]->beside.count, 0);
}

/* How the second stage is recorded, with what it calls itself. */
enum own_calls { LATE_CALL, EARLY_CALL, TWO_SERVERS, EARLY_SERVER, EARLY_CLIENT };

static void own_rows(struct span_row *rows, enum own_calls way, int64_t start, int64_t end) {
  const struct span_row client = {"2", "0", "web", "ask", start - WIRE, end + WIRE, SPAN_CLIENT, 0};
  const struct span_row server = {"3", "2", "tr", "tr", start, end, SPAN_SERVER, 0};
  const struct span_row sooner = {"4", "2", "tr", "try", start, start + 2, SPAN_SERVER, 0};
  const struct span_row within = {"2", "0", "web", "tr", start, end, SPAN_UNKNOWN, 0};
  const struct span_row early = {"3", "2", "key", "get", start + 1, start + 2, SPAN_UNKNOWN, 0};
  bool is_late = way == LATE_CALL;
  const struct span_row own = {
      "4", "3", "tr", "sql", start + 1, is_late ? end - 1 : start + 2, SPAN_CLIENT, 0};
  rows[0] = way == EARLY_SERVER ? within : client;
  rows[1] = way == EARLY_SERVER ? early : server;
  if (way == EARLY_CLIENT)
    rows[0].start = 1;
  if (way == TWO_SERVERS)
    rows[2] = sooner;
  else if (way == LATE_CALL || way == EARLY_CALL)
    rows[2] = own;
}

static size_t fed_beside_own_calls(enum own_calls way) {
  void *fresh;
  graphed_set_up(&fresh);
  struct random random = {1};
  int64_t start[STAGES], end[STAGES];
  for (int i = 0; i < REQUESTS; i++) {
    int64_t whole = run_stages(&random, (int64_t[]){100, 50}, 2, start, end);
    struct span_row rows[6] = {{"0", NULL, "web", "go", 0, whole + 10, 0, 0},
                               {"1", "0", "ex", "ex", start[0], end[0], 0, 0}};
    own_rows(rows + 2, way, start[1], end[1]);
    graphed_add(fresh, rows);
  }
  graphed_make(fresh, UNDECIDED_WAITS);
  size_t count = fed(fresh);
  graphed_tear_down(&fresh);
  return count;
}

/* They account for its time, or end too soon for that; the client may ask before the first stage
 * begins. */
static void test_own_calls_of_a_stage(void **state) {
  (void)state;
  assert_int_equal(fed_beside_own_calls(LATE_CALL), 0);
  assert_int_equal(fed_beside_own_calls(TWO_SERVERS), 0);
  assert_int_equal(fed_beside_own_calls(EARLY_CALL), 1);
  assert_int_equal(fed_beside_own_calls(EARLY_SERVER), 1);
  assert_int_equal(fed_beside_own_calls(EARLY_CLIENT), 1);
}

/* The answer of the first, whose server has no span, is on its way when the second's server ends. */
static void test_answer_of_unseen_server(void **state) {
  enum { FAR = 80, FARTHER = 100 };
  struct graphed *graphed = *state;
  struct random random = {1};
  int64_t start[STAGES], end[STAGES];
  for (int i = 0; i < REQUESTS; i++) {
    int64_t whole = run_stages(&random, (int64_t[]){100, 50}, 2, start, end);
    const struct span_row rows[] = {
        {"0", NULL, "web", "go", 0, whole + FARTHER, 0, 0},
        {"1", "0", "web", "ex", start[0], end[0] + FAR, SPAN_CLIENT, 0},
        {"2", "0", "web", "ask", start[1], end[1] + FARTHER, SPAN_CLIENT, 0},
        {"3", "2", "tr", "tr", start[1], end[1], SPAN_SERVER, 0},
        {NULL, NULL, NULL, NULL, 0, 0, 0, 0}};
    graphed_add(graphed, rows);
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(fed(graphed), 1);
}

/* In `against` of 240 requests the second ends first, and in `beside` of them they overlap: by one
 * clock. */
static size_t fed_if(struct graphed *graphed, int against, int beside) {
  enum { MANY = 240 };
  struct random random = {1};
  for (int i = 0; i < MANY; i++) {
    int64_t took = 500 + below(&random, 2000);
    int64_t last = i < against ? took - 20 : took + 40;
    int64_t first = i < beside ? 60 : took + 15;
    const struct span_row rows[] = {{"0", NULL, "web", "go", 0, 3000, 0, 0},
                                    {"1", "0", "web", "ex", 10, 10 + took, 0, 0},
                                    {"2", "0", "web", "tr", first, 10 + last, 0, 0},
                                    {NULL, NULL, NULL, NULL, 0, 0, 0, 0}};
    graphed_add(graphed, rows);
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  return fed(graphed);
}

static void test_rarely_sooner(void **state) {
  assert_int_equal(fed_if(*state, 2, 240), 1);
}

static void test_not_rarely_sooner(void **state) {
  assert_int_equal(fed_if(*state, 3, 240), 0);
}

static void test_rarely_beside(void **state) {
  assert_int_equal(fed_if(*state, 0, 100), 0);
}

/* --- what if ---------------------------------------------------------------------------------- */

static int64_t mean_of(const int64_t *ns, size_t count) {
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += ns[i];
  return sum / (int64_t)count;
}

/* One stage of three is made twice as fast, or half as fast: each request with it lies between the
 * bounds, though it need not lie between the two readings. */
static void bound_change(struct graphed *graphed, const char *change, size_t stage,
                         const int64_t *mean, int64_t faster) {
  struct recorded recorded[2];
  struct changed changed[2];
  struct replay_wish wishes[2];
  const char *const changes[] = {change, NULL};
  for (int reading = 0; reading < 2; reading++) {
    graphed_make(graphed, reading == 0 ? UNDECIDED_WAITS : UNDECIDED_FREE);
    recorded[reading] = (struct recorded){graphed->store, graphed->graph};
    graphed->made = false;
    changed_replay(&changed[reading], &recorded[reading], changes, NULL);
    wishes[reading] = (struct replay_wish){&changed[reading].scenario,
                                           &changed[reading].variants,
                                           &recorded[reading].store,
                                           1,
                                           0,
                                           NULL};
  }
  struct bounded bounded;
  struct replayed *const replayed[] = {&changed[0].replayed, &changed[1].replayed};
  requests_bound(&bounded, &wishes[0], &wishes[1], replayed);
  struct random random = {1};
  for (size_t i = 0; i < REQUESTS; i++) {
    int64_t start[STAGES], end[STAGES], ready[CHUNKS] = {0}, now = 0;
    (void)start;
    (void)end;
    for (size_t s = 0; s < STAGES; s++) {
      now = 10;
      for (size_t c = 0; c < CHUNKS; c++) {
        int64_t took = 1 + below(&random, 2 * mean[s]);
        took = s != stage ? took : faster > 0 ? took / faster : took * -faster;
        now = (ready[c] > now ? ready[c] : now) + took;
        ready[c] = now;
      }
    }
    assert_in_range(now + 5, bounded.least.data[i] - CHUNKS, bounded.most.data[i] + CHUNKS);
  }
  assert_true(mean_of(bounded.least.data, REQUESTS) < mean_of(bounded.most.data, REQUESTS));
  bounded_clear(&bounded);
  for (int reading = 0; reading < 2; reading++) {
    changed_clear(&changed[reading]);
    request_graph_clear(&recorded[reading].graph);
  }
}

static void test_bounds_of_a_change(void **state) {
  struct graphed *graphed = *state;
  static const int64_t mean[] = {100, 90, 80};
  add_stream(graphed, mean, STAGES);
  static const char *const faster[] = {"ex: *0.5", "tr: *0.5", "ld: *0.5"};
  static const char *const slower[] = {"ex: *2", "tr: *2", "ld: *2"};
  for (size_t s = 0; s < STAGES; s++) {
    bound_change(graphed, faster[s], s, mean, 2);
    bound_change(graphed, slower[s], s, mean, -2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_stream_is_open, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_stages_in_a_row, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_no_stream, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_own_calls_account_for_it, graphed_set_up,
                                      graphed_tear_down),
      cmocka_unit_test(test_recorded_twice),
      cmocka_unit_test_setup_teardown(test_no_stream_recorded_twice, graphed_set_up,
                                      graphed_tear_down),
      cmocka_unit_test(test_own_calls_of_a_stage),
      cmocka_unit_test_setup_teardown(test_answer_of_unseen_server, graphed_set_up,
                                      graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_rarely_sooner, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_not_rarely_sooner, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_rarely_beside, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_bounds_of_a_change, graphed_set_up, graphed_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
