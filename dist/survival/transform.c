/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/transform.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/memory.h"

enum {
  PRIME_COUNT = 4,
  LEVEL_MAX = 22,
  LANES_MAX = 8,
  TILE_LEVELS = 3,
  TILE = LANES_MAX * LANES_MAX,
};

/* Increasing, so that a residue of one is a residue of all that follow. Product above 2^123. */
static const uint32_t primes[PRIME_COUNT] = {1811939329, 2013265921, 2113929217, 2130706433};

/* A factor and floor(factor * 2^32 / p). */
struct factor {
  uint32_t value, quotient;
};

/* values[j] = r^j for a root r of order 2^(level + 1), j < 2^level. */
struct roots {
  uint32_t *values, *quotients;
};

static struct roots cache[PRIME_COUNT][LEVEL_MAX];
static unsigned cached_levels;
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static struct factor factor_of(uint32_t value, uint32_t p) {
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

static void build_level(struct roots *roots, unsigned level, uint32_t p) {
  size_t count = (size_t)1 << level;
  roots->values = mem_alloc(count, sizeof *roots->values);
  roots->quotients = mem_alloc(count, sizeof *roots->quotients);
  uint32_t root = root_of_order(level + 1, p);
  uint64_t value = 1;
  for (size_t j = 0; j < count; j++) {
    struct factor factor = factor_of((uint32_t)value, p);
    roots->values[j] = factor.value;
    roots->quotients[j] = factor.quotient;
    value = value * root % p;
  }
}

static void ensure_levels(unsigned levels) {
  pthread_mutex_lock(&cache_lock);
  for (; cached_levels < levels; cached_levels++)
    for (size_t i = 0; i < PRIME_COUNT; i++)
      build_level(&cache[i][cached_levels], cached_levels, primes[i]);
  pthread_mutex_unlock(&cache_lock);
}

struct garner {
  struct factor final[PRIME_COUNT];
  struct factor inverse[PRIME_COUNT][PRIME_COUNT]; /* [i][j]: 1 / primes[i] modulo primes[j] */
};

/* See butterfly.h. */
struct kernels {
  unsigned tile_levels; /* the last levels, which split_tiles and join_tiles do; or 0 */
  void (*split_block)(uint32_t *x, size_t half, const struct roots *roots, uint32_t p);
  void (*join_block)(uint32_t *x, size_t half, const struct roots *roots, uint32_t p);
  void (*split_blocks)(uint32_t *x, size_t length, size_t quarter, const struct roots *roots,
                       uint32_t p);
  void (*join_blocks)(uint32_t *x, size_t length, size_t quarter, const struct roots *roots,
                      uint32_t p);
  void (*split_tiles)(uint32_t *x, size_t length, const struct roots *roots, uint32_t p);
  void (*join_tiles)(uint32_t *x, size_t length, const struct roots *roots, uint32_t p);
  void (*reduce)(uint32_t *x, const uint32_t *low, const uint32_t *high, size_t count, uint32_t p,
                 struct factor one, struct factor radix);
  void (*multiply_points)(uint32_t *x, const uint32_t *y, size_t count, uint32_t p,
                          uint32_t p_inverse);
  void (*find_digits)(uint32_t *const x[PRIME_COUNT], size_t count, const struct garner *g);
};

/* Every machine. */
#define TARGET
#define KERNEL(name) plain_##name
#define LANES 1
#define RESIDUES uint32_t

static inline uint32_t plain_least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static inline uint32_t plain_high_product(uint32_t a, uint32_t b) {
  return (uint32_t)(((uint64_t)a * b) >> 32);
}

#include "dist/survival/butterfly.h"

/* Machines with AVX2. Two operations are spelled out, because compilers find neither. */
#ifdef __x86_64__
typedef uint32_t eight __attribute__((vector_size(32)));

#define TARGET __attribute__((target("avx2")))
#define KERNEL(name) avx2_##name
#define LANES 8
#define RESIDUES eight

TARGET static inline __attribute__((always_inline)) eight avx2_least(eight a, eight b) {
  return (eight)_mm256_min_epu32((__m256i)a, (__m256i)b);
}

TARGET static inline __attribute__((always_inline)) eight avx2_high_product(eight a, eight b) {
  __m256i even = _mm256_mul_epu32((__m256i)a, (__m256i)b);
  __m256i odd =
      _mm256_mul_epu32(_mm256_srli_epi64((__m256i)a, 32), _mm256_srli_epi64((__m256i)b, 32));
  return (eight)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
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

/* One transform's surroundings. */
struct context {
  const struct kernels *kernels;
  unsigned bits;
  size_t length;
  size_t prime;
  uint32_t p;
};

/* Levels in pairs, the first alone where their number is odd, the last few in tiles. */
static void transform(const struct context *t, uint32_t *x) {
  const struct roots *roots = cache[t->prime];
  unsigned level = t->bits, last = t->kernels->tile_levels;
  if ((level - last) % 2 != 0) {
    level--;
    t->kernels->split_block(x, t->length / 2, &roots[level], t->p);
  }
  for (; level > last; level -= 2) {
    size_t quarter = (size_t)1 << (level - 2);
    t->kernels->split_blocks(x, t->length, quarter, &roots[level - 2], t->p);
  }
  if (last != 0)
    t->kernels->split_tiles(x, t->length, roots, t->p);
}

/* Transforming a second time with the same roots gives length * x[-i]. */
static void transform_back(const struct context *t, uint32_t *x) {
  const struct roots *roots = cache[t->prime];
  unsigned level = t->kernels->tile_levels;
  if (level != 0)
    t->kernels->join_tiles(x, t->length, roots, t->p);
  for (; level + 2 <= t->bits; level += 2)
    t->kernels->join_blocks(x, t->length, (size_t)1 << level, &roots[level], t->p);
  if (level < t->bits)
    t->kernels->join_block(x, t->length / 2, &roots[level], t->p);
}

static uint32_t inverse_mod_2_32(uint32_t p) {
  uint32_t x = p;
  for (int i = 0; i < 5; i++)
    x *= 2 - p * x;
  return x;
}

/* An input in 32-bit halves, padded with zeros to a multiple of LANES_MAX. */
struct halves {
  size_t count;
  uint32_t *low, *high;
};

/* Memory that is written before it is read. */
static uint32_t *new_words(size_t count) {
  return mem_resize(NULL, count, sizeof(uint32_t));
}

static void halves_init(struct halves *halves, const uint64_t *a, size_t count) {
  halves->count = (count + LANES_MAX - 1) / LANES_MAX * LANES_MAX;
  halves->low = new_words(halves->count);
  halves->high = new_words(halves->count);
  for (size_t i = 0; i < halves->count; i++) {
    uint64_t x = i < count ? a[i] : 0;
    halves->low[i] = (uint32_t)x;
    halves->high[i] = (uint32_t)(x >> 32);
  }
}

static void halves_clear(struct halves *halves) {
  mem_free(halves->low);
  mem_free(halves->high);
}

static void load(const struct context *t, uint32_t *x, const struct halves *a) {
  struct factor one = factor_of(1, t->p);
  struct factor radix = factor_of((uint32_t)((UINT64_C(1) << 32) % t->p), t->p);
  t->kernels->reduce(x, a->low, a->high, a->count, t->p, one, radix);
  memset(x + a->count, 0, (t->length - a->count) * sizeof *x);
  transform(t, x);
}

/* 2^32 / length modulo p: what Montgomery's product and the two transforms left. */
static struct factor final_factor(size_t length, uint32_t p) {
  uint64_t radix = (UINT64_C(1) << 32) % p;
  return factor_of((uint32_t)(radix * inverse((uint32_t)(length % p), p) % p), p);
}

static void garner_init(struct garner *garner, size_t length) {
  for (size_t j = 0; j < PRIME_COUNT; j++) {
    garner->final[j] = final_factor(length, primes[j]);
    for (size_t i = 0; i < j; i++)
      garner->inverse[i][j] = factor_of(inverse(primes[i], primes[j]), primes[j]);
  }
}

static void put_together(const struct context *t, uint128 *c, size_t count,
                         uint32_t *const x[PRIME_COUNT]) {
  struct garner garner;
  garner_init(&garner, t->length);
  t->kernels->find_digits(x, t->length, &garner);
  uint64_t low_radix = (uint64_t)primes[0] * primes[1];
  for (size_t k = 0; k < count; k++) {
    size_t i = (t->length - k) & (t->length - 1);
    uint64_t low = x[0][i] + (uint64_t)primes[0] * x[1][i];
    uint64_t high = x[2][i] + (uint64_t)primes[2] * x[3][i];
    c[k] = low + (uint128)low_radix * high;
  }
}

static void convolve_halves(struct context *t, uint128 *c, size_t count, const struct halves *a,
                            const struct halves *b) {
  uint32_t *x[PRIME_COUNT];
  uint32_t *y = new_words(t->length);
  for (t->prime = 0; t->prime < PRIME_COUNT; t->prime++) {
    uint32_t *z = x[t->prime] = new_words(t->length);
    t->p = primes[t->prime];
    load(t, z, a);
    if (a != b)
      load(t, y, b);
    t->kernels->multiply_points(z, a == b ? z : y, t->length, t->p, inverse_mod_2_32(t->p));
    transform_back(t, z);
  }
  put_together(t, c, count, x);
  for (size_t i = 0; i < PRIME_COUNT; i++)
    mem_free(x[i]);
  mem_free(y);
}

static void convolve_with(const struct kernels *kernels, uint128 *c, const uint64_t *a,
                          size_t a_count, const uint64_t *b, size_t b_count) {
  size_t count = a_count + b_count - 1;
  struct context t = {.kernels = kernels, .bits = 8};
  while (((size_t)1 << t.bits) < count)
    t.bits++;
  if (t.bits > LEVEL_MAX)
    bug("a convolution of %zu terms", count);
  t.length = (size_t)1 << t.bits;
  ensure_levels(t.bits);
  struct halves left, right;
  halves_init(&left, a, a_count);
  if (a == b && a_count == b_count) {
    convolve_halves(&t, c, count, &left, &left);
  } else {
    halves_init(&right, b, b_count);
    convolve_halves(&t, c, count, &left, &right);
    halves_clear(&right);
  }
  halves_clear(&left);
}

void transform_convolve(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                        size_t b_count) {
  convolve_with(choose_kernels(), c, a, a_count, b, b_count);
}

void transform_convolve_plain(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                              size_t b_count) {
  convolve_with(&plain_kernels, c, a, a_count, b, b_count);
}
