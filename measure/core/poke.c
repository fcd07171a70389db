/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/poke.h"

/* Four bytes, the least significant first. */
/*@ requires storage: \valid(bytes + (0 .. 3));
    requires half: half < 4294967296;
    assigns bytes[0 .. 3];
    ensures half: poke_half(bytes) == half;
*/
static void poke_put_half(uint8_t *bytes, uint64_t half) {
  bytes[0] = (uint8_t)(half % 256);
  bytes[1] = (uint8_t)(half / 256 % 256);
  bytes[2] = (uint8_t)(half / 65536 % 256);
  bytes[3] = (uint8_t)(half / 16777216);
}

/*@ requires storage: \valid(bytes + (0 .. 7));
    assigns bytes[0 .. 7];
    ensures number: poke_number(bytes) == number;
*/
static void poke_put(uint8_t *bytes, uint64_t number) {
  poke_put_half(bytes, number % 4294967296);
  poke_put_half(bytes + 4, number / 4294967296);
}

/*@ requires storage: \valid_read(bytes + (0 .. 3));
    assigns \nothing;
    ensures half: \result == poke_half(bytes);
    ensures range: \result < 4294967296;
*/
static uint64_t poke_get_half(const uint8_t *bytes) {
  return bytes[0] + bytes[1] * (uint64_t)256 + bytes[2] * (uint64_t)65536 +
         bytes[3] * (uint64_t)16777216;
}

/*@ requires storage: \valid_read(bytes + (0 .. 7));
    assigns \nothing;
    ensures number: \result == poke_number(bytes);
*/
static uint64_t poke_get(const uint8_t *bytes) {
  return poke_get_half(bytes) + poke_get_half(bytes + 4) * 4294967296;
}

/*@ requires storage: \valid_read(values + (0 .. POKE_VALUES - 1));
    requires count: count <= POKE_VALUES;
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures zeros: \result == 1 <==> poke_zeros(values, count);
*/
static int poke_values_end(const uint64_t values[], uint32_t count) {
  /*@ loop invariant range: count <= i <= POKE_VALUES;
      loop invariant zeros: \forall integer j; count <= j < i ==> values[j] == 0;
      loop assigns i;
      loop variant POKE_VALUES - i;
  */
  for (uint32_t i = count; i < POKE_VALUES; i++)
    if (values[i] != 0)
      return 0;
  return 1;
}

/*@ requires storage: \valid_read(text + (0 .. POKE_TEXT - 1));
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures text: \result == 1 <==> poke_text(text);
*/
static int poke_text_ends(const char text[]) {
  uint32_t used = 0;
  /*@ loop invariant range: 0 <= used < POKE_TEXT;
      loop invariant visible: \forall integer j; 0 <= j < used ==> poke_visible(text[j]);
      loop assigns used;
      loop variant POKE_TEXT - used;
  */
  while (used < POKE_TEXT - 1 && text[used] > 32 && text[used] < 127)
    used++;
  /*@ loop invariant range: used <= i <= POKE_TEXT;
      loop invariant zeros: \forall integer j; used <= j < i ==> text[j] == 0;
      loop assigns i;
      loop variant POKE_TEXT - i;
  */
  for (uint32_t i = used; i < POKE_TEXT; i++)
    if (text[i] != 0)
      return 0;
  return 1;
}

int poke_check(const struct poke *poke) {
  return poke->kind >= POKE_HELLO && poke->kind <= POKE_REFUSE && poke->count <= POKE_VALUES &&
         poke_values_end(poke->values, poke->count) && poke_text_ends(poke->text);
}

/*@ requires storage: \valid(bytes + (0 .. 8 * POKE_VALUES - 1)) &&
      \valid_read(values + (0 .. POKE_VALUES - 1));
    requires distinct: \separated(bytes + (0 .. 8 * POKE_VALUES - 1),
      values + (0 .. POKE_VALUES - 1));
    assigns bytes[0 .. 8 * POKE_VALUES - 1];
    ensures values: poke_values{Here, Old}(bytes, values);
*/
static void poke_put_values(uint8_t *bytes, const uint64_t values[]) {
  /*@ loop invariant range: 0 <= i <= POKE_VALUES;
      loop invariant values: \forall integer j; 0 <= j < i ==>
        poke_number(bytes + 8 * j) == values[j];
      loop assigns i, bytes[0 .. 8 * POKE_VALUES - 1];
      loop variant POKE_VALUES - i;
  */
  for (uint32_t i = 0; i < POKE_VALUES; i++) {
    poke_put(bytes + 8 * i, values[i]);
    /*@ assert kept: \forall integer k; 0 <= k < 8 * i ==>
          bytes[k] == \at(bytes[k], LoopCurrent); */
  }
}

