/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Orders learned across requests: programs whose true waits are known.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/unit/trace/graphs.h"
#include "trace/graph/evidence.h"

/* Of all ways to pair, the share in which every y is at least x + gap. */
static double share_of(const int64_t *x, int64_t *y, size_t count, size_t from, int64_t gap) {
  if (from == count)
    return 1;
  double share = 0;
  for (size_t i = from; i < count; i++) {
    int64_t kept = y[from];
    y[from] = y[i];
    y[i] = kept;
    if (x[from] + gap <= y[from])
      share += share_of(x, y, count, from + 1, gap) / (double)(count - from);
    y[i] = y[from];
    y[from] = kept;
  }
  return share;
}

static void test_share_of_pairings(void **state) {
  (void)state;
  struct random random = {7};
  for (int round = 0; round < 300; round++) {
    int64_t x[6], y[6];
    size_t count = 1 + random_below(&random, 6);
    for (size_t i = 0; i < count; i++) {
      x[i] = (int64_t)random_below(&random, 8);
      y[i] = x[i] + (int64_t)random_below(&random, 8);
    }
    int64_t gap = INT64_MAX;
    for (size_t i = 0; i < count; i++)
      gap = y[i] - x[i] < gap ? y[i] - x[i] : gap;
    double expected = share_of(x, y, count, 0, gap), violated = 0;
    for (size_t i = 0; i < count; i++)
      for (size_t j = 0; j < count; j++)
        violated += x[i] > y[j];
    struct order_evidence evidence;
    evidence_of(&evidence, x, y, count, 0);
    assert_true(fabs(evidence.by_chance - expected) < 1e-12);
    if (count > 1)
      assert_true(fabs(evidence.violated * (double)(count * (count - 1)) - violated) < 1e-9);
  }
}

/* The share of the pairings of x with y[from ..] in which at most `against` have y < x + gap. */
static double share_but(const int64_t *x, int64_t *y, size_t count, size_t from, int64_t gap,
                        size_t against) {
  if (from == count)
    return 1;
  double share = 0;
  for (size_t i = from; i < count; i++) {
    int64_t kept = y[from];
    y[from] = y[i];
    y[i] = kept;
    size_t violates = x[from] + gap > y[from];
    if (violates <= against)
      share += share_but(x, y, count, from + 1, gap, against - violates) / (double)(count - from);
    y[i] = y[from];
    y[from] = kept;
  }
  return share;
}

