/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/core/poke.h"

/* Four bytes at a place, the least significant first. */
/*@ requires storage: \valid(bytes + (0 .. at + 3)) && at < POKE_BYTES;
    requires half: half < 4294967296;
    assigns bytes[at .. at + 3];
    ensures half: poke_half(bytes, at) == half;
    ensures kept: poke_kept{Here, Old}(bytes, at);
*/
static void poke_put_half(uint8_t *bytes, uint32_t at, uint64_t half) {
  uint8_t *place = bytes + at;
  uint64_t second = half / 256, third = second / 256, fourth = third / 256;
  place[0] = (uint8_t)(half % 256);
  place[1] = (uint8_t)(second % 256);
  place[2] = (uint8_t)(third % 256);
  place[3] = (uint8_t)fourth;
}

/*@ requires storage: \valid(bytes + (0 .. at + 7)) && at < POKE_BYTES - 4;
    assigns bytes[at .. at + 7];
    ensures number: poke_number(bytes, at) == number;
    ensures kept: poke_kept{Here, Old}(bytes, at);
*/
static void poke_put(uint8_t *bytes, uint32_t at, uint64_t number) {
  poke_put_half(bytes, at, number % 4294967296);
  poke_put_half(bytes, at + 4, number / 4294967296);
}

/*@ requires storage: \valid_read(bytes + (0 .. at + 3)) && at < POKE_BYTES;
    assigns \nothing;
    ensures half: \result == poke_half(bytes, at);
    ensures range: \result < 4294967296;
*/
static uint64_t poke_get_half(const uint8_t *bytes, uint32_t at) {
  return bytes[at] + bytes[at + 1] * (uint64_t)256 + bytes[at + 2] * (uint64_t)65536 +
         bytes[at + 3] * (uint64_t)16777216;
}

/*@ requires storage: \valid_read(bytes + (0 .. at + 7)) && at < POKE_BYTES - 4;
    assigns \nothing;
    ensures number: \result == poke_number(bytes, at);
*/
static uint64_t poke_get(const uint8_t *bytes, uint32_t at) {
  return poke_get_half(bytes, at) + poke_get_half(bytes, at + 4) * 4294967296;
}

/*@ requires storage: \valid_read(poke);
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures zeros: \result == 1 <==> poke_zeros(poke, poke->count);
*/
static int poke_values_end(const struct poke *poke) {
  /*@ loop invariant start: poke->count <= i;
      loop invariant zeros: \forall integer j; poke->count <= j < i && j < POKE_VALUES ==>
        poke->values[j] == 0;
      loop assigns i;
      loop variant POKE_VALUES - i;
  */
  for (uint32_t i = poke->count; i < POKE_VALUES; i++)
    if (poke->values[i] != 0)
      return 0;
  return 1;
}

/*@ requires storage: \valid_read(poke);
    assigns \nothing;
    ensures truth: \result == 0 || \result == 1;
    ensures text: \result == 1 <==> poke_text(poke);
*/
static int poke_text_ends(const struct poke *poke) {
  uint32_t used = 0;
  /*@ loop invariant range: 0 <= used < POKE_TEXT;
      loop invariant visible: \forall integer j; 0 <= j < used ==> poke_visible(poke->text[j]);
      loop assigns used;
      loop variant POKE_TEXT - used;
  */
  while (used < POKE_TEXT - 1 && poke->text[used] > 32 && poke->text[used] < 127)
    used++;
  /*@ loop invariant range: used <= i <= POKE_TEXT;
      loop invariant zeros: \forall integer j; used <= j < i ==> poke->text[j] == 0;
      loop assigns i;
      loop variant POKE_TEXT - i;
  */
  for (uint32_t i = used; i < POKE_TEXT; i++)
    if (poke->text[i] != 0)
      return 0;
  return 1;
}

int poke_check(const struct poke *poke) {
  return poke->kind >= POKE_HELLO && poke->kind <= POKE_REFUSE && poke->count <= POKE_VALUES &&
         poke_values_end(poke) && poke_text_ends(poke);
}

/*@ requires storage: \valid(bytes + (0 .. POKE_BYTES - 1)) && \valid_read(poke);
    requires distinct: \separated(bytes + (0 .. POKE_BYTES - 1), poke);
    assigns bytes[32 .. 159];
    ensures values: poke_values{Here, Old}(bytes, poke);
    ensures kept: poke_kept{Here, Old}(bytes, 32);
*/
static void poke_put_values(uint8_t *bytes, const struct poke *poke) {
  /*@ loop invariant range: 0 <= i <= POKE_VALUES;
      loop invariant values: \forall integer j; 0 <= j < i ==>
        poke_value(bytes, j) == poke->values[j];
      loop invariant kept: poke_kept{Here, Pre}(bytes, 32);
      loop assigns i, bytes[32 .. 159];
      loop variant POKE_VALUES - i;
  */
  for (uint32_t i = 0; i < POKE_VALUES; i++) {
    poke_put(bytes, 32 + 8 * i, poke->values[i]);
    //@ assert value: poke_value(bytes, i) == poke->values[i];
    /*@ assert before: \forall integer j; 0 <= j < i ==>
          poke_value(bytes, j) == poke_value{LoopCurrent}(bytes, j); */
  }
}

