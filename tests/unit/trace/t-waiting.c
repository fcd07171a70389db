/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Queues that recorded requests stood in (trace/evaluate/waiting.h), against a queue that is
 * simulated here: first come, first served.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/unit/trace/graphs.h"
#include "tests/unit/trace/scenarios.h"
#include "trace/evaluate/waiting.h"

enum { REQUESTS = 300, MOST_SERVERS = 2 };

struct shop {
  int64_t came[REQUESTS], own[REQUESTS], served[REQUESTS], after[REQUESTS];
  int64_t start[REQUESTS], end[REQUESTS]; /* of the service */
};

static int64_t exponential(struct random *random, double mean) {
  return 1000 + (int64_t)(-mean * log(1 - (double)random_below(random, 1 << 20) * 0x1p-20));
}

/* Requests come every 12 us on average; each works for 3 us, has 8 us of the service, and 1 us. */
static void shop_fill(struct shop *shop) {
  struct random random = {7};
  int64_t now = 0;
  for (size_t i = 0; i < REQUESTS; i++) {
    now += exponential(&random, 11000);
    shop->came[i] = now;
    shop->own[i] = exponential(&random, 2000);
    shop->served[i] = exponential(&random, 7000);
    shop->after[i] = 1000;
  }
}

/* The next to be served is the one that asked first. */
static void shop_serve(struct shop *shop, size_t servers, int64_t divided) {
  int64_t free_at[MOST_SERVERS] = {0};
  bool done[REQUESTS] = {false};
  for (size_t n = 0; n < REQUESTS; n++) {
    size_t next = REQUESTS, server = servers == 2 && free_at[1] < free_at[0];
    for (size_t i = 0; i < REQUESTS; i++)
      if (!done[i] &&
          (next == REQUESTS || shop->came[i] + shop->own[i] < shop->came[next] + shop->own[next]))
        next = i;
    int64_t asked = shop->came[next] + shop->own[next];
    done[next] = true;
    shop->start[next] = asked > free_at[server] ? asked : free_at[server];
    shop->end[next] = shop->start[next] + shop->served[next] / divided;
    free_at[server] = shop->end[next];
  }
}

static void record(struct graphed *graphed, const struct shop *shop) {
  for (size_t i = 0; i < REQUESTS; i++)
    graphed_add(graphed,
                (struct span_row[]){
                    {"0", NULL, "web", "go", shop->came[i], shop->end[i] + shop->after[i], 0, 0},
                    {"1", "0", "sql", "query", shop->start[i], shop->end[i], 0, 0},
                    {NULL, NULL, NULL, NULL, 0, 0, 0, 0}});
  graphed_make(graphed, UNDECIDED_WAITS);
}

static int64_t mean_latency(const struct shop *shop) {
  int64_t sum = 0;
  for (size_t i = 0; i < REQUESTS; i++)
    sum += shop->end[i] + shop->after[i] - shop->came[i];
  return sum / REQUESTS;
}

/* The mean of what the change makes of the recorded requests. */
static int64_t replay_with(struct graphed *graphed, struct queue_waiting *waiting,
                           const char *change, enum queue_arrival arrival, bool same) {
  struct recorded recorded = {graphed->store, graphed->graph};
  struct changed c;
  assert_int_equal(changed_make(&c, &recorded, (const char *const[]){change, NULL}, NULL),
                   STATUS_OK);
  waiting_limit(waiting, &c.variants, (uint32_t)c.scenario.changes.count);
  waiting_take(waiting, &graphed->graph, arrival);
  struct replay_wish wish = {&c.scenario, &c.variants, &graphed->store, 1, 0, waiting};
  assert_true(requests_replay(&c.replayed, &wish));
  int64_t sum = 0;
  for (size_t i = 0; i < REQUESTS; i++) {
    sum += c.replayed.after.data[i];
    if (same)
      assert_int_equal(c.replayed.after.data[i], c.replayed.before.data[i]);
  }
  changed_clear(&c);
  return sum / REQUESTS;
}

static void test_one_server(void **state) {
  struct graphed *graphed = *state;
  struct shop shop;
  struct queue_waiting waiting;
  shop_fill(&shop);
  shop_serve(&shop, 1, 1);
  record(graphed, &shop);
  waiting_find(&waiting, &graphed->graph, &graphed->store, 0.05);
  assert_int_equal(waiting.queues.count, 1);
  const struct hidden_queue *queue = &waiting.queues.data[0];
  assert_string_equal(names_text(&graphed->store.names, queue->service), "sql");
  assert_int_equal(queue->servers, 1);
  assert_int_equal(queue->calls, REQUESTS);
  for (int arrival = ARRIVES_LIKELY; arrival <= ARRIVES_LAST; arrival++)
    replay_with(graphed, &waiting, "sql: *1", (enum queue_arrival)arrival, true);
  shop_serve(&shop, 1, 2);
  double truth = (double)mean_latency(&shop);
  double likely = (double)replay_with(graphed, &waiting, "sql: *0.5", ARRIVES_LIKELY, false);
  double first = (double)replay_with(graphed, &waiting, "sql: *0.5", ARRIVES_FIRST, false);
  assert_true(fabs(likely - truth) < 0.03 * truth);
  assert_true(first < truth);
  shop_serve(&shop, 2, 1);
  truth = (double)mean_latency(&shop);
  likely = (double)replay_with(graphed, &waiting, "limit sql=2", ARRIVES_LIKELY, false);
  assert_true(fabs(likely - truth) < 0.05 * truth);
  waiting_clear(&waiting);
}

/* As many servers as it takes: calls overlap as they come. */
static void test_no_queue(void **state) {
  struct graphed *graphed = *state;
  struct shop shop;
  struct queue_waiting waiting;
  shop_fill(&shop);
  for (size_t i = 0; i < REQUESTS; i++) {
    shop.start[i] = shop.came[i] + shop.own[i];
    shop.end[i] = shop.start[i] + shop.served[i];
  }
  record(graphed, &shop);
  waiting_find(&waiting, &graphed->graph, &graphed->store, 0.05);
  assert_int_equal(waiting.queues.count, 0);
  waiting_clear(&waiting);
}

/* One user who sends the next request when the last is answered: there is nobody to wait for. */
static void test_one_at_a_time(void **state) {
  struct graphed *graphed = *state;
  struct shop shop;
  struct queue_waiting waiting;
  shop_fill(&shop);
  for (size_t i = 0; i < REQUESTS; i++) {
    shop.came[i] = i == 0 ? 0 : shop.end[i - 1] + shop.after[i - 1];
    shop.start[i] = shop.came[i] + shop.own[i];
    shop.end[i] = shop.start[i] + shop.served[i];
  }
  record(graphed, &shop);
  waiting_find(&waiting, &graphed->graph, &graphed->store, 0.05);
  assert_int_equal(waiting.queues.count, 0);
  waiting_clear(&waiting);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_one_server, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_no_queue, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_one_at_a_time, graphed_set_up, graphed_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
