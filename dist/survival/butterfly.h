/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loops of transform.c. Not a header of declarations: transform.c includes it once per kind of
 * machine, with
 *   KERNEL(name)  the name a function gets,
 *   TARGET        its attributes,
 *   LANES         how many residues it handles at once, 1 or 8,
 *   RESIDUES      the type of so many, uint32_t or a vector of it,
 * and expects the functions KERNEL(least)(a, b) and KERNEL(high_product)(a, b), the upper halves of
 * the products. Counts are multiples of LANES.
 */

#define INLINE TARGET static inline __attribute__((always_inline))

INLINE RESIDUES KERNEL(load)(const uint32_t *x) {
  RESIDUES v;
  memcpy(&v, x, sizeof v);
  return v;
}

INLINE void KERNEL(store)(uint32_t *x, RESIDUES v) {
  memcpy(x, &v, sizeof v);
}

/* x modulo p, for x < 2p. */
INLINE RESIDUES KERNEL(once)(RESIDUES x, uint32_t p) {
  return KERNEL(least)(x, x - p);
}

INLINE RESIDUES KERNEL(plus)(RESIDUES x, RESIDUES y, uint32_t p) {
  return KERNEL(once)(x + y, p);
}

INLINE RESIDUES KERNEL(minus)(RESIDUES x, RESIDUES y, uint32_t p) {
  RESIDUES z = x - y;
  return KERNEL(least)(z, z + p);
}

/* x * value modulo p, for any x. */
INLINE RESIDUES KERNEL(times)(RESIDUES x, RESIDUES value, RESIDUES quotient, uint32_t p) {
  return KERNEL(once)(x * value - KERNEL(high_product)(x, quotient) * p, p);
}

INLINE RESIDUES KERNEL(times_alike)(RESIDUES x, struct factor factor, uint32_t p) {
  const RESIDUES zero = {0};
  return KERNEL(times)(x, zero + factor.value, zero + factor.quotient, p);
}

INLINE RESIDUES KERNEL(times_root)(RESIDUES x, const struct roots *roots, size_t at, uint32_t p) {
  return KERNEL(times)(x, KERNEL(load)(roots->values + at), KERNEL(load)(roots->quotients + at), p);
}

/* One level on a block of 2 * half residues: x, y become x + y, (x - y) * root. */
TARGET static void KERNEL(split_block)(uint32_t *x, size_t half, const struct roots *roots,
                                       uint32_t p) {
  for (size_t j = 0; j < half; j += LANES) {
    RESIDUES u = KERNEL(load)(x + j), v = KERNEL(load)(x + half + j);
    KERNEL(store)(x + j, KERNEL(plus)(u, v, p));
    KERNEL(store)(x + half + j, KERNEL(times_root)(u - v + p, roots, j, p));
  }
}

/* x, y become x + y * root, x - y * root. */
TARGET static void KERNEL(join_block)(uint32_t *x, size_t half, const struct roots *roots,
                                      uint32_t p) {
  for (size_t j = 0; j < half; j += LANES) {
    RESIDUES u = KERNEL(load)(x + j);
    RESIDUES v = KERNEL(times_root)(KERNEL(load)(x + half + j), roots, j, p);
    KERNEL(store)(x + j, KERNEL(plus)(u, v, p));
    KERNEL(store)(x + half + j, KERNEL(minus)(u, v, p));
  }
}

/* Two levels on every block of 4 * quarter residues; roots[0] are those of level log2(quarter). */
TARGET static void KERNEL(split_blocks)(uint32_t *x, size_t length, size_t quarter,
                                        const struct roots *roots, uint32_t p) {
  const struct roots *outer = roots + 1;
  for (uint32_t *block = x; block < x + length; block += 4 * quarter)
    for (size_t j = 0; j < quarter; j += LANES) {
      uint32_t *at = block + j;
      RESIDUES x0 = KERNEL(load)(at), x1 = KERNEL(load)(at + quarter);
      RESIDUES x2 = KERNEL(load)(at + 2 * quarter), x3 = KERNEL(load)(at + 3 * quarter);
      RESIDUES s0 = KERNEL(plus)(x0, x2, p), s1 = KERNEL(plus)(x1, x3, p);
      RESIDUES d0 = KERNEL(times_root)(x0 - x2 + p, outer, j, p);
      RESIDUES d1 = KERNEL(times_root)(x1 - x3 + p, outer, quarter + j, p);
      KERNEL(store)(at, KERNEL(plus)(s0, s1, p));
      KERNEL(store)(at + quarter, KERNEL(times_root)(s0 - s1 + p, roots, j, p));
      KERNEL(store)(at + 2 * quarter, KERNEL(plus)(d0, d1, p));
      KERNEL(store)(at + 3 * quarter, KERNEL(times_root)(d0 - d1 + p, roots, j, p));
    }
}

