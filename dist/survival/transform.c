/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/transform.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/memory.h"
#include "dist/survival/roots.h"

enum {
  BITS_MIN = 8,
  SMALL_BITS = 11, /* two such blocks and their roots fit the first cache */
  WRAP_MAX = 32,   /* terms beyond the length that are cheaper by definition */
};

typedef uint32_t residues __attribute__((vector_size(sizeof(uint32_t) * LANES)));

/* See butterfly.h. */
struct kernels {
  void (*halve)(uint32_t *x, size_t half, uint32_t p);
  void (*split)(uint32_t *x, size_t quarter, const struct factor *roots, size_t block, size_t count,
                uint32_t p);
  void (*join)(uint32_t *x, size_t quarter, const struct factor *roots, size_t block, size_t count,
               uint32_t p);
  void (*multiply_tiles)(uint32_t *x, const uint32_t *y, size_t count,
                         const struct column_roots *roots, uint32_t p, uint32_t p_inverse);
  void (*reduce)(uint32_t *x, const uint64_t *a, size_t count, struct factor radix, uint32_t p);
  void (*find_digits)(uint32_t *const x[PRIME_COUNT], size_t first, size_t count,
                      const struct roots *roots);
};

/* Lanes of two vectors of 64-bit numbers, seen as vectors of halves. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOW_HALF(i) (2 * (i))
#define HIGH_HALF(i) (2 * (i) + 1)
#else
#define LOW_HALF(i) (2 * (i) + 1)
#define HIGH_HALF(i) (2 * (i))
#endif

/* Every machine. */
#define TARGET
#define KERNEL(name) plain_##name

static inline __attribute__((always_inline)) residues plain_least(residues a, residues b) {
  residues less = (residues)(a < b);
  return (a & less) | (b & ~less);
}

static inline __attribute__((always_inline)) residues plain_high_product(residues a, residues b) {
  residues product = {0};
  for (int i = 0; i < LANES; i++)
    product[i] = (uint32_t)(((uint64_t)a[i] * b[i]) >> 32);
  return product;
}

static inline __attribute__((always_inline)) residues plain_high_product_alike(residues a,
                                                                               residues b) {
  return plain_high_product(a, b);
}

#include "dist/survival/butterfly.h"

/* Machines with AVX2. Three operations are spelled out, because compilers find none. */
#ifdef __x86_64__
#define TARGET __attribute__((target("avx2")))
#define KERNEL(name) avx2_##name

TARGET static inline __attribute__((always_inline)) residues avx2_least(residues a, residues b) {
  return (residues)_mm256_min_epu32((__m256i)a, (__m256i)b);
}

TARGET static inline __attribute__((always_inline)) residues avx2_high_product_alike(residues a,
                                                                                     residues b) {
  __m256i even = _mm256_mul_epu32((__m256i)a, (__m256i)b);
  __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)a, 32), (__m256i)b);
  return (residues)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
}

TARGET static inline __attribute__((always_inline)) residues avx2_high_product(residues a,
                                                                               residues b) {
  __m256i even = _mm256_mul_epu32((__m256i)a, (__m256i)b);
  __m256i odd =
      _mm256_mul_epu32(_mm256_srli_epi64((__m256i)a, 32), _mm256_srli_epi64((__m256i)b, 32));
  return (residues)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
}

#include "dist/survival/butterfly.h"

static const struct kernels *choose_kernels(void) {
  return __builtin_cpu_supports("avx2") ? &avx2_kernels : &plain_kernels;
}
#else
static const struct kernels *choose_kernels(void) {
  return &plain_kernels;
}
#endif

/* One product modulo one prime. */
struct context {
  const struct kernels *kernels;
  unsigned bits;
  size_t length;
  uint32_t p, p_inverse;
};

static uint32_t inverse_mod_2_32(uint32_t p) {
  uint32_t x = p;
  for (int i = 0; i < 5; i++)
    x *= 2 - p * x;
  return x;
}

