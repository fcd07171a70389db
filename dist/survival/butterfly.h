/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loops of transform.c. Not a header of declarations: transform.c includes it once per kind of
 * machine, with
 *   KERNEL(name)  the name a function gets,
 *   TARGET        its attributes,
 * and expects, for vectors of LANES residues, KERNEL(least)(a, b) and the upper halves of the
 * products, KERNEL(high_product)(a, b) and, for a b whose lanes are equal,
 * KERNEL(high_product_alike)(a, b). Both kinds compute the same numbers.
 */

#define INLINE TARGET static inline __attribute__((always_inline))

INLINE residues KERNEL(load)(const uint32_t *x) {
  residues v;
  memcpy(&v, x, sizeof v);
  return v;
}

INLINE void KERNEL(store)(uint32_t *x, residues v) {
  memcpy(x, &v, sizeof v);
}

/* x modulo p, for x < 2p. */
INLINE residues KERNEL(once)(residues x, uint32_t p) {
  return KERNEL(least)(x, x - p);
}

INLINE residues KERNEL(plus)(residues x, residues y, uint32_t p) {
  return KERNEL(once)(x + y, p);
}

INLINE residues KERNEL(minus)(residues x, residues y, uint32_t p) {
  residues z = x - y;
  return KERNEL(least)(z, z + p);
}

/* x * factor modulo p, for any x. */
INLINE residues KERNEL(times_roots)(residues x, const struct column_roots *roots, uint32_t p) {
  residues quotient = KERNEL(high_product)(x, KERNEL(load)(roots->quotient));
  return KERNEL(once)(x * KERNEL(load)(roots->value) - quotient * p, p);
}

INLINE residues KERNEL(times_alike)(residues x, struct factor factor, uint32_t p) {
  const residues zero = {0};
  residues quotient = KERNEL(high_product_alike)(x, zero + factor.quotient);
  return KERNEL(once)(x * (zero + factor.value) - quotient * p, p);
}

/* Two levels: a block modulo x^4q - r^2 becomes four modulo x^q - s, in place. What is multiplied
 * next may be any number of 32 bits, so sums on their way to a product are not reduced. */
INLINE void KERNEL(split_block)(uint32_t *x, size_t quarter, const struct factor *roots,
                                size_t block, uint32_t p) {
  struct factor outer = roots[block], left = roots[2 * block], right = roots[2 * block + 1];
  for (uint32_t *at = x; at < x + quarter; at += LANES) {
    residues x0 = KERNEL(load)(at), x1 = KERNEL(load)(at + quarter);
    residues x2 = KERNEL(times_alike)(KERNEL(load)(at + 2 * quarter), outer, p);
    residues x3 = KERNEL(times_alike)(KERNEL(load)(at + 3 * quarter), outer, p);
    residues s0 = KERNEL(plus)(x0, x2, p), d0 = KERNEL(minus)(x0, x2, p);
    residues s1 = KERNEL(times_alike)(x1 + x3, left, p);
    residues d1 = KERNEL(times_alike)(x1 - x3 + p, right, p);
    KERNEL(store)(at, KERNEL(plus)(s0, s1, p));
    KERNEL(store)(at + quarter, KERNEL(minus)(s0, s1, p));
    KERNEL(store)(at + 2 * quarter, KERNEL(plus)(d0, d1, p));
    KERNEL(store)(at + 3 * quarter, KERNEL(minus)(d0, d1, p));
  }
}

TARGET static void KERNEL(split)(uint32_t *x, size_t quarter, const struct factor *roots,
                                 size_t block, size_t count, uint32_t p) {
  for (size_t i = 0; i < count; i++)
    KERNEL(split_block)(x + i * 4 * quarter, quarter, roots, block + i, p);
}

