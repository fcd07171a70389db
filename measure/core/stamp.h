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
 * Tested and fuzzed, not yet proved: decode(encode(x)) = x; what is no stamp, or has any one bit
 * flipped, is rejected.
 */
#ifndef MEASURE_CORE_STAMP_H
#define MEASURE_CORE_STAMP_H

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

void stamp_encode(uint8_t bytes[STAMP_BYTES], const struct stamp *stamp);
int stamp_decode(struct stamp *stamp, const uint8_t bytes[STAMP_BYTES]); /* 1, or 0: no stamp */

#endif
