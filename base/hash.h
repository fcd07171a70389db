/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hashes for tables in memory (base/index.h): of words, and of bytes, eight at a time. They tell
 * nothing from what was made to have the same one; base/digest.h does.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>
#include <string.h>

#include "base/slice.h"

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) of one word more. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

/* The same, shifted otherwise: what dist/evaluate orders by. How a sum is rounded goes with the order
 * of its parts, so that another hash would give other digits. */
static inline uint64_t hash_for_order(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
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

/* Of a string, which may be NULL. */
static inline uint64_t hash_string(uint64_t hash, const char *string) {
  return hash_bytes(hash, (struct slice){string, string == NULL ? 0 : strlen(string)});
}

/* Of an object by where it is: tables only, as it differs from run to run. */
static inline uint64_t hash_address(const void *address) {
  return hash_word(0, (uint64_t)(uintptr_t)address);
}

#endif
