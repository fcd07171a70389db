/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/scenarios.h"

#include <math.h>

#include "base/random.h"
#include "trace/evaluate/mixture.h"

static const char *const none[] = {NULL};

/* The law's quantile; UINT64_MAX: infinite. */
static uint64_t quantile(const struct survival *law, double share) {
  uint64_t ns = UINT64_MAX;
  survival_quantile(&ns, law, (uint64_t)((1 - share) * 1e18));
  return ns;
}

static struct survival law_of(const struct recorded *r, struct changed *c, enum survival_side side,
                              uint64_t alpha, bool any) {
  struct mixture_wish wish = {&c->scenario, &c->variants, &r->store, &c->replayed};
  struct mixture mixture;
  struct ledger ledger;
  struct survival law;
  ledger_init(&ledger);
  mixture_init(&mixture, &wish);
  assert_null(mixture.why_not);
  mixture_law(&law, &mixture, side, alpha, any, &ledger);
  mixture_clear(&mixture);
  ledger_clear(&ledger);
  return law;
}

/* --- WebPerf's average graph ------------------------------------------------------------------ */

enum { STAGES = 62, TASKS = 182, GRAPH_REQUESTS = 200 };

/* 62 stages, one after the other, of two or three calls at once: 182 calls. */
static struct request_flow *average(struct recorded *r) {
  static struct call_row calls[TASKS + 2];
  static struct activity_row activities[2 * TASKS + 2];
  static char waits[2 * TASKS + 2][64];
  uint32_t task = 0, activity = 0;
  char before[64] = "", here[64];
  calls[0] = (struct call_row){"web", "GET", 0};
  for (uint32_t stage = 0; stage < STAGES; stage++) {
    uint32_t width = stage < TASKS - 2 * STAGES ? 3 : 2;
    here[0] = 0;
    for (uint32_t i = 0; i < width; i++, activity += 2) {
      task++;
      calls[task] = (struct call_row){"api", "get", 0};
      strcpy(waits[activity], before);
      snprintf(waits[activity + 1], 64, "%u", activity);
      activities[activity] = (struct activity_row){task, true, waits[activity], 0};
      activities[activity + 1] = (struct activity_row){task, false, waits[activity + 1], 0};
      snprintf(here + strlen(here), sizeof here - strlen(here), "%u ", activity + 1);
    }
    strcpy(before, here);
  }
  strcpy(waits[activity], before);
  activities[activity] = (struct activity_row){0, false, waits[activity], 0};
  return recorded_flow(r, calls, activities);
}

static void test_the_average_graph(void **state) {
  (void)state;
  struct recorded r;
  recorded_init(&r);
  struct request_flow *flow = average(&r);
  assert_int_equal(flow->calls.count, TASKS + 1);
  struct random random = {5};
  for (size_t i = 0; i < GRAPH_REQUESTS; i++) {
    int64_t times[2 * TASKS + 1] = {0};
    for (size_t a = 1; a < 2 * TASKS; a += 2)
      times[a] = 1000000 + (int64_t)random_below(&random, 3000000);
    recorded_request(&r, flow, 0, times);
  }
  struct changed c;
  changed_replay(&c, &r, none, NULL);
  struct survival upper = law_of(&r, &c, SIDE_UPPER, 0, false);
  struct survival lower = law_of(&r, &c, SIDE_LOWER, 0, false);
  uint64_t most = quantile(&upper, 0.99), least = quantile(&lower, 0.99);
  assert_true(least <= most && (double)most <= 1.01 * (double)least);
  survival_clear(&upper);
  survival_clear(&lower);
  changed_clear(&c);
  recorded_clear(&r);
}

/* --- small graphs: all that can happen -------------------------------------------------------- */

/* web, then cart beside sql, and the end when both are done or one is. */
static const struct call_row pair_calls[] = {
    {"web", "GET", 0}, {"cart", "get", 0}, {"sql", "q", 0}, {0}};
static struct activity_row pair_activities[] = {{1, true, "", 0},     {1, false, "0", 0},
                                                {2, true, "", 0},     {2, false, "2", 0},
                                                {0, false, "1 3", 0}, {0}};

enum { PAIR_REQUESTS = 30 };

static struct request_flow *pairs(struct recorded *r, uint32_t rank, struct random *random) {
  pair_activities[4].rank = rank;
  struct request_flow *flow = recorded_flow(r, pair_calls, pair_activities);
  for (size_t i = 0; i < PAIR_REQUESTS; i++) {
    int64_t times[] = {500, 1000 + (int64_t)random_below(random, 2000), 700,
                       800 + (int64_t)random_below(random, 2500),
                       (int64_t)random_below(random, 300)};
    recorded_request(r, flow, 0, times);
  }
  return flow;
}

static int up(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return a < b ? -1 : a > b;
}

