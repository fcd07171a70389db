/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stamp that a message carries, 48 bytes, little-endian whatever the machine:
 *
 *    0  'T' 'P'      2  version (1)      3  flags (1: the message answers another)
 *    4  question's name (16 bits, as in the asker's store; 0 unless an answer)
 *    6  the message's own name (16 bits, as in its sender's store), so that an answer can carry it
 *       back
 *    8  clock identity     16  sent, ticks of the sender's clock
 *   24  question sent, ticks of the asker's clock          (0 unless an answer)
 *   32  held: its low 48 bits are the answerer's time between the question's arrival and this
 *       sending, ns, rounded down; the others those of the asker's clock identity
 *   40  check over the bytes before
 *
 * A round trip is then arrival - question sent - held, in which both differences are of one clock.
 * Proved: any bytes in, no run-time error; decode(encode(x)) = x; what is no stamp is rejected.
 * Tested: any one flipped bit of a stamp is noticed.
 */
#ifndef MEASURE_CORE_STAMP_H
#define MEASURE_CORE_STAMP_H

#include "measure/core/weights.h"

#include <stdint.h>

#define STAMP_BYTES 48
#define STAMP_VERSION 1

struct stamp {
  uint8_t answer;         /* 0 or 1 */
  uint16_t name;          /* the message's own, in its sender's store; any value */
  uint16_t question_name; /* 0 unless an answer, like the next two */
  uint64_t question_sent, held_ns;
  uint64_t clock_identity, sent;
};

#include "proofs/logic/stamp.acsl"

/*@ requires storage: \valid(bytes + (0 .. STAMP_BYTES - 1)) && \valid_read(stamp);
    requires distinct: \separated(bytes + (0 .. STAMP_BYTES - 1), stamp);
    assigns bytes[0 .. STAMP_BYTES - 1];
    ensures head: stamp_head(bytes);
    ensures flag: bytes[3] == (\old(stamp->answer) != 0 ? 1 : 0);
    ensures fields: stamp_fields{Here, Old}(bytes, stamp);
    ensures check: stamp_checked(bytes);
*/
void stamp_encode(uint8_t bytes[STAMP_BYTES], const struct stamp *stamp);

/* 1, or 0 for what is no stamp; then *stamp is as it was. */
/*@ requires storage: \valid(stamp) && \valid_read(bytes + (0 .. STAMP_BYTES - 1));
    requires distinct: \separated(bytes + (0 .. STAMP_BYTES - 1), stamp);
    assigns *stamp;
    ensures truth: \result == 0 || \result == 1;
    ensures accepted: \result == 1 <==> \old(stamp_accepted(bytes));
    ensures fields: \result == 1 ==>
      stamp->answer == \old(bytes[3]) && stamp_fields{Old, Here}(bytes, stamp);
    ensures in_range: \result == 1 ==> stamp_is_valid(stamp);
    ensures unchanged: \result == 0 ==> *stamp == \old(*stamp);
*/
int stamp_decode(struct stamp *stamp, const uint8_t bytes[STAMP_BYTES]);

#endif
