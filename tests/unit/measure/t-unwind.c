/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stacks are followed by unwind tables and by frame pointers, and where neither says who called
 * there is a gap. The program: functions stand at multiples of 0x1000, each with a row.
 */
#include "measure/profile/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { FUNCTIONS = 16, WORDS = 64, STACK = 0x70000000 };

struct program {
  struct unwind_place places[FUNCTIONS]; /* kind CFI_NONE and frame 0: nothing is there */
};

static const struct cfi_row keeps = {
    .kind = CFI_ROW, .call = {CFI_FRAME, 16}, .back = {CFI_CALL, -8}, .frame = {CFI_CALL, -16}};
static const struct cfi_row end = {.kind = CFI_END};
static const struct cfi_row bare = {.kind = CFI_NONE};

/* A function without a frame pointer whose frame has `size` bytes. */
static struct cfi_row frameless(int size) {
  return (struct cfi_row){
      .kind = CFI_ROW, .call = {CFI_STACK, size}, .back = {CFI_CALL, -8}, .frame = {CFI_SAME, 0}};
}

static const struct unwind_place *find(void *context, uint64_t address, bool back) {
  const struct program *program = context;
  address -= back;
  size_t function = (size_t)(address / 0x1000);
  return function < FUNCTIONS && program->places[function].frame != 0 ? &program->places[function]
                                                                      : NULL;
}

static void put(struct program *program, uint32_t function, struct cfi_row row) {
  program->places[function] =
      (struct unwind_place){.row = row, .frame = function, .called = true, .calls_bare = true};
}

static uint64_t in(uint32_t function) {
  return function * UINT64_C(0x1000) + 0x10;
}

/* Samples function `leaf` with this stack, the frame pointer being its word `frame`. */
static struct unwound sample(struct program *program, uint32_t leaf, const uint64_t *stack,
                             size_t words, uint64_t frame, const uint64_t *chain, size_t count) {
  struct ring_event event = {.has_registers = true,
                             .registers = {frame, STACK, in(leaf)},
                             .stack = (const unsigned char *)stack,
                             .stack_size = words * 8};
  struct unwound unwound;
  unwind(&unwound, &event, chain, count, find, program);
  return unwound;
}

static void expect(const struct unwound *unwound, bool cut, size_t count, const uint32_t *frames) {
  assert_int_equal(unwound->cut, cut);
  assert_int_equal(unwound->count, count);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(unwound->frames[i], frames[i]);
}

#define EXPECT(unwound, cut, ...)                                                                  \
  expect(unwound, cut, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                       \
         (const uint32_t[]){__VA_ARGS__})

/* 1 (no frame) is called by 2 (keeps one), by 3 (keeps one), by 4, where programs start. The
 * kernel, which follows frame pointers, does not see 2. */
static void a_leaf_has_its_caller(void **state) {
  (void)state;
  struct program program = {0};
  put(&program, 1, frameless(8)), put(&program, 2, keeps), put(&program, 3, keeps);
  put(&program, 4, end);
  const uint64_t stack[] = {in(2), 0, STACK + 32, in(3), STACK + 48, in(4), 0};
  const uint64_t chain[] = {in(1), in(3), in(4)};
  struct unwound unwound = sample(&program, 1, stack, 7, STACK + 16, chain, 3);
  EXPECT(&unwound, false, 1, 2, 3, 4);
  unwound = sample(&program, 1, stack, 1, STACK + 16, chain, 3); /* only the first word is copied */
  EXPECT(&unwound, false, 1, 2, 3, 4);
  unwound = sample(&program, 1, stack, 0, STACK + 16, chain, 3); /* nothing is */
  EXPECT(&unwound, false, 1, UNWIND_GAP, 3, 4);
}

/* Nobody keeps a frame pointer: beyond the copy nothing is known, whatever the kernel found. */
static void the_copy_is_the_limit(void **state) {
  (void)state;
  struct program program = {0};
  put(&program, 1, frameless(8)), put(&program, 2, frameless(16)), put(&program, 3, frameless(8));
  put(&program, 4, end), put(&program, 5, frameless(8));
  const uint64_t stack[] = {in(2), 0, in(3), in(4)};
  const uint64_t chain[] = {in(1), in(5), in(5)};
  struct unwound unwound = sample(&program, 1, stack, 4, 12345, chain, 3);
  EXPECT(&unwound, false, 1, 2, 3, 4);
  unwound = sample(&program, 1, stack, 2, 12345, chain, 3);
  assert_int_equal(unwound.frames[0], 1);
  assert_int_equal(unwound.frames[1], 2);
  assert_true(unwound.cut);
  for (size_t i = 0; i < unwound.count; i++)
    assert_int_not_equal(unwound.frames[i], 5);
}

