/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Powers of integers, as TERM_POWER means them.
 */
#ifndef LANG_POWER_H
#define LANG_POWER_H

#include <stdbool.h>
#include <stdint.h>

/* base^exponent, for a base of at least 2; 0 where the exponent is below 0, as of a fraction that
 * is rounded down. False, with *result unchanged, when it does not fit. */
bool integer_power(int64_t *result, int64_t base, int64_t exponent);

#endif
