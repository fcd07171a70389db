/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/binomial.h"

#include "base/memory.h"

enum { FIXED_BITS = 122 };

#define LEAST_EXPONENT (-(INT64_C(1) << 56))

/* (n - j) / (j + 1), by side. */
struct binomial_ratio {
  struct binomial_number rounded[2];
};

/* The upper 64 bits of a product of two digits, or of a quotient shifted to its place. */
static struct binomial_number normal(uint128 x, int64_t exponent, enum survival_side side) {
  unsigned shift = 63 + (unsigned)(x >> 127);
  uint128 up = side == SIDE_UPPER ? ((uint128)1 << shift) - 1 : 0;
  uint128 digits = (x + up) >> shift; /* x is at most 2^128 - 2^65 + 1 */
  if (digits >> 64 != 0)
    return (struct binomial_number){UINT64_C(1) << 63, exponent + shift + 1};
  return (struct binomial_number){(uint64_t)digits, exponent + shift};
}

static struct binomial_number times(struct binomial_number x, struct binomial_number y,
                                    enum survival_side side) {
  return normal((uint128)x.digits * y.digits, x.exponent + y.exponent, side);
}

static struct binomial_number whole(uint64_t x) {
  int zeros = __builtin_clzll(x);
  return (struct binomial_number){x << zeros, -zeros};
}

/* x / y, both positive. */
static struct binomial_number quotient(uint64_t x, uint64_t y, enum survival_side side) {
  struct binomial_number a = whole(x), b = whole(y);
  bool less = a.digits < b.digits;
  uint128 upper = (uint128)a.digits << (less ? 64 : 63);
  uint128 result = upper / b.digits;
  if (side == SIDE_UPPER && result * b.digits != upper)
    result++;
  int64_t exponent = a.exponent - b.exponent - (less ? 64 : 63);
  if (result >> 64 != 0)
    return (struct binomial_number){UINT64_C(1) << 63, exponent + 1};
  return (struct binomial_number){(uint64_t)result, exponent};
}

static struct binomial_number power(struct binomial_number x, uint64_t n, enum survival_side side) {
  struct binomial_number result = whole(1);
  for (; n != 0; n >>= 1) {
    if (n & 1)
      result = times(result, x, side);
    if (n > 1)
      x = times(x, x, side);
    if (x.exponent < LEAST_EXPONENT) /* 0 for every purpose, and not to overflow */
      x.exponent = LEAST_EXPONENT;
  }
  return result;
}

/* In units of 2^-122. */
static uint128 fixed(struct binomial_number x, enum survival_side side) {
  int64_t shift = x.exponent + FIXED_BITS;
  if (shift >= 0)
    return (uint128)x.digits << (shift < 60 ? shift : 60); /* above 1 by rounding at most */
  if (shift <= -64)
    return side == SIDE_UPPER;
  uint64_t up = side == SIDE_UPPER && x.digits << (64 + shift) != 0;
  return (x.digits >> -shift) + up;
}

/* x / 2^122 as a chance, at most 1, rounded to the side. */
static uint64_t chance_of(uint128 x, enum survival_side side) {
  if (x >= (uint128)1 << FIXED_BITS)
    return SURVIVAL_ONE;
  uint128 low = (uint128)(uint64_t)x * SURVIVAL_ONE;
  uint128 high = (uint128)(uint64_t)(x >> 64) * SURVIVAL_ONE + (low >> 64);
  uint128 rest = high & (((uint128)1 << (FIXED_BITS - 64)) - 1);
  bool up = side == SIDE_UPPER && (rest != 0 || (uint64_t)low != 0);
  return (uint64_t)(high >> (FIXED_BITS - 64)) + up;
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
  struct binomial_number chance = quotient(no, SURVIVAL_ONE, side);
  struct binomial_number odds = quotient(SURVIVAL_ONE - no, no, side);
  struct binomial_number term = power(chance, binomial->trials, side);
  uint128 sum = 0;
  below[0] = 0;
  for (size_t j = 0; j < count; j++) {
    sum += fixed(term, side);
    below[j + 1] = chance_of(sum, side);
    struct binomial_number ratio = binomial->ratios[j].rounded[side];
    term = times(term, times(ratio, odds, side), side);
  }
}

