/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/transform.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

/* The same C for every machine; where the loader can choose, also compiled for wider vectors. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HOT
#elif defined(__clang__)
#define HOT
#elif defined(__x86_64__) && defined(__GLIBC__)
#define HOT __attribute__((optimize("O3"), target_clones("avx2", "default")))
#else
#define HOT __attribute__((optimize("O3")))
#endif

enum {
  PRIME_COUNT = 4,
  LEVEL_MAX = 22,
  ROW = 16, /* the last stages work on ROW x ROW tiles, so that every loop runs over ROW or more */
  TILE = ROW * ROW,
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

static inline uint32_t subtract_once(uint32_t x, uint32_t p) {
  uint32_t y = x - p;
  return x < y ? x : y;
}

/* x * factor modulo p, for any x. */
static inline uint32_t multiply(uint32_t x, uint32_t value, uint32_t quotient, uint32_t p) {
  uint32_t q = (uint32_t)(((uint64_t)x * quotient) >> 32);
  return subtract_once(x * value - q * p, p);
}

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

/* x, y become x + y, (x - y) * root. */
HOT static void split(uint32_t *restrict x, uint32_t *restrict y, const uint32_t *restrict root,
                      const uint32_t *restrict quotient, size_t count, uint32_t p) {
  for (size_t j = 0; j < count; j++) {
    uint32_t u = x[j], v = y[j];
    x[j] = subtract_once(u + v, p);
    y[j] = multiply(u - v + p, root[j], quotient[j], p);
  }
}

/* x, y become x + y * root, x - y * root. */
HOT static void join(uint32_t *restrict x, uint32_t *restrict y, const uint32_t *restrict root,
                     const uint32_t *restrict quotient, size_t count, uint32_t p) {
  for (size_t j = 0; j < count; j++) {
    uint32_t u = x[j], v = multiply(y[j], root[j], quotient[j], p);
    x[j] = subtract_once(u + v, p);
    y[j] = subtract_once(u - v + p, p);
  }
}

/* The last four stages on one tile: a transform of each of ROW runs of ROW residues, run by run
 * side by side. Leaves the tile transposed. */
HOT static void split_tile(uint32_t *restrict tile, const struct roots *roots, uint32_t p) {
  uint32_t t[ROW][ROW];
  for (size_t run = 0; run < ROW; run++)
    for (size_t i = 0; i < ROW; i++)
      t[i][run] = tile[run * ROW + i];
  for (unsigned level = 4; level-- > 0;) {
    size_t half = (size_t)1 << level;
    for (size_t i = 0; i < ROW; i++) {
      if (i & half)
        continue;
      uint32_t value = roots[level].values[i & (half - 1)];
      uint32_t quotient = roots[level].quotients[i & (half - 1)];
      for (size_t run = 0; run < ROW; run++) {
        uint32_t u = t[i][run], v = t[i + half][run];
        t[i][run] = subtract_once(u + v, p);
        t[i + half][run] = multiply(u - v + p, value, quotient, p);
      }
    }
  }
  memcpy(tile, t, sizeof t);
}

/* Undoes split_tile, up to the order and the factor that the whole transform leaves. */
HOT static void join_tile(uint32_t *restrict tile, const struct roots *roots, uint32_t p) {
  uint32_t t[ROW][ROW];
  memcpy(t, tile, sizeof t);
  for (unsigned level = 0; level < 4; level++) {
    size_t half = (size_t)1 << level;
    for (size_t i = 0; i < ROW; i++) {
      if (i & half)
        continue;
      uint32_t value = roots[level].values[i & (half - 1)];
      uint32_t quotient = roots[level].quotients[i & (half - 1)];
      for (size_t run = 0; run < ROW; run++) {
        uint32_t u = t[i][run], v = multiply(t[i + half][run], value, quotient, p);
        t[i][run] = subtract_once(u + v, p);
        t[i + half][run] = subtract_once(u - v + p, p);
      }
    }
  }
  for (size_t run = 0; run < ROW; run++)
    for (size_t i = 0; i < ROW; i++)
      tile[run * ROW + i] = t[i][run];
}

static void transform(uint32_t *x, unsigned bits, size_t prime) {
  const struct roots *roots = cache[prime];
  uint32_t p = primes[prime];
  size_t length = (size_t)1 << bits;
  for (unsigned level = bits; level-- > 4;) {
    size_t half = (size_t)1 << level;
    for (size_t at = 0; at < length; at += 2 * half)
      split(x + at, x + at + half, roots[level].values, roots[level].quotients, half, p);
  }
  for (size_t at = 0; at < length; at += TILE)
    split_tile(x + at, roots, p);
}

/* Transforming a second time with the same roots gives length * x[-i]. */
static void transform_back(uint32_t *x, unsigned bits, size_t prime) {
  const struct roots *roots = cache[prime];
  uint32_t p = primes[prime];
  size_t length = (size_t)1 << bits;
  for (size_t at = 0; at < length; at += TILE)
    join_tile(x + at, roots, p);
  for (unsigned level = 4; level < bits; level++) {
    size_t half = (size_t)1 << level;
    for (size_t at = 0; at < length; at += 2 * half)
      join(x + at, x + at + half, roots[level].values, roots[level].quotients, half, p);
  }
}

HOT static void reduce(uint32_t *restrict x, const uint64_t *restrict a, size_t count, uint32_t p,
                       struct factor one, struct factor high) {
  for (size_t i = 0; i < count; i++) {
    uint32_t low = multiply((uint32_t)a[i], one.value, one.quotient, p);
    uint32_t top = multiply((uint32_t)(a[i] >> 32), high.value, high.quotient, p);
    x[i] = subtract_once(low + top, p);
  }
}

