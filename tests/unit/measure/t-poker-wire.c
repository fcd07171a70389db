/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Connections between pausers: what one side seals the other takes, in pieces of any size; any
 * flipped bit, and every frame that is left out, sent twice, out of order, sent back, recorded on
 * another connection or sealed with another key, breaks the connection for good.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/poker/wire.h"
#include "tests/unit/measure/core_random.h"

static const uint8_t key[] = "sixteen bytes and more", other_key[] = "sixteen bytes and mort";

struct pair {
  struct wire asker, answerer;
};

static enum wire_result give(struct wire *wire, const uint8_t frame[WIRE_FRAME],
                             struct poke *poke) {
  size_t used = 0;
  enum wire_result result = wire_take(wire, frame, WIRE_FRAME, &used, poke);
  if (result != WIRE_BROKEN)
    assert_int_equal(used, WIRE_FRAME);
  return result;
}

static void begin(struct wire *wire, enum wire_side side, const uint8_t *with) {
  uint64_t nonce[2] = {core_random(), core_random()};
  wire_init(wire, side, with, sizeof key - 1, nonce);
}

/* The frames of both greetings; neither is delivered. */
static void greet(struct pair *pair, uint8_t asks[WIRE_FRAME], uint8_t answers[WIRE_FRAME]) {
  begin(&pair->asker, WIRE_ASKER, key);
  begin(&pair->answerer, WIRE_ANSWERER, key);
  wire_greet(&pair->asker, "web", asks);
  wire_greet(&pair->answerer, "cart", answers);
}

static void open_pair(struct pair *pair) {
  uint8_t asks[WIRE_FRAME], answers[WIRE_FRAME];
  struct poke poke;
  greet(pair, asks, answers);
  assert_int_equal(give(&pair->answerer, asks, &poke), WIRE_MESSAGE);
  assert_int_equal(poke.kind, POKE_HELLO);
  assert_int_equal(give(&pair->asker, answers, &poke), WIRE_MESSAGE);
  assert_true(wire_is_open(&pair->asker) && wire_is_open(&pair->answerer));
  assert_string_equal(pair->asker.peer, "cart");
  assert_string_equal(pair->answerer.peer, "web");
}

static struct poke any(void) {
  struct poke poke = {
      .kind = POKE_ROUND, .epoch = core_random_word(), .number = core_random_word()};
  poke.count = (uint32_t)(core_random() % (POKE_VALUES + 1));
  for (uint32_t i = 0; i < poke.count; i++)
    poke.values[i] = core_random_word();
  return poke;
}

static void seal(struct wire *wire, uint8_t frame[WIRE_FRAME]) {
  struct poke poke = any();
  assert_true(wire_seal(wire, &poke, frame));
}

static void broken(struct wire *wire, const uint8_t frame[WIRE_FRAME], enum wire_trouble trouble) {
  struct poke poke;
  struct wire before = *wire;
  assert_int_equal(give(wire, frame, &poke), WIRE_BROKEN);
  assert_int_equal(wire->trouble, trouble);
  assert_true(wire_explain(wire)[0] != '\0');
  assert_int_equal(wire->taken, before.taken);
  /* for good: not even a right frame is taken, nor is one made */
  uint8_t out[WIRE_FRAME];
  struct poke round = any();
  assert_int_equal(give(wire, frame, &poke), WIRE_BROKEN);
  assert_false(wire_seal(wire, &round, out));
  assert_false(wire_is_open(wire));
}

/* --- */

static void seal_is_the_standard(void **state) { /* RFC 4231, test case 2 */
  (void)state;
  static const uint8_t expected[SEAL_BYTES] = {0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e,
                                               0x6a, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xc7,
                                               0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27, 0x39, 0x83,
                                               0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43};
  uint8_t got[SEAL_BYTES];
  seal_compute(got, "Jefe", 4, "what do ya want ", 16, "for nothing?", 12);
  assert_memory_equal(got, expected, SEAL_BYTES);
  assert_true(seal_equal(got, expected));
  for (int i = 0; i < 8 * SEAL_BYTES; i++) {
    got[i / 8] ^= (uint8_t)(1 << i % 8);
    assert_false(seal_equal(got, expected));
    got[i / 8] ^= (uint8_t)(1 << i % 8);
  }
}

static void said_is_taken(void **state) {
  (void)state;
  struct pair pair;
  open_pair(&pair);
  for (int i = 0; i < 2000; i++) {
    bool forth = core_random() % 2 == 0;
    struct poke poke = any(), copy;
    uint8_t frame[WIRE_FRAME];
    assert_true(wire_seal(forth ? &pair.asker : &pair.answerer, &poke, frame));
    assert_int_equal(give(forth ? &pair.answerer : &pair.asker, frame, &copy), WIRE_MESSAGE);
    assert_true(copy.kind == poke.kind && copy.count == poke.count && copy.epoch == poke.epoch &&
                copy.number == poke.number && copy.sequence == poke.sequence);
    assert_memory_equal(copy.values, poke.values, sizeof poke.values);
    assert_memory_equal(copy.text, poke.text, sizeof poke.text);
  }
}