void binomial_rank_init(struct binomial_rank *binomial, uint64_t trials, uint64_t rank) {
  *binomial = (struct binomial_rank){.trials = trials, .rank = rank};
  for (int i = SIDE_UPPER; i <= SIDE_LOWER; i++) {
    enum survival_side side = (enum survival_side)i;
    /* (n over k) = (n over n - k), by the shorter product */
    bool turned = rank > trials / 2;
    uint64_t steps = turned ? trials - rank : rank - 1;
    struct binomial_number choose = whole(1);
    for (uint64_t j = 0; j < steps; j++)
      choose = times(choose, quotient(trials - j, j + 1, side), side);
    struct binomial_number next = times(choose, quotient(trials - steps, steps + 1, side), side);
    binomial->below[i] = turned ? next : choose;
    binomial->at[i] = turned ? choose : next;
  }
}

/* (n over k) no^(n - k) yes^k */
static struct binomial_number term_of(struct binomial_number choose, uint64_t trials, uint64_t k,
                                      uint64_t no, enum survival_side side) {
  struct binomial_number fails = quotient(no, SURVIVAL_ONE, side);
  struct binomial_number succeeds = quotient(SURVIVAL_ONE - no, SURVIVAL_ONE, side);
  struct binomial_number chance =
      times(power(fails, trials - k, side), power(succeeds, k, side), side);
  return times(choose, chance, side);
}

/* P(at most `most` succeed), where most <= trials yes, so that terms decrease on the way down. */
static uint128 sum_down(const struct binomial_rank *binomial, uint64_t no,
                        enum survival_side side) {
  uint64_t j = binomial->rank - 1, n = binomial->trials;
  struct binomial_number odds = quotient(no, SURVIVAL_ONE - no, side);
  struct binomial_number term = term_of(binomial->below[side], n, j, no, side);
  uint128 sum = 0;
  for (; fixed(term, SIDE_LOWER) != 0; j--) {
    sum += fixed(term, side);
    if (j == 0)
      return sum;
    term = times(term, times(quotient(j, n - j + 1, side), odds, side), side);
  }
  return side == SIDE_UPPER ? sum + j + 1 : sum; /* one unit for each term that is left */
}

/* P(at least `rank` succeed), where rank > trials yes. */
static uint128 sum_up(const struct binomial_rank *binomial, uint64_t no, enum survival_side side) {
  uint64_t j = binomial->rank, n = binomial->trials;
  struct binomial_number odds = quotient(SURVIVAL_ONE - no, no, side);
  struct binomial_number term = term_of(binomial->at[side], n, j, no, side);
  uint128 sum = 0;
  for (; fixed(term, SIDE_LOWER) != 0; j++) {
    sum += fixed(term, side);
    if (j == n)
      return sum;
    term = times(term, times(quotient(n - j, j + 1, side), odds, side), side);
  }
  return side == SIDE_UPPER ? sum + (n - j) + 1 : sum;
}

uint64_t binomial_fewer(const struct binomial_rank *binomial, uint64_t no,
                        enum survival_side side) {
  uint128 yes = (uint128)binomial->trials * (SURVIVAL_ONE - no);
  bool low = binomial->rank - 1 <= yes / SURVIVAL_ONE;
  enum survival_side opposite = side == SIDE_UPPER ? SIDE_LOWER : SIDE_UPPER;
  enum survival_side own = low ? side : opposite;
  uint128 sum = low ? sum_down(binomial, no, own) : sum_up(binomial, no, own);
  uint64_t chance = chance_of(sum, own);
  return low ? chance : SURVIVAL_ONE - chance;
}
