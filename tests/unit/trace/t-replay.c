/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/scenarios.h"

#include "base/random.h"

static char folder[] = "/tmp/tailproof-replay-XXXXXX";

/* web calls cart and then, both at once, sql and a cache; it answers when sql is done or the cache
 * is, and then works more. */
static const struct call_row shop_calls[] = {
    {"web", "GET", 0}, {"cart", "get", 0}, {"sql", "query", 0}, {"cache", "get", 0}, {0}};
static const struct activity_row shop_activities[] = {
    {1, true, "", 0},  {1, false, "0", 0}, {2, true, "1", 0},    {2, false, "2", 0},
    {3, true, "1", 0}, {3, false, "4", 0}, {0, false, "3 5", 1}, {0}};
/*                                lead cart, cart, lead sql, sql, lead cache, cache, tail */
static const int64_t shop_times[] = {2000000, 3000000, 1000000, 9000000, 500000, 5000000, 1000000};

static struct recorded shop(void) {
  struct recorded r;
  recorded_init(&r);
  recorded_request(&r, recorded_flow(&r, shop_calls, shop_activities), 0, shop_times);
  return r;
}

static void test_no_change_reproduces_every_latency(void **state) {
  (void)state;
  struct recorded r = shop();
  struct random random = {7};
  for (size_t i = 0; i < 1000; i++) {
    int64_t times[7];
    for (size_t a = 0; a < 7; a++)
      times[a] = (int64_t)random_below(&random, UINT64_C(1) << (10 + i % 40));
    recorded_request(&r, r.graph.flows.data[0], (int64_t)i, times);
  }
  static const char *const none[] = {NULL};
  struct changed c;
  changed_replay(&c, &r, none, NULL);
  assert_int_equal(c.replayed.after.count, 1001);
  for (size_t i = 0; i < 1001; i++) {
    const int64_t *t = r.graph.flows.data[0]->durations.data + 7 * i;
    int64_t sql = t[2] + t[3], cache = t[4] + t[5];
    int64_t expected = t[0] + t[1] + (sql < cache ? sql : cache) + t[6];
    assert_int_equal(c.replayed.before.data[i], expected);
    assert_int_equal(c.replayed.after.data[i], expected);
  }
  changed_clear(&c);
  recorded_clear(&r);
}

static void test_own_work_scales(void **state) {
  (void)state;
  struct recorded r = shop();
  assert_int_equal(changed_one(&r, "cart/get: *0.5", NULL), 10000000);
  assert_int_equal(changed_one(&r, "cache: *3", NULL), 16000000); /* then sql is first */
  assert_int_equal(changed_one(&r, "cache: *1", NULL), 11500000);
  assert_int_equal(changed_one(&r, "web: *2", NULL), 15000000); /* its leads are its work */
  assert_int_equal(changed_one(&r, "*: *2", NULL), 23000000);
  assert_int_equal(changed_one(&r, "*: *0", NULL), 0);
  recorded_clear(&r);
}

static void test_a_call_moves_away_or_closer(void **state) {
  (void)state;
  struct recorded r = shop();
  assert_int_equal(changed_one(&r, "cart: + 3 ms", NULL), 14500000);
  assert_int_equal(changed_one(&r, "cart: - 1 ms", NULL), 10500000);
  assert_int_equal(changed_one(&r, "web/GET: + 1 s", NULL), 1011500000);
  recorded_clear(&r);
}

static void test_no_duration_falls_below_0(void **state) {
  (void)state;
  struct recorded r = shop();
  static const char *const changes[] = {"cart: - 10 ms", NULL};
  struct changed c;
  changed_replay(&c, &r, changes, NULL);
  assert_int_equal(c.replayed.after.data[0], 8500000);
  assert_int_equal(c.replayed.shortened, 1);
  changed_clear(&c);
  recorded_clear(&r);
}

