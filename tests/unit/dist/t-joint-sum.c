/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums whatever the dependence: on their side of many joint laws, on both grids, and sharp where
 * they should be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dist/survival/joint.h"
#include "tests/unit/dist/random.h"

#define CELLS 8 /* equally likely outcomes */
#define CELL (SURVIVAL_ONE / CELLS)
#define COPIES_MAX 6
#define NEVER UINT64_MAX

static const struct grid small_log = {.sub_bits = 3, .octaves = 6};
static const struct grid small_linear = {.shift = 2, .points = 100};

/* A latency for each outcome. */
struct column {
  uint64_t values[CELLS];
};

static uint64_t plus(uint64_t x, uint64_t y) {
  return x == NEVER || y == NEVER ? NEVER : x + y;
}

static uint64_t count_above(const struct column *c, uint64_t x) {
  uint64_t count = 0;
  for (size_t i = 0; i < CELLS; i++)
    count += c->values[i] > x;
  return count;
}

static uint64_t count_never(const struct column *c) {
  return count_above(c, NEVER - 1);
}

/* The law of the column, its values moved to points of the grid. */
static void law_of(struct survival *s, const struct column *c) {
  size_t count = grid_count(&s->grid);
  for (size_t k = 0; k < count; k++) {
    if (s->side == SIDE_UPPER)
      s->tail[k] = CELL * count_above(c, grid_value_ns(&s->grid, k));
    else
      s->tail[k] = CELL * (k + 1 < count ? count_above(c, grid_value_ns(&s->grid, k + 1) - 1)
                                         : count_never(c));
  }
}

static void shuffle(struct column *c, struct random *random) {
  for (size_t i = CELLS; i > 1; i--) {
    size_t j = (size_t)random_below(random, i);
    uint64_t swap = c->values[i - 1];
    c->values[i - 1] = c->values[j];
    c->values[j] = swap;
  }
}

static void reverse(struct column *c) {
  for (size_t i = 0; i < CELLS / 2; i++) {
    uint64_t swap = c->values[i];
    c->values[i] = c->values[CELLS - 1 - i];
    c->values[CELLS - 1 - i] = swap;
  }
}

static void random_column(struct column *c, struct random *random, uint64_t last) {
  uint64_t limit = 1 + random_below(random, random_below(random, 3) ? last / 2 : last + last / 4);
  for (size_t i = 0; i < CELLS; i++)
    c->values[i] = random_below(random, limit);
  if (random_below(random, 4) == 0)
    c->values[0] = NEVER;
  if (random_below(random, 3) == 0)
    c->values[1] = c->values[2] = c->values[3];
  qsort(c->values, CELLS, sizeof *c->values, random_compare);
}

struct example {
  struct copies parts[3];
  struct survival laws[3], z, exact;
  size_t part_count;
  struct column columns[COPIES_MAX];
  size_t column_count;
};

static void example_init(struct example *e, struct random *random, const struct grid *grid,
                         enum survival_side side) {
  *e = (struct example){.part_count = 1 + (size_t)random_below(random, 3)};
  survival_init_side(&e->z, grid, side);
  survival_init_side(&e->exact, grid, side);
  for (size_t i = 0; i < e->part_count; i++) {
    struct column column;
    random_column(&column, random, grid_value_ns(grid, grid_count(grid) - 1));
    survival_init_side(&e->laws[i], grid, side);
    law_of(&e->laws[i], &column);
    e->parts[i] = (struct copies){&e->laws[i], 1 + random_below(random, 2)};
    for (uint64_t j = 0; j < e->parts[i].count; j++)
      e->columns[e->column_count++] = column;
  }
}

static void example_clear(struct example *e) {
  for (size_t i = 0; i < e->part_count; i++)
    survival_clear(&e->laws[i]);
  survival_clear(&e->z);
  survival_clear(&e->exact);
}

/* Whether the bound holds for the joint law that the columns are: up to the next point, so that a
 * lower bound lies below what the sum is rounded down. */
static bool holds(struct example *e) {
  struct column sum = {{0}};
  for (size_t i = 0; i < e->column_count; i++)
    for (size_t cell = 0; cell < CELLS; cell++)
      sum.values[cell] = plus(sum.values[cell], e->columns[i].values[cell]);
  law_of(&e->exact, &sum);
  return e->z.side == SIDE_UPPER ? survival_dominates(&e->z, &e->exact)
                                 : survival_dominates(&e->exact, &e->z);
}

