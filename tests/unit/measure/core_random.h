/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers for the tests of measure/core: pseudo-random, often at the ends of a range, and integers
 * of 128 bits for reference.
 */
#ifndef TESTS_UNIT_MEASURE_CORE_RANDOM_H
#define TESTS_UNIT_MEASURE_CORE_RANDOM_H

#include <stdint.h>

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

static uint64_t core_random_state = 20261121;

static inline uint64_t core_random(void) {
  core_random_state ^= core_random_state << 13;
  core_random_state ^= core_random_state >> 7;
  core_random_state ^= core_random_state << 17;
  return core_random_state;
}

/* Any magnitude; often beside a power of two or an end. */
static inline uint64_t core_random_word(void) {
  uint64_t word = core_random() >> (core_random() % 64);
  switch (core_random() % 8) {
  case 0:
    return UINT64_MAX - core_random() % 3;
  case 1:
    return core_random() % 3;
  case 2:
    return (uint64_t)1 << (core_random() % 64);
  case 3:
    return ((uint64_t)1 << (core_random() % 64)) - 1;
  default:
    return word;
  }
}

#endif
