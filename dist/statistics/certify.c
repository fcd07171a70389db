/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/certify.h"

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

bool certify_binomial(uint64_t k, uint64_t n, uint64_t chance, uint64_t alpha) {
  if (k >= n)
    return alpha >= SURVIVAL_ONE;
  if (chance >= SURVIVAL_ONE)
    return true;
  uint64_t other = SURVIVAL_ONE - chance;
  struct upper odds = divide(from_integer(chance), other);
  struct upper term = power(from_chance(other), n);
  struct upper sum = term;
  for (uint64_t i = 0; i < k; i++) {
    term = multiply(multiply(term, from_integer(n - i)), odds);
    term = divide(term, i + 1);
    sum = add(sum, term);
  }
  return is_at_most(sum, alpha);
}

/* x / d for d > 0, with d rounded down to 64 bits. */
static struct upper divide_wide(struct upper x, uint128 d) {
  int64_t shift = 0;
  for (; d >> 64 != 0; d >>= 1)
    shift++;
  struct upper quotient = divide(x, (uint64_t)d);
  quotient.e -= shift;
  return quotient;
}

/* P(Binomial(n, chance) = k). */
static struct upper binomial_term(uint64_t k, uint64_t n, uint64_t chance) {
  struct upper hit = from_chance(chance), miss = from_chance(SURVIVAL_ONE - chance);
  struct upper term = power(miss, n - k);
  for (uint64_t i = 0; i < k; i++)
    term = divide(multiply(multiply(term, from_integer(n - i)), hit), i + 1);
  return term;
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
    if (term.e + 40 < sum.e)
      return is_at_most(
          add(sum, divide_wide(multiply(multiply(term, from_integer(n - i)), from_integer(chance)),
                               fall - rise)),
          alpha);
    term = multiply(multiply(term, from_integer(n - i)), from_integer(chance));
    term = divide_wide(term, fall);
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
