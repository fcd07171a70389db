/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/core/poke.h"

/* decode(encode(x)) = x. */
/*@ requires storage: \valid(bytes + (0 .. POKE_BYTES - 1)) && \valid_read(poke) && \valid(copy);
    requires distinct: \separated(bytes + (0 .. POKE_BYTES - 1), poke, copy);
    requires fits: poke_fits(poke);
    assigns bytes[0 .. POKE_BYTES - 1], *copy;
    ensures decoded: \result == 1;
    ensures same: poke_same{Here, Old}(copy, poke);
*/
int poke_roundtrip(uint8_t *bytes, const struct poke *poke, struct poke *copy) {
  poke_encode(bytes, poke);
  int decoded = poke_decode(copy, bytes, POKE_BYTES);
  /*@ assert values: \forall integer i; 0 <= i < POKE_VALUES ==>
        copy->values[i] == \at(poke->values[i], Pre); */
  /*@ assert text: \forall integer i; 0 <= i < POKE_TEXT ==>
        copy->text[i] == \at(poke->text[i], Pre); */
  //@ assert zeros: poke_zeros(copy, copy->count);
  //@ assert last: copy->text[POKE_TEXT - 1] == 0;
  /*@ assert visible: \forall integer i; 0 <= i < POKE_TEXT ==>
        copy->text[i] == 0 || poke_visible(copy->text[i]); */
  /*@ assert ends: \forall integer i, j; 0 <= i <= j < POKE_TEXT && copy->text[i] == 0 ==>
        copy->text[j] == 0; */
  return decoded;
}
