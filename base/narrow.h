/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A growable array of 64-bit numbers most of which are small and not negative, such as durations in
 * ns: each takes 32 bits, and those that do not fit are kept beside it in full.
 *
 * Example. 5 s are 5000000000 ns, which is more than 32 bits hold:
 *
 *     pushed 20, 5000000000, -1     low 20, NARROW_WIDE, NARROW_WIDE     wide {1: 5000000000, 2:
 * -1}
 *
 * To push or read one takes as long as in an array; to read a wide one, and to set one, takes a
 * search among the wide ones, and to make one wide moves those behind it.
 */
#ifndef BASE_NARROW_H
#define BASE_NARROW_H

#include <stdint.h>

#include "base/vector.h"

#define NARROW_WIDE UINT32_MAX /* the least number that does not fit */

struct narrow_wide {
  size_t index;
  int64_t value;
};

struct narrow {
  VECTOR(uint32_t) low;            /* the number, or NARROW_WIDE */
  VECTOR(struct narrow_wide) wide; /* rising index */
};

void narrow_push(struct narrow *column, int64_t value);

/* `index` is below low.count, as it is for narrow_get. */
void narrow_set(struct narrow *column, size_t index, int64_t value);

/* Keeps the first `count`. */
void narrow_cut(struct narrow *column, size_t count);

void narrow_clear(struct narrow *column);

/* One that does not fit; there is one of that index. */
int64_t narrow_get_wide(const struct narrow *column, size_t index);

static inline int64_t narrow_get(const struct narrow *column, size_t index) {
  uint32_t low = column->low.data[index];
  return low != NARROW_WIDE ? low : narrow_get_wide(column, index);
}

/* Differences and sums that wrap around: of any two numbers one gives back what the other took. */
static inline int64_t narrow_less(int64_t from, int64_t less) {
  return (int64_t)((uint64_t)from - (uint64_t)less);
}

static inline int64_t narrow_more(int64_t from, int64_t more) {
  return (int64_t)((uint64_t)from + (uint64_t)more);
}

#endif
