/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "dist/survival/combine.h"
#include "dist/evaluate/law.h"
#include "dist/survival/joint.h"
#include "dist/survival/order.h"
#include "dist/survival/sum.h"
#include "tests/unit/dist/random.h"

static const struct grid grid = {.sub_bits = 4, .octaves = 6};

struct fixture {
  struct law_table table;
  struct survival x, y;
  const struct law *a, *b;
  struct rational zero, three;
};

static int setup(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  law_table_init(&f->table, &grid, SIDE_UPPER);
  survival_init(&f->x, &grid);
  survival_init(&f->y, &grid);
  struct random random = {11};
  random_survival(&f->x, &random, 20);
  random_survival(&f->y, &random, 20);
  f->a = law_leaf(&f->table, 7, &f->x);
  f->b = law_leaf(&f->table, 3, &f->y);
  rational_init(&f->zero);
  rational_init(&f->three);
  rational_set_integer(&f->three, 3);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  law_table_clear(&f->table);
  survival_clear(&f->x);
  survival_clear(&f->y);
  rational_clear(&f->zero);
  rational_clear(&f->three);
  free(f);
  return 0;
}

static void test_equal_content_is_one_law(void **state) {
  struct fixture *f = *state;
  assert_ptr_equal(law_leaf(&f->table, 7, &f->x), f->a);
  assert_ptr_not_equal(f->a, f->b);
  struct law_copies abab[] = {{f->a, 1}, {f->b, 1}, {f->a, 1}, {f->b, 1}};
  struct law_copies bbaa[] = {{f->b, 2}, {f->a, 2}};
  const struct law *sum = law_sum(&f->table, &f->zero, abab, 4);
  assert_ptr_equal(law_sum(&f->table, &f->zero, bbaa, 2), sum);
  struct law_copies again[] = {{f->b, 2}, {f->a, 2}};
  assert_ptr_not_equal(law_sum(&f->table, &f->three, again, 2), sum);
  struct law_copies max[] = {{f->b, 2}, {f->a, 2}};
  assert_ptr_not_equal(law_combine(&f->table, LAW_MAX, max, 2, 0), sum);
  struct law_copies one[] = {{f->a, 1}};
  assert_ptr_equal(law_sum(&f->table, &f->zero, one, 1), f->a);
  assert_ptr_equal(law_combine(&f->table, LAW_MAX, one, 1, 0), f->a);
}

static void expect(struct fixture *f, const struct law *law, const struct survival *expected,
                   uint64_t units) {
  struct survival got;
  survival_init(&got, &grid);
  law_survival(&got, &f->table, law, 1);
  for (size_t k = 0; k < grid_count(&grid); k++)
    assert_true(got.tail[k] + units >= expected->tail[k] &&
                expected->tail[k] + units >= got.tail[k]);
  survival_clear(&got);
}

static void test_survivals_are_those_of_the_operations(void **state) {
  struct fixture *f = *state;
  struct survival z;
  survival_init(&z, &grid);
  struct law_copies parts[] = {{f->a, 1}, {f->b, 1}};
  survival_add(&z, &f->x, &f->y);
  const struct law *sum = law_sum(&f->table, &f->zero, parts, 2);
  expect(f, sum, &z, 0);
  assert_int_equal(sum->depth, 2);
  survival_shift(&z, &z, &f->three);
  const struct law *shifted = law_sum(&f->table, &f->three, parts, 2);
  expect(f, shifted, &z, 0);
  assert_int_equal(shifted->depth, 3);
  assert_int_equal(shifted->steps, 3);
  survival_max_many(&z, &f->x, 5);
  survival_max(&z, &z, &f->y);
  struct law_copies many[] = {{f->a, 5}, {f->b, 1}};
  const struct law *max = law_combine(&f->table, LAW_MAX, many, 2, 0);
  expect(f, max, &z, 1); /* the order of the operands may cost a unit */
  assert_int_equal(max->depth, 1);
  survival_scale(&z, &f->x, &f->three);
  const struct law *scaled = law_scale(&f->table, &f->three, f->a);
  expect(f, scaled, &z, 0);
  assert_int_equal(scaled->steps, 4);
  survival_constant(&z, &f->three);
  expect(f, law_sum(&f->table, &f->three, NULL, 0), &z, 0);
  struct law_copies thousand[] = {{f->a, 1000}};
  survival_add_many(&z, &f->x, 1000);
  const struct law *long_sum = law_sum(&f->table, &f->zero, thousand, 1);
  expect(f, long_sum, &z, 0);
  assert_int_equal(long_sum->depth, 11);
  assert_int_equal(long_sum->steps, 1000);
  survival_clear(&z);
}

static void test_minima_and_bounds(void **state) {
  struct fixture *f = *state;
  struct survival z, w;
  survival_init(&z, &grid);
  survival_init(&w, &grid);
  const struct copies both[] = {{&f->x, 2}, {&f->y, 1}};
  struct law_copies parts[] = {{f->a, 2}, {f->b, 1}};
  survival_min(&z, &f->x, &f->x);
  survival_min(&z, &z, &f->y);
  expect(f, law_combine(&f->table, LAW_MIN, parts, 2, 0), &z, 2);
  survival_kth(&z, both, 2, 2);
  expect(f, law_combine(&f->table, LAW_KTH, parts, 2, 2), &z, 8);
  joint_max(&z, both, 2);
  expect(f, law_combine(&f->table, LAW_JOINT_MAX, parts, 2, 0), &z, 0);
  joint_min(&z, both, 2);
  expect(f, law_combine(&f->table, LAW_JOINT_MIN, parts, 2, 0), &z, 0);
  joint_kth(&z, both, 2, 2);
  expect(f, law_combine(&f->table, LAW_JOINT_KTH, parts, 2, 2), &z, 0);
  joint_sum(&z, both, 2);
  struct law_copies reversed[] = {{f->b, 1}, {f->a, 2}};
  const struct law *joint = law_combine(&f->table, LAW_JOINT_SUM, reversed, 2, 0);
  law_survival(&w, &f->table, joint, 2);
  assert_int_equal(joint->depth, 3);
  survival_add_many(&z, &f->x, 2);
  survival_add(&z, &z, &f->y);
  const struct law *sum = law_sum(&f->table, &f->zero, parts, 2);
  expect(f, sum, &z, 0);
  const struct law *bounds[] = {joint, sum};
  survival_meet(&z, &z, &w);
  expect(f, law_better(&f->table, bounds, 2), &z, 0);
  survival_clear(&z);
  survival_clear(&w);
}

