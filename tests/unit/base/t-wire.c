/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The wire format of protocol buffers: what is a message, what is none, and where it breaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/wire.h"

#define BYTES(text) ((struct slice){text, sizeof(text) - 1})

static void kinds(void **unused) {
  (void)unused;
  /* written by hand from the encoding's description */
  struct wire_message wire = {.left = BYTES("\x08\x96\x01"
                                            "\x12\x03"
                                            "abc"
                                            "\x19\x00\x00\x00\x00\x00\x00\xf0\x3f"
                                            "\x25\x01\x02\x00\x00")};
  struct wire_field field;
  assert_true(wire_next(&wire, &field));
  assert_true(field.number == 1 && field.kind == WIRE_NUMBER && field.value == 150);
  assert_true(wire_next(&wire, &field));
  assert_true(field.number == 2 && field.kind == WIRE_BYTES && slice_is(field.bytes, "abc"));
  assert_true(wire_next(&wire, &field));
  assert_true(field.number == 3 && field.kind == WIRE_FIXED64 && wire_double(field.value) == 1.0);
  assert_true(wire_next(&wire, &field));
  assert_true(field.number == 4 && field.kind == WIRE_FIXED32 && field.value == 0x201);
  assert_false(wire_next(&wire, &field));
  assert_false(wire.broken);
}

/* As many bytes as are given are what is read of them, with nothing behind for a sanitizer. */
static size_t broken_at(struct slice bytes) {
  char *copy = mem_copy_text(bytes.start, bytes.length);
  struct wire_message wire = {.left = {copy, bytes.length}};
  struct wire_field field;
  while (wire_next(&wire, &field))
    continue;
  size_t at = wire.broken ? (size_t)(wire.left.start - copy) : SIZE_MAX;
  mem_free(copy);
  return at;
}

static void breaks(void **unused) {
  (void)unused;
  assert_int_equal(broken_at(BYTES("")), SIZE_MAX);
  assert_int_equal(broken_at(BYTES("\x08\x01\x08")), 3); /* cut */
  assert_int_equal(broken_at(BYTES("\x08\x80")), 2);     /* cut */
  assert_int_equal(broken_at(BYTES("\x12\x05"
                                   "abcd")),
                   2); /* beyond */
  assert_int_equal(broken_at(BYTES("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")), 11);
  assert_int_equal(broken_at(BYTES("\x19\x00\x00\x00\x00\x00\x00\xf0")), 1); /* 7 of 8 */
  assert_int_equal(broken_at(BYTES("\x0b")), 1);                             /* a group */
  assert_int_equal(broken_at(BYTES("\x00\x01")), 1);                         /* field 0 */
  assert_int_equal(broken_at(BYTES("\x80\x80\x80\x80\x80\x01\x00")), 6);     /* 2^32 */
  assert_int_equal(broken_at(BYTES("\xf8\xff\xff\xff\x0f\x01")), SIZE_MAX);  /* 2^29 - 1 */
  /* the 64th bit is the last */
  assert_int_equal(broken_at(BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")), SIZE_MAX);
  assert_int_equal(broken_at(BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02")), 10);
  assert_int_equal(broken_at(BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00")), 10);
}

static void numbers(void **unused) {
  (void)unused;
  static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT64_MAX >> 1, UINT64_MAX};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    struct text text;
    text_init(&text);
    wire_put_number(&text, 7, values[i]);
    struct wire_message wire = {.left = {text_get(&text), text.length}};
    struct wire_field field;
    assert_true(wire_next(&wire, &field));
    assert_true(field.number == 7 && field.value == values[i] && wire.left.length == 0);
    text_clear(&text);
  }
  assert_true(wire_signed(0) == 0 && wire_signed(1) == -1 && wire_signed(2) == 1);
  assert_true(wire_signed(UINT64_MAX) == INT64_MIN && wire_signed(UINT64_MAX - 1) == INT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds),
      cmocka_unit_test(breaks),
      cmocka_unit_test(numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
