/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/profile/adapt.h"

/* ---- the rate */

static uint64_t state_of_random = 42;

static uint32_t below(uint32_t limit) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state_of_random >> 33) % limit);
}

/* Any limits, states and costs, the corners most of all. */
static uint32_t cornered(uint32_t most) {
  switch (below(4)) {
  case 0:
    return 0;
  case 1:
    return most;
  case 2:
    return below(10) < most ? below(10) : most;
  default:
    return below(most + 1);
  }
}

static void test_the_rate_keeps_its_limits(void **state) {
  (void)state;
  for (int i = 0; i < 20000; i++) {
    struct rate_limits limits = {.ceiling = cornered(RATE_MAX),
                                 .budget = cornered(1000000000),
                                 .shrink = cornered(RATE_SHRINK_ONE - 1),
                                 .patience = cornered(10)};
    limits.floor = limits.ceiling == 0 ? 0 : below(limits.ceiling + 1);
    struct rate_state now = {cornered(RATE_MAX), cornered(UINT32_MAX - 1)}, before = now;
    uint32_t cost = cornered(RATE_COST_MAX), load = cornered(RATE_LOAD_MAX);
    uint32_t most = rate_affordable(&limits, cost, load);
    int changed = below(2) != 0;
    rate_step(&now, &limits, changed, cost, load);
    assert_true(now.rate <= limits.ceiling);
    assert_true((uint64_t)now.rate * cost * load <= (uint64_t)limits.budget * 1000);
    assert_true(now.rate >= (limits.floor < most ? limits.floor : most));
    if (changed)
      assert_int_equal(now.rate, most);
    else
      assert_true(now.rate <= before.rate || now.rate <= limits.floor);
  }
}

static void test_the_rate_falls_when_it_has_been_quiet(void **state) {
  (void)state;
  const struct rate_limits limits = {20, 800, 1000000000, 500, 2};
  const uint32_t expected[] = {800, 800, 400, 200, 100, 50, 25, 20, 20};
  struct rate_state rate = {800, 0};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    rate_step(&rate, &limits, 0, 1000, 1000);
    assert_int_equal(rate.rate, expected[i]);
  }
  rate_step(&rate, &limits, 1, 1000, 1000);
  assert_int_equal(rate.rate, 800);
}

static void test_the_budget_is_shared_by_what_runs(void **state) {
  (void)state;
  const struct rate_limits limits = {20, 100000, 10000000, 500, 1}; /* 1 % of a processor */
  assert_int_equal(rate_affordable(&limits, 30000, 1000), 333);
  assert_int_equal(rate_affordable(&limits, 30000, 4000), 83);
  assert_int_equal(rate_affordable(&limits, 30000, 64000), 5);
  assert_int_equal(rate_affordable(&limits, 30000, 0), 100000);
}

/* ---- the divergence */

static void test_the_divergence_of_known_vectors(void **state) {
  (void)state;
  const double a[] = {1, 1, 0}, b[] = {0, 10, 10}, c[] = {3, 3, 0}, d[] = {0, 0, 7};
  size_t kinds;
  assert_float_equal(adapt_divergence(a, c, 3, 10, &kinds), 0, 1e-12);
  assert_int_equal(kinds, 2);
  assert_float_equal(adapt_divergence(a, d, 3, 10, &kinds), log(2), 1e-12);
  assert_int_equal(kinds, 3);
  /* M = (1/4, 1/2, 1/4): half of ln 2, from either side */
  assert_float_equal(adapt_divergence(a, b, 3, 10, &kinds), log(2) / 2, 1e-12);
  assert_float_equal(adapt_divergence(b, a, 3, 10, &kinds), log(2) / 2, 1e-12);
}

static void test_what_is_not_at_the_top_is_one_function(void **state) {
  (void)state;
  const double a[] = {50, 40, 3, 4, 3, 0}, b[] = {50, 40, 0, 0, 5, 5};
  size_t kinds;
  assert_float_equal(adapt_divergence(a, b, 6, 2, &kinds), 0, 1e-12);
  assert_int_equal(kinds, 3);
  assert_true(adapt_divergence(a, b, 6, 10, &kinds) > 0.03);
  assert_int_equal(kinds, 6);
}

/* ---- programs of known phases */

enum { FUNCTIONS = 40 };

