/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Powers that are the edges of exponential buckets, in integer arithmetic that rounds outward: a
 * number between low and high, times 2^(exponent - 62), where 2^62 <= low <= 2^63. The relative
 * width stays below 2^-40 for all that is made here.
 */
#ifndef DIST_SOURCE_POWER_H
#define DIST_SOURCE_POWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct power {
  uint64_t low, high;
  int64_t exponent;
};

/* 2^(index / 2^scale), -20 <= scale <= 20. */
struct power power_of_two(int scale, int64_t index);

/* A finite number > 0, exactly. */
struct power power_of_double(double value);

/* A decimal in [1, 2); false for others. */
bool power_read(struct power *power, struct slice number);

/* base^index, |index| < 2^31. */
struct power power_raise(struct power base, int64_t index);

/* Times 10^shift, 0 <= shift <= 18, as whole numbers: *lower not above, *upper not below.
 * UINT64_MAX for what is above INT64_MAX. */
void power_round(uint64_t *lower, uint64_t *upper, struct power power, int shift);

#endif
