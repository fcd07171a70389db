/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact rational numbers, a thin cover over GMP's mpq (this is the only file that knows GMP).
 * A rational is initialised before use and cleared after it; always in lowest terms. Outputs come
 * first and may alias inputs.
 */
#ifndef BASE_RATIONAL_H
#define BASE_RATIONAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

struct rational {
  struct rational_value *value; /* owned */
};

void rational_init(struct rational *x); /* 0 */
void rational_clear(struct rational *x);
void rational_set(struct rational *x, const struct rational *y);
void rational_set_integer(struct rational *x, int64_t n);
void rational_set_fraction(struct rational *x, int64_t n, int64_t d); /* d != 0 */

/* Reads "12", "-3", "0.25", "1.5e-3" or "2/3" (the whole string); false leaves x unchanged.
 * Exponents beyond +-4096 are refused. */
bool rational_parse(struct rational *x, const char *string);

void rational_add(struct rational *x, const struct rational *y, const struct rational *z);
void rational_sub(struct rational *x, const struct rational *y, const struct rational *z);
void rational_mul(struct rational *x, const struct rational *y, const struct rational *z);
void rational_div(struct rational *x, const struct rational *y,
                  const struct rational *z); /* z != 0 */
void rational_max(struct rational *x, const struct rational *y, const struct rational *z);
void rational_min(struct rational *x, const struct rational *y, const struct rational *z);
int rational_compare(const struct rational *y, const struct rational *z); /* <0, 0, >0 */
int rational_sign(const struct rational *y);
bool rational_is_integer(const struct rational *y);

/* The least integer >= y, the greatest integer <= y; false when it does not fit. */
bool rational_ceil(int64_t *n, const struct rational *y);
bool rational_floor(int64_t *n, const struct rational *y);

/* The nearest double towards 0: for searches and pictures, never for what is promised. */
double rational_double(const struct rational *y);

/* Appends "3", "-7/2": exact, as solvers read it. */
void rational_print(struct text *text, const struct rational *y);

/* Appends a decimal when it is finite with at most 9 places ("3.25"), else the fraction. */
void rational_print_short(struct text *text, const struct rational *y);

#endif