TARGET static void KERNEL(join_blocks)(uint32_t *x, size_t length, size_t quarter,
                                       const struct roots *roots, uint32_t p) {
  const struct roots *outer = roots + 1;
  for (uint32_t *block = x; block < x + length; block += 4 * quarter)
    for (size_t j = 0; j < quarter; j += LANES) {
      uint32_t *at = block + j;
      RESIDUES x0 = KERNEL(load)(at), x2 = KERNEL(load)(at + 2 * quarter);
      RESIDUES x1 = KERNEL(times_root)(KERNEL(load)(at + quarter), roots, j, p);
      RESIDUES x3 = KERNEL(times_root)(KERNEL(load)(at + 3 * quarter), roots, j, p);
      RESIDUES s0 = KERNEL(plus)(x0, x1, p), s1 = KERNEL(minus)(x0, x1, p);
      RESIDUES d0 = KERNEL(times_root)(KERNEL(plus)(x2, x3, p), outer, j, p);
      RESIDUES d1 = KERNEL(times_root)(KERNEL(minus)(x2, x3, p), outer, quarter + j, p);
      KERNEL(store)(at, KERNEL(plus)(s0, d0, p));
      KERNEL(store)(at + quarter, KERNEL(plus)(s1, d1, p));
      KERNEL(store)(at + 2 * quarter, KERNEL(minus)(s0, d0, p));
      KERNEL(store)(at + 3 * quarter, KERNEL(minus)(s1, d1, p));
    }
}

#if LANES == 8
#define PICK(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