static void test_the_network_is_shortened_first(void **state) {
  (void)state;
  struct recorded r = shop();
  r.graph.flows.data[0]->activities.data[0].kind = ACTIVITY_NETWORK;
  assert_int_equal(changed_one(&r, "cart: - 1 ms", NULL), 10500000);
  assert_int_equal(changed_one(&r, "web: *2", NULL), 13000000); /* the network is nobody's work */
  static const char *const changes[] = {"cart: - 4 ms", "cart: *0.5", NULL};
  struct changed c;
  changed_replay(&c, &r, changes, NULL);
  assert_int_equal(c.replayed.after.data[0], 11500000 - 4000000 - 500000);
  assert_int_equal(c.replayed.shortened, 0);
  changed_clear(&c);
  recorded_clear(&r);
}

static void test_a_law_is_for_all_of_a_call(void **state) {
  (void)state;
  struct recorded r = shop();
  scenario_write(folder, "ten.csv", "latency_ms\n10\n");
  char path[100];
  snprintf(path, sizeof path, "cart = %s/ten.csv", folder);
  assert_int_equal(changed_one(&r, path, NULL), 18500000);
  snprintf(path, sizeof path, "web = %s/ten.csv", folder);
  assert_int_equal(changed_one(&r, path, NULL), 10000000);
  assert_int_equal(changed_one(&r, "cart = mix(1 ten)", folder), 18500000);
  assert_int_equal(changed_one(&r, "cart = max(ten, recorded)", folder), 18500000);
  assert_int_equal(changed_one(&r, "cart = min(ten, recorded)", folder), 11500000);
  assert_int_equal(changed_one(&r, "web = sum(recorded, 1ms)", folder), 12500000);
  recorded_clear(&r);
}

/* The law is drawn before it is scaled, and in the order that is written. */
static void test_changes_apply_in_order(void **state) {
  (void)state;
  struct recorded r = shop();
  static const char *const changes[] = {"cart: *100", "cart = mix(1 10ms)", "cart: *0.5", NULL};
  struct changed c;
  changed_replay(&c, &r, changes, NULL);
  assert_int_equal(c.replayed.after.data[0], 13500000);
  changed_clear(&c);
  recorded_clear(&r);
}

static void test_draws_have_the_shares_of_the_file(void **state) {
  (void)state;
  struct recorded r = shop();
  for (int64_t i = 0; i < 99; i++)
    recorded_request(&r, r.graph.flows.data[0], i, shop_times);
  scenario_write(folder, "hit.csv", "latency_ms\n1\n1\n1\n2\n");
  static const char *const changes[] = {"cart = mix(0.75 hit, 0.25 12ms)", NULL};
  struct changed c;
  changed_replay(&c, &r, changes, folder);
  assert_true(c.replayed.drawn);
  assert_int_equal(c.replayed.draws, 4);
  assert_int_equal(c.replayed.after.count, 20000);
  assert_int_equal(replayed_worth(&c.replayed, 100), 3); /* 4 draws, and not all of their pairs */
  double counts[3] = {0};
  for (size_t i = 0; i < c.replayed.after.count; i++) {
    int64_t cart = c.replayed.after.data[i] - 8500000;
    counts[cart == 1000000 ? 0 : cart == 2000000 ? 1 : 2]++;
  }
  assert_true(counts[0] > 0.54 * 20000 && counts[0] < 0.585 * 20000);
  assert_true(counts[1] > 0.175 * 20000 && counts[1] < 0.2 * 20000);
  assert_true(counts[2] > 0.235 * 20000 && counts[2] < 0.265 * 20000);
  changed_clear(&c);
  recorded_clear(&r);
}

static void test_what_never_ends_is_never(void **state) {
  (void)state;
  struct recorded r = shop();
  assert_true(changed_one(&r, "cart = timeout(2ms, 1ms)", NULL) == LATENCY_NEVER);
  assert_int_equal(changed_one(&r, "sql = timeout(2ms, 1ms)", NULL), 11500000); /* not waited for */
  recorded_clear(&r);
}

