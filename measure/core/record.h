/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The record codec: 8 words of 64 bits, of which word 0 is the position (measure/core/ring.h) and
 * the last holds a check over all others, so that a record is decoded as it was encoded or
 * rejected. Proved: any words in, no run-time error; decode(encode(x)) = x.
 */
#ifndef MEASURE_CORE_RECORD_H
#define MEASURE_CORE_RECORD_H

#include "measure/core/weights.h"

#include <stdint.h>

#define RECORD_WORDS 8
#define RECORD_ARGUMENTS 7
#define RECORD_KIND_MAX 8 /* enum format_kind */
#define RECORD_NAME_MAX 511

struct record {
  uint64_t start, end; /* ticks, start <= end */
  uint32_t instance;
  uint16_t name;                       /* at most RECORD_NAME_MAX */
  uint8_t kind;                        /* 1 .. RECORD_KIND_MAX */
  uint8_t count;                       /* of arguments, at most RECORD_ARGUMENTS */
  int32_t arguments[RECORD_ARGUMENTS]; /* 0 beyond count */
};

#include "proofs/logic/record.acsl"

/* 1 if the fields are in range, start <= end and the arguments beyond count are 0. */
/*@ requires storage: \valid_read(record);
    assigns \nothing;
    ensures in_range: \result == 1 <==> record_is_valid(record);
    ensures truth: \result == 0 || \result == 1;
*/
int record_valid(const struct record *record);

/* Fills words[1 .. 7] for a record at `position` (not 0); words[0] is left alone: the writer sets
 * it last. Returns 0, with nothing changed, for a record that is not valid. */
/*@ requires storage: \valid(words + (1 .. RECORD_WORDS - 1)) && \valid_read(record);
    requires distinct: \separated(words + (1 .. RECORD_WORDS - 1), record);
    assigns words[1 .. RECORD_WORDS - 1];
    ensures truth: \result == 0 || \result == 1;
    ensures accepted: \result == 1 <==> position > 0 && record_is_valid(record);
    ensures fields: \result == 1 ==> record_fields{Here, Old}(words, record);
    ensures check: \result == 1 ==> record_checked(words, position);
    ensures unchanged: \result == 0 ==>
      \forall integer i; 1 <= i < RECORD_WORDS ==> words[i] == \old(words[i]);
*/
int record_encode(uint64_t words[RECORD_WORDS], uint64_t position, const struct record *record);

/* 1 and the record, or 0 for words that no record was encoded to (position 0, a check that does not
 * fit, fields out of range); then *record is not valid for use. Any one flipped bit of words that
 * record_encode made is noticed. */
/*@ requires storage: \valid(record) && \valid_read(words + (0 .. RECORD_WORDS - 1));
    requires distinct: \separated(words + (0 .. RECORD_WORDS - 1), record);
    assigns *record;
    ensures truth: \result == 0 || \result == 1;
    ensures in_range: \result == 1 ==> record_is_valid(record);
    ensures accepted: \result == 1 <==>
      \old(words[0] > 0 && record_checked(words, words[0])) && record_is_valid(record);
    ensures fields: \old(words[0] > 0 && record_checked(words, words[0])) ==>
      record_fields{Old, Here}(words, record);
*/
int record_decode(struct record *record, const uint64_t words[RECORD_WORDS]);

#endif
