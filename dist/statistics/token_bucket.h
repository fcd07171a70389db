/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The token bucket that recorded arrivals keep to: with one token every T ns and room for B, at
 * most
 *
 *     B + floor(w / T)   arrivals in any window of w ns (both of its ends belong to it).
 *
 * This is the generic cell rate algorithm (ITU-T Recommendation I.371, virtual scheduling): TAT,
 * the theoretical arrival time of the next arrival, begins at the first one; an arrival at t is
 * early by max(0, TAT - t), and then TAT = max(t, TAT) + T. With y(k) = k T - t(k), arrival j is
 * early by the largest y(j) - y(i) over i <= j, and the windows that begin and end with an arrival
 * ask for B >= 1 + (y(j) - y(i)) / T. So the least B is 1 + ceil(tolerance / T), the tolerance
 * being how early the earliest is. The meaning as a limit on windows is that of R. L. Cruz, "A
 * calculus for network delay", IEEE Transactions on Information Theory 37(1), 1991.
 *
 * All of it is exact, in whole ns. A fitted bucket says what these arrivals did, and nothing about
 * those to come.
 */
#ifndef DIST_STATISTICS_TOKEN_BUCKET_H
#define DIST_STATISTICS_TOKEN_BUCKET_H

#include <stddef.h>
#include <stdint.h>

struct token_bucket {
  uint64_t every_ns;        /* T */
  uint64_t burst;           /* B, 1 .. the number of arrivals; 0 without arrivals */
  uint64_t tolerance_ns;    /* at most (burst - 1) * T; UINT64_MAX: that or more */
  size_t first, last;       /* the arrivals at both ends of a window that needs all of B */
  uint64_t halves_burst[2]; /* the B of the first half of the arrivals alone, and of the second */
};

/* `times_ns` do not decrease; their differences fit an int64_t. every_ns >= 1. Linear in count. */
void token_bucket_fit(struct token_bucket *bucket, const int64_t *times_ns, size_t count,
                      uint64_t every_ns);

/* The largest T, in whole ns, for which a burst of `burst` >= 1 is enough; 0: there is none, more
 * arrivals than that come within 1 ns. UINT64_MAX: any T, there are no more arrivals than that. */
uint64_t token_bucket_slowest(const int64_t *times_ns, size_t count, uint64_t burst);

#endif