static int compare_times(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Where some requests are passed over, chance is at least what counting all pairings gives. */
static void test_passed_over(void **state) {
  (void)state;
  struct random random = {17};
  int less = 0;
  for (int round = 0; round < 300; round++) {
    int64_t x[7], y[7], gaps[7];
    size_t count = 2 + random_below(&random, 6);
    size_t against = round % 2 == 0 ? 1 : 1 + random_below(&random, count - 1);
    for (size_t i = 0; i < count; i++) {
      x[i] = (int64_t)random_below(&random, 100);
      y[i] = x[i] + (int64_t)random_below(&random, 4);
      gaps[i] = y[i] - x[i];
    }
    qsort(gaps, count, sizeof *gaps, compare_times);
    double exact = share_but(x, y, count, 0, gaps[against], against);
    struct order_evidence evidence;
    evidence_of(&evidence, x, y, count, against);
    assert_true(evidence.by_chance >= exact * (1 - 1e-12) && evidence.by_chance <= 1);
    less += evidence.by_chance < 1;
  }
  assert_true(less > 20);
}

/* And it is small where Y follows X but for one request of many. */
static void test_passed_over_one(void **state) {
  (void)state;
  int64_t x[100], y[100];
  struct random random = {18};
  for (size_t i = 0; i < 100; i++) {
    x[i] = (int64_t)random_below(&random, 1000);
    y[i] = x[i] + (i == 7 ? -300 : 3);
  }
  struct order_evidence evidence;
  evidence_of(&evidence, x, y, 100, 1);
  assert_true(evidence.by_chance < 1e-9);
}

static void test_needed(void **state) {
  (void)state;
  const struct order_evidence never = {1, 0}, half = {0.5, 0.5}, rare = {0.9, 0.01};
  assert_int_equal(evidence_needed(&never, 100, 0.05), ORDER_NEVER);
  assert_in_range(evidence_needed(&never, 1, 0.05), 1, 10);
  assert_int_equal(evidence_needed(&half, 3, 0.05), 2);    /* 0.5^5 <= 0.05 */
  assert_int_equal(evidence_needed(&rare, 10, 0.05), 289); /* 0.99^299 <= 0.05 */
}

static int64_t below(struct random *random, int64_t count) {
  return (int64_t)random_below(random, (uint64_t)count);
}

/* gather(get foo1; sleep 100; get foo3, get foo2). */
static void add_chain(struct graphed *graphed, struct random *random) {
  int64_t foo1 = 50 + below(random, 100), foo2 = 100 + below(random, 200);
  int64_t start = foo1 + 100 + below(random, 2), foo3 = start + 200 + below(random, 200);
  graphed_add(graphed, (struct span_row[]){
                           {"0", NULL, "m", "main", 0, (foo2 > foo3 ? foo2 : foo3) + 2, 0, 0},
                           {"1", "0", "m", "foo1", 1, foo1, 0, 0},
                           {"2", "0", "m", "foo2", 2, foo2, 0, 0},
                           {"3", "0", "m", "foo3", start, foo3, 0, 0},
                           {0}});
}

static void test_nested_chain(void **state) {
  struct graphed *graphed = *state;
  struct random random = {3};
  for (int i = 0; i < 20; i++)
    add_chain(graphed, &random);
  graphed_make(graphed, UNDECIDED_FREE);
  assert_int_equal(graphed_order(graphed, "foo1", "foo3")->verdict, ORDER_SUPPORTED);
  assert_int_equal(graphed_order(graphed, "foo2", "foo3")->verdict, ORDER_REFUTED);
  assert_int_equal(graphed_order(graphed, "foo3", "main")->verdict, ORDER_SUPPORTED);
  assert_non_null(strstr(graphed_show(graphed, "foo3", true), " m/foo1"));
}

/* The same times, but foo3 is called after both. */
static void test_gather_then_call(void **state) {
  struct graphed *graphed = *state;
  struct random random = {4};
  for (int i = 0; i < 20; i++) {
    int64_t foo1 = 50 + below(&random, 100), foo2 = 50 + below(&random, 100);
    int64_t start = (foo1 > foo2 ? foo1 : foo2) + 1 + below(&random, 3);
    int64_t foo3 = start + 200 + below(&random, 200);
    graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, foo3 + 1, 0, 0},
                                             {"1", "0", "m", "foo1", 1, foo1, 0, 0},
                                             {"2", "0", "m", "foo2", 2, foo2, 0, 0},
                                             {"3", "0", "m", "foo3", start, foo3, 0, 0},
                                             {0}});
  }
  graphed_make(graphed, UNDECIDED_FREE);
  assert_int_equal(graphed_order(graphed, "foo1", "foo3")->verdict, ORDER_SUPPORTED);
  assert_int_equal(graphed_order(graphed, "foo2", "foo3")->verdict, ORDER_SUPPORTED);
}

/* foo2 nearly always ends last, so its order is seen at once; that foo1 is waited for too shows in
 * the few requests in which foo1 ends last: foo3 then starts late after foo2, and right after foo1.
 */
static void test_second_wait(void **state) {
  struct graphed *graphed = *state;
  struct random random = {12};
  for (int i = 0; i < 60; i++) {
    int64_t foo1 = 50 + below(&random, 100), foo2 = 120 + below(&random, 100);
    int64_t start = (foo1 > foo2 ? foo1 : foo2) + 1 + below(&random, 3);
    graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, start + 11, 0, 0},
                                             {"1", "0", "m", "foo1", 1, foo1, 0, 0},
                                             {"2", "0", "m", "foo2", 2, foo2, 0, 0},
                                             {"3", "0", "m", "foo3", start, start + 10, 0, 0},
                                             {0}});
  }
  graphed_make(graphed, UNDECIDED_FREE);
  assert_int_equal(graphed_order(graphed, "foo2", "foo3")->verdict, ORDER_SUPPORTED);
  assert_int_equal(graphed_order(graphed, "foo1", "foo3")->verdict, ORDER_SUPPORTED);
}

/* A call after a fixed time, long after another: no number of requests says that it waits. */
static void test_timer(void **state) {
  struct graphed *graphed = *state;
  struct random random = {5};
  for (int i = 0; i < 200; i++)
    graphed_add(graphed,
                (struct span_row[]){{"0", NULL, "m", "main", 0, 400, 0, 0},
                                    {"1", "0", "m", "early", 1, 10 + below(&random, 80), 0, 0},
                                    {"2", "0", "m", "late", 200 + below(&random, 5), 350, 0, 0},
                                    {0}});
  graphed_make(graphed, UNDECIDED_WAITS);
  const struct order *order = graphed_order(graphed, "early", "late");
  assert_int_equal(order->verdict, ORDER_UNDECIDED);
  assert_int_equal(order->held, 200);
  assert_int_equal(order->needed, ORDER_NEVER);
  assert_non_null(strstr(graphed_show(graphed, "late", true), " m/early"));
  graphed_make(graphed, UNDECIDED_FREE);
  assert_null(strstr(graphed_show(graphed, "late", true), " m/early"));
}

