/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/narrow.h"
#include "base/random.h"

static const int64_t limits[] = {0,
                                 1,
                                 INT64_C(4294967293),
                                 INT64_C(4294967294), /* the last that fits */
                                 INT64_C(4294967295),
                                 INT64_C(4294967296),
                                 INT64_MAX,
                                 -1,
                                 INT64_MIN};
enum { LIMITS = sizeof limits / sizeof *limits };

static void test_numbers_at_the_limit(void **state) {
  (void)state;
  struct narrow column = {0};
  for (size_t i = 0; i < LIMITS; i++)
    narrow_push(&column, limits[i]);
  for (size_t i = 0; i < LIMITS; i++)
    assert_true(narrow_get(&column, i) == limits[i]);
  assert_int_equal(column.low.count, LIMITS);
  assert_int_equal(column.wide.count, 5);
  narrow_cut(&column, 5);
  assert_int_equal(column.wide.count, 1);
  assert_true(narrow_get(&column, 4) == limits[4]);
  narrow_push(&column, -7);
  assert_true(narrow_get(&column, 5) == -7);
  narrow_clear(&column);
  assert_int_equal(column.low.count + column.wide.count, 0);
}

/* Whatever is set to whatever, in any order, every number stays what it was set to. */
static void test_set_like_an_array(void **state) {
  (void)state;
  enum { COUNT = 200, CHANGES = 20000 };
  struct narrow column = {0};
  int64_t plain[COUNT] = {0};
  struct random random = {1};
  size_t wide = 0;
  for (size_t i = 0; i < COUNT; i++)
    narrow_push(&column, 0);
  for (size_t i = 0; i < CHANGES; i++) {
    size_t at = (size_t)random_below(&random, COUNT);
    plain[at] = limits[random_below(&random, LIMITS)];
    narrow_set(&column, at, plain[at]);
    size_t asked = (size_t)random_below(&random, COUNT);
    assert_true(narrow_get(&column, asked) == plain[asked]);
  }
  for (size_t i = 0; i < COUNT; i++) {
    assert_true(narrow_get(&column, i) == plain[i]);
    wide += plain[i] < 0 || plain[i] >= (int64_t)UINT32_MAX;
  }
  assert_int_equal(column.wide.count, wide);
  narrow_clear(&column);
}

/* A difference of any two times gives the other back. */
static void test_differences_wrap(void **state) {
  (void)state;
  for (size_t i = 0; i < LIMITS; i++)
    for (size_t j = 0; j < LIMITS; j++) {
      int64_t difference = narrow_less(limits[i], limits[j]);
      assert_true(narrow_less(limits[i], difference) == limits[j]);
      assert_true(narrow_more(limits[j], difference) == limits[i]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers_at_the_limit),
                                     cmocka_unit_test(test_set_like_an_array),
                                     cmocka_unit_test(test_differences_wrap)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