/* Each cart with each sql and each last activity. */
static size_t all_values(int64_t *values, const struct request_flow *flow, bool first) {
  size_t n = flow->requests.count, count = 0;
  const int64_t *d = flow->durations.data;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++) {
        int64_t cart = 500 + d[5 * i + 1], sql = 700 + d[5 * j + 3];
        int64_t ready = (cart < sql) == first ? cart : sql;
        values[count++] = ready + d[5 * k + 4];
      }
  return count;
}

/* The law between its two sides has the value that all combinations together have. */
static void assert_values(const struct recorded *r, int64_t *values, size_t count) {
  struct changed c;
  changed_replay(&c, r, none, NULL);
  struct survival upper = law_of(r, &c, SIDE_UPPER, 0, false);
  struct survival lower = law_of(r, &c, SIDE_LOWER, 0, false);
  struct survival any_upper = law_of(r, &c, SIDE_UPPER, 0, true);
  struct survival any_lower = law_of(r, &c, SIDE_LOWER, 0, true);
  qsort(values, count, sizeof *values, up);
  for (int percent = 5; percent < 100; percent += 5) {
    double share = percent / 100.0 + 1e-6;
    uint64_t truth = (uint64_t)values[(size_t)(share * (double)count)];
    uint64_t least = quantile(&lower, share), most = quantile(&upper, share);
    if (least > truth || most < truth || (double)most > 1.004 * (double)least)
      fail_msg("p%d: %g to %g, not %g", percent, (double)least, (double)most, (double)truth);
    assert_true(quantile(&any_lower, share) <= least && most <= quantile(&any_upper, share));
  }
  survival_clear(&upper);
  survival_clear(&lower);
  survival_clear(&any_upper);
  survival_clear(&any_lower);
  changed_clear(&c);
}

static void test_the_law_is_that_of_all_combinations(void **state) {
  (void)state;
  static int64_t values[PAIR_REQUESTS * PAIR_REQUESTS * PAIR_REQUESTS];
  for (uint32_t rank = 1; rank <= 2; rank++) {
    struct recorded r;
    struct random random = {rank};
    recorded_init(&r);
    struct request_flow *flow = pairs(&r, rank, &random);
    assert_values(&r, values, all_values(values, flow, rank == 1));
    recorded_clear(&r);
  }
}

static void test_flows_are_a_mixture(void **state) {
  (void)state;
  static int64_t values[2 * PAIR_REQUESTS * PAIR_REQUESTS * PAIR_REQUESTS];
  struct recorded r;
  struct random random = {9};
  recorded_init(&r);
  size_t count = all_values(values, pairs(&r, 2, &random), false);
  count += all_values(values + count, pairs(&r, 1, &random), true);
  assert_values(&r, values, count);
  recorded_clear(&r);
}

/* Of every request as it was recorded, whatever its activities have to do with each other. */
static void test_any_dependence_has_the_requests(void **state) {
  (void)state;
  for (int sign = -1; sign <= 1; sign += 2) {
    struct recorded r;
    recorded_init(&r);
    pair_activities[4].rank = sign > 0 ? 1 : 2;
    struct request_flow *flow = recorded_flow(&r, pair_calls, pair_activities);
    for (int64_t i = 0; i < 500; i++) {
      int64_t other = sign > 0 ? i : 499 - i, times[] = {0, 1000 + 7 * i, 0, 1200 + 6 * other, i};
      recorded_request(&r, flow, 0, times);
    }
    struct changed c;
    changed_replay(&c, &r, none, NULL);
    struct survival upper = law_of(&r, &c, SIDE_UPPER, 0, true);
    struct survival lower = law_of(&r, &c, SIDE_LOWER, 0, true);
    qsort(c.replayed.after.data, 500, sizeof(int64_t), up);
    for (size_t i = 0; i < 500; i++) {
      double share = ((double)i + 0.5) / 500;
      assert_true(quantile(&lower, share) <= (uint64_t)c.replayed.after.data[i]);
      assert_true(quantile(&upper, share) >= (uint64_t)c.replayed.after.data[i]);
    }
    survival_clear(&upper);
    survival_clear(&lower);
    changed_clear(&c);
    recorded_clear(&r);
  }
}

/* --- confidence ------------------------------------------------------------------------------- */

