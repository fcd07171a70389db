/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pseudo-random numbers that a seed determines: splitmix64 (Steele, Lea, Flood, OOPSLA 2014). Not
 * for secrets.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
  uint64_t state; /* any value is a seed */
};

/* 64 uniform bits. */
static inline uint64_t random_bits(struct random *random) {
  uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Uniform in 0 .. count - 1; count >= 1. Numbers that would favour some are drawn again. */
static inline uint64_t random_below(struct random *random, uint64_t count) {
  uint64_t end = UINT64_MAX - UINT64_MAX % count, bits;
  do
    bits = random_bits(random);
  while (bits >= end);
  return bits % count;
}

/* Puts the items into an order, each with the same chance. */
static inline void random_shuffle(struct random *random, uint32_t *items, size_t count) {
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)random_below(random, i);
    uint32_t item = items[i - 1];
    items[i - 1] = items[j];
    items[j] = item;
  }
}

#endif
