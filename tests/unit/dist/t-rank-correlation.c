/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dist/statistics/rank_correlation.h"
#include "tests/unit/dist/worlds.h"

enum { LONGEST = 2000 };
static uint64_t a[LONGEST], b[LONGEST];

/* How often of `runs` two independent series of that world look dependent at the level. */
static int count_false(const struct world *world, size_t n, int runs, double level, uint64_t seed) {
  struct random random = {seed};
  unsigned char slow[LONGEST];
  int found = 0;
  for (int run = 0; run < runs; run++) {
    worlds_draw(a, slow, n, world, &random);
    worlds_draw(b, slow, n, world, &random);
    found += rank_correlation(a, b, n).chance < level;
  }
  return found;
}

/* Binomial(runs, level), and 5 standard deviations more. */
static int most_of(int runs, double level) {
  return (int)ceil(runs * level + 5 * sqrt(runs * level * (1 - level)));
}

static void test_independent_draws_seldom_look_dependent(void **state) {
  (void)state;
  static const struct world plain = {"plain", WORLD_INDEPENDENT, 0};
  static const struct world ties = {"ties", WORLD_TIES, 0};
  int found = count_false(&plain, 200, 3000, 0.05, 1);
  assert_in_range(found, 150 - 60, most_of(3000, 0.05));
  assert_in_range(count_false(&ties, 200, 3000, 0.05, 2), 150 - 60, most_of(3000, 0.05));
  assert_in_range(count_false(&plain, 500, 3000, 0.001, 3), 0, most_of(3000, 0.001));
  assert_in_range(count_false(&plain, RANK_CORRELATION_LEAST, 3000, 0.01, 4), 0, 60);
}

/* Two series with memory, independent of each other, are correlated by chance: at coefficient 0.95
 * the plain test at 1 % would find about half of them. */
static void test_memory_is_no_dependence(void **state) {
  (void)state;
  static const struct world worlds[] = {{"some memory", WORLD_REGRESSION, 0.5},
                                        {"much memory", WORLD_REGRESSION, 0.95},
                                        {"regimes", WORLD_REGIMES, 50}};
  for (size_t i = 0; i < 3; i++) {
    int found = count_false(&worlds[i], LONGEST, 500, 0.01, 10 + i);
    if (found > most_of(500, 0.01) + 10)
      fail_msg("%s: %d of 500 at 1 %%", worlds[i].name, found);
  }
}

/* b follows a, with noise. */
static void draw_joined(size_t n, double share, struct random *random) {
  for (size_t i = 0; i < n; i++) {
    double z = worlds_normal(random);
    a[i] = worlds_value(z, 1);
    b[i] = worlds_value(share * z + sqrt(1 - share * share) * worlds_normal(random), 1);
  }
}

static void test_dependence_is_found(void **state) {
  (void)state;
  struct random random = {5};
  int found = 0;
  for (int run = 0; run < 200; run++) {
    draw_joined(500, 0.3, &random);
    struct rank_correlation r = rank_correlation(a, b, 500);
    found += r.chance < 1e-3;
    assert_true(r.correlation > 0 && r.correlation < 0.6);
  }
  assert_in_range(found, 190, 200);
}

static void test_the_correlation_of_ranks(void **state) {
  (void)state;
  for (size_t i = 0; i < 100; i++) {
    a[i] = i * 37 % 101 * (i * 37 % 101);
    b[i] = UINT64_MAX - a[i];
  }
  struct rank_correlation r = rank_correlation(a, a, 100);
  assert_true(fabs(r.correlation - 1) < 1e-12 && r.chance < 1e-9);
  r = rank_correlation(a, b, 100);
  assert_true(fabs(r.correlation + 1) < 1e-12 && r.chance < 1e-9);
}

