/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "steps/tp_message.h"

/* decode(encode(x)) = x. */
/*@ requires storage: \valid(bytes + (0 .. TP_BYTES - 1)) && \valid_read(m) && \valid(copy);
    requires distinct: \separated(bytes + (0 .. TP_BYTES - 1), m, copy);
    requires message: tp_message_valid(m);
    assigns bytes[0 .. TP_BYTES - 1], *copy;
    ensures decoded: \result;
    ensures same: copy->kind == m->kind &&
      \forall integer k; 0 <= k < TP_FIELDS ==> copy->field[k] == m->field[k];
*/
bool message_roundtrip(uint8_t *bytes, const struct tp_message *m, struct tp_message *copy) {
  tp_message_encode(bytes, m);
  /*@ assert valid: \forall integer k; 0 <= k < TP_FIELDS ==> tp_int(tp_field(bytes, k)); */
  bool decoded = tp_message_decode(copy, bytes, TP_BYTES);
  /*@ assert fields: \forall integer k; 0 <= k < TP_FIELDS ==> copy->field[k] == m->field[k]; */
  return decoded;
}