/* A stream of frames cut anywhere gives the same messages. */
static void pieces_of_any_size(void **state) {
  (void)state;
  enum { FRAMES = 40 };
  static uint8_t stream[FRAMES * WIRE_FRAME];
  for (int round = 0; round < 50; round++) {
    struct pair pair;
    open_pair(&pair);
    for (int i = 0; i < FRAMES; i++) {
      struct poke poke = {.kind = POKE_ASK, .number = (uint64_t)i};
      assert_true(wire_seal(&pair.asker, &poke, stream + i * WIRE_FRAME));
    }
    uint64_t next = 0;
    for (size_t at = 0; at < sizeof stream;) {
      size_t most = 1 + core_random() % (round % 2 == 0 ? 7 : 3 * WIRE_FRAME);
      size_t size = sizeof stream - at < most ? sizeof stream - at : most, used = 0;
      struct poke poke;
      enum wire_result result = wire_take(&pair.answerer, stream + at, size, &used, &poke);
      at += used;
      assert_true(result == WIRE_MESSAGE || (result == WIRE_MORE && used == size));
      if (result == WIRE_MESSAGE)
        assert_int_equal(poke.number, next++);
    }
    assert_int_equal(next, FRAMES);
    assert_int_equal(pair.answerer.held, 0);
  }
}

