/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The primes of transform.c and tables of roots of unity modulo them. Tables are built at first
 * use, kept, and safe to share by threads.
 */
#ifndef DIST_SURVIVAL_ROOTS_H
#define DIST_SURVIVAL_ROOTS_H

#include <stddef.h>
#include <stdint.h>

enum {
  PRIME_COUNT = 4,
  ROOTS_BITS_MAX = 22,
  LANES = 8, /* residues that are handled at once */
  COLUMN_BITS = 3,
  TILE_BITS = 2 * COLUMN_BITS, /* a tile is LANES columns of LANES residues */
  TILE = 1 << TILE_BITS,
  TILE_ROOTS = 7,
};

/* p = 1 modulo 2^24, below 2^31. Increasing, so that a residue of one is a residue of all that
 * follow. Product above 2^123. */
extern const uint32_t roots_primes[PRIME_COUNT];

/* A factor and floor(factor * 2^32 / p). */
struct factor {
  uint32_t value, quotient;
};

/* The same for each column of a tile. */
struct column_roots {
  uint32_t value[LANES], quotient[LANES];
};

/* The roots for one prime and length. x^2h - roots[k]^2 splits into x^h - roots[k], block 2k of the
 * next level, and x^h + roots[k], block 2k + 1; block 0 of all is x^length - 1. Tiles have theirs
 * in the order of use. */
struct roots {
  struct factor *blocks;
  struct column_roots *tiles;
  struct factor last;                 /* 2^32 / length */
  struct factor inverse[PRIME_COUNT]; /* 1 / p, for the primes p before this one */
};

/* The tables for transforms of 2^bits residues, one for each prime; bits from TILE_BITS to
 * ROOTS_BITS_MAX. */
const struct roots *roots_find(unsigned bits);

struct factor roots_factor(uint32_t value, uint32_t p);

/* Uninitialised memory at the beginning of a line of the cache; the caller frees it. */
void *roots_memory(size_t size);

#endif
