/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tp_message.h"

/*@ requires storage: \valid(bytes + (0 .. 3));
    requires field: tp_int(field);
    assigns bytes[0 .. 3];
    ensures number: tp_word(bytes) == field + 2147483648;
*/
static void tp_message_put_word(uint8_t *bytes, int32_t field) {
  uint32_t word = (uint32_t)(field + (int64_t)2147483648);
  bytes[0] = (uint8_t)(word % 256);
  bytes[1] = (uint8_t)(word / 256 % 256);
  bytes[2] = (uint8_t)(word / 65536 % 256);
  bytes[3] = (uint8_t)(word / 16777216);
}

/*@ requires storage: \valid(bytes + (0 .. TP_BYTES - 1));
    requires index: 0 <= i < TP_FIELDS;
    requires field: tp_int(field);
    assigns bytes[4 + 4 * i .. 7 + 4 * i];
    ensures number: tp_field(bytes, i) == field;
*/
static void tp_message_put(uint8_t *bytes, size_t i, int32_t field) {
  tp_message_put_word(bytes + (4 + 4 * i), field);
}

/*@ requires storage: \valid_read(bytes + (0 .. 3));
    assigns \nothing;
    ensures number: \result == tp_word(bytes) - 2147483648;
*/
static int32_t tp_message_get(const uint8_t *bytes) {
  int64_t word =
      bytes[0] + (int64_t)256 * bytes[1] + (int64_t)65536 * bytes[2] + (int64_t)16777216 * bytes[3];
  return (int32_t)(word - 2147483648);
}

/*@ requires storage: \valid_read(m);
    assigns \nothing;
    ensures truth: \result <==> \forall integer k; 0 <= k < TP_FIELDS ==> tp_int(m->field[k]);
*/
static bool tp_message_check(const struct tp_message *m) {
  /*@ loop invariant range: 0 <= i <= TP_FIELDS;
      loop invariant valid: \forall integer k; 0 <= k < i ==> tp_int(m->field[k]);
      loop assigns i;
      loop variant TP_FIELDS - i; */
  for (size_t i = 0; i < TP_FIELDS; i++)
    if (m->field[i] < -TP_INT_MAX)
      return false;
  return true;
}

void tp_message_encode(uint8_t *bytes, const struct tp_message *m) {
  bytes[0] = 'T';
  bytes[1] = 'M';
  bytes[2] = 1;
  bytes[3] = (uint8_t)m->kind;
  /*@ loop invariant range: 0 <= i <= TP_FIELDS;
      loop invariant head: tp_head(bytes) && bytes[3] == m->kind;
      loop invariant fields: \forall integer k; 0 <= k < i ==> tp_field(bytes, k) == m->field[k];
      loop assigns i, bytes[4 .. TP_BYTES - 1];
      loop variant TP_FIELDS - i; */
  for (size_t i = 0; i < TP_FIELDS; i++) {
    //@ ghost before: ;
    tp_message_put(bytes, i, m->field[i]);
    /*@ assert kept: \forall integer k; 0 <= k < i ==>
          tp_field{Here}(bytes, k) == tp_field{before}(bytes, k); */
    //@ assert number: tp_field(bytes, i) == m->field[i];
  }
}

bool tp_message_decode(struct tp_message *m, const uint8_t *bytes, size_t size) {
  if (size != TP_BYTES || bytes[0] != 'T' || bytes[1] != 'M' || bytes[2] != 1)
    return false;
  m->kind = bytes[3];
  /*@ loop invariant range: 0 <= i <= TP_FIELDS;
      loop invariant kind: m->kind == bytes[3];
      loop invariant fields: \forall integer k; 0 <= k < i ==>
        tp_field{Pre}(bytes, k) == m->field[k];
      loop assigns i, m->field[0 .. TP_FIELDS - 1];
      loop variant TP_FIELDS - i; */
  for (size_t i = 0; i < TP_FIELDS; i++) {
    m->field[i] = tp_message_get(bytes + (4 + 4 * i));
    //@ assert field: tp_field{Pre}(bytes, i) == m->field[i];
  }
  /*@ assert fields: \forall integer k; 0 <= k < TP_FIELDS ==>
        tp_field{Pre}(bytes, k) == m->field[k]; */
  return tp_message_check(m);
}