/* x = x y modulo block `index` of its level, times a constant and with the coefficients in reverse:
 * joining with the roots of splitting, not their inverses, transforms a second time. x may be y. */
static void multiply_small_block(const struct context *t, const struct roots *roots, uint32_t *x,
                                 uint32_t *y, unsigned bits, size_t index) {
  for (unsigned level = bits; level > COLUMN_BITS; level -= 2) {
    size_t quarter = (size_t)1 << (level - 2), count = (size_t)1 << (bits - level);
    t->kernels->split(x, quarter, roots->blocks, index * count, count, t->p);
    if (x != y)
      t->kernels->split(y, quarter, roots->blocks, index * count, count, t->p);
  }
  size_t tiles = (size_t)1 << (bits - TILE_BITS);
  t->kernels->multiply_tiles(x, y, tiles, roots->tiles + index * tiles * TILE_ROOTS, t->p,
                             t->p_inverse);
  for (unsigned level = COLUMN_BITS + 2; level <= bits; level += 2) {
    size_t quarter = (size_t)1 << (level - 2), count = (size_t)1 << (bits - level);
    t->kernels->join(x, quarter, roots->blocks, index * count, count, t->p);
  }
}

/* Depth first, so that all but the largest blocks stay in the cache. */
static void multiply_block(const struct context *t, const struct roots *roots, uint32_t *x,
                           uint32_t *y, unsigned bits, size_t index) {
  if (bits <= SMALL_BITS) {
    multiply_small_block(t, roots, x, y, bits, index);
    return;
  }
  size_t quarter = (size_t)1 << (bits - 2);
  t->kernels->split(x, quarter, roots->blocks, index, 1, t->p);
  if (x != y)
    t->kernels->split(y, quarter, roots->blocks, index, 1, t->p);
  for (size_t i = 0; i < 4; i++)
    multiply_block(t, roots, x + i * quarter, y + i * quarter, bits - 2, 4 * index + i);
  t->kernels->join(x, quarter, roots->blocks, index, 1, t->p);
}

/* Levels come in pairs; of an odd number the first one stands alone. */
static void multiply(const struct context *t, const struct roots *roots, uint32_t *x, uint32_t *y) {
  if ((t->bits - COLUMN_BITS) % 2 == 0) {
    multiply_block(t, roots, x, y, t->bits, 0);
    return;
  }
  size_t half = t->length / 2;
  t->kernels->halve(x, half, t->p);
  if (x != y)
    t->kernels->halve(y, half, t->p);
  multiply_block(t, roots, x, y, t->bits - 1, 0);
  multiply_block(t, roots, x + half, y + half, t->bits - 1, 1);
  t->kernels->halve(x, half, t->p);
}

/* x = a modulo p, padded with zeros. */
static void load(const struct context *t, uint32_t *x, const uint64_t *a, size_t count) {
  struct factor radix = roots_factor((uint32_t)((UINT64_C(1) << 32) % t->p), t->p);
  size_t whole = count / LANES * LANES;
  t->kernels->reduce(x, a, whole, radix, t->p);
  memset(x + whole, 0, (t->length - whole) * sizeof *x);
  if (whole < count) {
    uint64_t rest[LANES] = {0};
    memcpy(rest, a + whole, (count - whole) * sizeof *a);
    t->kernels->reduce(x + whole, rest, LANES, radix, t->p);
  }
}

/* `last` of the roots takes away what Montgomery's product and the two transforms left. */
static void put_together(const struct context *t, const struct roots *roots, uint128 *c,
                         size_t count, uint32_t *const x[PRIME_COUNT]) {
  enum { CHUNK = 512 };
  uint64_t low_radix = (uint64_t)roots_primes[0] * roots_primes[1];
  for (size_t first = 0; first < t->length; first += CHUNK) {
    size_t end = first + CHUNK < t->length ? first + CHUNK : t->length;
    t->kernels->find_digits(x, first, end - first, roots);
    for (size_t i = first; i < end; i++) {
      size_t k = (t->length - i) & (t->length - 1);
      if (k >= count)
        continue;
      uint64_t low = x[0][i] + (uint64_t)roots_primes[0] * x[1][i];
      uint64_t high = x[2][i] + (uint64_t)roots_primes[2] * x[3][i];
      c[k] = low + (uint128)low_radix * high;
    }
  }
}

