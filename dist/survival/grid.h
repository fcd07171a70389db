/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The grid of values on which distributions live. The unit is a nanosecond, and whatever lies
 * beyond the last point belongs to the atom at infinity.
 *
 * Log-linear, the shape of HdrHistogram's buckets: with B = 2^sub_bits, octave 0 holds 0, 1, ...,
 * 2B and octave o >= 1 the multiples of 2^o in (B 2^o, 2B 2^o]. Point k of octave o is m 2^o with
 * k = o B + m, so neighbours above B differ by less than one part in B.
 *
 * Linear: point k is k 2^shift. Closed under sums, so that values are only rounded when laws are
 * brought onto the grid; tighter for narrow laws.
 */
#ifndef DIST_SURVIVAL_GRID_H
#define DIST_SURVIVAL_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct grid {
  unsigned sub_bits; /* log-linear: 1 to 16 */
  unsigned octaves;  /* log-linear: at least 1; sub_bits + octaves <= 62 */
  unsigned shift;    /* linear */
  size_t points;     /* linear: 2 to 2^24, (points - 1) 2^shift below 2^62; log-linear: 0 */
};

/* B = 1024, up to 2^43 ns (2.4 hours); and up to 2^62 ns (146 years), which takes half as much
 * memory again. */
extern const struct grid grid_default, grid_long;

/* The shorter of these that reaches so far, or grid_long. */
const struct grid *grid_up_to(uint64_t x_ns);

bool grid_is_linear(const struct grid *grid);
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
