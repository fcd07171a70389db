/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/roots.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

enum { ALIGNMENT = 64 };

const uint32_t roots_primes[PRIME_COUNT] = {1811939329, 2013265921, 2113929217, 2130706433};

static struct roots cache[ROOTS_BITS_MAX + 1][PRIME_COUNT];
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

struct factor roots_factor(uint32_t value, uint32_t p) {
  return (struct factor){value, (uint32_t)(((uint64_t)value << 32) / p)};
}

static uint32_t power(uint32_t x, uint32_t n, uint32_t p) {
  uint64_t result = 1, square = x;
  for (; n != 0; n >>= 1) {
    if (n & 1)
      result = result * square % p;
    square = square * square % p;
  }
  return (uint32_t)result;
}

static uint32_t inverse(uint32_t x, uint32_t p) {
  return power(x % p, p - 2, p);
}

/* An element of order 2^bits: a power of any quadratic non-residue. */
static uint32_t root_of_order(unsigned bits, uint32_t p) {
  uint32_t x = 2;
  while (power(x, (p - 1) / 2, p) == 1)
    x++;
  return power(x, (p - 1) >> bits, p);
}

void *roots_memory(size_t size) {
  void *block = aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  if (block == NULL)
    bug("no %zu bytes for a transform", size);
  return block;
}

/* Root k is that of order 2^bits to the power of k's bits in reverse. */
static void fill_roots(struct factor *roots, unsigned bits, uint32_t p) {
  roots[0] = roots_factor(1, p);
  for (unsigned level = 0; level + 1 < bits; level++) {
    uint64_t step = root_of_order(level + 2, p);
    size_t first = (size_t)1 << level;
    for (size_t k = 0; k < first; k++)
      roots[first + k] = roots_factor((uint32_t)(roots[k].value * step % p), p);
  }
}

static void fill_tile(struct column_roots roots[TILE_ROOTS], const struct factor *all,
                      size_t tile) {
  for (size_t i = 0; i < LANES; i++) {
    size_t block = LANES * tile + i;
    size_t index[TILE_ROOTS] = {block,         2 * block,     2 * block + 1, 4 * block,
                                4 * block + 1, 4 * block + 2, 4 * block + 3};
    for (size_t j = 0; j < TILE_ROOTS; j++) {
      roots[j].value[i] = all[index[j]].value;
      roots[j].quotient[i] = all[index[j]].quotient;
    }
  }
}

static void build_roots(struct roots *roots, unsigned bits, size_t prime) {
  uint32_t p = roots_primes[prime];
  size_t length = (size_t)1 << bits;
  struct factor *all = mem_alloc(length / 2, sizeof *all);
  fill_roots(all, bits, p);
  roots->tiles = roots_memory(length / TILE * TILE_ROOTS * sizeof *roots->tiles);
  for (size_t tile = 0; tile < length / TILE; tile++)
    fill_tile(&roots->tiles[tile * TILE_ROOTS], all, tile);
  uint64_t radix = (UINT64_C(1) << 32) % p;
  roots->last = roots_factor((uint32_t)(radix * inverse((uint32_t)length, p) % p), p);
  for (size_t i = 0; i < prime; i++)
    roots->inverse[i] = roots_factor(inverse(roots_primes[i], p), p);
  roots->blocks = mem_resize(all, length / (2 * LANES), sizeof *all);
}

const struct roots *roots_find(unsigned bits) {
  pthread_mutex_lock(&cache_lock);
  for (size_t i = 0; i < PRIME_COUNT; i++)
    if (cache[bits][i].blocks == NULL)
      build_roots(&cache[bits][i], bits, i);
  pthread_mutex_unlock(&cache_lock);
  return cache[bits];
}