/*@ requires storage: \valid(bytes + (0 .. POKE_TEXT - 1)) &&
      \valid_read(text + (0 .. POKE_TEXT - 1));
    requires distinct: \separated(bytes + (0 .. POKE_TEXT - 1), text + (0 .. POKE_TEXT - 1));
    requires text: poke_text(text);
    assigns bytes[0 .. POKE_TEXT - 1];
    ensures characters: poke_characters{Here, Old}(bytes, text);
*/
static void poke_put_text(uint8_t *bytes, const char text[]) {
  /*@ loop invariant range: 0 <= i <= POKE_TEXT;
      loop invariant text: \forall integer j; 0 <= j < i ==> bytes[j] == text[j];
      loop assigns i, bytes[0 .. POKE_TEXT - 1];
      loop variant POKE_TEXT - i;
  */
  for (uint32_t i = 0; i < POKE_TEXT; i++)
    bytes[i] = (uint8_t)text[i];
}

void poke_encode(uint8_t bytes[POKE_BYTES], const struct poke *poke) {
  poke_put_text(bytes + 160, poke->text);
  poke_put_values(bytes + 32, poke->values);
  poke_put(bytes + 24, poke->number);
  poke_put(bytes + 16, poke->epoch);
  poke_put(bytes + 8, poke->sequence);
  poke_put_half(bytes + 4, poke->count);
  bytes[3] = poke->kind;
  bytes[2] = POKE_VERSION;
  bytes[1] = 'K';
  bytes[0] = 'T';
}

/*@ requires storage: \valid_read(bytes + (0 .. 8 * POKE_VALUES - 1)) &&
      \valid(values + (0 .. POKE_VALUES - 1));
    requires distinct: \separated(bytes + (0 .. 8 * POKE_VALUES - 1),
      values + (0 .. POKE_VALUES - 1));
    assigns values[0 .. POKE_VALUES - 1];
    ensures values: poke_values{Old, Here}(bytes, values);
*/
static void poke_get_values(uint64_t values[], const uint8_t *bytes) {
  /*@ loop invariant range: 0 <= i <= POKE_VALUES;
      loop invariant values: \forall integer j; 0 <= j < i ==>
        poke_number{Pre}(bytes + 8 * j) == values[j];
      loop assigns i, values[0 .. POKE_VALUES - 1];
      loop variant POKE_VALUES - i;
  */
  for (uint32_t i = 0; i < POKE_VALUES; i++)
    values[i] = poke_get(bytes + 8 * i);
}

/* A byte that is no ASCII becomes a 1, which no text may have. */
/*@ requires storage: \valid_read(bytes + (0 .. POKE_TEXT - 1)) &&
      \valid(text + (0 .. POKE_TEXT - 1));
    requires distinct: \separated(bytes + (0 .. POKE_TEXT - 1), text + (0 .. POKE_TEXT - 1));
    assigns text[0 .. POKE_TEXT - 1];
    ensures characters: \forall integer i; 0 <= i < POKE_TEXT ==>
      text[i] == (\old(bytes[i]) < 128 ? \old(bytes[i]) : 1);
*/
static void poke_get_text(char text[], const uint8_t *bytes) {
  /*@ loop invariant range: 0 <= i <= POKE_TEXT;
      loop invariant text: \forall integer j; 0 <= j < i ==>
        text[j] == (bytes[j] < 128 ? bytes[j] : 1);
      loop assigns i, text[0 .. POKE_TEXT - 1];
      loop variant POKE_TEXT - i;
  */
  for (uint32_t i = 0; i < POKE_TEXT; i++)
    text[i] = bytes[i] < 128 ? (char)bytes[i] : 1;
}

int poke_decode(struct poke *poke, const uint8_t *bytes, uint64_t size) {
  if (size != POKE_BYTES || bytes[0] != 'T' || bytes[1] != 'K' || bytes[2] != POKE_VERSION)
    return 0;
  poke->count = (uint32_t)poke_get_half(bytes + 4);
  poke->sequence = poke_get(bytes + 8);
  poke->epoch = poke_get(bytes + 16);
  poke->number = poke_get(bytes + 24);
  poke_get_values(poke->values, bytes + 32);
  poke_get_text(poke->text, bytes + 160);
  poke->kind = bytes[3];
  return poke_check(poke);
}

#ifdef __FRAMAC__
/* decode(encode(x)) = x. */
/*@ requires storage: \valid(bytes + (0 .. POKE_BYTES - 1)) && \valid_read(poke) && \valid(copy);
    requires distinct: \separated(bytes + (0 .. POKE_BYTES - 1), poke, copy);
    requires fits: poke_fits(poke);
    assigns bytes[0 .. POKE_BYTES - 1], *copy;
    ensures decoded: \result == 1;
    ensures same: poke_same{Here, Old}(copy, poke);
*/
static int poke_roundtrip(uint8_t *bytes, const struct poke *poke, struct poke *copy) {
  poke_encode(bytes, poke);
  return poke_decode(copy, bytes, POKE_BYTES);
}
#endif
