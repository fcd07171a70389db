/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/power.h"

#include <math.h>

#include "base/decimal.h"

typedef unsigned __int128 uint128;

enum { POINT = 62, PARTS = 18, EXPONENT_MAX = 1 << 20 };

static const struct power one = {UINT64_C(1) << POINT, UINT64_C(1) << POINT, 0};

/* The greatest integer whose square is not above x < 2^126. */
static uint64_t root_of(uint128 x) {
  uint64_t root = 0;
  for (uint64_t bit = UINT64_C(1) << POINT; bit != 0; bit >>= 1)
    if ((uint128)(root | bit) * (root | bit) <= x)
      root |= bit;
  return root;
}

/* Back to 2^62 <= low <= 2^63 from products of twice as many digits. */
static struct power normal(uint128 low, uint128 high, int64_t exponent) {
  unsigned shift = low >> (2 * POINT + 1) != 0 ? POINT + 1 : POINT;
  uint128 up = (high + (((uint128)1 << shift) - 1)) >> shift;
  exponent += shift - POINT;
  if (exponent > EXPONENT_MAX)
    exponent = EXPONENT_MAX;
  return (struct power){(uint64_t)(low >> shift), (uint64_t)up, exponent};
}

static struct power multiply(struct power a, struct power b) {
  return normal((uint128)a.low * b.low, (uint128)a.high * b.high, a.exponent + b.exponent);
}

struct power power_of_two(int scale, int64_t index) {
  struct power power = one, root = {UINT64_C(1) << POINT, UINT64_C(1) << POINT, 1};
  if (scale <= 0) {
    power.exponent = index > EXPONENT_MAX    ? EXPONENT_MAX
                     : index < -EXPONENT_MAX ? -EXPONENT_MAX
                                             : index * ((int64_t)1 << -scale);
    return power;
  }
  int64_t parts = (int64_t)1 << scale, whole = index / parts - (index % parts < 0);
  uint64_t rest = (uint64_t)(index - whole * parts);
  for (int i = 1; i <= scale; i++) {
    /* the root of 2, which is 1 * 2^1 at first, and then of a number below 2 */
    uint128 low = (uint128)root.low << (POINT + root.exponent);
    uint128 high = (uint128)root.high << (POINT + root.exponent);
    uint64_t up = root_of(high);
    root = (struct power){root_of(low), up + ((uint128)up * up != high), 0};
    if (rest >> (scale - i) & 1)
      power = multiply(power, root);
  }
  power.exponent += whole;
  return power;
}

struct power power_of_double(double value) {
  int exponent;
  double part = frexp(value, &exponent); /* in [1/2, 1), of 53 bits */
  uint64_t whole = (uint64_t)ldexp(part, POINT + 1);
  return (struct power){whole, whole, exponent - 1};
}

bool power_read(struct power *power, struct slice number) {
  uint64_t low, high, unit = UINT64_C(1000000000000000000);
  if (decimal_range(&low, &high, NULL, number, PARTS) != DECIMAL_OK || low < unit ||
      high >= 2 * unit)
    return false;
  power->low = (uint64_t)(((uint128)low << POINT) / unit);
  power->high = (uint64_t)((((uint128)high << POINT) + unit - 1) / unit);
  power->exponent = 0;
  return true;
}

static struct power inverse(struct power power) {
  uint128 all = (uint128)1 << (2 * POINT + 1);
  uint128 high = (all + power.low - 1) / power.low;
  struct power made = {(uint64_t)(all / power.high), (uint64_t)high, -power.exponent - 1};
  if (made.low < UINT64_C(1) << POINT) { /* only the rounding took it below 1 */
    made.low *= 2;
    made.high *= 2;
    made.exponent--;
  }
  return made;
}

struct power power_raise(struct power base, int64_t index) {
  struct power power = one;
  uint64_t left = index < 0 ? (uint64_t)-index : (uint64_t)index;
  for (; left != 0; left >>= 1) {
    if (left & 1)
      power = multiply(power, base);
    base = multiply(base, base);
  }
  return index < 0 ? inverse(power) : power;
}

static uint64_t place(uint128 number, int64_t exponent, bool up) {
  int64_t right = POINT - exponent;
  if (right >= 127)
    return up;
  if (right <= 0)
    return right < -20 || number << -right >> 63 != 0 ? UINT64_MAX : (uint64_t)(number << -right);
  uint128 rounded = (number + (up ? ((uint128)1 << right) - 1 : 0)) >> right;
  return rounded >> 63 != 0 ? UINT64_MAX : (uint64_t)rounded;
}

void power_round(uint64_t *lower, uint64_t *upper, struct power power, int shift) {
  uint64_t scale = 1;
  for (int i = 0; i < shift; i++)
    scale *= 10;
  *lower = place((uint128)power.low * scale, power.exponent, false);
  *upper = place((uint128)power.high * scale, power.exponent, true);
}
