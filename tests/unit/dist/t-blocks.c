/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sides that are held against each other where values drift: series with and without a difference,
 * at 1 %; of 1000 without one about 10 have a verdict, more than 21 once in 1000 tests.
 */
#include "dist/statistics/blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"

enum course { LEVEL, RAMP, WAVE, WALK };
enum sides { MIXED, RARE, HALVES, BURSTS };

struct world {
  enum course course;
  enum sides sides;
  size_t count;
  double memory; /* of neighbours: their correlation */
  double more;   /* what side b takes more, in means */
};

struct counts {
  unsigned a, b, apart;
};

static double uniform(struct random *random) {
  return ((double)(random_bits(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double course_of(enum course course, double at) {
  switch (course) {
  case RAMP:
    return at < 0.5 ? 0 : 8 * (at - 0.5);
  case WAVE:
    return 3 * sin(25 * at);
  default:
    return 0;
  }
}

static bool side_of(enum sides sides, size_t i, size_t count, struct random *random) {
  switch (sides) {
  case MIXED:
    return random_below(random, 2) == 0;
  case RARE:
    return random_below(random, 20) == 0;
  case HALVES:
    return i >= count / 2;
  default:
    return i / 10 % 2 == 0;
  }
}

static void draw(int64_t *values, bool *of_b, const struct world *w, struct random *random) {
  double kept = 0, walked = 0;
  for (size_t i = 0; i < w->count; i++) {
    double fresh = -log(uniform(random)) - 1;
    kept = w->memory * kept + sqrt(1 - w->memory * w->memory) * fresh;
    walked += (uniform(random) - 0.5) / 2;
    of_b[i] = side_of(w->sides, i, w->count, random);
    double value = kept + course_of(w->course, (double)i / (double)w->count) +
                   (w->course == WALK ? walked : 0) + (of_b[i] ? w->more : 0);
    values[i] = llround(1e6 * value);
  }
}

typedef enum rank_verdict tested(const int64_t *, const bool *, size_t, double);

static struct counts test_many_by(tested *test, const struct world *w, unsigned runs) {
  struct counts counts = {0};
  struct random random = {w->count + 10 * (uint64_t)w->course + (uint64_t)w->sides};
  int64_t *values = mem_alloc(w->count, sizeof *values);
  bool *of_b = mem_alloc(w->count, sizeof *of_b);
  for (unsigned run = 0; run < runs; run++) {
    draw(values, of_b, w, &random);
    enum rank_verdict verdict = test(values, of_b, w->count, 0.01);
    counts.a += verdict == RANK_A_SLOWER;
    counts.b += verdict == RANK_B_SLOWER;
    counts.apart += blocks_place_of(of_b, w->count) == BLOCKS_APART;
  }
  print_message("# course %d, sides %d, %zu, memory %.2f, more %.1f: a slower %u, b %u, apart %u\n",
                (int)w->course, (int)w->sides, w->count, w->memory, w->more, counts.a, counts.b,
                counts.apart);
  mem_free(values);
  mem_free(of_b);
  return counts;
}

static struct counts test_many(const struct world *w, unsigned runs) {
  return test_many_by(blocks_test, w, runs);
}

static void test_what_both_sides_share_is_no_difference(void **state) {
  (void)state;
  static const struct world worlds[] = {
      {LEVEL, MIXED, 200, 0, 0},    {RAMP, MIXED, 200, 0, 0},   {WAVE, MIXED, 800, 0, 0},
      {WALK, MIXED, 800, 0, 0},     {RAMP, RARE, 1000, 0, 0},   {WAVE, RARE, 2000, 0, 0},
      {RAMP, MIXED, 800, 0.9, 0},   {WALK, RARE, 2000, 0.9, 0}, {LEVEL, BURSTS, 800, 0, 0},
      {LEVEL, BURSTS, 800, 0.9, 0},
  };
  for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
    struct counts c = test_many(&worlds[i], 1000);
    assert_in_range(c.a + c.b, 0, 21);
  }
}

/* A tenth as many runs. */
static void test_a_difference_shows_beside_a_drift(void **state) {
  (void)state;
  static const struct world worlds[] = {
      {RAMP, MIXED, 400, 0, 1},   {WAVE, MIXED, 400, 0, 1},   {WALK, MIXED, 400, 0, 1},
      {RAMP, RARE, 2000, 0, 1.5}, {RAMP, MIXED, 800, 0.9, 1},
  };
  for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
    struct counts c = test_many(&worlds[i], 100);
    assert_int_equal(c.a, 0);
    assert_int_equal(c.apart, 0);
    assert_in_range(c.b, 90, 100);
  }
}

static void test_sides_apart_are_held_by_blocks(void **state) {
  (void)state;
  static const struct world level = {LEVEL, HALVES, 100, 0, 0},
                            memory = {LEVEL, HALVES, 1600, 0.9, 0},
                            ramp = {RAMP, HALVES, 100, 0, 0}, more = {LEVEL, HALVES, 1600, 0.9, 1};
  struct counts c = test_many(&level, 1000);
  assert_int_equal(c.apart, 1000);
  assert_in_range(c.a + c.b, 0, 21);
  c = test_many(&memory, 1000);
  assert_in_range(c.a + c.b, 0, 21);
  c = test_many(&ramp, 100);
  assert_in_range(c.b, 90, 100);
  c = test_many(&more, 100);
  assert_in_range(c.b, 90, 100);
}

static void test_means_of_sides_apart(void **state) {
  (void)state;
  static const struct world nulls[] = {{LEVEL, HALVES, 100, 0, 0}, {LEVEL, HALVES, 1600, 0.9, 0}},
                            more[] = {{RAMP, HALVES, 100, 0, 0}, {LEVEL, HALVES, 1600, 0.9, 1}};
  for (size_t i = 0; i < 2; i++) {
    struct counts c = test_many_by(blocks_means_test, &nulls[i], 1000);
    assert_in_range(c.a + c.b, 0, 21);
    c = test_many_by(blocks_means_test, &more[i], 100);
    assert_in_range(c.b, 90, 100);
  }
}

/* Of 40 values of b a quarter is far above all others: means show it, as all ranks do not. A single
 * stretch of a twentieth of b is no evidence. */
static void test_means_see_what_few_have(void **state) {
  (void)state;
  struct random random = {7};
  int64_t values[800];
  bool of_b[800];
  for (size_t i = 0; i < 800; i++)
    values[i] = (int64_t)random_below(&random, 1000);
  for (size_t i = 0; i < 80; i++)
    of_b[i] = i >= 40;
  for (size_t i = 41; i < 80; i += 4)
    values[i] += 100000;
  assert_int_equal(blocks_means_test(values, of_b, 80, 1e-3), RANK_B_SLOWER);
  assert_int_equal(blocks_means_test(values, of_b, 38, 0.5), RANK_UNDECIDED); /* too few of b */
  for (size_t i = 0; i < 800; i++) {
    of_b[i] = i >= 400;
    values[i] = (int64_t)random_below(&random, 1000) + (i >= 780 ? 100000 : 0);
  }
  assert_int_equal(blocks_means_test(values, of_b, 800, 1e-2), RANK_UNDECIDED);
  assert_int_equal(blocks_test(values, of_b, 800, 1e-2), RANK_UNDECIDED);
}

/* All values of b above all of a; with one fewer than is asked for nothing is said. */
static void test_either_side_may_be_the_slower(void **state) {
  (void)state;
  int64_t values[40];
  bool of_b[40];
  for (size_t i = 0; i < 40; i++) {
    values[i] = (int64_t)i;
    of_b[i] = i >= 20;
  }
  assert_int_equal(blocks_test(values, of_b, 40, 1e-6), RANK_B_SLOWER);
  assert_int_equal(blocks_test(values, of_b, 38, 0.5), RANK_UNDECIDED);
  for (size_t i = 0; i < 40; i++)
    of_b[i] = !of_b[i];
  assert_int_equal(blocks_test(values, of_b, 40, 1e-6), RANK_A_SLOWER);
}

/* The choice of the test sees no value. */
static void test_the_place_is_of_the_sides_alone(void **state) {
  (void)state;
  static const struct {
    enum sides sides;
    enum blocks_place place;
  } cases[] = {{MIXED, BLOCKS_WITHIN}, {RARE, BLOCKS_WITHIN}, {HALVES, BLOCKS_APART}};
  struct random random = {5};
  int64_t values[400];
  bool of_b[400];
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (enum course course = LEVEL; course <= WALK; course++) {
      const struct world world = {course, cases[c].sides, 400, 0.5, 0};
      draw(values, of_b, &world, &random);
      assert_int_equal(blocks_place_of(of_b, 400), cases[c].place);
    }
}

static void test_equal_values_say_nothing(void **state) {
  (void)state;
  int64_t values[200] = {0};
  bool of_b[200];
  for (size_t halves = 0; halves < 2; halves++) {
    for (size_t i = 0; i < 200; i++)
      of_b[i] = halves == 1 ? i >= 100 : i % 2 == 0;
    assert_int_equal(blocks_test(values, of_b, 200, 0.5), RANK_UNDECIDED);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_both_sides_share_is_no_difference),
      cmocka_unit_test(test_a_difference_shows_beside_a_drift),
      cmocka_unit_test(test_sides_apart_are_held_by_blocks),
      cmocka_unit_test(test_means_of_sides_apart),
      cmocka_unit_test(test_means_see_what_few_have),
      cmocka_unit_test(test_either_side_may_be_the_slower),
      cmocka_unit_test(test_the_place_is_of_the_sides_alone),
      cmocka_unit_test(test_equal_values_say_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
