/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The intervals of `whatif latency` hold as often as they say: of requests as they were recorded,
 * and where a call is drawn anew from a file that is itself a sample.
 */
#include "tests/unit/trace/scenarios.h"

#include "base/random.h"
#include "cli/question/latency/latency.h"
#include "cli/question/latency/ranges.h"
#include "trace/evaluate/queue.h"

static char folder[] = "/tmp/tailproof-ranges-XXXXXX";

static const struct call_row calls[] = {{"web", "GET", 0}, {"sql", "q", 0}, {0}};
static const struct activity_row activities[] = {
    {1, true, "", 0}, {1, false, "0", 0}, {0, false, "1", 0}, {0}};

/* A question about recorded requests, put together without files of traces. */
struct asked {
  struct recorded recorded;
  struct changed changed;
  struct latency_request request;
  struct latency_answer answer;
};

static void ask(struct asked *a, const char *const *changes) {
  changed_replay(&a->changed, &a->recorded, changes, folder);
  a->request = (struct latency_request){.asker = &a->changed.asker, .dependence = WISH_INDEPENDENT};
  rational_init(&a->request.confidence);
  rational_set_fraction(&a->request.confidence, 9, 10);
  a->answer = (struct latency_answer){.request = &a->request,
                                      .store = a->recorded.store,
                                      .scenario = a->changed.scenario,
                                      .replayed = {a->changed.replayed},
                                      .readings = 1};
  ledger_init(&a->answer.ledger);
  assert_int_equal(wanted_read(&a->answer.wanted, "50,90", &a->changed.asker), STATUS_OK);
  const struct variants *variants[] = {&a->changed.variants, NULL};
  ranges_find(&a->answer, variants);
}

static void forget(struct asked *a) {
  vector_clear(&a->answer.percentiles);
  wanted_clear(&a->answer.wanted);
  ledger_clear(&a->answer.ledger);
  mem_free(a->answer.pair[0]);
  mem_free(a->answer.pair[1]);
  rational_clear(&a->request.confidence);
  changed_clear(&a->changed);
  recorded_clear(&a->recorded);
}

static bool holds(const struct latency_range *range, uint64_t truth) {
  assert_true(range->lower_ns <= range->value_ns && range->value_ns <= range->upper_ns);
  return range->lower_ns <= truth && truth <= range->upper_ns;
}

/* `requests` with a call that takes up to 1 ms, each time as likely. */
static void record(struct asked *a, struct random *random, size_t requests) {
  recorded_init(&a->recorded);
  struct request_flow *flow = recorded_flow(&a->recorded, calls, activities);
  for (size_t i = 0; i < requests; i++) {
    int64_t times[] = {0, (int64_t)random_below(random, 1000000), 0};
    recorded_request(&a->recorded, flow, (int64_t)i, times);
  }
}

enum { ROUNDS = 150 };

static void test_intervals_of_recorded_requests(void **state) {
  (void)state;
  static const char *const changes[] = {"sql: *2", NULL};
  size_t good[2] = {0};
  double width = 0;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    struct asked a;
    struct random random = {round};
    record(&a, &random, 200);
    ask(&a, changes);
    const struct latency_percentile *p = a.answer.percentiles.data;
    good[0] += holds(&p[0].after[0], 1000000) && holds(&p[0].before, 500000);
    good[1] += holds(&p[1].after[0], 1800000) && holds(&p[1].before, 900000);
    width += (double)(p[0].after[0].upper_ns - p[0].after[0].lower_ns) / ROUNDS;
    assert_false(latency_differs(&a.answer, &p[0]) && round == 0);
    forget(&a);
  }
  assert_in_range(good[0], ROUNDS * 86 / 100, ROUNDS);
  assert_in_range(good[1], ROUNDS * 86 / 100, ROUNDS);
  assert_true(width < 320000); /* and are no wider than 200 requests make them */
}

static void write_draws(struct random *random, size_t count) {
  struct text text;
  text_init(&text);
  text_append(&text, "latency_ns\n");
  for (size_t i = 0; i < count; i++)
    text_format(&text, "%llu\n", (unsigned long long)random_below(random, 1000000));
  scenario_write(folder, "draws.csv", text.data);
  text_clear(&text);
}

/* 300 requests, but 60 draws: the interval is that of 60. */
static void test_intervals_know_how_few_draws_there_are(void **state) {
  (void)state;
  static const char *const changes[] = {"sql = mix(1 draws)", NULL};
  size_t good[2] = {0};
  for (uint64_t round = 0; round < ROUNDS; round++) {
    struct asked a;
    struct random random = {1000 + round};
    write_draws(&random, 60);
    record(&a, &random, 300);
    ask(&a, changes);
    const struct latency_percentile *p = a.answer.percentiles.data;
    good[0] += holds(&p[0].after[0], 500000);
    good[1] += holds(&p[1].after[0], 900000);
    forget(&a);
  }
  assert_in_range(good[0], ROUNDS * 86 / 100, ROUNDS);
  assert_in_range(good[1], ROUNDS * 86 / 100, ROUNDS);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL;
}

static int tear_down(void **state) {
  (void)state;
  char path[100];
  snprintf(path, sizeof path, "%s/draws.csv", folder);
  unlink(path);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_intervals_of_recorded_requests),
      cmocka_unit_test(test_intervals_know_how_few_draws_there_are),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
