/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/certify.h"

#include <math.h>

#include "dist/survival/survival.h"
#include "dist/survival/wide.h"

/* m * 2^e, an upper bound of what it stands for; the top bit of m is set, or m is 0. */
struct upper {
  uint64_t m;
  int64_t e;
};

/* The least of these that is not below x * 2^e. */
static struct upper round_up(uint128 x, int64_t e) {
  if (x == 0)
    return (struct upper){0, 0};
  uint64_t high = (uint64_t)(x >> 64);
  int zeros = high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)x);
  x <<= zeros;
  e += 64 - zeros;
  uint64_t m = (uint64_t)(x >> 64);
  if ((uint64_t)x != 0 && ++m == 0)
    return (struct upper){UINT64_C(1) << 63, e + 1};
  return (struct upper){m, e};
}

static struct upper from_integer(uint64_t x) {
  return round_up(x, 0);
}

static struct upper multiply(struct upper x, struct upper y) {
  return round_up((uint128)x.m * y.m, x.e + y.e);
}

/* x / d for d > 0. */
static struct upper divide(struct upper x, uint64_t d) {
  uint128 n = (uint128)x.m << 64;
  return round_up(n / d + (n % d != 0), x.e - 64);
}

static struct upper add(struct upper x, struct upper y) {
  if (x.m == 0 || (y.m != 0 && x.e < y.e)) {
    struct upper z = x;
    x = y;
    y = z;
  }
  if (y.m == 0)
    return x;
  int64_t distance = x.e - y.e;
  uint128 small = (uint128)y.m << 62;
  bool rest = distance >= 126 || (small & (((uint128)1 << distance) - 1)) != 0;
  small = distance >= 126 ? 0 : small >> distance;
  return round_up(((uint128)x.m << 62) + small + rest, x.e - 62);
}

static struct upper power(struct upper x, uint64_t n) {
  struct upper result = from_integer(1);
  for (; n != 0; n >>= 1) {
    if (n & 1)
      result = multiply(result, x);
    x = multiply(x, x);
  }
  return result;
}

/* The chance x / 10^18. */
static struct upper from_chance(uint64_t x) {
  return divide(from_integer(x), SURVIVAL_ONE);
}

/* x <= alpha / 10^18 */
static bool is_at_most(struct upper x, uint64_t alpha) {
  if (x.m == 0)
    return true;
  struct upper limit = from_integer(alpha); /* exact */
  if (limit.m == 0)
    return false;
  x = multiply(x, from_integer(SURVIVAL_ONE));
  return x.e < limit.e || (x.e == limit.e && x.m <= limit.m);
}

/* x / d for d > 0, with d rounded down to 64 bits. */
static struct upper divide_wide(struct upper x, uint128 d) {
  uint64_t high = (uint64_t)(d >> 64);
  int shift = high == 0 ? 0 : 64 - __builtin_clzll(high);
  struct upper quotient = divide(x, (uint64_t)(d >> shift));
  quotient.e -= shift;
  return quotient;
}

/* The root of x. */
static struct upper square_root(struct upper x) {
  if (x.m == 0)
    return x;
  bool odd = x.e & 1;
  uint128 square = (uint128)x.m << (odd ? 63 : 64);
  double guess = sqrt((double)x.m * (odd ? 0x1p63 : 0x1p64));
  uint64_t root = guess < 0x1p64 ? (uint64_t)guess : UINT64_MAX;
  root = (uint64_t)((root + square / root) >> 1); /* Newton's step */
  while ((uint128)root * root > square)
    root--;
  while ((uint128)root * root < square && root != UINT64_MAX)
    root++;
  return round_up((uint128)root + ((uint128)root * root < square), (x.e - (odd ? 63 : 64)) / 2);
}

/* Fewer are multiplied one by one; of more, Stirling's formula is right to 10 digits. */
enum { FEW = 64 };

/* sqrt(n / (2 pi k (n - k))) exp(1/(12 n) - 1/(12 k + 1) - 1/(12 (n - k) + 1)) */
static struct upper stirling_factor(uint64_t k, uint64_t n) {
  const struct upper inverse_of_two_pi = {UINT64_C(0xa2f9836e4e44152a), -66};
  const uint128 one = (uint128)1 << 64;
  struct upper inside = multiply(from_integer(n), inverse_of_two_pi);
  inside = divide(divide(inside, k), n - k);
  uint128 x = one / ((uint128)12 * k + 1) + one / ((uint128)12 * (n - k) + 1) -
              (one / ((uint128)12 * n) + 1);
  uint128 value = one - x + (((x * x) >> 65) + 1); /* exp(-x) <= 1 - x + x^2/2 for 0 <= x <= 1 */
  return multiply(square_root(inside), round_up(value, -64));
}

/* P(Binomial(n, chance) = k) by Stirling's formula, for k and n - k of at least FEW, with the
 * bounds of Robbins (American Mathematical Monthly 62, 1955): sqrt(2 pi k) (k/e)^k exp(1/(12 k +
 * 1)) <= k! and n! <= sqrt(2 pi n) (n/e)^n exp(1/(12 n)). */
