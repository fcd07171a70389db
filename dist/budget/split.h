/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Promises of parts that suffice for an objective of the whole: P(expression > objective) is at
 * most `chance`, by the rules of spend.h. What is searched for is the greatest common room: each
 * promise allows its part 1 + weight * room times the latency that it has now at the same miss.
 *
 * The search starts with an allocation over a grid of times, from the leaves to the whole, as if
 * each occurrence had a promise of its own (least spend within each time: sums by minimal
 * convolution), and goes on with exchanges between parts. It is not trusted: what it finds is
 * calculated again exactly, and scaled until it suffices.
 */
#ifndef DIST_BUDGET_SPLIT_H
#define DIST_BUDGET_SPLIT_H

#include "dist/budget/spend.h"
#include "dist/survival/survival.h"

/* What a part can promise now: P(longer than ns) is at most miss. */
struct split_point {
  double ns;
  uint64_t miss;
};

struct split_part {
  const struct split_point *points; /* rising in ns, falling in miss; at least one */
  size_t point_count;
  double weight; /* >= 0: of the room; 0: it keeps what it has now */
};

struct split_request {
  const struct budget_nodes *terms;
  const struct split_part *parts;
  size_t part_count;
  const struct rational *objective_ns;
  bool strict; /* below it, rather than at most */
  uint64_t chance;
  bool independent;
  bool keep_points; /* misses stay those of points; else what is left over loosens them */
  bool rough;       /* a quick search, for a room that is told to a few per cent */
};

struct split_found {
  bool found;     /* false: with no room, however negative, does the objective hold */
  double room;    /* 0.2: each part may become 20 % slower; below 0: has to become faster */
  uint64_t spent; /* at most the chance */
  struct promise *promises; /* by part */
  double *base_ns;          /* by part: the limit without any room */
  size_t *at;               /* of the search */
};

/* Cleared by the caller in any case. */
void split_find(struct split_found *split, const struct split_request *request);
void split_clear(struct split_found *split);

/* The points of a law, from its median or slower on, some 100 a decade of misses; the last has
 * `floor` for a miss at least, since what was never observed is not impossible. `round`: those
 * whose miss is 1, 2 or 5 times a power of ten. A law that is beyond all times of its grid, as that of
 * a branch that never decides may be, has one point, the last time with a miss of 1. Owned by the
 * caller. */
struct split_point *split_points(size_t *count, const struct survival *law, uint64_t floor,
                                 bool round);

#endif
