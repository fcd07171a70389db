/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dist/survival/grid.h"

static const struct grid grids[] = {
    {1, 1, 0, 0}, {1, 5, 0, 0}, {3, 4, 0, 0}, {5, 7, 0, 0}, {10, 33, 0, 0}};

static void test_values_increase_by_octave_steps(void **state) {
  (void)state;
  for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
    const struct grid *grid = &grids[g];
    assert_true(grid_is_valid(grid));
    uint64_t sub_count = UINT64_C(1) << grid->sub_bits;
    assert_int_equal(grid_value_ns(grid, 0), 0);
    for (size_t k = 1; k < grid_count(grid); k++) {
      uint64_t before = grid_value_ns(grid, k - 1), value = grid_value_ns(grid, k);
      assert_true(value > before);
      if (value <= 2 * sub_count)
        assert_int_equal(value, k);
      else
        assert_true((value - before) * sub_count < value);
    }
    uint64_t last = grid_value_ns(grid, grid_count(grid) - 1);
    assert_int_equal(last, (2 * sub_count) << (grid->octaves - 1));
  }
}

static void test_indices_are_the_nearest_on_their_side(void **state) {
  (void)state;
  for (size_t g = 0; g < 4; g++) {
    const struct grid *grid = &grids[g];
    size_t count = grid_count(grid), upper = 0;
    uint64_t last = grid_value_ns(grid, count - 1);
    for (uint64_t x = 0; x <= last; x++) {
      while (grid_value_ns(grid, upper) < x)
        upper++;
      assert_int_equal(grid_index_upper(grid, x), upper);
      size_t lower = grid_value_ns(grid, upper) == x ? upper : upper - 1;
      assert_int_equal(grid_index_lower(grid, x), lower);
    }
  }
}

static void test_default_spans_hours(void **state) {
  (void)state;
  const struct grid *grid = &grid_default;
  size_t count = grid_count(grid);
  uint64_t last = grid_value_ns(grid, count - 1);
  assert_true(last >= UINT64_C(2) * 3600 * 1000000000);
  assert_int_equal(grid_index_upper(grid, last), count - 1);
  assert_int_equal(grid_index_upper(grid, last + 1), count);
  assert_int_equal(grid_index_lower(grid, last + 1), count - 1);
  assert_int_equal(grid_index_upper(grid, UINT64_MAX), count);
  assert_int_equal(grid_index_lower(grid, UINT64_MAX), count - 1);
  for (size_t k = 0; k < count; k++) {
    uint64_t value = grid_value_ns(grid, k);
    assert_int_equal(grid_index_upper(grid, value), k);
    assert_int_equal(grid_index_lower(grid, value), k);
    if (k > 2048) {
      assert_int_equal(grid_index_upper(grid, value - 1), k);
      assert_int_equal(grid_index_lower(grid, value - 1), k - 1);
    }
  }
}

static void test_linear(void **state) {
  (void)state;
  for (unsigned shift = 0; shift < 5; shift++) {
    const struct grid grid = {.shift = shift, .points = 23};
    assert_true(grid_is_valid(&grid) && grid_is_linear(&grid));
    assert_int_equal(grid_count(&grid), 23);
    uint64_t step = UINT64_C(1) << shift, last = 22 * step;
    for (uint64_t x = 0; x <= last; x++) {
      assert_int_equal(grid_index_upper(&grid, x), (x + step - 1) / step);
      assert_int_equal(grid_index_lower(&grid, x), x / step);
    }
    assert_int_equal(grid_value_ns(&grid, 22), last);
    assert_int_equal(grid_index_upper(&grid, last + 1), 23);
    assert_int_equal(grid_index_upper(&grid, UINT64_MAX), 23);
    assert_int_equal(grid_index_lower(&grid, UINT64_MAX), 22);
  }
}

/* The usual grid up to its last point, 2^43 ns; then the long one, up to 2^62 ns. */
static void test_the_grid_up_to_a_value(void **state) {
  (void)state;
  const uint64_t usual = UINT64_C(1) << 43, end = UINT64_C(1) << 62;
  assert_ptr_equal(grid_up_to(0), &grid_default);
  assert_ptr_equal(grid_up_to(usual), &grid_default);
  assert_ptr_equal(grid_up_to(usual + 1), &grid_long);
  assert_ptr_equal(grid_up_to(UINT64_MAX), &grid_long);
  assert_true(grid_is_valid(&grid_long));
  assert_true(grid_value_ns(&grid_long, grid_count(&grid_long) - 1) == end);
  for (size_t k = 0; k < grid_count(&grid_default); k++)
    assert_true(grid_value_ns(&grid_long, k) == grid_value_ns(&grid_default, k));
}

static void test_what_is_no_grid(void **state) {
  (void)state;
  const struct grid bad[] = {{.sub_bits = 0, .octaves = 3},
                             {.sub_bits = 17, .octaves = 3},
                             {.sub_bits = 10, .octaves = 0},
                             {.sub_bits = 10, .octaves = 53},
                             {.points = 1},
                             {.points = ((size_t)1 << 24) + 1},
                             {.shift = 62, .points = 2},
                             {.shift = 40, .points = (size_t)1 << 23},
                             {.sub_bits = 1, .octaves = 1, .points = 5}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(grid_is_valid(&bad[i]));
  assert_true(grid_is_valid(&(struct grid){.shift = 38, .points = (size_t)1 << 24}));
  assert_false(grid_equal(&(struct grid){.points = 5}, &(struct grid){.points = 5, .shift = 1}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values_increase_by_octave_steps),
      cmocka_unit_test(test_indices_are_the_nearest_on_their_side),
      cmocka_unit_test(test_default_spans_hours),
      cmocka_unit_test(test_linear),
      cmocka_unit_test(test_the_grid_up_to_a_value),
      cmocka_unit_test(test_what_is_no_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