/* Of two flows, one in five and rare ones besides; times are uniform, so the truth is known. */
static void test_bounds_hold_as_often_as_they_say(void **state) {
  (void)state;
  enum { ROUNDS = 40, REQUESTS = 300 };
  size_t missed = 0;
  double width = 0;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    struct recorded r;
    struct random random = {round};
    recorded_init(&r);
    static struct activity_row alone[] = {{0, false, "", 0}, {0}};
    pair_activities[4].rank = 2;
    struct request_flow *often = recorded_flow(&r, pair_calls, pair_activities);
    struct request_flow *seldom =
        recorded_flow(&r, (struct call_row[]){{"web", "PUT", 0}, {0}}, alone);
    for (size_t i = 0; i < REQUESTS; i++) {
      int64_t times[] = {0, (int64_t)random_below(&random, 1000000), 0, 0, 0};
      if (random_below(&random, 5) == 0)
        recorded_request(&r, seldom, 0, (int64_t[]){2000000});
      else
        recorded_request(&r, often, 0, times);
    }
    struct changed c;
    changed_replay(&c, &r, none, NULL);
    struct survival upper = law_of(&r, &c, SIDE_UPPER, SURVIVAL_ONE / 20, false);
    struct survival lower = law_of(&r, &c, SIDE_LOWER, SURVIVAL_ONE / 20, false);
    uint64_t truth = 625000; /* p50: 0.8 x = 0.5 */
    missed += quantile(&upper, 0.5) < truth || quantile(&lower, 0.5) > truth;
    width += (double)(quantile(&upper, 0.5) - quantile(&lower, 0.5)) / ROUNDS;
    survival_clear(&upper);
    survival_clear(&lower);
    changed_clear(&c);
    recorded_clear(&r);
  }
  assert_true(missed <= 4); /* one in twenty on either side, at most */
  assert_true(width < 450000);
}

static void test_few_requests_promise_no_tail(void **state) {
  (void)state;
  struct recorded r;
  struct changed c;
  struct random random = {2};
  recorded_init(&r);
  pairs(&r, 2, &random);
  changed_replay(&c, &r, none, NULL);
  struct survival upper = law_of(&r, &c, SIDE_UPPER, SURVIVAL_ONE / 100, false);
  assert_true(quantile(&upper, 0.9) == UINT64_MAX);
  survival_clear(&upper);
  changed_clear(&c);
  recorded_clear(&r);
}

/* --- changes ---------------------------------------------------------------------------------- */

static void test_the_law_has_the_changes(void **state) {
  (void)state;
  static const char *const cases[][3] = {
      {"cart: *2", "sql = mix(0.5 10us, 0.5 20us)", NULL},
      {"sql = max(recorded, 9us)", "sql: *0.5", "sql: + 1 ms"},
      {"cart: - 1 ms", "web: *3", NULL},
  };
  for (size_t i = 0; i < 3; i++) {
    const char *changes[] = {cases[i][0], cases[i][1], cases[i][2], NULL};
    struct recorded r;
    struct changed c;
    struct random random = {i};
    recorded_init(&r);
    pairs(&r, 2, &random);
    for (size_t k = 0; k < 3000; k++) {
      int64_t times[] = {500, 1000 + (int64_t)random_below(&random, 20000), 700,
                         800 + (int64_t)random_below(&random, 25000),
                         (int64_t)random_below(&random, 300)};
      recorded_request(&r, r.graph.flows.data[0], 0, times);
    }
    changed_replay(&c, &r, changes, NULL);
    struct survival upper = law_of(&r, &c, SIDE_UPPER, 0, false);
    size_t count = c.replayed.after.count;
    qsort(c.replayed.after.data, count, sizeof(int64_t), up);
    for (int percent = 10; percent < 100; percent += 20) {
      double replayed = (double)c.replayed.after.data[(size_t)percent * count / 100];
      double law = (double)quantile(&upper, percent / 100.0);
      if (fabs(law / replayed - 1) > 0.04)
        fail_msg("case %zu, p%d: law %g, replay %g", i, percent, law, replayed);
    }
    survival_clear(&upper);
    changed_clear(&c);
    recorded_clear(&r);
  }
}

static void test_limits_have_no_law(void **state) {
  (void)state;
  struct recorded r;
  struct changed c;
  struct random random = {2};
  static const char *const changes[] = {"limit sql=1", NULL};
  recorded_init(&r);
  pairs(&r, 2, &random);
  changed_replay(&c, &r, changes, NULL);
  struct mixture_wish wish = {&c.scenario, &c.variants, &r.store, &c.replayed};
  struct mixture mixture;
  mixture_init(&mixture, &wish);
  assert_non_null(mixture.why_not);
  mixture_clear(&mixture);
  changed_clear(&c);
  recorded_clear(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_average_graph),
      cmocka_unit_test(test_the_law_is_that_of_all_combinations),
      cmocka_unit_test(test_flows_are_a_mixture),
      cmocka_unit_test(test_any_dependence_has_the_requests),
      cmocka_unit_test(test_bounds_hold_as_often_as_they_say),
      cmocka_unit_test(test_few_requests_promise_no_tail),
      cmocka_unit_test(test_the_law_has_the_changes),
      cmocka_unit_test(test_limits_have_no_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
