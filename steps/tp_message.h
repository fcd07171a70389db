/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages of a protocol and their bytes: TP_BYTES for each message, little-endian whatever the
 * machine:
 *
 *    0  'T' 'M'   2  version (1)   3  kind
 *    4  fields (TP_FIELDS of 32 bits, each plus 2^31)
 *
 * A field is a node, an integer, a value of an enumeration or a boolean; those beyond the message's
 * own are 0. Which kinds there are, and which fields they may have, the protocol says, not this
 * file. Proved: any bytes in, no run-time error; decode(encode(x)) = x; what is no message is
 * refused.
 */
#ifndef TP_MESSAGE_H
#define TP_MESSAGE_H

#include <stddef.h>

#include "tp_step.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TP_FIELDS 8
#define TP_BYTES 36 /* 4 + 4 * TP_FIELDS */

struct tp_message {
  int32_t kind;             /* 0 .. 255 */
  int32_t field[TP_FIELDS]; /* each tp_int */
};

/*@ // Four bytes as a number, the least significant first; and the k-th field.
    logic integer tp_word{L}(uint8_t *bytes) =
      bytes[0] + 256 * bytes[1] + 65536 * bytes[2] + 16777216 * bytes[3];
    logic integer tp_field{L}(uint8_t *bytes, integer k) =
      tp_word(bytes + (4 + 4 * k)) - 2147483648;

    predicate tp_message_valid{L}(struct tp_message *m) =
      0 <= m->kind <= 255 && \forall integer k; 0 <= k < TP_FIELDS ==> tp_int(m->field[k]);
    predicate tp_head{L}(uint8_t *bytes) = bytes[0] == 'T' && bytes[1] == 'M' && bytes[2] == 1;
    predicate tp_fields{K, L}(uint8_t *bytes, struct tp_message *m) =
      \forall integer k; 0 <= k < TP_FIELDS ==> tp_field{K}(bytes, k) == \at(m->field[k], L);

    // The bytes are those of a message.
    predicate tp_accepted{L}(uint8_t *bytes, integer size) = size == TP_BYTES &&
      tp_head(bytes) && \forall integer k; 0 <= k < TP_FIELDS ==> tp_int(tp_field(bytes, k));
*/

/*@ requires storage: \valid(bytes + (0 .. TP_BYTES - 1)) && \valid_read(m);
    requires distinct: \separated(bytes + (0 .. TP_BYTES - 1), m);
    requires message: tp_message_valid(m);
    assigns bytes[0 .. TP_BYTES - 1];
    ensures head: tp_head(bytes);
    ensures kind: bytes[3] == m->kind;
    ensures fields: tp_fields{Here, Here}(bytes, m);
*/
void tp_message_encode(uint8_t *bytes, const struct tp_message *m);

/* False for what is no message; then *m means nothing. */
/*@ requires storage: \valid(m) && \valid_read(bytes + (0 .. size - 1));
    requires distinct: \separated(bytes + (0 .. size - 1), m);
    assigns *m;
    ensures accepted: \result ==> tp_accepted(bytes, size);
    ensures refused: !\result ==> !tp_accepted(bytes, size);
    ensures message: \result ==> tp_message_valid(m);
    ensures kind: \result ==> bytes[3] == m->kind;
    ensures fields: \result ==> tp_fields{Here, Here}(bytes, m);
*/
bool tp_message_decode(struct tp_message *m, const uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
