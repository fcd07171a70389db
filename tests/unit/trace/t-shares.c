/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/stacks/hot.h"

enum { FUNCTIONS = 40, REPORTS = 2000, SAMPLES = 400 };

static uint64_t state_of_random = 1;

static double unit(void) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
  return (double)(state_of_random >> 11) / 9007199254740992.0;
}

/* Function f has the share 1 / 2, 1 / 4, ... up to 2^-9, and the others what is left, equally. */
enum { HALVED = 9 };
static const double REST = 1.0 / 512 / (FUNCTIONS - HALVED);

static double share_of(size_t f) {
  return f < HALVED ? 1.0 / (double)(2u << f) : REST;
}

static size_t draw(void) {
  double at = unit();
  for (size_t f = 0; f < HALVED; f++) {
    if (at < share_of(f))
      return f;
    at -= share_of(f);
  }
  size_t f = HALVED + (size_t)(at / REST);
  return f < FUNCTIONS ? f : FUNCTIONS - 1;
}

/* Samples of a run: the first `quick` weigh 1, the others `heavy`. */
static void make(struct stack_profile *profile, size_t quick, uint64_t heavy) {
  stack_profile_init(profile);
  for (uint64_t f = 0; f < FUNCTIONS; f++) {
    struct stack_frame frame = {.module = 0, .offset = f + 1};
    stack_profile_node(profile, 0, stack_profile_frame(profile, &frame));
  }
  for (size_t i = 0; i < SAMPLES; i++) {
    uint64_t weight = i < quick ? 1 : heavy;
    uint32_t node = (uint32_t)draw() + 1;
    stack_profile_add(profile, node, weight);
    vector_push(&profile->samples, (struct stack_sample){(int64_t)i + 1, 0, node, weight});
  }
  profile->count = SAMPLES;
}

/* Whether an interval of the functions that were seen does not hold its share. */
static bool misses(const struct stack_profile *profile) {
  struct stack_hot_list hot;
  stack_hot_find(&hot, profile);
  struct stack_evidence evidence = stack_evidence_of(profile, hot.list.count, 0.99);
  bool missed = false;
  for (size_t i = 0; i < hot.list.count; i++) {
    double lower, upper, share = share_of(hot.list.data[i].frame);
    stack_share(&lower, &upper, hot.list.data[i].self, &evidence);
    missed = missed || share < lower || share > upper;
  }
  stack_hot_clear(&hot);
  return missed;
}

static unsigned missed_reports(size_t quick, uint64_t heavy) {
  unsigned missed = 0;
  for (int i = 0; i < REPORTS; i++) {
    struct stack_profile profile;
    make(&profile, quick, heavy);
    missed += misses(&profile);
    stack_profile_clear(&profile);
  }
  return missed;
}

/* At 99 % one report in a hundred may miss; each interval by itself would in one of ten. */
static void test_together(void **state) {
  (void)state;
  assert_in_range(missed_reports(0, 1), 0, REPORTS / 100);
}

/* Few samples that stand for most of the time are not made surer by many that do not. */
static void test_weights(void **state) {
  (void)state;
  assert_in_range(missed_reports(SAMPLES * 9 / 10, 50), 0, REPORTS / 100);
}

/* Without moments each sample is one; unknown numbers say nothing. */
static void test_evidence(void **state) {
  (void)state;
  struct stack_profile profile;
  double lower, upper;
  stack_profile_init(&profile);
  struct stack_frame frame = {.offset = 1};
  stack_profile_add(&profile,
                    stack_profile_node(&profile, 0, stack_profile_frame(&profile, &frame)), 300);
  struct stack_evidence evidence = stack_evidence_of(&profile, 1, 0.99);
  stack_share(&lower, &upper, 30, &evidence);
  assert_true(lower <= 0 && upper >= 1);
  profile.count = 100;
  evidence = stack_evidence_of(&profile, 1, 0.99);
  assert_true(evidence.samples > 99.9 && evidence.samples < 100.1);
  assert_true(evidence.tail > 0.00249 && evidence.tail < 0.00251);
  stack_share(&lower, &upper, 30, &evidence);
  assert_true(lower > 0.03 && lower < 0.1 && upper > 0.1 && upper < 0.25);
  stack_profile_clear(&profile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_together),
      cmocka_unit_test(test_weights),
      cmocka_unit_test(test_evidence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
