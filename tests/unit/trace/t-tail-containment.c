/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/tables.h"
#include "trace/tail/containment.h"

enum { ROWS = 1200, CALLS = 4, SLOW_EVERY = 10 };

/* The latency is 5 ms, cart and price; cart calls db; nothing waits for audit, though half of the
 * audits take 60 ms longer. The call `slow` takes 20 ms longer in each tenth request. */
static void make_shop(struct call_table *table, enum tail_side *sides, size_t slow, uint64_t seed) {
  static const char *const names[] = {"cart", "db", "price", "audit", NULL};
  struct random random = {seed};
  tables_make(table, ROWS, names);
  for (size_t r = 0; r < ROWS; r++) {
    int64_t own[CALLS];
    sides[r] = r % SLOW_EVERY == 0 ? TAIL_SLOW : TAIL_REST;
    for (size_t c = 0; c < CALLS; c++)
      own[c] = 2000000 + tables_time(&random, 1000) +
               (c == slow && sides[r] == TAIL_SLOW ? 20000000 : 0);
    own[3] += random_below(&random, 2) == 0 ? 60000000 : 0;
    int64_t cart = own[0] + own[1];
    int64_t columns[CALLS] = {cart, own[1], own[2], own[3]};
    for (size_t c = 0; c < CALLS; c++)
      table->calls.data[c].ns[r] = columns[c];
    table->latency.ns[r] = 5000000 + cart + own[2] + tables_time(&random, 300);
  }
}

static double mean_of(const struct tail_cause *cause, const enum tail_side *sides,
                      enum tail_side side) {
  double sum = 0, count = 0;
  for (size_t r = 0; r < ROWS; r++)
    if (sides[r] == side) {
      sum += (double)cause->parts[r];
      count++;
    }
  return sum / count;
}

static void test_the_callee_is_slow_and_not_its_caller(void **state) {
  (void)state;
  enum tail_side sides[ROWS];
  for (size_t slow = 0; slow < 3; slow++) {
    struct call_table table;
    struct containment containment;
    struct tail_causes causes;
    make_shop(&table, sides, slow, slow + 1);
    containment_find(&containment, &table, sides, NULL);
    containment_causes(&causes, &table, &containment, sides);
    assert_true(containment.shares[0 * CALLS + 1] > 0.9); /* cart contains db */
    assert_true(containment.weight[3] < 0.1);             /* nothing waits for audit */
    for (size_t c = 0; c < CALLS; c++) {
      double excess = mean_of(&causes.causes.data[c], sides, TAIL_SLOW) -
                      mean_of(&causes.causes.data[c], sides, TAIL_REST);
      double expected = c == slow ? 20e6 : 0;
      if (fabs(excess - expected) > 1e6)
        fail_msg("slow call %zu: call %zu adds %.0f ns, not %.0f", slow, c, excess, expected);
    }
    tail_causes_clear(&causes);
    containment_clear(&containment);
    call_table_clear(&table);
  }
}

static void test_the_parts_add_up_to_the_latency(void **state) {
  (void)state;
  enum tail_side sides[ROWS];
  struct call_table table;
  struct containment containment;
  struct tail_causes causes;
  make_shop(&table, sides, 1, 9);
  containment_find(&containment, &table, sides, NULL);
  containment_causes(&causes, &table, &containment, sides);
  assert_int_equal(causes.causes.count, CALLS + 1);
  for (size_t r = 0; r < ROWS; r++) {
    int64_t sum = 0;
    for (size_t c = 0; c < causes.causes.count; c++)
      sum += causes.causes.data[c].parts[r];
    assert_int_equal(sum, table.latency.ns[r]);
    assert_int_equal(causes.replay.without(&causes, r, NULL, 0), table.latency.ns[r]);
    assert_int_equal(causes.replay.with(&causes, r, (const uint32_t[]){1}, 1, r),
                     table.latency.ns[r]);
  }
  tail_causes_clear(&causes);
  containment_clear(&containment);
  call_table_clear(&table);
}

/* Without a pair nothing contains anything; with it the share is fitted. */
static void test_who_calls_whom_may_be_told(void **state) {
  (void)state;
  enum tail_side sides[ROWS];
  struct call_table table;
  make_shop(&table, sides, 1, 4);
  call_pairs pairs = {0};
  for (size_t told = 0; told < 2; told++) {
    struct containment containment;
    containment_find(&containment, &table, sides, &pairs);
    double share = containment.shares[0 * CALLS + 1];
    assert_true(told == 0 ? share == 0 : share > 0.9);
    containment_clear(&containment);
    vector_push(&pairs, (struct call_pair){0, 1});
  }
  vector_clear(&pairs);
  call_table_clear(&table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_callee_is_slow_and_not_its_caller),
      cmocka_unit_test(test_the_parts_add_up_to_the_latency),
      cmocka_unit_test(test_who_calls_whom_may_be_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
