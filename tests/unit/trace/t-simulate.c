/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/stacks/hot.h"
#include "trace/stacks/prune.h"
#include "trace/stacks/simulate.h"
#include "trace/stacks/weights.h"

enum { RATE = 2000, FUNCTIONS = 30 };

static uint64_t state_of_random = 7;

static double unit(void) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
  return (double)(state_of_random >> 11) / 9007199254740992.0;
}

static uint32_t node_of(struct stack_profile *profile, unsigned function) {
  char name[] = {'f', (char)('a' + function % 26), (char)('a' + function / 26)};
  struct stack_frame frame = {.function =
                                  names_number(&profile->names, (struct slice){name, sizeof name})};
  return stack_profile_node(profile, 0, stack_profile_frame(profile, &frame));
}

/* A thread that runs all the time; the function that a phase is about has half of it. */
static void make(struct stack_profile *profile, unsigned seconds, unsigned phases) {
  stack_profile_init(profile);
  vector_push(&profile->threads, (struct stack_thread){1, 1, 0, 0});
  for (unsigned i = 0; i < seconds * RATE; i++) {
    unsigned hot = i / (seconds * RATE / phases), f = 10;
    if (unit() < 0.5)
      f = hot;
    else
      while (unit() > 0.3 && f + 1 < FUNCTIONS)
        f++;
    uint32_t node = node_of(profile, f);
    stack_profile_add(profile, node, 1);
    vector_push(&profile->samples,
                (struct stack_sample){1000000000 + (int64_t)i * (1000000000 / RATE), 0, node, 1});
  }
}

static struct stack_simulation run(unsigned seconds, unsigned phases) {
  struct stack_profile profile;
  struct stack_simulation simulation;
  make(&profile, seconds, phases);
  struct simulate_options options = simulate_defaults();
  assert_float_equal(simulate_rate(&profile), RATE, 1e-6);
  assert_int_equal(simulate(&simulation, &profile, &options), SIMULATE_OK);
  stack_profile_clear(&profile);
  return simulation;
}

static const struct simulate_way *way_of(const struct stack_simulation *simulation,
                                         enum simulate_kind kind) {
  for (size_t i = 0; i < simulation->ways.count; i++)
    if (simulation->ways.data[i].kind == kind)
      return &simulation->ways.data[i];
  fail();
  return NULL;
}

/* The error of n independent draws is p (1 - p) / n, so half the samples have twice of it. */
static void test_fixed_rates_have_the_error_of_their_number(void **state) {
  (void)state;
  struct stack_simulation simulation = run(120, 1);
  double squares = 0.25;
  for (unsigned f = 0; f < FUNCTIONS - 10; f++) {
    double p = 0.5 * (f == FUNCTIONS - 11 ? pow(0.7, f) : 0.3 * pow(0.7, f));
    squares += p * (1 - p);
  }
  const struct simulate_way *full = &simulation.ways.data[0];
  assert_int_equal(simulation.windows, 119);
  assert_int_equal(full->kind, SIMULATE_FULL);
  assert_float_equal(full->spent, 1, 0);
  assert_float_equal((full->squared / (squares / (RATE / 2) / 21)), 1, 0.15);
  for (size_t i = 1; i < simulation.ways.count; i++) {
    const struct simulate_way *way = &simulation.ways.data[i];
    if (way->kind != SIMULATE_FIXED)
      continue;
    assert_float_equal(way->spent, (way->rate / simulation.rate), 0.002);
    assert_float_equal((way->relative * way->spent), 1, 0.25);
    assert_true(way->top_error >= full->top_error);
  }
  simulation_clear(&simulation);
}

static void test_adaption_spends_little_while_nothing_changes(void **state) {
  (void)state;
  struct stack_simulation simulation = run(120, 1);
  const struct simulate_way *way = way_of(&simulation, SIMULATE_ADAPTIVE);
  assert_int_equal(way->changes, 0);
  assert_true(way->spent < 0.05);
  assert_true(way->relative < 1);
  assert_int_equal(simulation.course.count, simulation.windows);
  assert_int_equal(simulation.course.data[0].rate, RATE / 2);
  assert_int_equal(simulation.course.data[100].rate, 20);
  simulation_clear(&simulation);
}

