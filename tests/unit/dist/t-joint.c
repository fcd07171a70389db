/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Maximum, minimum and order statistics whatever the dependence: against all joint laws of small
 * spaces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "dist/survival/joint.h"
#include "tests/unit/dist/random.h"

#define EVENTS_MAX 5

static const struct grid tiny = {.sub_bits = 1, .octaves = 1};
static const struct grid grid = {.sub_bits = 3, .octaves = 6};

/* Events in a space of `cells` equally likely outcomes, event i in sizes[i] of them. */
struct space {
  size_t cells, events;
  size_t sizes[EVENTS_MAX];
  unsigned masks[EVENTS_MAX];
  size_t least[EVENTS_MAX + 1], most[EVENTS_MAX + 1]; /* cells with at least m of the events */
};

static void count_cells(struct space *s) {
  size_t at_least[EVENTS_MAX + 1] = {0};
  for (size_t cell = 0; cell < s->cells; cell++) {
    size_t events = 0;
    for (size_t i = 0; i < s->events; i++)
      events += s->masks[i] >> cell & 1;
    for (size_t m = 1; m <= events; m++)
      at_least[m]++;
  }
  for (size_t m = 1; m <= s->events; m++) {
    s->least[m] = at_least[m] < s->least[m] ? at_least[m] : s->least[m];
    s->most[m] = at_least[m] > s->most[m] ? at_least[m] : s->most[m];
  }
}

/* All ways to lay out the events from the i-th on; the first one's does not matter. */
static void lay_out(struct space *s, size_t i) {
  if (i == s->events) {
    count_cells(s);
    return;
  }
  for (unsigned mask = 0; mask < 1u << s->cells; mask++)
    if ((size_t)__builtin_popcount(mask) == s->sizes[i] &&
        (i > 0 || mask == (1u << s->sizes[i]) - 1)) {
      s->masks[i] = mask;
      lay_out(s, i + 1);
    }
}

static uint64_t joint_at(enum survival_side side, const struct space *s, uint64_t rank) {
  struct survival laws[EVENTS_MAX], z;
  struct copies parts[EVENTS_MAX];
  for (size_t i = 0; i < s->events; i++) {
    survival_init_side(&laws[i], &tiny, side);
    for (size_t k = 0; k < grid_count(&tiny); k++)
      laws[i].tail[k] = SURVIVAL_ONE / s->cells * s->sizes[i];
    parts[i] = (struct copies){&laws[i], 1};
  }
  survival_init_side(&z, &tiny, side);
  if (rank == s->events)
    joint_max(&z, parts, s->events);
  else if (rank == 1)
    joint_min(&z, parts, s->events);
  uint64_t special = z.tail[1];
  joint_kth(&z, parts, s->events, rank);
  if (rank == s->events || rank == 1)
    assert_true(special == z.tail[1]);
  uint64_t result = z.tail[0];
  survival_clear(&z);
  for (size_t i = 0; i < s->events; i++)
    survival_clear(&laws[i]);
  return result;
}

/* The best joint law of whole cells lies within one cell of the best of all, and the bounds are
 * sharp: so the bounds rounded to whole cells are what enumeration finds. */
static void check_space(struct space *s) {
  for (size_t m = 1; m <= s->events; m++) {
    s->least[m] = s->cells;
    s->most[m] = 0;
  }
  lay_out(s, 0);
  uint64_t cell = SURVIVAL_ONE / s->cells;
  for (uint64_t rank = 1; rank <= s->events; rank++) {
    uint64_t upper = joint_at(SIDE_UPPER, s, rank), lower = joint_at(SIDE_LOWER, s, rank);
    size_t m = s->events - rank + 1;
    if (upper / cell != s->most[m] || (lower + cell - 1) / cell != s->least[m])
      fail_msg("%zu cells, sizes %zu %zu %zu ..., rank %lu", s->cells, s->sizes[0], s->sizes[1],
               s->sizes[2], (unsigned long)rank);
  }
}

static void check_sizes(struct space *s, size_t i) {
  if (i == s->events) {
    check_space(s);
    return;
  }
  for (s->sizes[i] = 0; s->sizes[i] <= s->cells; s->sizes[i]++)
    if (i == 0 || s->sizes[i] >= s->sizes[i - 1])
      check_sizes(s, i + 1);
}

static void test_sharp_for_all_joint_laws(void **state) {
  (void)state;
  for (size_t events = 1; events <= EVENTS_MAX; events++) {
    struct space four = {.cells = 4, .events = events};
    check_sizes(&four, 0);
    struct space eight = {.cells = 8, .events = events};
    if (events <= 3)
      check_sizes(&eight, 0);
  }
}

#define PARTS 4

static void clear_all(struct survival *laws, size_t count) {
  for (size_t i = 0; i < count; i++)
    survival_clear(&laws[i]);
}

/* Copies counted are copies listed. */
static void test_copies(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct random random = {seed};
    enum survival_side side = seed % 2 ? SIDE_UPPER : SIDE_LOWER;
    struct survival laws[PARTS], z, listed_z;
    struct copies counted[PARTS], listed[PARTS * 4];
    size_t n = 0, parts = 1 + (size_t)random_below(&random, PARTS);
    survival_init_side(&z, &grid, side);
    survival_init_side(&listed_z, &grid, side);
    for (size_t i = 0; i < parts; i++) {
      survival_init_side(&laws[i], &grid, side);
      random_survival(&laws[i], &random, 9);
      counted[i] = (struct copies){&laws[i], 1 + random_below(&random, 4)};
      for (uint64_t j = 0; j < counted[i].count; j++)
        listed[n++] = (struct copies){&laws[i], 1};
    }
    for (uint64_t rank = 1; rank <= n; rank++) {
      joint_kth(&z, counted, parts, rank);
      joint_kth(&listed_z, listed, n, rank);
      assert_true(survival_is_valid(&z));
      if (!survival_equal(&z, &listed_z))
        fail_msg("seed %lu, rank %lu of %zu", (unsigned long)seed, (unsigned long)rank, n);
    }
    joint_max(&listed_z, counted, parts);
    assert_true(survival_is_valid(&listed_z) && survival_equal(&z, &listed_z));
    joint_kth(&z, counted, parts, 1);
    joint_min(&laws[0], counted, parts); /* in place */
    assert_true(survival_is_valid(&laws[0]) && survival_equal(&z, &laws[0]));
    clear_all(laws, parts);
    survival_clear(&z);
    survival_clear(&listed_z);
  }
}

/* With copies beyond counting one by one, and sums beyond 2^64. */
static void test_very_many_copies(void **state) {
  (void)state;
  struct survival x, z;
  survival_init(&x, &tiny);
  survival_init(&z, &tiny);
  for (size_t k = 0; k < grid_count(&tiny); k++)
    x.tail[k] = SURVIVAL_ONE >> (4 * k);
  struct copies parts[] = {{&x, UINT64_C(1) << 62}, {&x, UINT64_C(1) << 62}};
  joint_max(&z, parts, 2);
  assert_true(z.tail[4] == SURVIVAL_ONE);
  joint_min(&z, parts, 2);
  assert_true(survival_equal(&z, &x));
  joint_kth(&z, parts, 2, UINT64_C(1) << 62); /* half of them and one exceed */
  assert_true(z.tail[1] == SURVIVAL_ONE / 8 && z.tail[0] == SURVIVAL_ONE);
  survival_clear(&x);
  survival_clear(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sharp_for_all_joint_laws),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_very_many_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
