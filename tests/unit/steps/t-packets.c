/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages to bytes and back; bytes that are no message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "steps/tp_message.h"

static uint64_t seed = 7;

static uint32_t draw(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 32);
}

static int32_t draw_field(void) {
  const int32_t special[] = {0, 1, -1, TP_INT_MAX, -TP_INT_MAX, 65535, 65536, -65536};
  if (draw() % 2 == 0)
    return special[draw() % 8];
  int64_t field = (int64_t)draw() - 2147483647;
  return field > TP_INT_MAX ? 0 : (int32_t)field;
}

static void draw_message(struct tp_message *m) {
  m->kind = (int32_t)(draw() % 256);
  for (int k = 0; k < TP_FIELDS; k++)
    m->field[k] = draw_field();
}

static void back_and_forth(void **state) {
  (void)state;
  for (int round = 0; round < 5000; round++) {
    struct tp_message m, copy;
    uint8_t bytes[TP_BYTES];
    draw_message(&m);
    tp_message_encode(bytes, &m);
    assert_true(tp_message_decode(&copy, bytes, TP_BYTES));
    assert_int_equal(m.kind, copy.kind);
    assert_memory_equal(m.field, copy.field, sizeof(m.field));
  }
}

/* The format, byte for byte: other programs and other versions read it. */
static void format(void **state) {
  (void)state;
  struct tp_message m = {.kind = 7, .field = {1, -1, 0x01020304}};
  const uint8_t expected[] = {'T', 'M', 1, 7, 1, 0,   0, 128, 255, 255,
                              255, 127, 4, 3, 2, 129, 0, 0,   0,   128};
  uint8_t bytes[TP_BYTES];
  tp_message_encode(bytes, &m);
  assert_memory_equal(bytes, expected, sizeof(expected));
}

static void refused(void **state) {
  (void)state;
  struct tp_message m, copy;
  uint8_t bytes[TP_BYTES];
  draw_message(&m);
  tp_message_encode(bytes, &m);
  for (size_t size = 0; size < TP_BYTES; size++)
    assert_false(tp_message_decode(&copy, bytes, size));
  for (int at = 0; at < 3; at++) {
    bytes[at]++;
    assert_false(tp_message_decode(&copy, bytes, TP_BYTES));
    bytes[at]--;
  }
  for (size_t k = 0; k < TP_FIELDS; k++) {
    uint8_t kept[4];
    memcpy(kept, bytes + 4 + 4 * k, 4);
    memset(bytes + 4 + 4 * k, 0, 4); /* -2^31, which is no integer of a protocol */
    assert_false(tp_message_decode(&copy, bytes, TP_BYTES));
    memcpy(bytes + 4 + 4 * k, kept, 4);
  }
  assert_true(tp_message_decode(&copy, bytes, TP_BYTES));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(back_and_forth),
      cmocka_unit_test(format),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