static struct upper binomial_term_of_many(uint64_t k, uint64_t n, uint64_t chance) {
  struct upper hit = multiply(from_integer(n), from_chance(chance));
  struct upper miss = multiply(from_integer(n), from_chance(SURVIVAL_ONE - chance));
  struct upper powers = multiply(power(divide(hit, k), k), power(divide(miss, n - k), n - k));
  return multiply(powers, stirling_factor(k, n));
}

/* P(Binomial(n, chance) = k). */
static struct upper binomial_term(uint64_t k, uint64_t n, uint64_t chance) {
  if (k >= FEW && n - k >= FEW)
    return binomial_term_of_many(k, n, chance);
  struct upper hit = from_chance(chance), miss = from_chance(SURVIVAL_ONE - chance);
  struct upper term = power(miss, n - k);
  for (uint64_t i = 0; i < k; i++)
    term = divide(multiply(multiply(term, from_integer(n - i)), hit), i + 1);
  return term;
}

/* Adds up from the term of 0 on. */
static struct upper sum_upwards(uint64_t k, uint64_t n, uint64_t chance) {
  uint64_t other = SURVIVAL_ONE - chance;
  struct upper odds = divide(from_integer(chance), other);
  struct upper term = power(from_chance(other), n), sum = term;
  for (uint64_t i = 0; i < k; i++) {
    term = multiply(multiply(term, from_integer(n - i)), odds);
    term = divide(term, i + 1);
    sum = add(sum, term);
  }
  return sum;
}

/* From the term of k on down, while each is less than the one before. */
static struct upper sum_downwards(uint64_t k, uint64_t n, uint64_t chance) {
  uint64_t other = SURVIVAL_ONE - chance;
  struct upper term = binomial_term(k, n, chance), sum = term;
  for (uint64_t i = k; i > 0; i--) {
    uint128 rise = (uint128)i * other, fall = (uint128)(n - i + 1) * chance;
    struct upper next = multiply(multiply(term, from_integer(i)), from_integer(other));
    /* The ratio of neighbouring terms falls, so that the rest is at most a geometric series. */
    if (term.e + 44 < sum.e)
      return add(sum, divide_wide(next, fall - rise));
    term = divide_wide(next, fall);
    sum = add(sum, term);
  }
  return sum;
}

bool certify_binomial(uint64_t k, uint64_t n, uint64_t chance, uint64_t alpha) {
  if (k >= n)
    return alpha >= SURVIVAL_ONE;
  if (chance >= SURVIVAL_ONE)
    return true;
  bool falls = (uint128)k * (SURVIVAL_ONE - chance) < (uint128)(n - k + 1) * chance;
  bool are_few = k < FEW || n - k < FEW;
  return is_at_most(are_few || !falls ? sum_upwards(k, n, chance) : sum_downwards(k, n, chance),
                    alpha);
}

bool certify_binomial_above(uint64_t k, uint64_t n, uint64_t chance, uint64_t alpha) {
  if (k > n || (chance == 0 && k > 0))
    return true;
  if (k == 0 || chance >= SURVIVAL_ONE)
    return alpha >= SURVIVAL_ONE;
  uint64_t other = SURVIVAL_ONE - chance;
  struct upper term = binomial_term(k, n, chance), sum = term;
  /* The ratio of neighbouring terms falls, so that the rest is at most a geometric series. */
  for (uint64_t i = k; i < n; i++) {
    uint128 rise = (uint128)(n - i) * chance, fall = (uint128)(i + 1) * other;
    if (rise >= fall)
      return false;
    struct upper next = multiply(multiply(term, from_integer(n - i)), from_integer(chance));
    if (term.e + 40 < sum.e)
      return is_at_most(add(sum, divide_wide(next, fall - rise)), alpha);
    term = divide_wide(next, fall);
    sum = add(sum, term);
  }
  return is_at_most(sum, alpha);
}

bool certify_dkw(uint64_t n, uint64_t margin, uint64_t alpha) {
  /* exp(-y) <= (1 - z + z^2/2)^(2^40) for z = y / 2^40 >= 0; a smaller z is on the safe side.
   * y = 2 n (margin / 10^18)^2, the square and z in units of 2^-64, the root in units of 2^-63. */
  enum { SQUARINGS = 40 };
  uint128 root = ((uint128)margin << 63) / SURVIVAL_ONE;
  uint128 square = (root * root) >> 62;
  uint128 z = square * n >> (63 + SQUARINGS - 64);
  uint128 most = (uint128)1024 << (64 - SQUARINGS);
  if (z > most)
    z = most;
  if (z == 0)
    return alpha >= SURVIVAL_ONE;
  uint128 value = ((uint128)1 << 64) - z + (((z * z) >> 65) + 1);
  struct upper x = round_up(value, -64);
  for (int i = 0; i < SQUARINGS; i++)
    x = multiply(x, x);
  return is_at_most(x, alpha);
}