static void test_factors_of_a_busy_processor(void **state) {
  (void)state;
  struct recorded r = shop();
  scenario_write(folder, "busy.csv", "percent,factor\n20,1.5\n40,2.5\n");
  char change[100];
  snprintf(change, sizeof change, "cpu cart=40%% %s/busy.csv", folder);
  assert_int_equal(changed_one(&r, change, NULL), 16000000);
  snprintf(change, sizeof change, "cpu cart=30%% %s/busy.csv", folder);
  assert_int_equal(changed_one(&r, change, NULL), 14500000);
  snprintf(change, sizeof change, "cpu=10%% %s/busy.csv", folder);
  assert_int_equal(changed_one(&r, change, NULL), 11500000 * 5 / 4);
  recorded_clear(&r);
}

/* --- load ------------------------------------------------------------------------------------- */

/* Two calls of sql at once, one after them. */
static const struct call_row twice_calls[] = {
    {"web", "GET", 0}, {"sql", "q", 0}, {"sql", "q", 0}, {"sql", "q", 0}, {0}};
static const struct activity_row twice_activities[] = {
    {1, true, "", 0},    {1, false, "0", 0}, {2, true, "", 0},   {2, false, "2", 0},
    {3, true, "1 3", 0}, {3, false, "4", 0}, {0, false, "5", 0}, {0}};

static struct recorded twice(void) {
  static const int64_t times[] = {1000000, 4000000, 1000000, 4000000, 1000000, 4000000, 1000000};
  struct recorded r;
  recorded_init(&r);
  recorded_request(&r, recorded_flow(&r, twice_calls, twice_activities), 0, times);
  scenario_write(folder, "at10.csv", "latency_ms\n10\n");
  scenario_write(folder, "at20.csv", "latency_ms\n20\n");
  scenario_write(folder, "at40.csv", "latency_ms\n40\n");
  return r;
}

static int64_t loaded(const struct recorded *r, const char *load, const char *more) {
  char at[3][100];
  for (int i = 0; i < 3; i++)
    snprintf(at[i], sizeof at[i], "sql@%d = %s/at%d.csv", 10 << i, folder, 10 << i);
  const char *changes[] = {load, at[0], at[1], at[2], more, NULL};
  struct changed c;
  changed_replay(&c, r, changes, NULL);
  int64_t after = c.replayed.after.data[0];
  changed_clear(&c);
  return after;
}

/* With 10 users there are 20 calls at once, as each request has two at a time. */
static void test_load_counts_the_calls_of_a_request(void **state) {
  (void)state;
  struct recorded r = twice();
  assert_int_equal(loaded(&r, "load=5", NULL), 23000000);
  assert_int_equal(loaded(&r, "load=10", NULL), 43000000);
  assert_int_equal(loaded(&r, "load sql=11", NULL), 83000000); /* measured with 40, not 22 */
  recorded_clear(&r);
}

static void test_a_replica_fails(void **state) {
  (void)state;
  struct recorded r = twice();
  assert_int_equal(loaded(&r, "load=5", "fail=1/2"), 43000000);
  assert_int_equal(loaded(&r, "load=5", "fail=1/3"), 43000000); /* 15 */
  assert_int_equal(loaded(&r, "load=10", "fail sql=1/2"), 83000000);
  recorded_clear(&r);
}

