/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The record codec: 8 words of 64 bits, of which word 0 is the position (measure/core/ring.h) and
 * the last holds a check over all others, so that a record is decoded as it was encoded or
 * rejected. Proved: any words in, no run-time error; decode(encode(x)) = x.
 */
#ifndef MEASURE_CORE_RECORD_H
#define MEASURE_CORE_RECORD_H

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

/* 1 if the fields are in range, start <= end and the arguments beyond count are 0. */
int record_valid(const struct record *record);

/* Fills words[1 .. 7] for a record at `position` (not 0); words[0] is left alone: the writer sets
 * it last. Returns 0, with nothing changed, for a record that is not valid. */
int record_encode(uint64_t words[RECORD_WORDS], uint64_t position, const struct record *record);

/* 1 and the record, or 0 for words that no record was encoded to (position 0, a check that does not
 * fit, fields out of range); then *record is not valid for use. */
int record_decode(struct record *record, const uint64_t words[RECORD_WORDS]);

#endif