static void test_adaption_sees_each_phase(void **state) {
  (void)state;
  struct stack_simulation simulation = run(200, 4);
  const struct simulate_way *way = way_of(&simulation, SIMULATE_ADAPTIVE);
  const struct simulate_way *published = way_of(&simulation, SIMULATE_PUBLISHED);
  assert_in_range(way->changes, 3, 6);
  assert_true(way->spent < 0.124);
  assert_true(way->relative < 2);
  assert_true(published->relative > way->relative);
  simulation_clear(&simulation);
}

static void test_what_cannot_be_simulated(void **state) {
  (void)state;
  struct stack_profile profile;
  struct stack_simulation simulation;
  struct simulate_options options = simulate_defaults();
  stack_profile_init(&profile);
  assert_int_equal(simulate(&simulation, &profile, &options), SIMULATE_UNTIMED);
  simulation_clear(&simulation);
  stack_profile_clear(&profile);
  make(&profile, 3, 1);
  assert_int_equal(simulate(&simulation, &profile, &options), SIMULATE_SHORT);
  simulation_clear(&simulation);
  stack_profile_clear(&profile);
}

/* One function, however its frames are marked; unnamed ones by their place. */
static void test_functions_of_frames(void **state) {
  (void)state;
  struct stack_profile profile;
  struct stack_functions functions;
  stack_profile_init(&profile);
  uint32_t name = names_number(&profile.names, (struct slice){"a", 1});
  uint32_t module = names_number(&profile.names, (struct slice){"m", 1});
  const struct stack_frame frames[] = {
      {.function = name, .module = module, .offset = 1},
      {.function = name, .module = module, .offset = 2, .kind = FRAME_INLINED},
      {.module = module, .offset = 1},
      {.module = module, .offset = 2},
      {.function = name}};
  for (size_t i = 0; i < 5; i++)
    stack_profile_node(&profile, (uint32_t)i, stack_profile_frame(&profile, &frames[i]));
  stack_functions_find(&functions, &profile);
  const uint32_t expected[] = {0, 1, 1, 2, 3, 4};
  assert_int_equal(functions.count, 5);
  assert_memory_equal(functions.of_node, expected, sizeof expected);
  const double weights[] = {0, 3, 1, 3, 0};
  size_t count;
  uint32_t *top = stack_functions_top(weights, 5, 2, &count);
  assert_int_equal(count, 2);
  assert_int_equal(top[0], 1);
  assert_int_equal(top[1], 3);
  mem_free(top);
  stack_functions_clear(&functions);
  stack_profile_clear(&profile);
}

/* Threads with 900, 90 and 10 samples; the last two have a function of their own. */
static void test_leaving_out_threads(void **state) {
  (void)state;
  static const unsigned weights[] = {10, 900, 90};
  struct stack_profile profile;
  struct prune_curve curve;
  stack_profile_init(&profile);
  for (unsigned t = 0; t < 3; t++) {
    uint32_t common = node_of(&profile, 0), own = node_of(&profile, t + 1);
    for (unsigned i = 0; i < weights[t]; i++) {
      uint32_t node = i % 2 == 0 ? common : own;
      stack_profile_add(&profile, node, 1);
      vector_push(&profile.samples, (struct stack_sample){i + 1, t, node, 1});
    }
  }
  prune_curve_make(&curve, &profile, 50, 0.3);
  assert_int_equal(curve.threads, 3);
  assert_int_equal(curve.functions, 4);
  for (size_t i = 0; i < curve.points.count; i++) {
    const struct prune_point *point = &curve.points.data[i];
    size_t kept = point->keep <= 0.9 ? 1 : point->keep <= 0.99 ? 2 : 3;
    double errors[] = {(0.1 + 1 + 1) / 4, (0.01 + 1) / 4, 0}, held[] = {0.9, 0.99, 1};
    assert_int_equal(point->kept, kept);
    assert_float_equal(point->held, held[kept - 1], 1e-6);
    assert_float_equal(point->folded, 1, 1e-6); /* stacks of one frame */
    assert_float_equal(point->error, 0, 1e-6);
    assert_float_equal(point->error_dropped, errors[kept - 1], 1e-6);
  }
  assert_int_equal(curve.chosen.kept, 1);
  prune_curve_clear(&curve);
  stack_profile_clear(&profile);
}

