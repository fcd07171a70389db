/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/convolve.h"

#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "dist/survival/transform.h"

#define MERSENNE ((UINT64_C(1) << 61) - 1)

void convolve_schoolbook(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                         size_t b_count) {
  memset(c, 0, (a_count + b_count - 1) * sizeof *c);
  for (size_t i = 0; i < a_count; i++) {
    uint64_t x = a[i];
    if (x == 0)
      continue;
    for (size_t j = 0; j < b_count; j++)
      c[i + j] += (uint128)x * b[j];
  }
}

static uint64_t fold(uint128 x) {
  uint64_t low = (uint64_t)x & MERSENNE;
  uint64_t middle = (uint64_t)(x >> 61) & MERSENNE;
  uint64_t sum = low + middle + (uint64_t)(x >> 122);
  sum = (sum & MERSENNE) + (sum >> 61);
  return sum >= MERSENNE ? sum - MERSENNE : sum;
}

/* x^0 .. x^7 and x^8: Horner's rule by eights has one long dependence per eight coefficients. */
enum { BLOCK = 8 };
struct powers {
  uint64_t of[BLOCK], step;
};

static void powers_init(struct powers *powers, uint64_t x) {
  uint64_t power = 1;
  for (size_t i = 0; i < BLOCK; i++) {
    powers->of[i] = power;
    power = fold((uint128)power * x);
  }
  powers->step = power;
}

/* Eight products of 64 and 61 bits do not overflow. */
static inline uint64_t block_value(const uint64_t *a, size_t count, const struct powers *powers) {
  uint128 sum = 0;
#pragma GCC unroll 8
  for (size_t i = 0; i < count; i++)
    sum += (uint128)a[i] * powers->of[i];
  return fold(sum);
}

/* 2^64 is 8. */
static inline uint64_t wide_block_value(const uint128 *c, size_t count,
                                        const struct powers *powers) {
  uint128 low = 0, high = 0;
#pragma GCC unroll 8
  for (size_t i = 0; i < count; i++) {
    low += (uint128)(uint64_t)c[i] * powers->of[i];
    high += (uint128)(uint64_t)(c[i] >> 64) * powers->of[i];
  }
  return fold(((uint128)fold(high) << 3) + fold(low));
}

static uint64_t value_at(const uint64_t *a, size_t count, const struct powers *powers) {
  size_t i = count / BLOCK * BLOCK;
  uint64_t value = block_value(a + i, count - i, powers);
  for (; i != 0; i -= BLOCK)
    value = fold((uint128)value * powers->step + block_value(a + i - BLOCK, BLOCK, powers));
  return value;
}

static uint64_t wide_value_at(const uint128 *c, size_t count, const struct powers *powers) {
  size_t i = count / BLOCK * BLOCK;
  uint64_t value = wide_block_value(c + i, count - i, powers);
  for (; i != 0; i -= BLOCK)
    value = fold((uint128)value * powers->step + wide_block_value(c + i - BLOCK, BLOCK, powers));
  return value;
}

static uint128 total(const uint64_t *a, size_t count) {
  uint128 sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += a[i];
  return sum;
}

bool convolve_check(const uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                    size_t b_count, uint64_t point) {
  size_t count = a_count + b_count - 1;
  uint128 sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += c[i];
  if (sum != total(a, a_count) * total(b, b_count))
    return false;
  struct powers powers;
  powers_init(&powers, point % MERSENNE);
  uint64_t left = value_at(a, a_count, &powers), right = value_at(b, b_count, &powers);
  return fold((uint128)left * right) == wide_value_at(c, count, &powers);
}

static uint64_t random_point(void) {
  uint64_t point;
  if (getrandom(&point, sizeof point, 0) != (ssize_t)sizeof point)
    bug("no random numbers from the system");
  return point;
}

/* Steps of the schoolbook method that take as long as the transform of that length. */
static bool is_small(const uint64_t *a, size_t a_count, size_t b_count) {
  size_t used = 0;
  for (size_t i = 0; i < a_count; i++)
    used += a[i] != 0;
  return used * b_count <= 40 * transform_length(a_count, b_count);
}

void convolve_exact(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                    size_t b_count) {
  if (is_small(a, a_count, b_count)) {
    convolve_schoolbook(c, a, a_count, b, b_count);
    return;
  }
  if (is_small(b, b_count, a_count)) {
    convolve_schoolbook(c, b, b_count, a, a_count);
    return;
  }
  transform_convolve(c, a, a_count, b, b_count);
  if (!convolve_check(c, a, a_count, b, b_count, random_point()))
    bug("a product of %zu and %zu terms failed its check", a_count, b_count);
}
