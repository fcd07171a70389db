/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words 1 and 2 are start and end, word 3 holds instance, name, kind and count,
 * words 4 to 7 the arguments, each plus 2^31, two to a word; the upper half of
 * word 7 is the check. Divisions and products by powers of two mean the same as
 * shifts, and a prover can follow them.
 */
#include "measure/core/record.h"

#define RECORD_2_16 65536u
#define RECORD_2_32 4294967296u
#define RECORD_BIAS 2147483648 /* 2^31, with a sign */

/* `mixed`, with a word rotated to the left: by a shift whose power of two is
 * given, and 2^64 divided by it. */
/*@ requires power: power * rest == 18446744073709551616;
    assigns \nothing;
    ensures added: \result == record_added(mixed, word, power, rest);
*/
static inline uint64_t record_add(uint64_t mixed, uint64_t word, uint64_t power, uint64_t rest) {
  return mixed ^ (word % rest * power + word / rest);
}

/* 64 bits put into 32: the weighted sum of their halves modulo 2^32 - 1. */
/*@ assigns \nothing;
    ensures range: 0 <= \result < 4294967296;
    ensures weighed: \result == record_weighed(mixed);
*/
static inline uint64_t record_weigh(uint64_t mixed) {
  uint64_t sum = mixed % RECORD_2_32 * WEIGHT_0 + mixed / RECORD_2_32 * WEIGHT_1;
  uint64_t folded = sum / RECORD_2_32 + sum % RECORD_2_32;
  return folded / RECORD_2_32 + folded % RECORD_2_32;
}

/* All words but the check itself, each rotated by an odd number of its own, are
 * put together by exclusive or; weights make 32 bits of the 64. One flipped bit
 * flips one of the 64, so it changes the sum by a power of two times an odd
 * weight below 2^32. */
/*@ assigns \nothing;
    ensures range: 0 <= \result < 4294967296;
    ensures check: \result == record_weighed(record_mixed(a, b, c, d, e, f, g,
   h));
*/
static inline uint64_t record_check(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                                    uint64_t f, uint64_t g, uint64_t h) {
  uint64_t mixed = record_add(a, b, 0x80, 0x200000000000000);
  mixed = record_add(mixed, c, 0x80000, 0x200000000000);
  mixed = record_add(mixed, d, 0x20000000, 0x800000000);
  mixed = record_add(mixed, e, 0x2000000000, 0x8000000);
  mixed = record_add(mixed, f, 0x800000000000, 0x20000);
  mixed = record_add(mixed, g, 0x800000000000000, 0x20);
  mixed = record_add(mixed, h, 0x2000, 0x8000000000000);
  return record_weigh(mixed);
}

/* Whether all arguments from `count` on are 0; in one expression, so that no
 * branch is mispredicted. */
/*@ requires storage: \valid_read(&arguments[0 .. RECORD_ARGUMENTS - 1]);
    assigns \nothing;
    ensures empty: \result == 1 <==> record_empty_from(arguments, count);
    ensures truth: \result == 0 || \result == 1;
*/
static inline int record_empty_from(const int32_t *arguments, uint32_t count) {
  return (count > 0 || arguments[0] == 0) && (count > 1 || arguments[1] == 0) &&
         (count > 2 || arguments[2] == 0) && (count > 3 || arguments[3] == 0) &&
         (count > 4 || arguments[4] == 0) && (count > 5 || arguments[5] == 0) &&
         (count > 6 || arguments[6] == 0);
}

/*@ requires storage: \valid_read(record);
    assigns \nothing;
    ensures in_range: \result == 1 <==> record_is_valid(record);
    ensures truth: \result == 0 || \result == 1;
*/
static inline int record_in_range(const struct record *record) {
  return record->start <= record->end && record->name <= RECORD_NAME_MAX && record->kind >= 1 &&
         record->kind <= RECORD_KIND_MAX && record->count <= RECORD_ARGUMENTS &&
         record_empty_from(record->arguments, record->count);
}