/* A common cause before both: work of varying length, then a call, and another 10 later anyway. */
static void test_common_cause(void **state) {
  struct graphed *graphed = *state;
  struct random random = {6};
  for (int i = 0; i < 100; i++) {
    int64_t work = below(&random, 500);
    graphed_add(graphed, (struct span_row[]){
                             {"0", NULL, "m", "main", 0, 600, 0, 0},
                             {"1", "0", "m", "quick", work, work + 1 + below(&random, 8), 0, 0},
                             {"2", "0", "m", "timed", work + 10, work + 40, 0, 0},
                             {0}});
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_int_equal(graphed_order(graphed, "quick", "timed")->verdict, ORDER_UNDECIDED);
}

/* X and Y have nothing to do with each other, and in all of few requests X happens to end first:
 * that counts as a wait no more often than the level says. */
static void test_level_held(void **state) {
  (void)state;
  struct random random = {8};
  enum { ROUNDS = 4000, FEW = 6 };
  int supported = 0;
  for (int round = 0; round < ROUNDS; round++) {
    int64_t x[FEW], y[FEW];
    bool agree = true;
    for (int i = 0; i < FEW; i++) {
      x[i] = below(&random, 100);
      y[i] = below(&random, 150) + round % 2 * 90;
      agree &= x[i] <= y[i];
    }
    if (!agree)
      continue;
    struct order_evidence evidence;
    evidence_of(&evidence, x, y, FEW, 0);
    supported += evidence.by_chance <= 0.05;
  }
  assert_in_range(supported, 0, ROUNDS / 20);
  print_message("%d of %d, at most %d expected\n", supported, ROUNDS, ROUNDS / 20);
}

static int64_t chained(struct random *random, int64_t from) {
  return from + below(random, 50);
}

/* Three calls that nothing connects, each of which usually starts when those before have ended. Of
 * few requests all may agree; in at most 5 % of such recordings any order is supported by chance.
 */
static void test_level_held_by_graphs(void **state) {
  (void)state;
  struct random random = {13};
  int rounds = getenv("TEST_ALL") != NULL ? 20000 : 1500, supported = 0, agreed = 0;
  for (int round = 0; round < rounds; round++) {
    void *made;
    graphed_set_up(&made);
    struct graphed *graphed = made;
    for (int i = 3 + round % 6; i > 0; i--) {
      int64_t x = 1, y = chained(&random, 40), z = chained(&random, 100);
      graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, 1000, 0, 0},
                                               {"1", "0", "m", "x", x, chained(&random, 5), 0, 0},
                                               {"2", "0", "m", "y", y, chained(&random, y), 0, 0},
                                               {"3", "0", "m", "z", z, chained(&random, z), 0, 0},
                                               {0}});
    }
    graphed_make(graphed, UNDECIDED_FREE);
    const struct request_flow *flow = graphed->graph.flows.data[0];
    bool any = false;
    for (size_t o = 0; o < flow->orders.count; o++) {
      any |= flow->orders.data[o].verdict == ORDER_SUPPORTED;
      agreed += flow->orders.data[o].verdict != ORDER_REFUTED && flow->orders.data[o].after != 0;
    }
    supported += any;
    graphed_tear_down(&made);
  }
  print_message("%d of %d recordings, %d orders without a counter-example\n", supported, rounds,
                agreed);
  assert_in_range(agreed, rounds / 2, 3 * rounds);
  assert_in_range(supported, 0, rounds / 20);
}

/* A read from a primary, after 30 also from a replica; whichever answers first is rendered. */
static void add_hedged(struct graphed *graphed, struct random *random) {
  int64_t ask = 2 + below(random, 3), primary = ask + 31 + below(random, 100);
  int64_t second = ask + 30, replica = second + 10 + below(random, 60);
  int64_t render = (primary < replica ? primary : replica) + 1;
  int64_t end = render + 30 + below(random, 30);
  graphed_add(graphed,
              (struct span_row[]){{"0", NULL, "m", "main", 0, end + 1 + below(random, 7), 0, 0},
                                  {"1", "0", "m", "primary", ask, primary, 0, 0},
                                  {"2", "0", "m", "replica", second, replica, 0, 0},
                                  {"3", "0", "m", "render", render, end, 0, 0},
                                  {0}});
}