/* 2 has put something else into the register, and saved the caller's. */
static void another_use_of_the_register(void **state) {
  (void)state;
  struct program program = {0};
  struct cfi_row uses = frameless(24);
  uses.frame = (struct cfi_place){CFI_CALL, -16};
  put(&program, 1, frameless(8)), put(&program, 2, uses), put(&program, 3, keeps);
  put(&program, 4, end), put(&program, 5, keeps);
  const uint64_t stack[] = {in(2), 0, STACK + 40, in(3), 0, STACK + 56, in(4), 0};
  const uint64_t chain[] = {in(1), in(5), in(5)};
  struct unwound unwound = sample(&program, 1, stack, 8, 777, chain, 3);
  EXPECT(&unwound, false, 1, 2, 3, 4);
  unwound = sample(&program, 1, stack, 4, 777, chain, 3); /* 3's frame is beyond the copy */
  EXPECT(&unwound, true, 1, 2, 3);
}

/* 1 has no row: its frame pointer is believed where it points up the stack. */
static void code_without_a_row(void **state) {
  (void)state;
  struct program program = {0};
  put(&program, 1, bare), put(&program, 2, keeps), put(&program, 3, end);
  const uint64_t stack[] = {0, STACK + 24, in(2), STACK + 40, in(3), 0};
  const uint64_t chain[] = {in(1), in(2), in(3)};
  struct unwound unwound = sample(&program, 1, stack, 6, STACK + 8, chain, 3);
  EXPECT(&unwound, false, 1, 2, 3);
  unwound = sample(&program, 1, stack, 6, 777, chain, 3);
  EXPECT(&unwound, true, 1);
  program.places[2].calls_bare = false; /* what stands there calls something else */
  unwound = sample(&program, 1, stack, 6, STACK + 8, chain, 3);
  EXPECT(&unwound, true, 1);
}

/* 2 was interrupted by a signal, whose handler 1 returns to 3, which loads the registers: the
 * address in 2 is the very instruction, and may be its first. */
static void a_signal(void **state) {
  (void)state;
  struct program program = {0};
  struct cfi_row restores = {.kind = CFI_ROW,
                             .load = true,
                             .interrupted = true,
                             .call = {CFI_STACK, 16},
                             .back = {CFI_STACK, 8},
                             .frame = {CFI_STACK, 24}};
  put(&program, 1, frameless(8)), put(&program, 3, restores), put(&program, 2, frameless(8));
  put(&program, 4, end);
  const uint64_t stack[] = {in(3), 0, 0x2000, STACK + 48, 99, 0, in(4), 0};
  const uint64_t chain[] = {in(1)};
  struct unwound unwound = sample(&program, 1, stack, 8, 99, chain, 1);
  EXPECT(&unwound, false, 1, 3, 2, 4);
}

/* A frame that is its own caller, and stacks of random words, come to an end. */
static void nothing_goes_on_for_ever(void **state) {
  (void)state;
  struct program program = {0};
  uint64_t random = 3, stack[WORDS], chain[8];
  for (int round = 0; round < 20000; round++) {
    for (uint32_t i = 1; i < FUNCTIONS; i++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const struct cfi_row rows[] = {keeps, bare, end, frameless((int)(random >> 60) * 8 - 32)};
      put(&program, i, rows[random >> 40 & 3]);
    }
    for (size_t i = 0; i < WORDS; i++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      stack[i] = random >> 62 == 0 ? STACK + (random >> 50 & 63) * 8 : in(random >> 45 & 15);
    }
    memcpy(chain, stack + 8, sizeof chain);
    chain[0] = in(1);
    struct unwound unwound =
        sample(&program, 1, stack, WORDS, STACK + (random >> 50 & 63) * 8, chain, 8);
    assert_true(unwound.count >= 1 && unwound.count <= UNWIND_MOST);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_leaf_has_its_caller),
      cmocka_unit_test(the_copy_is_the_limit),
      cmocka_unit_test(another_use_of_the_register),
      cmocka_unit_test(code_without_a_row),
      cmocka_unit_test(a_signal),
      cmocka_unit_test(nothing_goes_on_for_ever),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
