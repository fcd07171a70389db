/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Products of integer polynomials by number-theoretic transforms: fast and not trusted. Callers go
 * through convolve.h, which checks every product.
 *
 * Each coefficient is taken modulo four primes of 31 bits, p = 1 modulo 2^24, transformed
 * (decimation in frequency, so that no bit reversal is needed; Gentleman and Sande 1966),
 * multiplied pointwise, transformed back and put together by Garner's algorithm (Knuth, TAOCP
 * 2, 4.3.2). Thirty-two-bit residues are what vector units multiply well: butterfly.h has the
 * loops, for any machine and for AVX2, which is used where the processor has it. Multiplication by
 * a known factor is Shoup's (Harvey, "Faster arithmetic for number-theoretic transforms", 2014).
 * Tables of roots are built at first use, kept, and safe to share by threads.
 */
#ifndef DIST_SURVIVAL_TRANSFORM_H
#define DIST_SURVIVAL_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

#include "dist/survival/wide.h"

enum {
  TRANSFORM_LENGTH_MIN = 256,
  TRANSFORM_LENGTH_MAX = 1 << 22,
};

/* c[k] = sum of a[i] b[k - i] for k < a_count + b_count - 1 <= TRANSFORM_LENGTH_MAX, counts > 0.
 * Right if every c[k] is below 2^123. `c` does not overlap the inputs; a may be b. */
void transform_convolve(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                        size_t b_count);

/* The same with the loops for any machine. */
void transform_convolve_plain(uint128 *c, const uint64_t *a, size_t a_count, const uint64_t *b,
                              size_t b_count);

#endif
