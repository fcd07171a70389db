/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/stacks/pool.h"

enum { A, B, C, FUNCTIONS };

static void make(struct stack_profile *profile) {
  stack_profile_init(profile);
  vector_push(&profile->threads, (struct stack_thread){1, 1, 0, 0});
  for (uint64_t f = 0; f < FUNCTIONS; f++) {
    struct stack_frame frame = {.offset = f + 1};
    stack_profile_node(profile, 0, stack_profile_frame(profile, &frame));
  }
}

/* A window with so many samples of each function, each of this weight. */
static void window(struct stack_profile *profile, struct phases *phases, enum adapt_verdict verdict,
                   const unsigned *counts, uint64_t weight, bool alone) {
  size_t before = profile->samples.count;
  for (uint32_t f = 0; f < FUNCTIONS; f++)
    for (unsigned i = 0; i < counts[f]; i++) {
      vector_push(&profile->samples, (struct stack_sample){0, 0, f + 1, weight});
      stack_profile_add(profile, f + 1, weight);
      profile->threads.data[0].weight += weight;
    }
  profile->count = profile->samples.count;
  phases_add(phases, verdict, profile->samples.count - before, alone);
}

static void holds(const struct stack_profile *profile, double a, double b, double c) {
  const double wanted[FUNCTIONS] = {a, b, c};
  double total = 0;
  for (uint32_t f = 0; f < FUNCTIONS; f++) {
    total += wanted[f];
    assert_float_equal((double)profile->nodes.data[f + 1].own, wanted[f], 500);
  }
  assert_float_equal((double)profile->total, total, 500);
  assert_float_equal((double)profile->threads.data[0].weight, total, 500);
}

/* 1000 fast samples for a second, 20 slow ones for each of nine seconds: 600 + 108 of 1180 in A. */
static void test_a_phase_is_pooled(void **state) {
  (void)state;
  struct stack_profile profile;
  struct phases phases = {0};
  make(&profile);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){600, 400, 0}, 1000000, true);
  for (int i = 0; i < 9; i++)
    window(&profile, &phases, i % 3 == 2 ? ADAPT_SAME : ADAPT_UNSURE, (unsigned[]){12, 8, 0},
           50000000, false);
  assert_true(stack_profile_pool(&profile, &phases));
  holds(&profile, 10e9 * 708 / 1180, 10e9 * 472 / 1180, 0);
  for (size_t i = 1; i < profile.samples.count; i++)
    assert_int_equal(profile.samples.data[i].weight, profile.samples.data[0].weight);
  phases_clear(&phases);
  stack_profile_clear(&profile);
}

/* A is followed by B in the middle of a slow window, which has a sample of C, too. */
static void test_a_border_is_a_mixture(void **state) {
  (void)state;
  struct stack_profile profile;
  struct phases phases = {0};
  make(&profile);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){1000, 0, 0}, 1000000, true);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){20, 0, 0}, 50000000, false);
  window(&profile, &phases, ADAPT_CHANGED, (unsigned[]){5, 14, 1}, 50000000, false);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){0, 1000, 0}, 1000000, true);
  assert_true(stack_profile_pool(&profile, &phases));
  holds(&profile, 2.25e9, 1.7e9, 0.05e9);
  phases_clear(&phases);
  stack_profile_clear(&profile);
}

/* A window at a border that was sampled fast, and samples behind the last window, say what they
 * have. */
static void test_what_speaks_for_itself(void **state) {
  (void)state;
  struct stack_profile profile;
  struct phases phases = {0}, rest = {0};
  make(&profile);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){1000, 0, 0}, 1000000, true);
  window(&profile, &phases, ADAPT_CHANGED, (unsigned[]){300, 700, 0}, 1000000, true);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){0, 990, 10}, 1000000, true);
  window(&profile, &rest, ADAPT_SAME, (unsigned[]){0, 0, 7}, 50000000, false);
  assert_true(stack_profile_pool(&profile, &phases));
  holds(&profile, 1.3e9, 1.69e9, 0.01e9 + 0.35e9);
  phases_clear(&phases);
  phases_clear(&rest);
  stack_profile_clear(&profile);
}

/* B began in a slow window that was still judged to be of A. */
static void test_a_change_may_have_begun_before(void **state) {
  (void)state;
  struct stack_profile profile;
  struct phases phases = {0};
  make(&profile);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){1000, 0, 0}, 1000000, true);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){20, 0, 0}, 50000000, false);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){0, 20, 0}, 50000000, false);
  window(&profile, &phases, ADAPT_CHANGED, (unsigned[]){0, 20, 0}, 50000000, false);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){0, 1000, 0}, 1000000, true);
  assert_true(stack_profile_pool(&profile, &phases));
  holds(&profile, 2e9, 3e9, 0);
  phases_clear(&phases);
  stack_profile_clear(&profile);
}

/* A becomes B in 100 slow windows. The samples behind the middle are about B, and stay so. */
static void test_a_drift_is_followed(void **state) {
  (void)state;
  struct stack_profile profile;
  struct phases phases = {0};
  make(&profile);
  window(&profile, &phases, ADAPT_SAME, (unsigned[]){1000, 0, 0}, 1000000, true);
  for (unsigned i = 0; i < 100; i++)
    window(&profile, &phases, ADAPT_SAME, (unsigned[]){100 - i, i, 0}, 10000000, false);
  assert_true(stack_profile_pool(&profile, &phases));
  double all = (double)profile.total, b = (double)profile.nodes.data[B + 1].own;
  assert_float_equal(all, 101e9, 1e6);
  assert_float_equal((b / all), (49.5 / 101),
                     0.01); /* of 11000 samples taken together it is 0.45 */
  phases_clear(&phases);
  stack_profile_clear(&profile);
}

/* Nothing was told in any window; and windows of another profile. */
static void test_without_phases(void **state) {
  (void)state;
  struct stack_profile profile;
  struct phases phases = {0};
  make(&profile);
  window(&profile, &phases, ADAPT_UNSURE, (unsigned[]){3, 1, 0}, 50000000, false);
  window(&profile, &phases, ADAPT_UNSURE, (unsigned[]){0, 2, 2}, 50000000, false);
  window(&profile, &phases, ADAPT_UNSURE, (unsigned[]){0, 0, 0}, 50000000, false);
  assert_true(stack_profile_pool(&profile, &phases));
  holds(&profile, 0.15e9, 0.15e9, 0.1e9);
  phases_add(&phases, ADAPT_SAME, 1, false);
  assert_false(stack_profile_pool(&profile, &phases));
  holds(&profile, 0.15e9, 0.15e9, 0.1e9);
  phases_clear(&phases);
  stack_profile_clear(&profile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_phase_is_pooled),
      cmocka_unit_test(test_a_border_is_a_mixture),
      cmocka_unit_test(test_what_speaks_for_itself),
      cmocka_unit_test(test_a_change_may_have_begun_before),
      cmocka_unit_test(test_a_drift_is_followed),
      cmocka_unit_test(test_without_phases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
