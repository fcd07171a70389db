/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products of integer polynomials by number-theoretic transforms: fast and not trusted. Callers go
 * through convolve.h, which checks every product.
 *
 * Each coefficient is taken modulo four primes of 31 bits, p = 1 modulo 2^24, and put together by
 * Garner's algorithm (Knuth, TAOCP 2, 4.3.2). Modulo a prime, x^n - 1 is split into x^h - r and
 * x^h + r down to single points, and joined again (Gentleman and Sande 1966; the twiddle factors in
 * the order of bit-reversed indices, so that a block has one factor and needs no reordering:
 * Fiduccia 1972; Bernstein, "Multidigit multiplication for mathematicians", 2001). Two levels at a
 * time, depth first, both operands together, so that most of the work stays in the cache.
 * Thirty-two-bit residues are what vector units multiply well: butterfly.h has the loops, once for
 * any machine and once for AVX2, which is used where the processor has it. Multiplication by a
 * known factor is Shoup's (Harvey, "Faster arithmetic for number-theoretic transforms", 2014).
 * Tables of roots are built at first use, kept, and safe to share by threads; each thread keeps its
 * working memory.
 */
#ifndef DIST_SURVIVAL_TRANSFORM_H
#define DIST_SURVIVAL_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

#include "dist/survival/wide.h"

enum { TRANSFORM_LENGTH_MAX = 1 << 22 };

/* The length of the transforms for such operands, a measure of the time they take. */
size_t transform_length(size_t a_count, size_t b_count);

/* c[k] = sum of a[i] b[k - i] for k < a_count + b_count - 1 <= TRANSFORM_LENGTH_MAX, counts > 0.
 * Right if every c[k] is below 2^123. `c` does not overlap the inputs; a may be b. */
void transform_convolve(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                        size_t b_count);

/* The same with the loops for any machine. */
void transform_convolve_plain(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                              size_t b_count);

#endif
