/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/stamp.h"
#include "measure/core/weights.h"

#define STAMP_2_32 4294967296u

/* Four bytes, little-endian. */
static void stamp_put(uint8_t *bytes, uint64_t half) {
  bytes[0] = (uint8_t)(half % 256);
  bytes[1] = (uint8_t)(half / 256 % 256);
  bytes[2] = (uint8_t)(half / 65536 % 256);
  bytes[3] = (uint8_t)(half / 16777216 % 256);
}

static uint64_t stamp_get(const uint8_t *bytes) {
  return bytes[0] + bytes[1] * (uint64_t)256 + bytes[2] * (uint64_t)65536 +
         bytes[3] * (uint64_t)16777216;
}

static void stamp_put_word(uint8_t *bytes, uint64_t word) {
  stamp_put(bytes, word % STAMP_2_32);
  stamp_put(bytes + 4, word / STAMP_2_32);
}

static uint64_t stamp_get_word(const uint8_t *bytes) {
  return stamp_get(bytes) + stamp_get(bytes + 4) * STAMP_2_32;
}

/* The weighted sum of the ten half-words before the check, which fits in 64 bits. */
static uint64_t stamp_check(const uint8_t *bytes) {
  return stamp_get(bytes) * WEIGHT_0 + stamp_get(bytes + 4) * WEIGHT_1 +
         stamp_get(bytes + 8) * WEIGHT_2 + stamp_get(bytes + 12) * WEIGHT_3 +
         stamp_get(bytes + 16) * WEIGHT_4 + stamp_get(bytes + 20) * WEIGHT_5 +
         stamp_get(bytes + 24) * WEIGHT_6 + stamp_get(bytes + 28) * WEIGHT_7 +
         stamp_get(bytes + 32) * WEIGHT_8 + stamp_get(bytes + 36) * WEIGHT_9;
}

void stamp_encode(uint8_t bytes[STAMP_BYTES], const struct stamp *stamp) {
  bytes[0] = 'T';
  bytes[1] = 'P';
  bytes[2] = STAMP_VERSION;
  bytes[3] = stamp->answer != 0;
  stamp_put(bytes + 4, stamp->question_name + stamp->name * (uint64_t)65536);
  stamp_put_word(bytes + 8, stamp->clock_identity);
  stamp_put_word(bytes + 16, stamp->sent);
  stamp_put_word(bytes + 24, stamp->question_sent);
  stamp_put_word(bytes + 32, stamp->held_ns);
  stamp_put_word(bytes + 40, stamp_check(bytes));
}

int stamp_decode(struct stamp *stamp, const uint8_t bytes[STAMP_BYTES]) {
  if (bytes[0] != 'T' || bytes[1] != 'P' || bytes[2] != STAMP_VERSION || bytes[3] > 1 ||
      stamp_get_word(bytes + 40) != stamp_check(bytes))
    return 0;
  stamp->answer = bytes[3];
  stamp->question_name = (uint16_t)(stamp_get(bytes + 4) % 65536);
  stamp->name = (uint16_t)(stamp_get(bytes + 4) / 65536);
  stamp->clock_identity = stamp_get_word(bytes + 8);
  stamp->sent = stamp_get_word(bytes + 16);
  stamp->question_sent = stamp_get_word(bytes + 24);
  stamp->held_ns = stamp_get_word(bytes + 32);
  return stamp->answer == 1 ||
         (stamp->question_name == 0 && stamp->question_sent == 0 && stamp->held_ns == 0);
}