static void test_mixtures(void **state) {
  struct fixture *f = *state;
  struct survival z;
  survival_init(&z, &grid);
  const struct law *laws[] = {f->a, f->b, f->a};
  const uint64_t weights[] = {SURVIVAL_ONE / 4, SURVIVAL_ONE / 2, SURVIVAL_ONE / 4};
  for (size_t k = 0; k < grid_count(&grid); k++)
    z.tail[k] = f->x.tail[k] / 2 + f->y.tail[k] / 2;
  expect(f, law_mix(&f->table, laws, weights, 3), &z, 2);
  survival_clear(&z);
}

/* Two sets that are independent inside, too, give what the order statistic of all gives. */
static void test_counting_by_sets(void **state) {
  struct fixture *f = *state;
  struct survival z;
  survival_init(&z, &grid);
  const struct copies all[] = {{&f->x, 4}, {&f->y, 2}};
  const size_t sizes[] = {2, 2};
  struct law_copies xy[] = {{f->a, 1}, {f->b, 1}}, xx[] = {{f->a, 2}};
  const struct law *order_laws[] = {
      law_combine(&f->table, LAW_MIN, xy, 2, 0), law_combine(&f->table, LAW_MAX, xy, 2, 0),
      law_combine(&f->table, LAW_MIN, xx, 1, 0), law_combine(&f->table, LAW_MAX, xx, 1, 0)};
  for (uint64_t rank = 1; rank <= 6; rank++) {
    struct law_copies alone[] = {{f->b, 1}, {f->a, 1}};
    survival_kth(&z, all, 2, rank);
    expect(f, law_counted(&f->table, alone, 2, order_laws, sizes, 2, rank), &z, 100);
  }
  struct law_copies none[1];
  survival_kth(&z, (struct copies[]){{&f->x, 3}, {&f->y, 1}}, 2, 2);
  expect(f, law_counted(&f->table, none, 0, order_laws, sizes, 2, 2), &z, 100);
  survival_clear(&z);
}

/* The longest chain is as short as can be, whatever the order of the terms. */
static void test_sums_in_order_of_depth(void **state) {
  struct fixture *f = *state;
  size_t order[4][2];
  struct law_copies eight[] = {{f->a, 8}};
  const struct law *deep = law_sum(&f->table, &f->zero, eight, 1);
  assert_int_equal(deep->depth, 4);
  struct law_copies parts[] = {{deep, 1}, {f->a, 1}, {f->b, 1}, {f->a, 2}};
  assert_int_equal(law_sum_order(order, parts, 4), 5);
  struct law_copies turned[] = {{f->a, 2}, {f->b, 1}, {deep, 1}, {f->a, 1}};
  assert_int_equal(law_sum_order(order, turned, 4), 5);
}

/* A lattice in which each law is a part of several, alternately sums and maxima. */
static void test_threads_agree(void **state) {
  struct fixture *f = *state;
  enum { WIDTH = 8, LEVELS = 12 };
  const struct law *row[WIDTH], *next[WIDTH];
  for (size_t i = 0; i < WIDTH; i++) {
    struct law_copies copies[] = {{f->a, i + 1}, {f->b, 1}};
    row[i] = law_sum(&f->table, &f->zero, copies, 2);
  }
  for (size_t level = 0; level < LEVELS; level++) {
    for (size_t i = 0; i < WIDTH; i++) {
      struct law_copies pair[] = {{row[i], 1}, {row[(i + 1 + level % 3) % WIDTH], 1}};
      next[i] = level % 2 == 0 ? law_combine(&f->table, LAW_MAX, pair, 2, 0)
                               : law_sum(&f->table, &f->three, pair, 2);
    }
    memcpy(row, next, sizeof row);
  }
  struct survival one, two;
  survival_init(&one, &grid);
  survival_init(&two, &grid);
  law_survival(&one, &f->table, row[0], 1);
  for (size_t times = 0; times < 50; times++) {
    law_survival(&two, &f->table, row[0], 2);
    assert_true(survival_equal(&one, &two));
  }
  survival_clear(&one);
  survival_clear(&two);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_equal_content_is_one_law, setup, teardown),
      cmocka_unit_test_setup_teardown(test_survivals_are_those_of_the_operations, setup, teardown),
      cmocka_unit_test_setup_teardown(test_minima_and_bounds, setup, teardown),
      cmocka_unit_test_setup_teardown(test_mixtures, setup, teardown),
      cmocka_unit_test_setup_teardown(test_counting_by_sets, setup, teardown),
      cmocka_unit_test_setup_teardown(test_sums_in_order_of_depth, setup, teardown),
      cmocka_unit_test_setup_teardown(test_threads_agree, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