/* A share that falls with the number, and a spike in function 7. */
static void draw_window(double *counts, unsigned samples, double spike) {
  memset(counts, 0, FUNCTIONS * sizeof *counts);
  for (unsigned i = 0; i < samples; i++) {
    double u = (double)below(1000000) / 1e6;
    if (u < spike) {
      counts[7]++;
      continue;
    }
    unsigned f = 0;
    for (u = (double)below(1000000) / 1e6; u > 0.25 && f + 1 < FUNCTIONS; f++)
      u = (u - 0.25) / 0.75;
    counts[f]++;
  }
}

/* How many of `windows` windows of a program that does not change are found changed. */
static unsigned alarms(struct adapt *adapt, unsigned windows, unsigned samples) {
  double counts[FUNCTIONS];
  unsigned changes = 0;
  for (unsigned w = 0; w < windows; w++) {
    draw_window(counts, samples, 0);
    changes += adapt_window(adapt, counts, FUNCTIONS, 0, 1000) == ADAPT_CHANGED;
  }
  return changes;
}

static void test_a_program_that_does_not_change(void **state) {
  (void)state;
  static const unsigned sizes[] = {5, 20, 50, 200, 1000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct adapt adapt;
    struct adapt_options options = adapt_defaults();
    options.theta = 0; /* chance alone */
    adapt_init(&adapt, &options);
    unsigned changes = alarms(&adapt, 1000, sizes[i]);
    print_message("%u samples a window: %u of 1000 windows changed\n", sizes[i], changes);
    assert_in_range(changes, 0, 10);
    assert_int_equal(adapt.rate.rate, options.limits.floor);
    adapt_clear(&adapt);
  }
}

/* The published threshold alone, without the noise, is exceeded by chance. */
static void test_a_fixed_threshold_fires_on_noise(void **state) {
  (void)state;
  struct adapt adapt;
  struct adapt_options options = adapt_defaults();
  options.noise = 0;
  adapt_init(&adapt, &options);
  assert_true(alarms(&adapt, 1000, 20) > 100);
  adapt_clear(&adapt);
}

/* Windows from the beginning of a spike to its being seen; 0: in its first one. */
static unsigned delay_of(unsigned samples, double spike) {
  struct adapt adapt;
  struct adapt_options options = adapt_defaults();
  options.theta = 0.02;
  adapt_init(&adapt, &options);
  alarms(&adapt, 200, samples);
  double counts[FUNCTIONS];
  unsigned delay = 0;
  for (;; delay++) {
    draw_window(counts, samples, spike);
    if (delay == 100 || adapt_window(&adapt, counts, FUNCTIONS, 30000, 1000) == ADAPT_CHANGED)
      break;
  }
  if (delay < 100)
    assert_int_equal(adapt.rate.rate, 333); /* all that 1 % of a processor pays for */
  adapt_clear(&adapt);
  return delay;
}

static void test_a_spike_is_seen_after_a_quiet_time(void **state) {
  (void)state;
  for (int i = 0; i < 20; i++) {
    assert_int_equal(delay_of(200, 0.3), 0); /* 20 Hz, 10 s */
    assert_in_range(delay_of(50, 0.5), 0, 1);
    assert_in_range(delay_of(10, 0.5), 0, 8); /* as many windows as chance does not explain */
  }
}

static void test_an_idle_program_keeps_the_rate(void **state) {
  (void)state;
  struct adapt adapt;
  struct adapt_options options = adapt_defaults();
  adapt_init(&adapt, &options);
  double counts[FUNCTIONS] = {0};
  for (int w = 0; w < 50; w++)
    assert_int_equal(adapt_window(&adapt, counts, FUNCTIONS, 30000, 0), ADAPT_UNSURE);
  assert_int_equal(adapt.rate.rate, 999);
  adapt_window(&adapt, counts, FUNCTIONS, 30000, 8000);
  assert_int_equal(adapt.rate.rate, 41);
  adapt_clear(&adapt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_rate_keeps_its_limits),
      cmocka_unit_test(test_the_rate_falls_when_it_has_been_quiet),
      cmocka_unit_test(test_the_budget_is_shared_by_what_runs),
      cmocka_unit_test(test_the_divergence_of_known_vectors),
      cmocka_unit_test(test_what_is_not_at_the_top_is_one_function),
      cmocka_unit_test(test_a_program_that_does_not_change),
      cmocka_unit_test(test_a_fixed_threshold_fires_on_noise),
      cmocka_unit_test(test_a_spike_is_seen_after_a_quiet_time),
      cmocka_unit_test(test_an_idle_program_keeps_the_rate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
