/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of several measured series a difference between two measurements consists of. Row i of all
 * of them is of one request; the difference may lack or exceed a part that hardly varies.
 *
 * A series is part of the difference if both go up and down together, by as much. So only changes
 * count, from each even row to the one behind it: a level that drifts, or that happens to be as
 * large, says nothing. Two conditions:
 *
 *   - of the pairs in which both change, more than half change the same way, by an exact binomial
 *     test (dist/statistics/chance.h). In rows that have nothing to do with each other half do;
 *   - taking the series away takes away a share of the sum of changes, |d(difference)|, whose
 *     interval, by the jackknife over MISSING_BLOCKS stretches of rows (Miller 1974), lies above
 *     MISSING_LEAST. Stretches, since slow requests come together.
 *
 * The series that takes most is taken away, and so on with the rest.
 */
#ifndef DIST_STATISTICS_MISSING_H
#define DIST_STATISTICS_MISSING_H

#include <stdbool.h>
#include <stddef.h>

enum { MISSING_BLOCKS = 20, MISSING_PARTS = 4, MISSING_ROWS_LEAST = 4 * MISSING_BLOCKS };

struct missing_part {
  size_t series;
  /* Of the sum of changes of the whole difference, with an interval of 99 %; they may exceed 0 and
   * 1. */
  double share, share_lower, share_upper;
  bool is_cause; /* takes at least half of what those before it left, by the interval's lower end */
};

/* How many of `parts` (room for MISSING_PARTS) were found, the largest first. `difference` and each
 * of `series` have `rows` numbers, in ns. 0 with fewer than MISSING_ROWS_LEAST rows. The difference
 * becomes what is left of it. */
size_t missing_find(struct missing_part *parts, double *difference, const double *const *series,
                    size_t series_count, size_t rows);

#endif
