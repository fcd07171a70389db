/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What texts in a configuration mean, and complaints about them.
 */
#ifndef MEASURE_YAML_VALUE_H
#define MEASURE_YAML_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line with the printable part of what is said; always false, so that it can be returned. */
__attribute__((format(printf, 3, 4))) bool value_complain(char *message, size_t size,
                                                          const char *format, ...);

/* A decimal with at most nine digits before the point and nine places, in units of 10^-9: "12.5".
 * False for anything else, with *value unchanged. */
bool value_decimal(uint64_t *value, const char *text);

#endif
