/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/stamp.h"
#include "measure/core/weights.h"

#define STAMP_2_32 4294967296u

/* Four bytes, the least significant first. */
/*@ requires storage: \valid(bytes + (0 .. 3));
    requires half: half < 4294967296;
    assigns bytes[0 .. 3];
    ensures number: stamp_half(bytes) == half;
*/
static void stamp_put(uint8_t *bytes, uint64_t half) {
  bytes[0] = (uint8_t)(half % 256);
  bytes[1] = (uint8_t)(half / 256 % 256);
  bytes[2] = (uint8_t)(half / 65536 % 256);
  bytes[3] = (uint8_t)(half / 16777216 % 256);
}

/*@ requires storage: \valid_read(bytes + (0 .. 3));
    assigns \nothing;
    ensures number: \result == stamp_half(bytes);
    ensures half: 0 <= \result < 4294967296;
*/
static uint64_t stamp_get(const uint8_t *bytes) {
  return bytes[0] + bytes[1] * (uint64_t)256 + bytes[2] * (uint64_t)65536 +
         bytes[3] * (uint64_t)16777216;
}

/*@ requires storage: \valid(bytes + (0 .. 7));
    assigns bytes[0 .. 7];
    ensures number: stamp_word(bytes) == word;
*/
static void stamp_put_word(uint8_t *bytes, uint64_t word) {
  stamp_put(bytes, word % STAMP_2_32);
  stamp_put(bytes + 4, word / STAMP_2_32);
}

/*@ requires storage: \valid_read(bytes + (0 .. 7));
    assigns \nothing;
    ensures number: \result == stamp_word(bytes);
*/
static uint64_t stamp_get_word(const uint8_t *bytes) {
  return stamp_get(bytes) + stamp_get(bytes + 4) * STAMP_2_32;
}

/* The weighted sum of the ten half-words before the check, which fits in 64 bits. */
/*@ requires storage: \valid_read(bytes + (0 .. 39));
    assigns \nothing;
    ensures weighed: \result == stamp_weighed(bytes);
*/
static uint64_t stamp_check(const uint8_t *bytes) {
  uint64_t low = stamp_get(bytes) * WEIGHT_0 + stamp_get(bytes + 4) * WEIGHT_1 +
                 stamp_get(bytes + 8) * WEIGHT_2 + stamp_get(bytes + 12) * WEIGHT_3 +
                 stamp_get(bytes + 16) * WEIGHT_4;
  //@ assert half_of_them: low <= 5 * 4294967296 * 268435456;
  uint64_t high = stamp_get(bytes + 20) * WEIGHT_5 + stamp_get(bytes + 24) * WEIGHT_6 +
                  stamp_get(bytes + 28) * WEIGHT_7 + stamp_get(bytes + 32) * WEIGHT_8 +
                  stamp_get(bytes + 36) * WEIGHT_9;
  //@ assert other_half: high <= 5 * 4294967296 * 268435456;
  return low + high;
}

/*@ requires storage: \valid(bytes + (0 .. 15));
    assigns bytes[0 .. 15];
    ensures first: stamp_word(bytes) == first;
    ensures second: stamp_word(bytes + 8) == second;
*/
static void stamp_put_two(uint8_t *bytes, uint64_t first, uint64_t second) {
  stamp_put_word(bytes, first);
  stamp_put_word(bytes + 8, second);
  //@ assert kept: stamp_word(bytes) == first;
}

/*@ requires storage: \valid(bytes + (0 .. 39)) && \valid_read(stamp);
    requires distinct: \separated(bytes + (0 .. 39), stamp);
    assigns bytes[4 .. 39];
    ensures fields: stamp_fields{Here, Old}(bytes, stamp);
*/
static void stamp_put_fields(uint8_t *bytes, const struct stamp *stamp) {
  stamp_put_two(bytes + 24, stamp->question_sent, stamp->held_ns);
  stamp_put_two(bytes + 8, stamp->clock_identity, stamp->sent);
  //@ assert asked: stamp_word(bytes + 24) == stamp->question_sent;
  //@ assert held: stamp_word(bytes + 32) == stamp->held_ns;
  stamp_put(bytes + 4, stamp->question_name + stamp->name * (uint64_t)65536);
  //@ assert clock: stamp_word(bytes + 8) == stamp->clock_identity;
  //@ assert sent: stamp_word(bytes + 16) == stamp->sent;
  //@ assert still_asked: stamp_word(bytes + 24) == stamp->question_sent;
  //@ assert still_held: stamp_word(bytes + 32) == stamp->held_ns;
}

