/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/grid.h"

const struct grid grid_default = {.sub_bits = 10, .octaves = 33};
const struct grid grid_long = {.sub_bits = 10, .octaves = 52};

const struct grid *grid_up_to(uint64_t x_ns) {
  return grid_index_upper(&grid_default, x_ns) < grid_count(&grid_default) ? &grid_default
                                                                           : &grid_long;
}

bool grid_is_linear(const struct grid *grid) {
  return grid->points != 0;
}

bool grid_is_valid(const struct grid *grid) {
  if (grid_is_linear(grid))
    return grid->sub_bits == 0 && grid->octaves == 0 && grid->points >= 2 &&
           grid->points <= (size_t)1 << 24 && grid->shift < 62 &&
           grid->points - 1 < (UINT64_C(1) << 62) >> grid->shift;
  return grid->sub_bits >= 1 && grid->sub_bits <= 16 && grid->octaves >= 1 &&
         grid->sub_bits + grid->octaves <= 62;
}

bool grid_equal(const struct grid *a, const struct grid *b) {
  return a->sub_bits == b->sub_bits && a->octaves == b->octaves && a->shift == b->shift &&
         a->points == b->points;
}

size_t grid_count(const struct grid *grid) {
  if (grid_is_linear(grid))
    return grid->points;
  return (((size_t)grid->octaves + 1) << grid->sub_bits) + 1;
}

/* The octave of point k. */
static unsigned octave_of(const struct grid *grid, size_t k) {
  size_t block = k == 0 ? 0 : (k - 1) >> grid->sub_bits;
  return block == 0 ? 0 : (unsigned)(block - 1);
}

uint64_t grid_value_ns(const struct grid *grid, size_t k) {
  if (grid_is_linear(grid))
    return (uint64_t)k << grid->shift;
  unsigned octave = octave_of(grid, k);
  return (uint64_t)(k - ((size_t)octave << grid->sub_bits)) << octave;
}

size_t grid_index_upper(const struct grid *grid, uint64_t x_ns) {
  if (x_ns == 0)
    return 0;
  if (grid_is_linear(grid)) {
    uint64_t multiple = ((x_ns - 1) >> grid->shift) + 1;
    return multiple < grid->points ? (size_t)multiple : grid->points;
  }
  uint64_t last = (uint64_t)2 << grid->sub_bits; /* of octave 0 */
  unsigned octave = 0;
  if (x_ns > last)
    octave = 64 - (unsigned)__builtin_clzll((x_ns - 1) >> (grid->sub_bits + 1));
  if (octave >= grid->octaves)
    return grid_count(grid);
  uint64_t multiple = ((x_ns - 1) >> octave) + 1;
  return ((size_t)octave << grid->sub_bits) + (size_t)multiple;
}

size_t grid_index_lower(const struct grid *grid, uint64_t x_ns) {
  size_t k = grid_index_upper(grid, x_ns);
  if (k < grid_count(grid) && grid_value_ns(grid, k) == x_ns)
    return k;
  return k - 1;
}
