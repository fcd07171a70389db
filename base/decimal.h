/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decimal numbers of any length, read exactly and rounded to whole numbers on the side asked for.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define DECIMAL_MAX ((uint64_t)INT64_MAX)

enum decimal { DECIMAL_OK, DECIMAL_NOT, DECIMAL_NEGATIVE, DECIMAL_TOO_LARGE };

/* The least integer >= the number ("12", "0.25", "1.5e-3") * 10^shift, exact at any length.
 * *places, unless NULL, gets the number of decimals the number has after its last non-zero digit
 * was kept: 2 for "0.250", 0 for "12", 4 for "1.5e-3". TOO_LARGE: above DECIMAL_MAX. */
enum decimal decimal_upper(uint64_t *value, int *places, struct slice number, int shift);

/* The same with *lower, the greatest integer that is not above: *upper - 1 when it is not exact. */
enum decimal decimal_range(uint64_t *lower, uint64_t *upper, int *places, struct slice number,
                           int shift);

/* A whole number without sign, at most DECIMAL_MAX. */
enum decimal decimal_whole(uint64_t *value, struct slice number);

/* *value = ceil(value * 10^exponent); false when it is above DECIMAL_MAX. */
bool decimal_scale_upper(uint64_t *value, int exponent);

/* floor(value * 10^exponent), or DECIMAL_MAX when that is less. */
uint64_t decimal_scale_lower(uint64_t value, int exponent);

#endif
