/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a profile's clock is that of requests, of made-up threads whose clocks are known to be
 * apart or not. Worlds: what requests run, when they wait, and what their threads do between them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/hot/clock.h"

enum { THREADS = 3, REQUESTS = 600, RATE = 1000 };

struct world {
  const char *name;
  double idle;    /* ms between requests, on average */
  double running; /* part of a request, around a wait in its middle */
  double between; /* part of the time between requests that the thread runs something else */
  bool unknown;   /* stretches do not say their thread */
  bool hidden;    /* a shift cannot be seen */
  bool vague;     /* which one it is cannot: other work fits into requests, too */
};

static const struct world worlds[] = {
    {"plain", 2, 1, 0, false, false, false},
    {"waits in requests", 2, 0.3, 0, false, false, false},
    {"work between requests", 2, 1, 0.5, false, false, false},
    {"as much work between requests", 2, 1, 1, false, false, false},
    {"more work between requests", 2, 0.3, 0.6, false, false, true},
    {"mostly idle", 50, 1, 0, false, false, false},
    {"threads not known", 4, 1, 0, true, false, false},
    {"never idle", 0.001, 1, 0, false, true, false},
};

static uint64_t state;

static double draw(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

struct made {
  struct stack_profile profile;
  struct stack_functions functions;
  hot_stretches stretches;
  uint32_t nodes[3];
};

/* Samples at random moments, so many on average. */
static void run(struct made *made, uint32_t thread, double from, double to, uint32_t node) {
  double wanted = (to - from) / 1e9 * RATE;
  for (; draw() < wanted; wanted--)
    vector_push(&made->profile.samples,
                (struct stack_sample){(int64_t)(from + draw() * (to - from)), thread,
                                      made->nodes[node], 1});
}

static int by_time(const void *a, const void *b) {
  int64_t x = ((const struct stack_sample *)a)->time, y = ((const struct stack_sample *)b)->time;
  return (x > y) - (x < y);
}

static void make(struct made *made, const struct world *world, int64_t shift) {
  *made = (struct made){.nodes = {0}};
  struct stack_profile *profile = &made->profile;
  stack_profile_init(profile);
  for (uint32_t i = 0; i < 3; i++)
    made->nodes[i] = stack_profile_node(
        profile, 0, stack_profile_frame(profile, &(struct stack_frame){.function = i + 1}));
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    double now = 1e12 + draw() * 1e7;
    vector_push(&profile->threads, (struct stack_thread){7, thread + 1, 0, 0});
    for (uint32_t i = 0; i < REQUESTS; i++) {
      double gap = -world->idle * 1e6 * log(draw()), length = (2 + 4 * draw()) * 1e6;
      run(made, thread, now, now + gap * world->between, 2);
      now += gap;
      vector_push(&made->stretches,
                  (struct hot_stretch){(int64_t)now, (int64_t)(now + length), thread * REQUESTS + i,
                                       world->unknown ? 0 : 7, world->unknown ? 0 : thread + 1,
                                       false});
      double half = length * world->running / 2;
      run(made, thread, now, now + half, 0);
      run(made, thread, now + length - half, now + length, 1);
      now += length;
    }
  }
  qsort(profile->samples.data, profile->samples.count, sizeof *profile->samples.data, by_time);
  for (size_t i = 0; i < profile->samples.count; i++)
    profile->samples.data[i].time -= shift;
  profile->count = profile->samples.count;
  stack_functions_find(&made->functions, profile);
}

static struct hot_clock find(const struct world *world, int64_t shift) {
  struct made made;
  struct hot_clock clock;
  make(&made, world, shift);
  hot_clock_find(&clock, &made.stretches, &made.profile, &made.functions, 1e9 / RATE);
  vector_clear(&made.stretches);
  stack_functions_clear(&made.functions);
  stack_profile_clear(&made.profile);
  return clock;
}

static void test_clocks_that_agree(void **context) {
  (void)context;
  for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      state = seed * 1000003;
      struct hot_clock clock = find(&worlds[w], 0);
      if (clock.apart || clock.random)
        fail_msg("%s, seed %u: refused, %f at %lld", worlds[w].name, (unsigned)seed, clock.share,
                 (long long)clock.shift);
    }
}

static void test_clocks_that_are_apart(void **context) {
  (void)context;
  static const int64_t shifts[] = {2000000, -10000000, 50000000, -300000000, 1000000000};
  for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++)
    for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++) {
      state = 77 + s;
      struct hot_clock clock = find(&worlds[w], shifts[s]);
      bool near = llabs((long long)(clock.shift - shifts[s])) < 700000;
      if (worlds[w].hidden ? clock.apart || clock.random
                           : !clock.apart || (!near && !worlds[w].vague))
        fail_msg("%s, %lld ns: %d, found %lld", worlds[w].name, (long long)shifts[s], clock.apart,
                 (long long)clock.shift);
    }
}

/* Samples that have nothing to do with the requests of their threads. */
static void test_nothing_in_common(void **context) {
  (void)context;
  struct made made;
  struct hot_clock clock;
  state = 5;
  make(&made, &worlds[5], 0);
  int64_t first = made.profile.samples.data[0].time;
  int64_t last = made.profile.samples.data[made.profile.samples.count - 1].time;
  for (size_t i = 0; i < made.profile.samples.count; i++)
    made.profile.samples.data[i].time = first + (int64_t)(draw() * (double)(last - first));
  qsort(made.profile.samples.data, made.profile.samples.count, sizeof *made.profile.samples.data,
        by_time);
  hot_clock_find(&clock, &made.stretches, &made.profile, &made.functions, 1e9 / RATE);
  assert_true(clock.random && !clock.apart && !clock.seen);
  vector_clear(&made.stretches);
  stack_functions_clear(&made.functions);
  stack_profile_clear(&made.profile);
}

/* Moments that no clock shows are no reason to add them. */
static void test_far_moments(void **context) {
  (void)context;
  struct made made;
  struct hot_clock clock;
  state = 6;
  make(&made, &worlds[0], 0);
  made.stretches.data[0].start = INT64_MIN + 5;
  hot_clock_find(&clock, &made.stretches, &made.profile, &made.functions, 0);
  assert_false(clock.apart || clock.random);
  vector_clear(&made.stretches);
  hot_clock_find(&clock, &made.stretches, &made.profile, &made.functions, 0);
  assert_int_equal(clock.samples, 0);
  stack_functions_clear(&made.functions);
  stack_profile_clear(&made.profile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clocks_that_agree),
      cmocka_unit_test(test_clocks_that_are_apart),
      cmocka_unit_test(test_nothing_in_common),
      cmocka_unit_test(test_far_moments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