/*@ requires storage: \valid(bytes + (0 .. POKE_BYTES - 1)) && \valid_read(poke);
    requires distinct: \separated(bytes + (0 .. POKE_BYTES - 1), poke);
    requires text: poke_text(poke);
    assigns bytes[160 .. POKE_BYTES - 1];
    ensures characters: poke_characters{Here, Old}(bytes, poke);
    ensures kept: poke_kept{Here, Old}(bytes, 160);
*/
static void poke_put_text(uint8_t *bytes, const struct poke *poke) {
  /*@ loop invariant range: 0 <= i <= POKE_TEXT;
      loop invariant text: \forall integer j; 0 <= j < i ==>
        poke_character(bytes, j) == poke->text[j];
      loop invariant kept: poke_kept{Here, Pre}(bytes, 160);
      loop assigns i, bytes[160 .. POKE_BYTES - 1];
      loop variant POKE_TEXT - i;
  */
  for (uint32_t i = 0; i < POKE_TEXT; i++)
    bytes[160 + i] = (uint8_t)poke->text[i];
}

/* Values and text, behind all the numbers. */
/*@ requires storage: \valid(bytes + (0 .. POKE_BYTES - 1)) && \valid_read(poke);
    requires distinct: \separated(bytes + (0 .. POKE_BYTES - 1), poke);
    requires text: poke_text(poke);
    assigns bytes[32 .. POKE_BYTES - 1];
    ensures values: poke_values{Here, Old}(bytes, poke);
    ensures characters: poke_characters{Here, Old}(bytes, poke);
    ensures kept: poke_kept{Here, Old}(bytes, 32);
*/
static void poke_put_rest(uint8_t *bytes, const struct poke *poke) {
  poke_put_values(bytes, poke);
  poke_put_text(bytes, poke);
}

/* The count and the three numbers. */
/*@ requires storage: \valid(bytes + (0 .. POKE_BYTES - 1)) && \valid_read(poke);
    requires distinct: \separated(bytes + (0 .. POKE_BYTES - 1), poke);
    assigns bytes[4 .. 31];
    ensures numbers: poke_numbers{Here, Old}(bytes, poke);
    ensures kept: poke_kept{Here, Old}(bytes, 4);
*/
static void poke_put_numbers(uint8_t *bytes, const struct poke *poke) {
  poke_put_half(bytes, 4, poke->count);
  poke_put(bytes, 8, poke->sequence);
  poke_put(bytes, 16, poke->epoch);
  poke_put(bytes, 24, poke->number);
}

void poke_encode(uint8_t bytes[POKE_BYTES], const struct poke *poke) {
  bytes[0] = 'T';
  bytes[1] = 'K';
  bytes[2] = POKE_VERSION;
  bytes[3] = poke->kind;
  poke_put_numbers(bytes, poke);
  poke_put_rest(bytes, poke);
}

/*@ requires storage: \valid_read(bytes + (0 .. POKE_BYTES - 1)) && \valid(poke);
    requires distinct: \separated(bytes + (0 .. POKE_BYTES - 1), poke);
    assigns poke->values[0 .. POKE_VALUES - 1];
    ensures values: poke_values{Old, Here}(bytes, poke);
*/
static void poke_get_values(struct poke *poke, const uint8_t *bytes) {
  /*@ loop invariant range: 0 <= i <= POKE_VALUES;
      loop invariant values: \forall integer j; 0 <= j < i ==>
        poke_value{Pre}(bytes, j) == poke->values[j];
      loop assigns i, poke->values[0 .. POKE_VALUES - 1];
      loop variant POKE_VALUES - i;
  */
  for (uint32_t i = 0; i < POKE_VALUES; i++) {
    poke->values[i] = poke_get(bytes, 32 + 8 * i);
    //@ assert value: poke_value{Pre}(bytes, i) == poke->values[i];
  }
}

/* A byte that is no ASCII becomes a 1, which no text may have. */
/*@ requires storage: \valid_read(bytes + (0 .. POKE_BYTES - 1)) && \valid(poke);
    requires distinct: \separated(bytes + (0 .. POKE_BYTES - 1), poke);
    assigns poke->text[0 .. POKE_TEXT - 1];
    ensures characters: poke_ascii{Old, Here}(bytes, poke);
*/
static void poke_get_text(struct poke *poke, const uint8_t *bytes) {
  /*@ loop invariant range: 0 <= i <= POKE_TEXT;
      loop invariant text: \forall integer j; 0 <= j < i ==>
        poke->text[j] == (poke_character(bytes, j) < 128 ? poke_character(bytes, j) : 1);
      loop assigns i, poke->text[0 .. POKE_TEXT - 1];
      loop variant POKE_TEXT - i;
  */
  for (uint32_t i = 0; i < POKE_TEXT; i++)
    poke->text[i] = bytes[160 + i] < 128 ? (char)bytes[160 + i] : 1;
}

/* The kind comes last: it is a byte like those that are read, which the proof of all other fields
 * would have to tell apart. */
/*@ requires storage: \valid_read(bytes + (0 .. POKE_BYTES - 1)) && \valid(poke);
    requires distinct: \separated(bytes + (0 .. POKE_BYTES - 1), poke);
    assigns *poke;
    ensures kind: \old(bytes[3]) == poke->kind;
    ensures numbers: poke_numbers{Old, Here}(bytes, poke);
    ensures values: poke_values{Old, Here}(bytes, poke);
    ensures characters: poke_ascii{Old, Here}(bytes, poke);
*/
static void poke_get_fields(struct poke *poke, const uint8_t *bytes) {
  poke->count = (uint32_t)poke_get_half(bytes, 4);
  poke->sequence = poke_get(bytes, 8);
  poke->epoch = poke_get(bytes, 16);
  poke->number = poke_get(bytes, 24);
  poke_get_values(poke, bytes);
  poke_get_text(poke, bytes);
  poke->kind = bytes[3];
}

int poke_decode(struct poke *poke, const uint8_t *bytes, uint64_t size) {
  if (size != POKE_BYTES || bytes[0] != 'T' || bytes[1] != 'K' || bytes[2] != POKE_VERSION)
    return 0;
  poke_get_fields(poke, bytes);
  return poke_check(poke);
}
