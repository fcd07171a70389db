/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Differences of profiles: chance is rarely taken for one, however long a function runs at a time.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/stacks/difference.h"

enum { FUNCTIONS = 12 };

struct program {
  double hold; /* samples that a function runs for at a time, on average; 0: one */
  double more; /* of function 3 */
  size_t samples;
  bool timed;
};

static uint64_t state;

static double draw(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  uint64_t mixed = (state ^ state >> 33) * 0xff51afd7ed558ccdu;
  return (double)((mixed ^ mixed >> 33) >> 11) / 9007199254740992.0;
}

/* Function i has 1 / (i + 1) of the time of the first. */
static size_t draw_function(const struct program *program) {
  double all = 0, drawn;
  for (size_t i = 0; i < FUNCTIONS; i++)
    all += (i == 3 ? program->more : 1) / (double)(i + 1);
  drawn = draw() * all;
  for (size_t i = 0; i + 1 < FUNCTIONS; i++) {
    drawn -= (i == 3 ? program->more : 1) / (double)(i + 1);
    if (drawn < 0)
      return i;
  }
  return FUNCTIONS - 1;
}

static void sample_program(struct stack_profile *profile, const struct program *program) {
  uint32_t nodes[FUNCTIONS];
  size_t at = 0;
  double left = 0;
  stack_profile_init(profile);
  for (size_t i = 0; i < FUNCTIONS; i++) {
    char name[16];
    int length = snprintf(name, sizeof name, "f%zu", i);
    struct stack_frame frame = {
        .function = names_number(&profile->names, (struct slice){name, (size_t)length})};
    nodes[i] = stack_profile_node(profile, 0, stack_profile_frame(profile, &frame));
  }
  for (size_t i = 0; i < program->samples; i++, left--) {
    if (left <= 0) {
      at = draw_function(program);
      left = ceil(-log(1 - draw()) * program->hold);
    }
    stack_profile_add(profile, nodes[at], 1);
    if (program->timed)
      vector_push(&profile->samples, (struct stack_sample){(int64_t)i * 1000000, 0, nodes[at], 1});
  }
  profile->count = program->samples;
}

struct outcome {
  unsigned significant, right, unsettled, settled; /* pairs of runs with any; functions */
  double dependence;
};

static bool is_right(const struct stack_difference *difference) {
  for (size_t i = 0; i < difference->significant; i++) {
    const struct stack_change *change = &difference->changes.data[i];
    const struct stack_frame *frame = &difference->profile.frames.data[change->frame];
    if (slice_is(difference->profile.names.texts.data[frame->function], "f3"))
      return change->share_after > change->share_before;
  }
  return false;
}

static struct outcome run_pairs(const struct program *before, const struct program *after,
                                unsigned pairs) {
  struct outcome outcome = {0};
  for (unsigned i = 0; i < pairs; i++) {
    struct stack_profile a, b;
    struct stack_difference difference;
    sample_program(&a, before);
    sample_program(&b, after);
    stack_difference_find(&difference, &a, &b, 0.05);
    outcome.significant += difference.significant != 0;
    outcome.right += is_right(&difference);
    outcome.unsettled += (unsigned)difference.unsettled;
    outcome.settled += (unsigned)(difference.changes.count - difference.unsettled);
    outcome.dependence = fmax(outcome.dependence, difference.dependence);
    stack_difference_clear(&difference);
    stack_profile_clear(&a);
    stack_profile_clear(&b);
  }
  return outcome;
}

/* At most 11 of 100 are significant: more than that happens once in 200 times at 5 %. */
static void test_nothing_changed(void **unused) {
  (void)unused;
  static const double holds[] = {1, 3, 10, 30, 100, 1000};
  for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
    state = 17 + i;
    struct program program = {.hold = holds[i], .more = 1, .samples = 2000, .timed = true};
    struct outcome outcome = run_pairs(&program, &program, 100);
    assert_in_range(outcome.significant, 0, 11);
    if (holds[i] < 4)
      assert_int_equal(outcome.unsettled, 0);
    if (holds[i] > 900) /* two stretches: of hardly any function anything can be said */
      assert_true(outcome.unsettled > 9 * outcome.settled);
  }
}

static void test_a_change_is_seen(void **unused) {
  (void)unused;
  state = 5;
  struct program before = {.hold = 10, .more = 1, .samples = 5000, .timed = true};
  struct program after = before;
  after.more = 4;
  struct outcome outcome = run_pairs(&before, &after, 40);
  assert_true(outcome.right >= 38);
  assert_true(outcome.dependence > 5);
}

/* Without moments samples are taken for independent, and the answer knows. */
static void test_without_moments(void **unused) {
  (void)unused;
  struct program program = {.hold = 0, .more = 1, .samples = 2000};
  struct stack_profile a, b;
  struct stack_difference difference;
  state = 3;
  sample_program(&a, &program);
  sample_program(&b, &program);
  stack_difference_find(&difference, &a, &b, 0.05);
  assert_false(difference.timed);
  assert_true(difference.counted);
  assert_int_equal(difference.unsettled, 0);
  assert_true(difference.dependence <= 0);
  stack_difference_clear(&difference);
  stack_profile_clear(&a);
  stack_profile_clear(&b);
  struct outcome outcome = run_pairs(&program, &program, 100);
  assert_in_range(outcome.significant, 0, 11);
}

/* What runs all the time in one profile, and never in the other, may be two phases of one run. */
static void test_one_function_alone(void **unused) {
  (void)unused;
  struct program program = {.hold = 1e9, .more = 1, .samples = 1000, .timed = true};
  state = 9;
  struct outcome outcome = run_pairs(&program, &program, 20);
  assert_int_equal(outcome.significant, 0);
  assert_int_equal(outcome.settled, 0);
}

static size_t found_with_unseen(uint64_t unseen_before, uint64_t unseen_after) {
  struct stack_profile sides[2];
  static const uint64_t weights[2][2] = {{500, 500}, {410, 590}};
  const struct program empty = {.samples = 0};
  struct stack_difference difference;
  for (size_t side = 0; side < 2; side++) {
    sample_program(&sides[side], &empty);
    for (uint32_t f = 0; f < 2; f++)
      stack_profile_add(&sides[side], f + 1, weights[side][f]);
    sides[side].count = 1000;
    sides[side].unseen = side == 0 ? unseen_before : unseen_after;
  }
  stack_difference_find(&difference, &sides[0], &sides[1], 0.05);
  size_t significant = difference.significant;
  stack_difference_clear(&difference);
  stack_profile_clear(&sides[0]);
  stack_profile_clear(&sides[1]);
  return significant;
}

/* 50 and 59 %: of 1000 samples that is beyond chance. With a fifth of the time in no sample, on
 * either side, it may be half both times. */
static void test_unseen(void **unused) {
  (void)unused;
  assert_int_equal(found_with_unseen(0, 0), 2);
  assert_int_equal(found_with_unseen(10, 10), 2);
  assert_int_equal(found_with_unseen(0, 250), 0);
  assert_int_equal(found_with_unseen(250, 0), 0);
  assert_int_equal(found_with_unseen(50, 50), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_changed), cmocka_unit_test(test_a_change_is_seen),
      cmocka_unit_test(test_without_moments), cmocka_unit_test(test_one_function_alone),
      cmocka_unit_test(test_unseen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