/* The way back, with the same roots: see multiply_small_block in transform.c. */
INLINE void KERNEL(join_block)(uint32_t *x, size_t quarter, const struct factor *roots,
                               size_t block, uint32_t p) {
  struct factor outer = roots[block], left = roots[2 * block], right = roots[2 * block + 1];
  for (uint32_t *at = x; at < x + quarter; at += LANES) {
    residues x0 = KERNEL(load)(at), x1 = KERNEL(load)(at + quarter);
    residues x2 = KERNEL(load)(at + 2 * quarter), x3 = KERNEL(load)(at + 3 * quarter);
    residues s0 = KERNEL(plus)(x0, x1, p), s1 = KERNEL(plus)(x2, x3, p);
    residues d0 = KERNEL(times_alike)(x0 - x1 + p, left, p);
    residues d1 = KERNEL(times_alike)(x2 - x3 + p, right, p);
    KERNEL(store)(at, KERNEL(plus)(s0, s1, p));
    KERNEL(store)(at + quarter, KERNEL(plus)(d0, d1, p));
    KERNEL(store)(at + 2 * quarter, KERNEL(times_alike)(s0 - s1 + p, outer, p));
    KERNEL(store)(at + 3 * quarter, KERNEL(times_alike)(d0 - d1 + p, outer, p));
  }
}

TARGET static void KERNEL(join)(uint32_t *x, size_t quarter, const struct factor *roots,
                                size_t block, size_t count, uint32_t p) {
  for (size_t i = 0; i < count; i++)
    KERNEL(join_block)(x + i * 4 * quarter, quarter, roots, block + i, p);
}

/* The one level at the top where their number is odd: x^2h - 1 into x^h - 1 and x^h + 1. Its own
 * way back. */
TARGET static void KERNEL(halve)(uint32_t *x, size_t half, uint32_t p) {
  for (uint32_t *at = x; at < x + half; at += LANES) {
    residues u = KERNEL(load)(at), v = KERNEL(load)(at + half);
    KERNEL(store)(at, KERNEL(plus)(u, v, p));
    KERNEL(store)(at + half, KERNEL(minus)(u, v, p));
  }
}

#define PICK(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

