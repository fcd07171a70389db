/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/record.h"

/* Words that hold a valid record are decoded to it. */
/*@ requires storage: \valid_read(words + (0 .. RECORD_WORDS - 1)) && \valid_read(record) &&
      \valid(copy);
    requires distinct: \separated(words + (0 .. RECORD_WORDS - 1), copy) && \separated(record,
   copy); requires position: words[0] > 0; requires checked: record_checked(words, words[0]);
    requires fields: record_fields{Here, Here}(words, record);
    requires is_valid: record_is_valid(record);
    assigns *copy;
    ensures same: record_same{Pre, Here}(record, copy);
    ensures decoded: \result == 1;
*/
int record_back(struct record *copy, const uint64_t *words, const struct record *record) {
  int decoded = record_decode(copy, words);
  //@ assert same: record_same{Pre, Here}(record, copy);
  //@ assert still_valid: record_is_valid(copy);
  return decoded;
}

/* decode(encode(x)) = x, once the writer has set the position. */
/*@ requires storage: \valid(words + (0 .. RECORD_WORDS - 1)) && \valid_read(record) &&
   \valid(copy); requires distinct: \separated(words + (0 .. RECORD_WORDS - 1), record, copy);
    requires position: 0 < position;
    requires is_valid: record_is_valid(record);
    assigns words[0 .. RECORD_WORDS - 1], *copy;
    ensures decoded: \result == 1;
    ensures same: record_same{Pre, Here}(record, copy);
*/
int record_roundtrip(uint64_t *words, uint64_t position, const struct record *record,
                            struct record *copy) {
  words[0] = position;
  record_encode(words, position, record);
  //@ assert kept: record_same{Pre, Here}(record, record);
  return record_back(copy, words, record);
}
