/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/power.h"

bool integer_power(int64_t *result, int64_t base, int64_t exponent) {
  int64_t power = exponent < 0 ? 0 : 1;
  bool fits = exponent < 64;
  for (int64_t i = 0; i < exponent && fits; i++)
    fits = !__builtin_mul_overflow(power, base, &power);
  if (fits)
    *result = power;
  return fits;
}
