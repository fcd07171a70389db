/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dist/survival/combine.h"
#include "dist/evaluate/law.h"
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
  law_table_init(&f->table, &grid);
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
  assert_ptr_not_equal(law_max(&f->table, max, 2), sum);
  struct law_copies one[] = {{f->a, 1}};
  assert_ptr_equal(law_sum(&f->table, &f->zero, one, 1), f->a);
  assert_ptr_equal(law_max(&f->table, one, 1), f->a);
}

static void test_survivals_are_those_of_the_operations(void **state) {
  struct fixture *f = *state;
  struct survival z, w;
  survival_init(&z, &grid);
  survival_init(&w, &grid);
  struct law_copies parts[] = {{f->a, 1}, {f->b, 1}};
  survival_add(&z, &f->x, &f->y);
  const struct law *sum = law_sum(&f->table, &f->zero, parts, 2);
  assert_true(survival_equal(sum->survival, &z));
  assert_int_equal(sum->depth, 2);
  survival_shift(&z, &z, &f->three);
  const struct law *shifted = law_sum(&f->table, &f->three, parts, 2);
  assert_true(survival_equal(shifted->survival, &z));
  assert_int_equal(shifted->depth, 3);
  survival_max_many(&z, &f->x, 5);
  survival_max(&z, &z, &f->y);
  struct law_copies many[] = {{f->a, 5}, {f->b, 1}};
  const struct law *max = law_max(&f->table, many, 2);
  for (size_t k = 0; k < grid_count(&grid); k++) /* the order of the operands may cost a unit */
    assert_true(max->survival->tail[k] + 1 >= z.tail[k] && z.tail[k] + 1 >= max->survival->tail[k]);
  assert_int_equal(max->depth, 1);
  survival_scale(&z, &f->x, &f->three);
  assert_true(survival_equal(law_scale(&f->table, &f->three, f->a)->survival, &z));
  survival_constant(&z, &f->three);
  assert_true(survival_equal(law_sum(&f->table, &f->three, NULL, 0)->survival, &z));
  struct law_copies thousand[] = {{f->a, 1000}};
  survival_add_many(&w, &f->x, 1000);
  const struct law *long_sum = law_sum(&f->table, &f->zero, thousand, 1);
  assert_true(survival_equal(long_sum->survival, &w));
  assert_int_equal(long_sum->depth, 11);
  survival_clear(&z);
  survival_clear(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_equal_content_is_one_law, setup, teardown),
      cmocka_unit_test_setup_teardown(test_survivals_are_those_of_the_operations, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