/* What helps one outcome to a large sum (or, started from reversed columns, to a small one): each
 * column against the sums of the others. */
static void oppose(struct example *e, size_t moved) {
  uint64_t sums[CELLS] = {0};
  for (size_t i = 0; i < e->column_count; i++)
    for (size_t cell = 0; i != moved && cell < CELLS; cell++)
      sums[cell] = plus(sums[cell], e->columns[i].values[cell]);
  struct column *c = &e->columns[moved];
  qsort(c->values, CELLS, sizeof *c->values, random_compare);
  uint64_t sorted[CELLS];
  memcpy(sorted, c->values, sizeof sorted);
  for (size_t cell = 0; cell < CELLS; cell++) {
    size_t less = 0; /* the least sum gets the greatest value */
    for (size_t other = 0; other < CELLS; other++)
      less += sums[other] < sums[cell] || (sums[other] == sums[cell] && other < cell);
    c->values[cell] = sorted[less];
  }
}

static void check_example(struct example *e, struct random *random, uint64_t seed) {
  joint_sum(&e->z, e->parts, e->part_count);
  assert_true(survival_is_valid(&e->z));
  bool good = holds(e); /* all large together */
  for (size_t i = 1; i < e->column_count; i += 2)
    reverse(&e->columns[i]);
  good = good && holds(e);
  for (size_t round = 0; round < 60 && good; round++) {
    size_t moved = (size_t)random_below(random, e->column_count);
    if (round % 3 == 0)
      oppose(e, moved);
    else
      shuffle(&e->columns[moved], random);
    good = holds(e);
  }
  if (!good)
    fail_msg("seed %lu", (unsigned long)seed);
}

static void test_holds_for_joint_laws(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 600; seed++) {
    struct random random = {seed};
    struct example e;
    example_init(&e, &random, seed % 4 < 2 ? &small_log : &small_linear,
                 seed % 2 ? SIDE_UPPER : SIDE_LOWER);
    check_example(&e, &random, seed);
    example_clear(&e);
  }
}

/* Of all joint laws of two columns: how many outcomes exceed each sum at least and at most. */
struct extremes {
  uint64_t least[64], most[64];
};

static void count_sums(struct extremes *e, const struct column *x, const struct column *y) {
  uint64_t above[64] = {0};
  for (size_t i = 0; i < CELLS; i++)
    for (uint64_t t = 0; t < x->values[i] + y->values[i]; t++)
      above[t]++;
  for (size_t t = 0; t < 64; t++) {
    e->least[t] = above[t] < e->least[t] ? above[t] : e->least[t];
    e->most[t] = above[t] > e->most[t] ? above[t] : e->most[t];
  }
}

/* Heap's order of all permutations. */
static void permute(struct extremes *e, struct column *x, const struct column *y, size_t n) {
  if (n <= 1) {
    count_sums(e, x, y);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    permute(e, x, y, n - 1);
    size_t other = n % 2 ? 0 : i;
    uint64_t swap = x->values[other];
    x->values[other] = x->values[n - 1];
    x->values[n - 1] = swap;
  }
}

/* A worst joint law of equally likely values is a permutation (Birkhoff), so that all of them show
 * what is sharp. */
static void test_sharp_for_two(void **state) {
  (void)state;
  const struct grid grids[] = {{.sub_bits = 5, .octaves = 1}, {.points = 64}};
  for (uint64_t seed = 0; seed < 6; seed++) {
    struct random random = {seed};
    struct column x, y;
    for (size_t i = 0; i < CELLS; i++) {
      x.values[i] = random_below(&random, 30);
      y.values[i] = random_below(&random, seed % 2 ? 30 : 6);
    }
    struct extremes e = {{0}, {0}};
    for (size_t t = 0; t < 64; t++)
      e.least[t] = CELLS;
    permute(&e, &x, &y, CELLS);
    for (size_t i = 0; i < 4; i++) {
      struct survival a, b, z;
      enum survival_side side = i % 2 ? SIDE_UPPER : SIDE_LOWER;
      survival_init_side(&a, &grids[i / 2], side);
      survival_init_side(&b, &grids[i / 2], side);
      survival_init_side(&z, &grids[i / 2], side);
      law_of(&a, &x);
      law_of(&b, &y);
      joint_sum(&z, (struct copies[]){{&a, 1}, {&b, 1}}, 2);
      for (size_t t = 0; t < 64; t++)
        if (z.tail[t] != CELL * (side == SIDE_UPPER ? e.most : e.least)[t])
          fail_msg("seed %lu: sum %zu, grid %zu", (unsigned long)seed, t, i / 2);
      survival_clear(&a);
      survival_clear(&b);
      survival_clear(&z);
    }
  }
}