int record_valid(const struct record *record) {
  return record_in_range(record);
}

/*@ assigns \nothing;
    ensures biased: \result == argument + 2147483648;
*/
static inline uint64_t record_biased(int32_t argument) {
  return (uint64_t)((int64_t)argument + RECORD_BIAS);
}

/*@ assigns \nothing;
    ensures both: record_two(\result, low, high);
*/
static inline uint64_t record_pair(int32_t low, int32_t high) {
  return record_biased(low) + record_biased(high) * RECORD_2_32;
}

/*@ assigns \nothing;
    ensures instance: \result % 4294967296 == instance;
    ensures name: \result / 4294967296 % 65536 == name;
    ensures kind: \result / 281474976710656 % 256 == kind;
    ensures count: \result / 72057594037927936 == count;
*/
static inline uint64_t record_meta(uint32_t instance, uint16_t name, uint8_t kind, uint8_t count) {
  return instance + name * (uint64_t)4294967296 + kind * (uint64_t)281474976710656 +
         count * (uint64_t)72057594037927936;
}

int record_encode(uint64_t words[RECORD_WORDS], uint64_t position, const struct record *record) {
  if (position == 0 || !record_in_range(record))
    return 0;
  const int32_t *arguments = record->arguments;
  uint64_t meta = record_meta(record->instance, record->name, record->kind, record->count);
  uint64_t first = record_pair(arguments[0], arguments[1]);
  uint64_t second = record_pair(arguments[2], arguments[3]);
  uint64_t third = record_pair(arguments[4], arguments[5]);
  uint64_t last = record_biased(arguments[6]);
  uint64_t check =
      record_check(position, record->start, record->end, meta, first, second, third, last);
  words[1] = record->start;
  words[2] = record->end;
  words[3] = meta;
  words[4] = first;
  words[5] = second;
  words[6] = third;
  words[7] = last + check * RECORD_2_32;
  //@ assert upper: words[7] / 4294967296 == check;
  //@ assert lower: words[7] % 4294967296 == last;
  //@ assert checked: record_checked(words, position);
  //@ assert times: words[1] == record->start && words[2] == record->end;
  //@ assert pair_0: record_two(words[4], record->arguments[0], record->arguments[1]);
  //@ assert pair_2: record_two(words[5], record->arguments[2], record->arguments[3]);
  //@ assert pair_4: record_two(words[6], record->arguments[4], record->arguments[5]);
  //@ assert last: last == record->arguments[6] + 2147483648;
  return 1;
}

/*@ requires half: half < 4294967296;
    assigns \nothing;
    ensures unbiased: \result == half - 2147483648;
*/
static inline int32_t record_unbiased(uint64_t half) {
  return (int32_t)((int64_t)half - RECORD_BIAS);
}

int record_decode(struct record *record, const uint64_t words[RECORD_WORDS]) {
  uint64_t last = words[7] % RECORD_2_32;
  if (words[0] == 0 ||
      words[7] / RECORD_2_32 !=
          record_check(words[0], words[1], words[2], words[3], words[4], words[5], words[6], last))
    return 0;
  record->start = words[1];
  record->end = words[2];
  record->instance = (uint32_t)(words[3] % RECORD_2_32);
  record->name = (uint16_t)(words[3] / RECORD_2_32 % 65536);
  record->kind = (uint8_t)(words[3] / 281474976710656 % 256);
  record->count = (uint8_t)(words[3] / 72057594037927936);
  record->arguments[0] = record_unbiased(words[4] % RECORD_2_32);
  record->arguments[1] = record_unbiased(words[4] / RECORD_2_32);
  record->arguments[2] = record_unbiased(words[5] % RECORD_2_32);
  record->arguments[3] = record_unbiased(words[5] / RECORD_2_32);
  record->arguments[4] = record_unbiased(words[6] % RECORD_2_32);
  record->arguments[5] = record_unbiased(words[6] / RECORD_2_32);
  record->arguments[6] = record_unbiased(last);
  return record_in_range(record);
}
