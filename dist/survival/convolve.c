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

/* Horner's rule on the even and on the odd coefficients, which a processor does side by side. */
static uint64_t value_at(const uint64_t *a, size_t count, uint64_t x) {
  uint64_t even = 0, odd = 0, square = fold((uint128)x * x);
  size_t i = count;
  if (i % 2 != 0)
    even = fold(a[--i]);
  for (; i != 0; i -= 2) {
    odd = fold((uint128)odd * square + a[i - 1]);
    even = fold((uint128)even * square + a[i - 2]);
  }
  return fold((uint128)odd * x + even);
}

static uint64_t wide_value_at(const uint128 *c, size_t count, uint64_t x) {
  uint64_t even = 0, odd = 0, square = fold((uint128)x * x);
  size_t i = count;
  if (i % 2 != 0)
    even = fold(c[--i]);
  for (; i != 0; i -= 2) {
    odd = fold((uint128)odd * square + fold(c[i - 1]));
    even = fold((uint128)even * square + fold(c[i - 2]));
  }
  return fold((uint128)odd * x + even);
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
  uint64_t x = point % MERSENNE;
  uint64_t left = fold((uint128)value_at(a, a_count, x) * value_at(b, b_count, x));
  return left == wide_value_at(c, count, x);
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
  size_t length = TRANSFORM_LENGTH_MIN;
  while (length < a_count + b_count)
    length *= 2;
  return used * b_count <= 24 * length;
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