/* x[i] y[i] / 2^32 modulo p (Montgomery 1985); minus_inverse = 1/p modulo 2^32. */
HOT static void multiply_points(uint32_t *restrict x, const uint32_t *y, size_t count, uint32_t p,
                                uint32_t p_inverse) {
  for (size_t i = 0; i < count; i++) {
    uint64_t product = (uint64_t)x[i] * y[i];
    uint32_t m = (uint32_t)product * p_inverse;
    uint32_t back = (uint32_t)(((uint64_t)m * p) >> 32);
    x[i] = subtract_once((uint32_t)(product >> 32) - back + p, p);
  }
}

static uint32_t inverse_mod_2_32(uint32_t p) {
  uint32_t x = p;
  for (int i = 0; i < 5; i++)
    x *= 2 - p * x;
  return x;
}

static void load(uint32_t *x, const uint64_t *a, size_t count, unsigned bits, size_t prime) {
  uint32_t p = primes[prime];
  struct factor one = factor_of(1, p);
  struct factor high = factor_of((uint32_t)((UINT64_C(1) << 32) % p), p);
  reduce(x, a, count, p, one, high);
  memset(x + count, 0, (((size_t)1 << bits) - count) * sizeof *x);
  transform(x, bits, prime);
}

/* 2^32 / length modulo p: what Montgomery's product and the two transforms left. */
static struct factor final_factor(unsigned bits, uint32_t p) {
  uint64_t high = (UINT64_C(1) << 32) % p;
  uint64_t length = ((uint64_t)1 << bits) % p;
  return factor_of((uint32_t)(high * inverse((uint32_t)length, p) % p), p);
}

struct garner {
  struct factor final[PRIME_COUNT];
  struct factor inverse[PRIME_COUNT][PRIME_COUNT]; /* [i][j]: 1 / primes[i] modulo primes[j] */
};

static void garner_init(struct garner *garner, unsigned bits) {
  for (size_t j = 0; j < PRIME_COUNT; j++) {
    garner->final[j] = final_factor(bits, primes[j]);
    for (size_t i = 0; i < j; i++)
      garner->inverse[i][j] = factor_of(inverse(primes[i], primes[j]), primes[j]);
  }
}

static inline uint32_t garner_step(uint32_t x, uint32_t digit, struct factor f, uint32_t p) {
  return multiply(x - digit + p, f.value, f.quotient, p);
}

/* Replaces the residues x[j][i] by the mixed-radix digits of the number they stand for. */
HOT static void find_digits(uint32_t *restrict x0, uint32_t *restrict x1, uint32_t *restrict x2,
                            uint32_t *restrict x3, size_t count, const struct garner *g) {
  const uint32_t p0 = primes[0], p1 = primes[1], p2 = primes[2], p3 = primes[3];
  for (size_t i = 0; i < count; i++) {
    uint32_t d0 = multiply(x0[i], g->final[0].value, g->final[0].quotient, p0);
    uint32_t d1 = multiply(x1[i], g->final[1].value, g->final[1].quotient, p1);
    uint32_t d2 = multiply(x2[i], g->final[2].value, g->final[2].quotient, p2);
    uint32_t d3 = multiply(x3[i], g->final[3].value, g->final[3].quotient, p3);
    d1 = garner_step(d1, d0, g->inverse[0][1], p1);
    d2 = garner_step(d2, d0, g->inverse[0][2], p2);
    d3 = garner_step(d3, d0, g->inverse[0][3], p3);
    d2 = garner_step(d2, d1, g->inverse[1][2], p2);
    d3 = garner_step(d3, d1, g->inverse[1][3], p3);
    d3 = garner_step(d3, d2, g->inverse[2][3], p3);
    x0[i] = d0;
    x1[i] = d1;
    x2[i] = d2;
    x3[i] = d3;
  }
}

static void combine_digits(uint128 *c, size_t count, uint32_t *const x[PRIME_COUNT],
                           unsigned bits) {
  struct garner garner;
  garner_init(&garner, bits);
  size_t length = (size_t)1 << bits;
  find_digits(x[0], x[1], x[2], x[3], length, &garner);
  uint64_t low_radix = (uint64_t)primes[0] * primes[1];
  for (size_t k = 0; k < count; k++) {
    size_t i = (length - k) & (length - 1);
    uint64_t low = x[0][i] + (uint64_t)primes[0] * x[1][i];
    uint64_t high = x[2][i] + (uint64_t)primes[2] * x[3][i];
    c[k] = low + (uint128)low_radix * high;
  }
}

void transform_convolve(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                        size_t b_count) {
  size_t count = a_count + b_count - 1;
  unsigned bits = 8;
  while (((size_t)1 << bits) < count)
    bits++;
  if (bits > LEVEL_MAX)
    bug("a convolution of %zu terms", count);
  size_t length = (size_t)1 << bits;
  ensure_levels(bits);
  uint32_t *x[PRIME_COUNT];
  bool square = a == b && a_count == b_count;
  uint32_t *y = square ? NULL : mem_alloc(length, sizeof *y);
  for (size_t prime = 0; prime < PRIME_COUNT; prime++) {
    x[prime] = mem_alloc(length, sizeof *x[prime]);
    load(x[prime], a, a_count, bits, prime);
    if (!square)
      load(y, b, b_count, bits, prime);
    uint32_t p = primes[prime];
    multiply_points(x[prime], square ? x[prime] : y, length, p, inverse_mod_2_32(p));
    transform_back(x[prime], bits, prime);
  }
  combine_digits(c, count, x, bits);
  for (size_t prime = 0; prime < PRIME_COUNT; prime++)
    mem_free(x[prime]);
  mem_free(y);
}
