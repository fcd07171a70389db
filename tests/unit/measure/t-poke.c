/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages of pausers: what is encoded is decoded; every change of a byte that makes no message is
 * refused, each other one is the message that the bytes say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/core/poke.h"
#include "tests/unit/measure/core_random.h"

static struct poke poke_random(void) {
  struct poke poke = {.kind = (uint8_t)(POKE_HELLO + core_random() % POKE_REFUSE),
                      .count = (uint32_t)(core_random() % (POKE_VALUES + 1)),
                      .sequence = core_random_word(),
                      .epoch = core_random_word(),
                      .number = core_random_word()};
  for (uint32_t i = 0; i < poke.count; i++)
    poke.values[i] = core_random_word();
  uint64_t length = core_random() % POKE_TEXT;
  for (uint64_t i = 0; i < length; i++)
    poke.text[i] = (char)(33 + core_random() % 94);
  return poke;
}

static void pokes_equal(const struct poke *a, const struct poke *b) {
  assert_true(a->kind == b->kind && a->count == b->count && a->sequence == b->sequence);
  assert_true(a->epoch == b->epoch && a->number == b->number);
  assert_memory_equal(a->values, b->values, sizeof a->values);
  assert_memory_equal(a->text, b->text, sizeof a->text);
}

static void comes_back(void **state) {
  (void)state;
  for (int i = 0; i < 20000; i++) {
    struct poke poke = poke_random(), copy;
    uint8_t bytes[POKE_BYTES];
    memset(bytes, 0xa5, sizeof bytes);
    assert_int_equal(poke_check(&poke), 1);
    poke_encode(bytes, &poke);
    assert_int_equal(poke_decode(&copy, bytes, POKE_BYTES), 1);
    pokes_equal(&poke, &copy);
  }
}

static void places_are_as_documented(void **state) {
  (void)state;
  struct poke poke = {.kind = POKE_REPORT,
                      .count = 2,
                      .sequence = 0x0102030405060708,
                      .epoch = 0x1112131415161718,
                      .number = 0x2122232425262728,
                      .values = {0x3132333435363738, 0xf1f2f3f4f5f6f7f8},
                      .text = "shop:1"};
  const uint8_t head[48] = {'T',  'K',  1,    7,    2,    0,    0,    0,    8,    7,    6,    5,
                            4,    3,    2,    1,    0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
                            0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, 0x38, 0x37, 0x36, 0x35,
                            0x34, 0x33, 0x32, 0x31, 0xf8, 0xf7, 0xf6, 0xf5, 0xf4, 0xf3, 0xf2, 0xf1};
  uint8_t bytes[POKE_BYTES];
  poke_encode(bytes, &poke);
  assert_memory_equal(bytes, head, sizeof head);
  for (int i = 48; i < 160; i++)
    assert_int_equal(bytes[i], 0);
  assert_memory_equal(bytes + 160, poke.text, POKE_TEXT);
}

/* Every byte of a message set to every value: exactly what the header allows is a message, and then
 * it is encoded to these bytes. */
static void changed_bytes(void **state) {
  (void)state;
  for (int run = 0; run < 10; run++) {
    struct poke poke = poke_random(), copy;
    uint8_t bytes[POKE_BYTES], again[POKE_BYTES];
    poke_encode(bytes, &poke);
    for (uint32_t at = 0; at < POKE_BYTES; at++) {
      uint8_t before = bytes[at];
      for (uint32_t value = 0; value < 256; value++) {
        bytes[at] = (uint8_t)value;
        int accepted = poke_decode(&copy, bytes, POKE_BYTES);
        if (at < 3)
          assert_int_equal(accepted, value == before);
        if (at == 3)
          assert_int_equal(accepted, 1 <= value && value <= 8);
        if ((at >= 8 && at < 32) || (at >= 32 && at < 32 + 8 * poke.count))
          assert_int_equal(accepted, 1);
        if (at >= 32 + 8 * poke.count && at < 160)
          assert_int_equal(accepted, value == 0);
        if (at >= 160 && value != 0 && (value <= 32 || value >= 127))
          assert_int_equal(accepted, 0);
        if (at == POKE_BYTES - 1)
          assert_int_equal(accepted, value == 0);
        if (accepted) {
          poke_encode(again, &copy);
          assert_memory_equal(again, bytes, POKE_BYTES);
        }
      }
      bytes[at] = before;
    }
  }
}

static void refused_fields(void **state) {
  (void)state;
  struct poke poke = {.kind = POKE_HELLO, .text = "a"};
  uint8_t bytes[POKE_BYTES + 1];
  struct poke copy;
  assert_int_equal(poke_check(&poke), 1);
  poke_encode(bytes, &poke);
  assert_int_equal(poke_decode(&copy, bytes, POKE_BYTES - 1), 0);
  assert_int_equal(poke_decode(&copy, bytes, POKE_BYTES + 1), 0);
  assert_int_equal(poke_decode(&copy, bytes, 0), 0);
  poke.text[2] = 'b'; /* after a zero */
  assert_int_equal(poke_check(&poke), 0);
  poke.text[1] = ' ';
  assert_int_equal(poke_check(&poke), 0);
  memset(poke.text, 'x', sizeof poke.text); /* no end */
  assert_int_equal(poke_check(&poke), 0);
  poke.text[POKE_TEXT - 1] = 0;
  assert_int_equal(poke_check(&poke), 1);
  poke.count = POKE_VALUES + 1;
  assert_int_equal(poke_check(&poke), 0);
  poke.count = POKE_VALUES - 1;
  poke.values[POKE_VALUES - 1] = 1;
  assert_int_equal(poke_check(&poke), 0);
  poke.count = POKE_VALUES;
  assert_int_equal(poke_check(&poke), 1);
  poke.kind = 0;
  assert_int_equal(poke_check(&poke), 0);
  poke.kind = POKE_REFUSE + 1;
  assert_int_equal(poke_check(&poke), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comes_back),
      cmocka_unit_test(places_are_as_documented),
      cmocka_unit_test(changed_bytes),
      cmocka_unit_test(refused_fields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