/*@ requires storage: \valid(bytes + (0 .. 47));
    assigns bytes[40 .. 47];
    ensures kept: stamp_same{Here, Old}(bytes);
    ensures check: stamp_checked(bytes);
*/
static void stamp_seal(uint8_t *bytes) {
  uint64_t check = stamp_check(bytes);
  stamp_put_word(bytes + 40, check);
  //@ assert kept: \forall integer i; 0 <= i < 40 ==> bytes[i] == \at(bytes[i], Pre);
  //@ assert word_8: stamp_word(bytes + 8) == stamp_word{Pre}(bytes + 8);
  //@ assert word_16: stamp_word(bytes + 16) == stamp_word{Pre}(bytes + 16);
  //@ assert word_24: stamp_word(bytes + 24) == stamp_word{Pre}(bytes + 24);
  //@ assert word_32: stamp_word(bytes + 32) == stamp_word{Pre}(bytes + 32);
  //@ assert half_0: stamp_half(bytes + 0) == stamp_half{Pre}(bytes + 0);
  //@ assert half_1: stamp_half(bytes + 4) == stamp_half{Pre}(bytes + 4);
  //@ assert half_2: stamp_half(bytes + 8) == stamp_half{Pre}(bytes + 8);
  //@ assert half_3: stamp_half(bytes + 12) == stamp_half{Pre}(bytes + 12);
  //@ assert half_4: stamp_half(bytes + 16) == stamp_half{Pre}(bytes + 16);
  //@ assert half_5: stamp_half(bytes + 20) == stamp_half{Pre}(bytes + 20);
  //@ assert half_6: stamp_half(bytes + 24) == stamp_half{Pre}(bytes + 24);
  //@ assert half_7: stamp_half(bytes + 28) == stamp_half{Pre}(bytes + 28);
  //@ assert half_8: stamp_half(bytes + 32) == stamp_half{Pre}(bytes + 32);
  //@ assert half_9: stamp_half(bytes + 36) == stamp_half{Pre}(bytes + 36);
}

/* All but the check. */
/*@ requires storage: \valid(bytes + (0 .. 39)) && \valid_read(stamp);
    requires distinct: \separated(bytes + (0 .. 39), stamp);
    assigns bytes[0 .. 39];
    ensures head: stamp_head(bytes);
    ensures flag: bytes[3] == (\old(stamp->answer) != 0 ? 1 : 0);
    ensures fields: stamp_fields{Here, Old}(bytes, stamp);
*/
static void stamp_put_body(uint8_t *bytes, const struct stamp *stamp) {
  bytes[0] = 'T';
  bytes[1] = 'P';
  bytes[2] = STAMP_VERSION;
  bytes[3] = stamp->answer != 0;
  stamp_put_fields(bytes, stamp);
}

void stamp_encode(uint8_t bytes[STAMP_BYTES], const struct stamp *stamp) {
  stamp_put_body(bytes, stamp);
  stamp_seal(bytes);
}

/* Whether the bytes are a stamp. */
/*@ requires storage: \valid_read(bytes + (0 .. STAMP_BYTES - 1));
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures accepted: \result == 1 <==> stamp_accepted(bytes);
*/
static int stamp_accept(const uint8_t *bytes) {
  return bytes[0] == 'T' && bytes[1] == 'P' && bytes[2] == STAMP_VERSION &&
         stamp_get_word(bytes + 40) == stamp_check(bytes) &&
         (bytes[3] == 1 || (bytes[3] == 0 && stamp_get(bytes + 4) % 65536 == 0 &&
                            stamp_get_word(bytes + 24) == 0 && stamp_get_word(bytes + 32) == 0));
}

int stamp_decode(struct stamp *stamp, const uint8_t bytes[STAMP_BYTES]) {
  if (!stamp_accept(bytes))
    return 0;
  uint64_t names = stamp_get(bytes + 4);
  uint64_t clock_identity = stamp_get_word(bytes + 8);
  uint64_t sent = stamp_get_word(bytes + 16);
  uint64_t question_sent = stamp_get_word(bytes + 24);
  uint64_t held_ns = stamp_get_word(bytes + 32);
  stamp->answer = bytes[3];
  stamp->question_name = (uint16_t)(names % 65536);
  stamp->name = (uint16_t)(names / 65536);
  stamp->clock_identity = clock_identity;
  stamp->sent = sent;
  stamp->question_sent = question_sent;
  stamp->held_ns = held_ns;
  return 1;
}