static void test_shards_divide_the_load(void **state) {
  (void)state;
  struct recorded r = twice();
  assert_int_equal(loaded(&r, "load=20", "shards=4"), 23000000);
  assert_int_equal(loaded(&r, "load=20", "shards=2"), 43000000);
  assert_int_equal(loaded(&r, "load=20", "shards=2 skew=1,0"), 83000000); /* all load on one */
  recorded_clear(&r);
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void assert_refused(const struct recorded *r, const char *const *changes,
                           enum status expected, const char *said) {
  struct changed c;
  assert_int_equal(changed_make(&c, r, changes, folder), expected);
  assert_string_equal(text_get(&c.said), said);
  changed_clear(&c);
}

static void test_mistakes(void **state) {
  (void)state;
  struct recorded r = twice();
  static const char *const name[] = {"sqk/q: *2", NULL};
  assert_refused(&r, name, STATUS_USAGE,
                 "--change 'sqk/q: *2': no recorded call is called \"sqk/q\"; nearest: sql/q, "
                 "web/GET");
  static const char *const place[] = {"sql: *x", NULL};
  assert_refused(&r, place, STATUS_USAGE,
                 "--change 'sql: *x', column 7: expected a factor, as in *0.5");
  static const char *const law[] = {"sql = mix(2 x)", NULL};
  assert_refused(&r, law, STATUS_USAGE,
                 "--change 'sql = mix(2 x)': in the law \"mix(2 x)\": column 5: the chances of "
                 "this mixture add up to 2; make them add up to 1");
  static const char *const fail[] = {"fail=1/2", NULL};
  assert_refused(&r, fail, STATUS_USAGE,
                 "fail and shards divide a load that is not stated; add how many users there are, "
                 "as in --change load=60");
  static const char *const load[] = {"load=5", NULL};
  assert_refused(&r, load, STATUS_USAGE,
                 "load needs to know how long calls take when there are many at once; add "
                 "--change 'NAME@60 = FILE'");
  char at[100];
  snprintf(at, sizeof at, "sql@10 = %s/at10.csv", folder);
  const char *const idle[] = {at, NULL};
  assert_refused(&r, idle, STATUS_USAGE,
                 "NAME@N = FILE is used with a load only; add --change load=60");
  const char *const most[] = {at, "load=6", NULL};
  assert_refused(&r, most, STATUS_USAGE,
                 "sql/q would have 12 calls at once, and is measured for up to 10; measure it "
                 "there, and add --change 'sql/q@12 = FILE'");
  recorded_clear(&r);
}

static void test_mistakes_in_tables_of_factors(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"percent,factor\n20\n", ":2: expected how busy the processor is and how many times longer "
                               "work takes then, as in 40,1.35"},
      {"20,1.1\n20,1.2\n", ":2: the percentages do not rise; sort the rows, and keep one of each"},
      {"20,0\n", ":1: expected how busy the processor is and how many times longer work takes "
                 "then, as in 40,1.35"},
      {"20,1.1\n", ": nothing is measured for a processor that is busy for 40 % or more; add a "
                   "row"},
  };
  struct recorded r = shop();
  char change[100], path[60];
  snprintf(path, sizeof path, "%s/factors.csv", folder);
  snprintf(change, sizeof change, "cpu=40%% %s", path);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scenario_write(folder, "factors.csv", cases[i][0]);
    const char *const changes[] = {change, NULL};
    char expected[300];
    snprintf(expected, sizeof expected, "%s%s", path, cases[i][1]);
    assert_refused(&r, changes, STATUS_DATA, expected);
  }
  recorded_clear(&r);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL;
}

static int tear_down(void **state) {
  (void)state;
  static const char *const files[] = {"ten.csv",  "hit.csv",  "busy.csv",   "at10.csv",
                                      "at20.csv", "at40.csv", "factors.csv"};
  char path[100];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    unlink(path);
  }
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_change_reproduces_every_latency),
      cmocka_unit_test(test_own_work_scales),
      cmocka_unit_test(test_a_call_moves_away_or_closer),
      cmocka_unit_test(test_no_duration_falls_below_0),
      cmocka_unit_test(test_the_network_is_shortened_first),
      cmocka_unit_test(test_a_law_is_for_all_of_a_call),
      cmocka_unit_test(test_changes_apply_in_order),
      cmocka_unit_test(test_draws_have_the_shares_of_the_file),
      cmocka_unit_test(test_what_never_ends_is_never),
      cmocka_unit_test(test_factors_of_a_busy_processor),
      cmocka_unit_test(test_load_counts_the_calls_of_a_request),
      cmocka_unit_test(test_a_replica_fails),
      cmocka_unit_test(test_shards_divide_the_load),
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_mistakes_in_tables_of_factors),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
