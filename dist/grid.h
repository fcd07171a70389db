/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The log-linear grid of values on which distributions live; the shape of HdrHistogram's buckets.
 *
 * With B = 2^sub_bits, octave 0 holds 0, 1, ..., 2B and octave o >= 1 the multiples of 2^o in
 * (B 2^o, 2B 2^o]. Point k of octave o is m 2^o with k = o B + m, so neighbours above B differ by
 * less than one part in B. The unit is a nanosecond. Whatever lies beyond the last point belongs to
 * the atom at infinity.
 */
#ifndef DIST_GRID_H
#define DIST_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct grid {
  unsigned sub_bits; /* 1 to 16 */
  unsigned octaves;  /* at least 1; sub_bits + octaves <= 62 */
};

/* B = 1024, up to 2^43 ns (2.4 hours). */
extern const struct grid grid_default;

bool grid_is_valid(const struct grid *grid);
bool grid_equal(const struct grid *a, const struct grid *b);

size_t grid_count(const struct grid *grid);

/* The value of point k < grid_count, in ns. */
uint64_t grid_value_ns(const struct grid *grid, size_t k);

/* The least k with grid_value_ns(k) >= x; grid_count when there is none. */
size_t grid_index_upper(const struct grid *grid, uint64_t x_ns);

/* The greatest k with grid_value_ns(k) <= x; there always is one. */
size_t grid_index_lower(const struct grid *grid, uint64_t x_ns);

#endif