/* By hand: ranks 1.5 1.5 3 4, ten times over, against 1 2 3.5 3.5. */
static void test_ties_have_the_middle_of_their_ranks(void **state) {
  (void)state;
  static const uint64_t x[] = {5, 5, 7, 9}, y[] = {1, 2, 8, 8};
  for (size_t i = 0; i < 40; i++) {
    a[i] = x[i % 4];
    b[i] = y[i % 4];
  }
  /* centred, in tenths of the ranks' middles: -10 -10 5 15 and -15 -5 10 10 */
  double expected = (150.0 + 50 + 50 + 150) / sqrt((100 + 100 + 25 + 225) * (225 + 25 + 100 + 100));
  assert_true(fabs(rank_correlation(a, b, 40).correlation - expected) < 1e-12);
}

static void test_nothing_is_said_of_constants_and_few(void **state) {
  (void)state;
  for (size_t i = 0; i < 100; i++) {
    a[i] = i;
    b[i] = 7;
  }
  struct rank_correlation r = rank_correlation(a, b, 100);
  assert_true(r.correlation == 0 && r.chance == 1);
  r = rank_correlation(b, b, 100);
  assert_true(r.correlation == 0 && r.chance == 1);
  r = rank_correlation(a, a, RANK_CORRELATION_LEAST - 1);
  assert_true(r.correlation == 0 && r.chance == 1);
}

/* 2 % of the rows are slow in both at once, and nothing else goes together. */
static void draw_coinciding(size_t count, bool at_once, struct random *random) {
  for (size_t i = 0; i < count; i++) {
    bool slow_a = worlds_uniform(random) < 0.02;
    bool slow_b = at_once ? slow_a : worlds_uniform(random) < 0.02;
    a[i] = worlds_value(worlds_normal(random), slow_a ? 20 : 1);
    b[i] = worlds_value(worlds_normal(random), slow_b ? 20 : 1);
  }
}

static void test_tails_that_coincide(void **state) {
  (void)state;
  struct random random = {11};
  int seen = 0, feigned = 0, correlated = 0;
  for (int run = 0; run < 200; run++) {
    draw_coinciding(1000, true, &random);
    struct coincidence found = coincidence(a, b, 1000);
    assert_int_equal(found.slow_a, found.expected > 1 ? 50 : 10);
    seen += found.chance < 1e-3;
    correlated += rank_correlation(a, b, 1000).chance < 1e-3;
    draw_coinciding(1000, false, &random);
    feigned += coincidence(a, b, 1000).chance < 1e-2;
  }
  assert_in_range(seen, 190, 200);
  assert_in_range(correlated, 0, 60); /* which ranks hardly show */
  assert_in_range(feigned, 0, 7);
  assert_true(coincidence(a, b, 99).chance >= 1);
}

/* Two series that are slow in stretches of their own coincide by chance more often. */
static void test_stretches_are_no_coincidence(void **state) {
  (void)state;
  struct random random = {12};
  int feigned = 0;
  for (int run = 0; run < 200; run++) {
    double x = worlds_normal(&random), y = worlds_normal(&random);
    for (size_t i = 0; i < 1000; i++) {
      x = 0.9 * x + sqrt(0.19) * worlds_normal(&random);
      y = 0.9 * y + sqrt(0.19) * worlds_normal(&random);
      a[i] = worlds_value(x, 1);
      b[i] = worlds_value(y, 1);
    }
    feigned += coincidence(a, b, 1000).chance < 5e-4;
  }
  assert_in_range(feigned, 0, 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_independent_draws_seldom_look_dependent),
      cmocka_unit_test(test_memory_is_no_dependence),
      cmocka_unit_test(test_dependence_is_found),
      cmocka_unit_test(test_the_correlation_of_ranks),
      cmocka_unit_test(test_ties_have_the_middle_of_their_ranks),
      cmocka_unit_test(test_nothing_is_said_of_constants_and_few),
      cmocka_unit_test(test_tails_that_coincide),
      cmocka_unit_test(test_stretches_are_no_coincidence),
  };
  return cmocka_run_group_tests_name("rank correlation", tests, NULL, NULL);
}