static void test_first_of(void **state) {
  struct graphed *graphed = *state;
  struct random random = {9};
  for (int i = 0; i < 40; i++)
    add_hedged(graphed, &random);
  graphed_make(graphed, UNDECIDED_FREE);
  assert_string_equal(graphed_show(graphed, "render", true), "1 1 of m/primary m/replica");
  assert_int_equal(graphed_order(graphed, "primary", "render")->verdict, ORDER_REFUTED);
  graphed_make(graphed, UNDECIDED_WAITS); /* the end waits for render, which explains it */
  assert_non_null(strstr(graphed_show(graphed, "main", false), " m/render"));
  assert_null(strstr(graphed_show(graphed, "main", false), "m/replica"));
}

/* Two of three answers are enough; then the caller ends. */
static void test_two_of_three(void **state) {
  struct graphed *graphed = *state;
  struct random random = {10};
  static const char *const ids[] = {"1", "2", "3"}, *const names[] = {"a", "b", "c"};
  for (int i = 0; i < 40; i++) {
    struct span_row rows[5] = {{"0", NULL, "m", "main", 0, 0, 0, 0}};
    int64_t first = INT64_MAX, second = INT64_MAX;
    for (int k = 0; k < 3; k++) {
      int64_t end = 10 + below(&random, 1000);
      rows[k + 1] = (struct span_row){ids[k], "0", "m", names[k], 1 + k, end, 0, 0};
      second = end < first ? first : end < second ? end : second;
      first = end < first ? end : first;
    }
    rows[0].end = second + 1 + below(&random, 2);
    graphed_add(graphed, rows);
  }
  graphed_make(graphed, UNDECIDED_FREE);
  assert_non_null(strstr(graphed_show(graphed, "main", false), " 2 of m/a m/b m/c"));
}

/* Two replicas get a message, work, and answer; the first answer is counted when it comes. By then
 * the other replica may not even work yet, so all that is seen to have started is both messages. */
static void add_replicas(struct graphed *graphed, struct random *random) {
  int64_t got[2], done[2], there[2];
  for (size_t i = 0; i < 2; i++) {
    got[i] = 5 + 10 + below(random, 400);
    done[i] = got[i] + 50 + below(random, 300);
    there[i] = done[i] + 10 + below(random, 200);
  }
  int64_t first = there[0] < there[1] ? there[0] : there[1];
  int64_t second = there[0] < there[1] ? there[1] : there[0];
  first += 1;
  second = (second < first + 5 ? first + 5 : second) + 1;
  graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, second + 6, 0, 0},
                                           {"1", "0", "m", "ask a", 5, got[0], 0, 0},
                                           {"2", "0", "m", "ask b", 5, got[1], 0, 0},
                                           {"3", "0", "m", "work a", got[0], done[0], 0, 0},
                                           {"4", "0", "m", "work b", got[1], done[1], 0, 0},
                                           {"5", "0", "m", "answer a", done[0], there[0], 0, 0},
                                           {"6", "0", "m", "answer b", done[1], there[1], 0, 0},
                                           {"7", "0", "m", "count", first, first + 5, 0, 0},
                                           {"8", "0", "m", "reply", second, second + 5, 0, 0},
                                           {0}});
}

static void test_first_of_chains(void **state) {
  struct graphed *graphed = *state;
  struct random random = {21};
  for (size_t i = 0; i < 300; i++)
    add_replicas(graphed, &random);
  graphed_make(graphed, UNDECIDED_WAITS);
  assert_string_equal(graphed_show(graphed, "count", true), "1 1 of m/answer a m/answer b");
  assert_non_null(strstr(graphed_show(graphed, "reply", true), "m/answer a"));
  assert_non_null(strstr(graphed_show(graphed, "reply", true), "m/answer b"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_share_of_pairings),
      cmocka_unit_test(test_passed_over),
      cmocka_unit_test(test_passed_over_one),
      cmocka_unit_test(test_needed),
      cmocka_unit_test_setup_teardown(test_nested_chain, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_gather_then_call, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_second_wait, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_timer, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_common_cause, graphed_set_up, graphed_tear_down),
      cmocka_unit_test(test_level_held),
      cmocka_unit_test(test_level_held_by_graphs),
      cmocka_unit_test_setup_teardown(test_first_of, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_first_of_chains, graphed_set_up, graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_two_of_three, graphed_set_up, graphed_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