/* Swaps rows and columns, by halves, quarters and single residues. */
INLINE void KERNEL(transpose)(residues row[LANES]) {
  residues next[LANES];
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

/* One butterfly within a tile; each column has its own root. */
INLINE void KERNEL(split_rows)(residues row[LANES], size_t i, size_t j,
                               const struct column_roots *roots, uint32_t p) {
  residues u = row[i], v = KERNEL(times_roots)(row[j], roots, p);
  row[i] = KERNEL(plus)(u, v, p);
  row[j] = KERNEL(minus)(u, v, p);
}

INLINE void KERNEL(join_rows)(residues row[LANES], size_t i, size_t j,
                              const struct column_roots *roots, uint32_t p) {
  residues u = row[i], v = row[j];
  row[i] = KERNEL(plus)(u, v, p);
  row[j] = KERNEL(times_roots)(u - v + p, roots, p);
}

/* The last three levels of a tile, one block of eight residues in each column. Written out, because
 * compilers keep the rows in registers only without a variable index. */
INLINE void KERNEL(split_tile)(residues row[LANES], const uint32_t *x,
                               const struct column_roots *roots, uint32_t p) {
  memcpy(row, x, TILE * sizeof *x);
  KERNEL(transpose)(row);
  KERNEL(split_rows)(row, 0, 4, &roots[0], p);
  KERNEL(split_rows)(row, 1, 5, &roots[0], p);
  KERNEL(split_rows)(row, 2, 6, &roots[0], p);
  KERNEL(split_rows)(row, 3, 7, &roots[0], p);
  KERNEL(split_rows)(row, 0, 2, &roots[1], p);
  KERNEL(split_rows)(row, 1, 3, &roots[1], p);
  KERNEL(split_rows)(row, 4, 6, &roots[2], p);
  KERNEL(split_rows)(row, 5, 7, &roots[2], p);
  KERNEL(split_rows)(row, 0, 1, &roots[3], p);
  KERNEL(split_rows)(row, 2, 3, &roots[4], p);
  KERNEL(split_rows)(row, 4, 5, &roots[5], p);
  KERNEL(split_rows)(row, 6, 7, &roots[6], p);
}

INLINE void KERNEL(join_tile)(uint32_t *x, residues row[LANES], const struct column_roots *roots,
                              uint32_t p) {
  KERNEL(join_rows)(row, 0, 1, &roots[3], p);
  KERNEL(join_rows)(row, 2, 3, &roots[4], p);
  KERNEL(join_rows)(row, 4, 5, &roots[5], p);
  KERNEL(join_rows)(row, 6, 7, &roots[6], p);
  KERNEL(join_rows)(row, 0, 2, &roots[1], p);
  KERNEL(join_rows)(row, 1, 3, &roots[1], p);
  KERNEL(join_rows)(row, 4, 6, &roots[2], p);
  KERNEL(join_rows)(row, 5, 7, &roots[2], p);
  KERNEL(join_rows)(row, 0, 4, &roots[0], p);
  KERNEL(join_rows)(row, 1, 5, &roots[0], p);
  KERNEL(join_rows)(row, 2, 6, &roots[0], p);
  KERNEL(join_rows)(row, 3, 7, &roots[0], p);
  KERNEL(transpose)(row);
  memcpy(x, row, TILE * sizeof *x);
}

/* x y / 2^32 modulo p (Montgomery 1985). */
INLINE residues KERNEL(montgomery)(residues x, residues y, uint32_t p, uint32_t p_inverse) {
  const residues zero = {0};
  residues back = KERNEL(high_product_alike)(x * y * p_inverse, zero + p);
  return KERNEL(minus)(KERNEL(high_product)(x, y), back, p);
}

/* The last levels of both, the product of their points, and the first levels of the way back. */
TARGET static void KERNEL(multiply_tiles)(uint32_t *x, const uint32_t *y, size_t count,
                                          const struct column_roots *roots, uint32_t p,
                                          uint32_t p_inverse) {
  for (size_t i = 0; i < count; i++, x += TILE, y += TILE, roots += TILE_ROOTS) {
    residues left[LANES], right[LANES];
    if (x != y)
      KERNEL(split_tile)(right, y, roots, p);
    KERNEL(split_tile)(left, x, roots, p);
    for (size_t j = 0; j < LANES; j++)
      left[j] = KERNEL(montgomery)(left[j], x == y ? left[j] : right[j], p, p_inverse);
    KERNEL(join_tile)(x, left, roots, p);
  }
}

/* x = a modulo p; radix is 2^32. */
TARGET static void KERNEL(reduce)(uint32_t *x, const uint64_t *a, size_t count, struct factor radix,
                                  uint32_t p) {
  for (size_t i = 0; i < count; i += LANES) {
    residues u, v;
    memcpy(&u, a + i, sizeof u);
    memcpy(&v, a + i + LANES / 2, sizeof v);
    residues low = PICK(u, v, LOW_HALF(0), LOW_HALF(1), LOW_HALF(2), LOW_HALF(3), LOW_HALF(4),
                        LOW_HALF(5), LOW_HALF(6), LOW_HALF(7));
    residues high = PICK(u, v, HIGH_HALF(0), HIGH_HALF(1), HIGH_HALF(2), HIGH_HALF(3), HIGH_HALF(4),
                         HIGH_HALF(5), HIGH_HALF(6), HIGH_HALF(7));
    low = KERNEL(once)(KERNEL(once)(low, p), p);
    KERNEL(store)(x + i, KERNEL(plus)(low, KERNEL(times_alike)(high, radix, p), p));
  }
}

/* The next digit, for a later digit x of the number of which `digit` is known. */
INLINE residues KERNEL(strip)(residues x, residues digit, const struct roots *roots, size_t from,
                              size_t to) {
  return KERNEL(times_alike)(x - digit + roots_primes[to], roots[to].inverse[from],
                             roots_primes[to]);
}

/* Replaces the residues x[j][i] by the mixed-radix digits of the number they stand for. */
TARGET static void KERNEL(find_digits)(uint32_t *const x[PRIME_COUNT], size_t first, size_t count,
                                       const struct roots *roots) {
  for (size_t i = first; i < first + count; i += LANES) {
    residues d[PRIME_COUNT];
    for (size_t j = 0; j < PRIME_COUNT; j++)
      d[j] = KERNEL(times_alike)(KERNEL(load)(x[j] + i), roots[j].last, roots_primes[j]);
    for (size_t from = 0; from < PRIME_COUNT; from++)
      for (size_t to = from + 1; to < PRIME_COUNT; to++)
        d[to] = KERNEL(strip)(d[to], d[from], roots, from, to);
    for (size_t j = 0; j < PRIME_COUNT; j++)
      KERNEL(store)(x[j] + i, d[j]);
  }
}

static const struct kernels KERNEL(kernels) = {
    .halve = KERNEL(halve),
    .split = KERNEL(split),
    .join = KERNEL(join),
    .multiply_tiles = KERNEL(multiply_tiles),
    .reduce = KERNEL(reduce),
    .find_digits = KERNEL(find_digits),
};

#undef PICK
#undef INLINE
#undef KERNEL
#undef TARGET