/* The sum of alike latencies of 0 or 1 exceeds t when more than t of them are 1, which joint_kth
 * knows exactly; most of these chances are no whole number of units. */
static void test_counts_are_order_statistics(void **state) {
  (void)state;
  const struct grid grids[] = {{.sub_bits = 5, .octaves = 1}, {.points = 64}};
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct random random = {seed};
    struct survival x, z, kth;
    enum survival_side side = seed % 2 ? SIDE_UPPER : SIDE_LOWER;
    survival_init_side(&x, &grids[seed / 2 % 2], side);
    survival_init_side(&z, &x.grid, side);
    survival_init_side(&kth, &x.grid, side);
    x.tail[0] = random_below(&random, SURVIVAL_ONE + 1);
    struct copies copies = {&x, 1 + random_below(&random, 9)};
    joint_sum(&z, &copies, 1);
    for (uint64_t t = 0; t < copies.count; t++) {
      joint_kth(&kth, &copies, 1, copies.count - t);
      if (z.tail[t] != kth.tail[0])
        fail_msg("seed %lu: more than %lu of %lu", (unsigned long)seed, (unsigned long)t,
                 (unsigned long)copies.count);
    }
    assert_true(z.tail[copies.count] == 0);
    survival_clear(&x);
    survival_clear(&z);
    survival_clear(&kth);
  }
}

static void test_constants_add_up(void **state) {
  (void)state;
  const struct grid grid = {.shift = 3, .points = 40};
  struct rational value;
  rational_init(&value);
  for (int side = 0; side < 2; side++) {
    struct survival x, y, z, expected;
    survival_init_side(&x, &grid, side ? SIDE_LOWER : SIDE_UPPER);
    survival_init_side(&y, &grid, x.side);
    survival_init_side(&z, &grid, x.side);
    survival_init_side(&expected, &grid, x.side);
    rational_set_integer(&value, 24);
    survival_constant(&x, &value);
    rational_set_integer(&value, 40);
    survival_constant(&y, &value);
    joint_sum(&z, (struct copies[]){{&x, 5}, {&y, 2}}, 2);
    rational_set_integer(&value, 200);
    survival_constant(&expected, &value);
    assert_true(survival_equal(&z, &expected));
    joint_sum(&z, &(struct copies){&x, 1}, 1);
    assert_true(survival_equal(&z, &x));
    survival_clear(&x);
    survival_clear(&y);
    survival_clear(&z);
    survival_clear(&expected);
  }
  rational_clear(&value);
}

/* Sums beyond the last point, and beyond all integers: infinite above, the last point below. */
static void test_very_many_copies(void **state) {
  (void)state;
  const uint64_t counts[] = {100, 100000, UINT64_C(1) << 40, UINT64_MAX};
  for (size_t i = 0; i < 8; i++) {
    struct survival x, z;
    survival_init_side(&x, &small_log, i % 2 ? SIDE_UPPER : SIDE_LOWER);
    survival_init_side(&z, &small_log, x.side);
    for (size_t k = 0; k < grid_count(&small_log); k++)
      x.tail[k] = k < 20 ? SURVIVAL_ONE : k < 30 ? SURVIVAL_ONE / 2 : SURVIVAL_ONE >> 50;
    joint_sum(&z, &(struct copies){&x, counts[i / 2]}, 1);
    assert_true(survival_is_valid(&z));
    assert_true(z.tail[grid_count(&small_log) - 2] == SURVIVAL_ONE);
    assert_true(survival_infinity(&z) ==
                (x.side == SIDE_UPPER ? SURVIVAL_ONE : SURVIVAL_ONE >> 50));
    survival_clear(&x);
    survival_clear(&z);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_holds_for_joint_laws),
      cmocka_unit_test(test_sharp_for_two),
      cmocka_unit_test(test_counts_are_order_statistics),
      cmocka_unit_test(test_constants_add_up),
      cmocka_unit_test(test_very_many_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
