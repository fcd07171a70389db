/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/unusual.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"

enum { REQUESTS = 1800, RUNS = 400 };

static const double MS = 1e6, GAP_MS = 13;
static const int64_t STRETCH = 40 * 1000000;

static double uniform(struct random *random) {
  return ((double)(random_bits(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct random *random) {
  return sqrt(-2 * log(uniform(random))) * cos(2 * 3.14159265358979 * uniform(random));
}

/* Times in ms, each of one kind. */
static double exponential(struct random *random) {
  return -log(uniform(random));
}
static double spread(struct random *random) {
  return exp(0.5 * normal(random));
}
static double wide(struct random *random) {
  return exp(1.5 * normal(random));
}
static double pareto(struct random *random) {
  return 1 / uniform(random);
}
static double even(struct random *random) {
  return 0.5 + 2 * uniform(random);
}

typedef double law(struct random *random);
static law *const laws[] = {exponential, spread, wide, pareto, even};

/* Requests that come each GAP_MS and take that long. */
static void draw(struct unusual_time *times, law *of, struct random *random) {
  for (size_t i = 0; i < REQUESTS; i++) {
    double value = of(random) * MS, arrived = GAP_MS * MS * (double)i;
    times[i] = (struct unusual_time){(int64_t)value, (int64_t)arrived};
  }
}

static void add(struct unusual_time *time, double ms) {
  time->value += (int64_t)(ms * MS);
}

/* Of servers without a second hump at most one in 20 is said to have one, for every law. */
static void test_one_kind(void **state) {
  (void)state;
  struct unusual_time times[REQUESTS];
  struct random random = {1};
  for (size_t l = 0; l < sizeof laws / sizeof *laws; l++) {
    size_t found = 0;
    for (size_t run = 0; run < RUNS; run++) {
      draw(times, laws[l], &random);
      found += loop_unusual_apart(times, REQUESTS, STRETCH, 1, 0.05) != INT64_MAX;
    }
    if (found > RUNS / 20)
      fail_msg("law %zu: %zu of %d", l, found, (int)RUNS);
  }
}

/* Few hiccups of all that are under way are few observations, however many they delay. */
static void test_hiccups_of_all(void **state) {
  (void)state;
  struct unusual_time times[REQUESTS];
  struct random random = {2};
  draw(times, spread, &random);
  for (size_t hiccup = 0; hiccup < 8; hiccup++)
    for (size_t i = 0; i < 4; i++)
      add(&times[100 + 200 * hiccup + i], 300);
  assert_true(loop_unusual_apart(times, REQUESTS, STRETCH, 1, 0.05) == INT64_MAX);
  draw(times, spread, &random);
  for (size_t i = 0; i < 32; i++) /* as many, each by itself */
    add(&times[50 + 40 * i], 300);
  assert_true(loop_unusual_apart(times, REQUESTS, STRETCH, 1, 0.05) != INT64_MAX);
}

/* One read of 25 takes 40 ms more; or one of six waits for the rest of 40 ms. */
static void test_two_kinds(void **state) {
  (void)state;
  struct unusual_time times[REQUESTS];
  struct random random = {3};
  for (size_t l = 0; l < 2; l++)
    for (size_t rest = 0; rest < 2; rest++) {
      draw(times, laws[l], &random);
      for (size_t i = 0; i < REQUESTS; i++)
        if (random_below(&random, rest ? 6 : 25) == 0)
          add(&times[i], rest ? 40 * uniform(&random) : 40);
      int64_t apart = loop_unusual_apart(times, REQUESTS, STRETCH, 1, 0.01);
      if (apart < 2 * 1000000 || apart > 40 * 1000000)
        fail_msg("law %zu, rest %zu: apart at %lld", l, rest, (long long)apart);
    }
}

/* All threads of a pool are taken for 110 ms of each 333, and who comes then waits for the rest:
 * most stretches of 136 ms have such a request, and only who comes first in a stretch shows what
 * others take. */
static void test_a_frequent_kind(void **state) {
  (void)state;
  struct unusual_time times[REQUESTS];
  struct random random = {5};
  draw(times, spread, &random);
  for (size_t i = 0; i < REQUESTS; i++) {
    double at = fmod(GAP_MS * (double)i, 333);
    if (at < 110)
      add(&times[i], 110 - at);
  }
  int64_t apart = loop_unusual_apart(times, REQUESTS, 136 * 1000000, 1, 0.001);
  if (apart < 2 * 1000000 || apart > 64 * 1000000)
    fail_msg("apart at %lld", (long long)apart);
}

/* Two looks are taken, each at half the level: 16 times that chance puts where no shorter ones are
 * with 2^-16 * 36 are too few at 0.001, and 17 are not. */
static void test_the_level(void **state) {
  (void)state;
  for (size_t long_ones = 16; long_ones <= 17; long_ones++) {
    struct unusual_time times[200];
    for (size_t i = 0; i < 200; i++)
      times[i] = (struct unusual_time){i < long_ones ? 16 << 20 : 1 << 20, (int64_t)i * 1000};
    int64_t apart = loop_unusual_apart(times, 200, 1, 1, 0.001);
    assert_int_equal(apart == INT64_MAX, long_ones == 16);
  }
}

/* What does not matter is not told: a hump below what is asked about. */
static void test_a_hump_below(void **state) {
  (void)state;
  struct unusual_time times[REQUESTS];
  struct random random = {4};
  draw(times, spread, &random);
  for (size_t i = 0; i < REQUESTS; i += 25)
    add(&times[i], 40);
  assert_true(loop_unusual_apart(times, REQUESTS, STRETCH, 30 * 1000000, 0.05) != INT64_MAX);
  assert_true(loop_unusual_apart(times, REQUESTS, STRETCH, 70 * 1000000, 0.05) == INT64_MAX);
}

static void test_nothing_at_all(void **state) {
  (void)state;
  static const struct unusual_time none[] = {{0, 0}, {INT64_MAX, 0}};
  assert_true(loop_unusual_apart(none, 0, STRETCH, 1, 0.05) == INT64_MAX);
  assert_true(loop_unusual_apart(none, 2, STRETCH, 1, 0.05) == INT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_kind),       cmocka_unit_test(test_hiccups_of_all),
      cmocka_unit_test(test_two_kinds),      cmocka_unit_test(test_a_hump_below),
      cmocka_unit_test(test_the_level),      cmocka_unit_test(test_a_frequent_kind),
      cmocka_unit_test(test_nothing_at_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
