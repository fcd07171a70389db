/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A series by value and by place: what the largest m of it, or the smallest, have to do with each
 * other. A set of observations is a range of the sorted order, `from` to `to`.
 */
#ifndef DIST_STATISTICS_ORDERED_H
#define DIST_STATISTICS_ORDERED_H

#include <stddef.h>
#include <stdint.h>

#include "dist/statistics/spectrum.h"

struct ordered_place {
  uint64_t value;
  size_t at; /* in the series, from 0 */
};

/* Owns its arrays. */
struct ordered {
  size_t count;
  struct ordered_place *places; /* by value, then by place */
  double *cells;                /* for spectra */
  unsigned char *marks;         /* one an observation; all 0 between calls */
};

/* count >= 1; the series may go afterwards. */
void ordered_init(struct ordered *ordered, const uint64_t *series, size_t count);
void ordered_clear(struct ordered *ordered);

/* The first of the sorted order that exceeds the value at `index`, and the first that equals it. */
size_t ordered_above(const struct ordered *ordered, size_t index);
size_t ordered_from(const struct ordered *ordered, size_t index);

/* Of the sequence that is 1 for members of the set and else 0. */
void ordered_spectrum(struct spectrum *spectrum, struct ordered *ordered, size_t from, size_t to);

/* How many members of the set are followed by a member. */
size_t ordered_neighbours(struct ordered *ordered, size_t from, size_t to);

/* The greatest number that divides how often each value stands there: 1 where it is large, as what
 * stands there so often was made so, or of few values, as independent draws of a coarse clock have 2
 * by chance. */
enum { ORDERED_COPIES_LEAST = 16, ORDERED_COPIES_MOST = 3 };
size_t ordered_copies(const struct ordered *ordered);

/* ranks[i], 0 to 1, of the i-th of the series: the middle of its ties. */
void ordered_ranks(const struct ordered *ordered, double *ranks);

#endif
