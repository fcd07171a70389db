/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

/* Sizes around the block size; everything handed out stays aligned, zeroed and apart. */
static void test_allocations_do_not_overlap(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 3, 16, 17, 100, 4000, 16383, 16384, 16385, 50000, 0, 7};
  enum { COUNT = 600 };
  unsigned char *blocks[COUNT];
  size_t lengths[COUNT];
  struct arena arena;
  arena_init(&arena);
  for (size_t i = 0; i < COUNT; i++) {
    lengths[i] = sizes[i * 7 % (sizeof sizes / sizeof *sizes)];
    blocks[i] = arena_alloc(&arena, lengths[i], 1);
    assert_int_equal((uintptr_t)blocks[i] % alignof(max_align_t), 0);
    for (size_t k = 0; k < lengths[i]; k++)
      assert_int_equal(blocks[i][k], 0);
    memset(blocks[i], (int)(i % 255) + 1, lengths[i]);
  }
  for (size_t i = 0; i < COUNT; i++)
    for (size_t k = 0; k < lengths[i]; k++)
      assert_int_equal(blocks[i][k], i % 255 + 1);
  arena_clear(&arena);
  assert_null(arena.blocks);
  arena_clear(&arena);
}

static void test_copies(void **state) {
  (void)state;
  struct arena arena;
  arena_init(&arena);
  char source[] = "ab\0cd";
  char *text = arena_text(&arena, source, 5);
  int64_t numbers[] = {1, -2, INT64_MAX};
  int64_t *copy = arena_copy(&arena, numbers, 3, sizeof *numbers);
  source[0] = 'z';
  numbers[0] = 0;
  assert_memory_equal(text, "ab\0cd", 6);
  assert_true(copy[0] == 1 && copy[1] == -2 && copy[2] == INT64_MAX);
  assert_string_equal(arena_text(&arena, NULL, 0), "");
  assert_non_null(arena_copy(&arena, NULL, 0, 8));
  arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_allocations_do_not_overlap),
      cmocka_unit_test(test_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
