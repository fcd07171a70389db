/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The search of split.h, inside: at a given room, the points of least spend within the objective.
 */
#ifndef DIST_BUDGET_SEEK_H
#define DIST_BUDGET_SEEK_H

#include "dist/budget/split.h"

struct seek {
  const struct split_request *of;
  struct spending spending;
  double objective_ns; /* a little below, for the roundings */
  double room;
  size_t *best, *trial; /* by part: points */
  double *limits;
  uint64_t *misses;
};

void seek_init(struct seek *s, const struct split_request *request);
void seek_clear(struct seek *s);

/* What a limit is of a part's point now, at the room. */
double seek_factor(const struct seek *s, size_t part);

/* The value at the points `at`; and what they spend, after it. */
double seek_value(struct seek *s, const size_t *at);
uint64_t seek_spend(struct seek *s, const size_t *at);

/* Points of little spend by the grid of times, within a share of the objective; false: they do not
 * keep to the objective. */
bool seek_allocate(struct seek *s, size_t *at, double share);

/* Exchanges between parts while they spend less. The points keep to the objective. */
void seek_exchange(struct seek *s, size_t *at);

#endif