/* Working memory, kept by each thread: pages fresh from the system cost a sixth of a product. */
static pthread_once_t workspace_once = PTHREAD_ONCE_INIT;
static pthread_key_t workspace_key;
static _Thread_local size_t workspace_size;

static void workspace_start(void) {
  if (pthread_key_create(&workspace_key, free) != 0)
    bug("no room for a thread's data");
}

static uint32_t *workspace(size_t count) {
  pthread_once(&workspace_once, workspace_start);
  void *block = pthread_getspecific(workspace_key);
  if (count > workspace_size) {
    free(block);
    block = roots_memory(count * sizeof(uint32_t));
    if (pthread_setspecific(workspace_key, block) != 0)
      bug("no room for a thread's data");
    workspace_size = count;
  }
  return block;
}

static void convolve_cyclic(const struct kernels *kernels, unsigned bits, uint128 *c, size_t count,
                            const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
  struct context t = {.kernels = kernels, .bits = bits, .length = (size_t)1 << bits};
  const struct roots *roots = roots_find(bits);
  bool square = a == b && a_count == b_count;
  /* Arrays a few lines apart in the cache, not at the same place of each page. */
  size_t stride = t.length + 16 * LANES;
  uint32_t *memory = workspace((PRIME_COUNT + 1) * stride);
  uint32_t *x[PRIME_COUNT], *y = memory + PRIME_COUNT * stride;
  for (size_t i = 0; i < PRIME_COUNT; i++) {
    x[i] = memory + i * stride;
    t.p = roots_primes[i];
    t.p_inverse = inverse_mod_2_32(t.p);
    load(&t, x[i], a, a_count);
    if (!square)
      load(&t, y, b, b_count);
    multiply(&t, &roots[i], x[i], square ? x[i] : y);
  }
  put_together(&t, roots, c, count, x);
}

/* The last `wrapped` terms by definition; the transform has added them to the first ones. */
static void unwrap(uint128 *c, size_t length, size_t wrapped, const uint64_t *a, size_t a_count,
                   const uint64_t *b, size_t b_count) {
  for (size_t k = length; k < length + wrapped; k++) {
    c[k] = 0;
    for (size_t i = k - (b_count - 1); i < a_count; i++)
      c[k] += (uint128)a[i] * b[k - i];
    c[k - length] -= c[k];
  }
}

static unsigned bits_for(size_t a_count, size_t b_count) {
  size_t count = a_count + b_count - 1, most = a_count > b_count ? a_count : b_count;
  unsigned bits = BITS_MIN;
  while (((size_t)1 << bits) < most || ((size_t)1 << bits) + WRAP_MAX < count)
    bits++;
  return bits;
}

size_t transform_length(size_t a_count, size_t b_count) {
  return (size_t)1 << bits_for(a_count, b_count);
}

static void convolve_with(const struct kernels *kernels, uint128 *c, const uint64_t *a,
                          size_t a_count, const uint64_t *b, size_t b_count) {
  unsigned bits = bits_for(a_count, b_count);
  size_t count = a_count + b_count - 1, length = (size_t)1 << bits;
  if (bits > ROOTS_BITS_MAX)
    bug("a convolution of %zu terms", count);
  size_t wrapped = count > length ? count - length : 0;
  convolve_cyclic(kernels, bits, c, count - wrapped, a, a_count, b, b_count);
  unwrap(c, length, wrapped, a, a_count, b, b_count);
}

void transform_convolve(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                        size_t b_count) {
  convolve_with(choose_kernels(), c, a, a_count, b, b_count);
}

void transform_convolve_plain(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                              size_t b_count) {
  convolve_with(&plain_kernels, c, a, a_count, b, b_count);
}
