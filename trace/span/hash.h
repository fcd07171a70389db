/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A hash of bytes, eight at a time, for tables in memory; private to trace/.
 */
#ifndef TRACE_SPAN_HASH_H
#define TRACE_SPAN_HASH_H

#include <stdint.h>
#include <string.h>

#include "base/slice.h"

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) of one word more. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

static inline uint64_t hash_bytes(uint64_t hash, struct slice text) {
  hash = hash_word(hash, text.length);
  const char *at = text.start;
  size_t left = text.length;
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    hash = hash_word(hash, word);
  }
  uint64_t word = 0;
  for (size_t i = 0; i < left; i++)
    word = word << 8 | (unsigned char)at[i];
  return hash_word(hash, word);
}

#endif
