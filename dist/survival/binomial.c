/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/binomial.h"

#include "base/memory.h"

/* digits * 2^exponent, digits >= 2^63. */
struct number {
  uint64_t digits;
  int64_t exponent;
};

/* (n - j) / (j + 1), by side. */
struct binomial_ratio {
  struct number rounded[2];
};

/* The upper 64 bits of a product of two digits, or of a quotient shifted to its place. */
static struct number normal(uint128 x, int64_t exponent, enum survival_side side) {
  unsigned shift = 63 + (unsigned)(x >> 127);
  uint128 up = side == SIDE_UPPER ? ((uint128)1 << shift) - 1 : 0;
  uint128 digits = (x + up) >> shift; /* x is at most 2^128 - 2^65 + 1 */
  if (digits >> 64 != 0)
    return (struct number){UINT64_C(1) << 63, exponent + shift + 1};
  return (struct number){(uint64_t)digits, exponent + shift};
}

static struct number times(struct number x, struct number y, enum survival_side side) {
  return normal((uint128)x.digits * y.digits, x.exponent + y.exponent, side);
}

static struct number whole(uint64_t x) {
  int zeros = __builtin_clzll(x);
  return (struct number){x << zeros, -zeros};
}

/* x / y, both positive. */
static struct number quotient(uint64_t x, uint64_t y, enum survival_side side) {
  struct number a = whole(x), b = whole(y);
  bool less = a.digits < b.digits;
  uint128 upper = (uint128)a.digits << (less ? 64 : 63);
  uint128 result = upper / b.digits;
  if (side == SIDE_UPPER && result * b.digits != upper)
    result++;
  int64_t exponent = a.exponent - b.exponent - (less ? 64 : 63);
  if (result >> 64 != 0)
    return (struct number){UINT64_C(1) << 63, exponent + 1};
  return (struct number){(uint64_t)result, exponent};
}

static struct number power(struct number x, uint64_t n, enum survival_side side) {
  struct number result = whole(1);
  for (; n != 0; n >>= 1) {
    if (n & 1)
      result = times(result, x, side);
    if (n > 1)
      x = times(x, x, side);
  }
  return result;
}

/* In units of 2^-122. */
static uint128 fixed(struct number x, enum survival_side side) {
  int64_t shift = x.exponent + 2 * SURVIVAL_BITS;
  if (shift >= 0)
    return (uint128)x.digits << (shift < 60 ? shift : 60); /* above 1 by rounding at most */
  if (shift <= -64)
    return side == SIDE_UPPER;
  uint64_t up = side == SIDE_UPPER && x.digits << (64 + shift) != 0;
  return (x.digits >> -shift) + up;
}

void binomial_init(struct binomial *binomial, uint64_t trials, size_t most) {
  if (most > trials)
    most = (size_t)trials;
  *binomial = (struct binomial){.trials = trials, .most = most};
  binomial->ratios = mem_alloc(most, sizeof *binomial->ratios);
  for (size_t j = 0; j < most; j++)
    for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
      binomial->ratios[j].rounded[side] =
          quotient(trials - j, (uint64_t)j + 1, (enum survival_side)side);
}

void binomial_clear(struct binomial *binomial) {
  mem_free(binomial->ratios);
  binomial->ratios = NULL;
}

void binomial_below(uint64_t *below, size_t count, const struct binomial *binomial, uint64_t no,
                    enum survival_side side) {
  struct number chance = whole(no);
  chance.exponent -= SURVIVAL_BITS;
  struct number odds = quotient(SURVIVAL_ONE - no, no, side);
  struct number term = power(chance, binomial->trials, side);
  uint128 sum = 0, up = side == SIDE_UPPER ? SURVIVAL_ONE - 1 : 0;
  below[0] = 0;
  for (size_t j = 0; j < count; j++) {
    sum += fixed(term, side);
    uint128 rounded = (sum + up) >> SURVIVAL_BITS;
    below[j + 1] = rounded < SURVIVAL_ONE ? (uint64_t)rounded : SURVIVAL_ONE;
    struct number ratio = binomial->ratios[j].rounded[side];
    term = times(term, times(ratio, odds, side), side);
  }
}