/* Swaps rows and columns, by halves, quarters and single residues. */
INLINE void KERNEL(transpose)(RESIDUES row[LANES]) {
  RESIDUES next[LANES];
  for (int i = 0; i < 4; i++) {
    next[i] = PICK(row[i], row[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    next[i + 4] = PICK(row[i], row[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int i = 0; i < 8; i += i % 4 == 1 ? 3 : 1) {
    row[i] = PICK(next[i], next[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    row[i + 2] = PICK(next[i], next[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 8; i += 2) {
    next[i] = PICK(row[i], row[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    next[i + 1] = PICK(row[i], row[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i++)
    row[i] = next[i];
}

/* One level within a tile: rows i and i + half, each residue with the same root. */
INLINE void KERNEL(split_rows)(RESIDUES row[LANES], size_t i, size_t half,
                               const struct roots *roots, uint32_t p) {
  struct factor root = {roots->values[i & (half - 1)], roots->quotients[i & (half - 1)]};
  RESIDUES u = row[i], v = row[i + half];
  row[i] = KERNEL(plus)(u, v, p);
  row[i + half] = KERNEL(times_alike)(u - v + p, root, p);
}

INLINE void KERNEL(join_rows)(RESIDUES row[LANES], size_t i, size_t half, const struct roots *roots,
                              uint32_t p) {
  struct factor root = {roots->values[i & (half - 1)], roots->quotients[i & (half - 1)]};
  RESIDUES u = row[i], v = KERNEL(times_alike)(row[i + half], root, p);
  row[i] = KERNEL(plus)(u, v, p);
  row[i + half] = KERNEL(minus)(u, v, p);
}

/* Written out, because compilers keep the rows in registers only without a variable index. */
#define LEVEL(pair, a, b, c, d, level)                                                             \
  do {                                                                                             \
    pair(row, a, 1u << (level), &roots[level], p);                                                 \
    pair(row, b, 1u << (level), &roots[level], p);                                                 \
    pair(row, c, 1u << (level), &roots[level], p);                                                 \
    pair(row, d, 1u << (level), &roots[level], p);                                                 \
  } while (0)

/* The last three levels: eight transforms of eight residues side by side in each tile, which stays
 * transposed. */
TARGET static void KERNEL(split_tiles)(uint32_t *x, size_t length, const struct roots *roots,
                                       uint32_t p) {
  for (uint32_t *tile = x; tile < x + length; tile += TILE) {
    RESIDUES row[LANES];
    memcpy(row, tile, sizeof row);
    KERNEL(transpose)(row);
    LEVEL(KERNEL(split_rows), 0, 1, 2, 3, 2);
    LEVEL(KERNEL(split_rows), 0, 1, 4, 5, 1);
    LEVEL(KERNEL(split_rows), 0, 2, 4, 6, 0);
    memcpy(tile, row, sizeof row);
  }
}

/* Undoes split_tiles, up to the order and the factor that the whole transform leaves. */
TARGET static void KERNEL(join_tiles)(uint32_t *x, size_t length, const struct roots *roots,
                                      uint32_t p) {
  for (uint32_t *tile = x; tile < x + length; tile += TILE) {
    RESIDUES row[LANES];
    memcpy(row, tile, sizeof row);
    LEVEL(KERNEL(join_rows), 0, 2, 4, 6, 0);
    LEVEL(KERNEL(join_rows), 0, 1, 4, 5, 1);
    LEVEL(KERNEL(join_rows), 0, 1, 2, 3, 2);
    KERNEL(transpose)(row);
    memcpy(tile, row, sizeof row);
  }
}
#endif

/* x = low + 2^32 high modulo p. */
TARGET static void KERNEL(reduce)(uint32_t *x, const uint32_t *low, const uint32_t *high,
                                  size_t count, uint32_t p, struct factor one,
                                  struct factor radix) {
  for (size_t i = 0; i < count; i += LANES) {
    RESIDUES u = KERNEL(times_alike)(KERNEL(load)(low + i), one, p);
    RESIDUES v = KERNEL(times_alike)(KERNEL(load)(high + i), radix, p);
    KERNEL(store)(x + i, KERNEL(plus)(u, v, p));
  }
}

/* x[i] y[i] / 2^32 modulo p (Montgomery 1985). */
TARGET static void KERNEL(multiply_points)(uint32_t *x, const uint32_t *y, size_t count, uint32_t p,
                                           uint32_t p_inverse) {
  const RESIDUES zero = {0};
  for (size_t i = 0; i < count; i += LANES) {
    RESIDUES u = KERNEL(load)(x + i), v = KERNEL(load)(y + i);
    RESIDUES back = KERNEL(high_product)(u * v * p_inverse, zero + p);
    KERNEL(store)(x + i, KERNEL(minus)(KERNEL(high_product)(u, v), back, p));
  }
}

/* The next digit, for a later digit x of the number of which `digit` is known. */
INLINE RESIDUES KERNEL(strip)(RESIDUES x, RESIDUES digit, const struct garner *g, size_t from,
                              size_t to) {
  return KERNEL(times_alike)(x - digit + primes[to], g->inverse[from][to], primes[to]);
}

/* Replaces the residues x[j][i] by the mixed-radix digits of the number they stand for. */
TARGET static void KERNEL(find_digits)(uint32_t *const x[PRIME_COUNT], size_t count,
                                       const struct garner *g) {
  for (size_t i = 0; i < count; i += LANES) {
    RESIDUES d[PRIME_COUNT];
    for (size_t j = 0; j < PRIME_COUNT; j++)
      d[j] = KERNEL(times_alike)(KERNEL(load)(x[j] + i), g->final[j], primes[j]);
    for (size_t from = 0; from < PRIME_COUNT; from++)
      for (size_t to = from + 1; to < PRIME_COUNT; to++)
        d[to] = KERNEL(strip)(d[to], d[from], g, from, to);
    for (size_t j = 0; j < PRIME_COUNT; j++)
      KERNEL(store)(x[j] + i, d[j]);
  }
}

static const struct kernels KERNEL(kernels) = {
    .split_block = KERNEL(split_block),
    .join_block = KERNEL(join_block),
    .split_blocks = KERNEL(split_blocks),
    .join_blocks = KERNEL(join_blocks),
#if LANES == 8
    .tile_levels = TILE_LEVELS,
    .split_tiles = KERNEL(split_tiles),
    .join_tiles = KERNEL(join_tiles),
#endif
    .reduce = KERNEL(reduce),
    .multiply_points = KERNEL(multiply_points),
    .find_digits = KERNEL(find_digits),
};

#undef PICK
#undef LEVEL
#undef INLINE
#undef KERNEL
#undef TARGET
#undef LANES
#undef RESIDUES