/* Two threads, of 90 and 10 samples in caller;leaf or, the last two of each, in caller itself. */
static void make_callers(struct stack_profile *profile) {
  stack_profile_init(profile);
  uint32_t caller = node_of(profile, 0);
  struct stack_frame leaf = profile->frames.data[profile->nodes.data[node_of(profile, 1)].frame];
  uint32_t below = stack_profile_node(profile, caller, stack_profile_frame(profile, &leaf));
  for (unsigned i = 0; i < 100; i++) {
    uint32_t node = i % 50 < 48 ? below : caller;
    stack_profile_add(profile, node, 1);
    vector_push(&profile->samples, (struct stack_sample){i + 1, i % 50 >= 45, node, 1});
  }
  profile->count = 100;
  vector_push(&profile->threads, (struct stack_thread){1, 1, 0, 90});
  vector_push(&profile->threads, (struct stack_thread){1, 2, 0, 10});
}

/* Of the light thread 4 of 10 samples are in the caller itself; the other 6 are missing of it. */
static void test_leaving_out_callers(void **state) {
  (void)state;
  struct stack_profile profile;
  struct prune_curve curve;
  size_t threads;
  make_callers(&profile);
  prune_curve_make(&curve, &profile, 50, 0.0001);
  assert_float_equal(curve.points.data[0].keep, 0.5F, 1e-6);
  assert_float_equal(curve.points.data[0].error, 0.03F, 1e-6);
  assert_float_equal(curve.points.data[0].folded, 190.F / 196, 1e-6);
  assert_float_equal(curve.points.data[0].worst, 0.06F, 1e-6);
  assert_int_equal(curve.points.data[0].worst_frame,
                   profile.nodes.data[profile.samples.data[49].node].frame);
  assert_int_equal(curve.chosen.kept, 2);
  prune_curve_clear(&curve);
  /* the leaf is the one that has most itself, the caller with what it calls */
  prune_curve_make(&curve, &profile, 1, 0.0001);
  assert_float_equal(curve.points.data[0].error, 0.06F, 1e-6);
  assert_float_equal(curve.points.data[0].error_dropped, 0.1F, 1e-6);
  assert_int_equal(curve.chosen.kept, 2);
  assert_int_equal(curve.chosen.worst_frame, STACK_NONE);
  prune_curve_clear(&curve);
  assert_int_equal(stack_profile_keep(&profile, 900000, &threads), 1);
  assert_int_equal(threads, 2);
  assert_int_equal(profile.total, 100);
  assert_int_equal(profile.pruned, 10);
  assert_int_equal(profile.samples.count, 100);
  struct stack_hot_list hot;
  stack_hot_find(&hot, &profile);
  assert_int_equal(hot.list.count, 3);
  assert_int_equal(hot.list.data[0].self, 96);
  assert_int_equal(hot.list.data[0].total, 96);
  assert_int_equal(hot.list.data[1].self, 4);
  assert_int_equal(hot.list.data[1].total, 94);
  stack_hot_clear(&hot);
  stack_profile_clear(&profile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fixed_rates_have_the_error_of_their_number),
      cmocka_unit_test(test_adaption_spends_little_while_nothing_changes),
      cmocka_unit_test(test_adaption_sees_each_phase),
      cmocka_unit_test(test_what_cannot_be_simulated),
      cmocka_unit_test(test_functions_of_frames),
      cmocka_unit_test(test_leaving_out_threads),
      cmocka_unit_test(test_leaving_out_callers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
