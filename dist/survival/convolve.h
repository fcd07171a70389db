/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact products of integer sequences, c[k] = sum of a[i] b[k - i]. Small or sparse ones are
 * multiplied as at school; large ones by transform.h, whose answer counts only after
 * convolve_check has accepted it.
 */
#ifndef DIST_SURVIVAL_CONVOLVE_H
#define DIST_SURVIVAL_CONVOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dist/survival/wide.h"

/* c[0 .. a_count + b_count - 2]; counts > 0; the sum of a times the sum of b is at most 2^123.
 * `c` does not overlap the inputs; a may be b. */
void convolve_exact(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                    size_t b_count);

/* The same by definition, in a_count * b_count steps. */
void convolve_schoolbook(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                         size_t b_count);

/* Whether c passes as the product of a and b: both sides agree as polynomials at `point` modulo
 * 2^61 - 1 and at 1 modulo 2^128. A product always passes. Anything else passes for at most
 * a_count + b_count of the 2^61 - 1 points, unless every error is a multiple of 2^61 - 1 and they
 * add up to 0 (Schwartz 1980, Zippel 1979). */
bool convolve_check(const uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                    size_t b_count, uint64_t point);

#endif
