/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words 1 and 2 are start and end, word 3 holds instance, name, kind and count, words 4 to 7 the
 * arguments, each plus 2^31, two to a word; the upper half of word 7 is the check. Divisions and
 * products are by powers of two; they mean the same as shifts, and a prover can follow them.
 */
#include "measure/core/record.h"
#include "measure/core/weights.h"

#define RECORD_2_16 65536u
#define RECORD_2_32 4294967296u
#define RECORD_BIAS 2147483648 /* 2^31, with a sign */

static uint64_t record_low(uint64_t word) {
  return word % RECORD_2_32;
}

static uint64_t record_high(uint64_t word) {
  return word / RECORD_2_32;
}

static uint64_t record_fold(uint64_t sum) {
  return record_high(sum) + record_low(sum);
}

/* The weighted sum of all half-words but the check itself, modulo 2^32 - 1. */
static uint64_t record_check(const uint64_t *words, uint64_t position, uint64_t last) {
  uint64_t sum = record_low(position) * WEIGHT_0 + record_high(position) * WEIGHT_1 +
                 record_low(words[1]) * WEIGHT_2 + record_high(words[1]) * WEIGHT_3 +
                 record_low(words[2]) * WEIGHT_4 + record_high(words[2]) * WEIGHT_5 +
                 record_low(words[3]) * WEIGHT_6 + record_high(words[3]) * WEIGHT_7 +
                 record_low(words[4]) * WEIGHT_8 + record_high(words[4]) * WEIGHT_9 +
                 record_low(words[5]) * WEIGHT_10 + record_high(words[5]) * WEIGHT_11 +
                 record_low(words[6]) * WEIGHT_12 + record_high(words[6]) * WEIGHT_13 +
                 last * WEIGHT_14;
  return record_fold(record_fold(sum));
}

int record_valid(const struct record *record) {
  if (record->start > record->end || record->name > RECORD_NAME_MAX || record->kind < 1 ||
      record->kind > RECORD_KIND_MAX || record->count > RECORD_ARGUMENTS)
    return 0;
  for (uint32_t i = record->count; i < RECORD_ARGUMENTS; i++)
    if (record->arguments[i] != 0)
      return 0;
  return 1;
}

static uint64_t record_biased(int32_t argument) {
  return (uint64_t)((int64_t)argument + RECORD_BIAS);
}

static uint64_t record_pair(int32_t low, int32_t high) {
  return record_biased(low) + record_biased(high) * RECORD_2_32;
}

int record_encode(uint64_t words[RECORD_WORDS], uint64_t position, const struct record *record) {
  if (position == 0 || !record_valid(record))
    return 0;
  const int32_t *arguments = record->arguments;
  uint64_t last = record_biased(arguments[6]);
  words[1] = record->start;
  words[2] = record->end;
  words[3] =
      record->instance +
      (record->name + (record->kind + record->count * (uint64_t)256) * RECORD_2_16) * RECORD_2_32;
  words[4] = record_pair(arguments[0], arguments[1]);
  words[5] = record_pair(arguments[2], arguments[3]);
  words[6] = record_pair(arguments[4], arguments[5]);
  words[7] = last + record_check(words, position, last) * RECORD_2_32;
  return 1;
}

static int32_t record_unbiased(uint64_t half) {
  return (int32_t)((int64_t)half - RECORD_BIAS);
}

int record_decode(struct record *record, const uint64_t words[RECORD_WORDS]) {
  uint64_t last = record_low(words[7]), meta = record_high(words[3]);
  if (words[0] == 0 || record_high(words[7]) != record_check(words, words[0], last))
    return 0;
  record->start = words[1];
  record->end = words[2];
  record->instance = (uint32_t)record_low(words[3]);
  record->name = (uint16_t)(meta % RECORD_2_16);
  record->kind = (uint8_t)(meta / RECORD_2_16 % 256);
  record->count = (uint8_t)(meta / RECORD_2_16 / 256);
  record->arguments[0] = record_unbiased(record_low(words[4]));
  record->arguments[1] = record_unbiased(record_high(words[4]));
  record->arguments[2] = record_unbiased(record_low(words[5]));
  record->arguments[3] = record_unbiased(record_high(words[5]));
  record->arguments[4] = record_unbiased(record_low(words[6]));
  record->arguments[5] = record_unbiased(record_high(words[6]));
  record->arguments[6] = record_unbiased(last);
  return record_valid(record);
}