static void flips_are_noticed(void **state) {
  (void)state;
  struct pair pair;
  uint8_t asks[WIRE_FRAME], answers[WIRE_FRAME], frame[WIRE_FRAME];
  greet(&pair, asks, answers);
  for (int bit = 0; bit < 8 * WIRE_FRAME; bit++) {
    struct wire copy = pair.answerer;
    asks[bit / 8] ^= (uint8_t)(1 << bit % 8);
    broken(&copy, asks, WIRE_FORGED);
    asks[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  open_pair(&pair);
  seal(&pair.asker, frame);
  for (int bit = 0; bit < 8 * WIRE_FRAME; bit++) {
    struct wire copy = pair.answerer;
    frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
    broken(&copy, frame, WIRE_FORGED);
    frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  struct poke poke;
  assert_int_equal(give(&pair.answerer, frame, &poke), WIRE_MESSAGE);
}

static void order_is_kept(void **state) {
  (void)state;
  struct pair pair;
  uint8_t frames[3][WIRE_FRAME];
  struct poke poke;
  open_pair(&pair);
  for (int i = 0; i < 3; i++)
    seal(&pair.asker, frames[i]);
  struct wire left_out = pair.answerer;
  broken(&left_out, frames[1], WIRE_SEQUENCE);
  assert_int_equal(give(&pair.answerer, frames[0], &poke), WIRE_MESSAGE);
  struct wire twice = pair.answerer;
  broken(&twice, frames[0], WIRE_SEQUENCE);
  struct wire swapped = pair.answerer;
  broken(&swapped, frames[2], WIRE_SEQUENCE);
  assert_int_equal(give(&pair.answerer, frames[1], &poke), WIRE_MESSAGE);
  assert_int_equal(give(&pair.answerer, frames[2], &poke), WIRE_MESSAGE);
}

/* A frame of which the end is lost takes the beginning of the next for it. */
static void truncation_is_noticed(void **state) {
  (void)state;
  for (size_t lost = 1; lost < WIRE_FRAME; lost += 17) {
    struct pair pair;
    uint8_t frames[2][WIRE_FRAME];
    struct poke poke;
    size_t used;
    open_pair(&pair);
    seal(&pair.asker, frames[0]);
    seal(&pair.asker, frames[1]);
    assert_int_equal(wire_take(&pair.answerer, frames[0], WIRE_FRAME - lost, &used, &poke),
                     WIRE_MORE);
    assert_int_equal(wire_take(&pair.answerer, frames[1], WIRE_FRAME, &used, &poke), WIRE_BROKEN);
    assert_int_equal(pair.answerer.trouble, WIRE_FORGED);
  }
}

static void reflection_is_noticed(void **state) {
  (void)state;
  struct pair pair;
  uint8_t asks[WIRE_FRAME], answers[WIRE_FRAME], frame[WIRE_FRAME];
  greet(&pair, asks, answers);
  broken(&pair.asker, asks, WIRE_FORGED);
  broken(&pair.answerer, answers, WIRE_FORGED);
  open_pair(&pair);
  seal(&pair.asker, frame);
  broken(&pair.asker, frame, WIRE_FORGED);
  /* Who greets with the other's own nonce is refused even in the right direction. */
  struct pair same;
  uint64_t nonce[2] = {1, 2};
  wire_init(&same.asker, WIRE_ASKER, key, sizeof key - 1, nonce);
  wire_init(&same.answerer, WIRE_ANSWERER, key, sizeof key - 1, nonce);
  wire_greet(&same.asker, "web", asks);
  wire_greet(&same.answerer, "cart", answers);
  broken(&same.answerer, asks, WIRE_GREETING);
}

static void recordings_are_of_no_use(void **state) {
  (void)state;
  struct pair recorded, now;
  uint8_t asks[WIRE_FRAME], answers[WIRE_FRAME], frame[WIRE_FRAME], mine[WIRE_FRAME];
  struct poke poke;
  greet(&recorded, asks, answers);
  assert_int_equal(give(&recorded.asker, answers, &poke), WIRE_MESSAGE);
  seal(&recorded.asker, frame);
  begin(&now.answerer, WIRE_ANSWERER, key);
  wire_greet(&now.answerer, "cart", mine);
  assert_int_equal(give(&now.answerer, asks, &poke), WIRE_MESSAGE); /* a greeting is no proof */
  broken(&now.answerer, frame, WIRE_FORGED);
}

static void another_key(void **state) {
  (void)state;
  struct pair pair;
  uint8_t frame[WIRE_FRAME];
  for (int i = 0; i < 3; i++) {
    uint64_t nonce[2] = {core_random(), core_random()};
    begin(&pair.answerer, WIRE_ANSWERER, key);
    /* one byte differs, one byte less, none */
    wire_init(&pair.asker, WIRE_ASKER,
              i == 0   ? other_key
              : i == 1 ? key
                       : (const uint8_t *)"",
              i == 0   ? sizeof key - 1
              : i == 1 ? sizeof key - 2
                       : 0,
              nonce);
    wire_greet(&pair.asker, "web", frame);
    broken(&pair.answerer, frame, WIRE_FORGED);
  }
}

/* A message that has the right seal and is none: of who has the key and another version. */
static void sealed_garbage(void **state) {
  (void)state;
  struct pair pair;
  uint8_t frame[WIRE_FRAME];
  open_pair(&pair);
  seal(&pair.asker, frame);
  for (int i = 0; i < POKE_BYTES; i++) {
    struct wire copy = pair.answerer;
    uint8_t direction = 'a', changed[WIRE_FRAME];
    struct poke poke;
    memcpy(changed, frame, WIRE_FRAME);
    changed[i] = (uint8_t)~changed[i];
    seal_compute(changed + POKE_BYTES, copy.session, SEAL_BYTES, &direction, 1, changed,
                 POKE_BYTES);
    if (i < 8)
      broken(&copy, changed, WIRE_GARBAGE);
    else if (i < 16)
      broken(&copy, changed, WIRE_SEQUENCE);
    else if (i >= 160)
      broken(&copy, changed, WIRE_GARBAGE);
    else /* epoch and number may be any, values only where there are some */
      assert_int_equal(give(&copy, changed, &poke) == WIRE_MESSAGE, copy.trouble == WIRE_GOOD);
  }
}

static void greetings_come_once_and_first(void **state) {
  (void)state;
  struct pair pair;
  uint8_t asks[WIRE_FRAME], answers[WIRE_FRAME], frame[WIRE_FRAME];
  struct poke poke = any(), hello = {.kind = POKE_HELLO, .count = 2};
  greet(&pair, asks, answers);
  assert_false(wire_seal(&pair.asker, &poke, frame)); /* the other has not greeted */
  open_pair(&pair);
  assert_false(wire_seal(&pair.asker, &hello, frame));
  struct poke wrong = {.kind = POKE_ROUND, .count = POKE_VALUES + 1};
  assert_false(wire_seal(&pair.asker, &wrong, frame));
  seal(&pair.asker, frame); /* and the refused ones have taken no number */
  assert_int_equal(give(&pair.answerer, frame, &poke), WIRE_MESSAGE);
  assert_int_equal(poke.sequence, 1);
  /* before one's own greeting nothing of a session can be read */
  begin(&pair.asker, WIRE_ASKER, key);
  begin(&pair.answerer, WIRE_ANSWERER, key);
  wire_greet(&pair.asker, "web", asks);
  assert_int_equal(give(&pair.answerer, asks, &poke), WIRE_MESSAGE);
  broken(&pair.answerer, asks, WIRE_GREETING);
}

static void random_bytes(void **state) {
  (void)state;
  for (int i = 0; i < 2000; i++) {
    struct pair pair;
    uint8_t bytes[3 * WIRE_FRAME];
    struct poke poke;
    size_t used;
    open_pair(&pair);
    for (size_t k = 0; k < sizeof bytes; k++)
      bytes[k] = (uint8_t)core_random();
    assert_int_equal(wire_take(&pair.answerer, bytes, sizeof bytes, &used, &poke), WIRE_BROKEN);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seal_is_the_standard),
      cmocka_unit_test(said_is_taken),
      cmocka_unit_test(pieces_of_any_size),
      cmocka_unit_test(flips_are_noticed),
      cmocka_unit_test(order_is_kept),
      cmocka_unit_test(truncation_is_noticed),
      cmocka_unit_test(reflection_is_noticed),
      cmocka_unit_test(recordings_are_of_no_use),
      cmocka_unit_test(another_key),
      cmocka_unit_test(sealed_garbage),
      cmocka_unit_test(greetings_come_once_and_first),
      cmocka_unit_test(random_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
