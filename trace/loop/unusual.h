/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether times are of two kinds: what they usually are, and something out of the ordinary. What a
 * slow request waited for longest is part of why it was slow by definition, so that slow requests
 * waiting longer says nothing. A wait is a cause when it has a second hump:
 *
 *     count   1800   240   31   2   0   9   74                    per octave of the time, for
 *             0.5    1     2    4   8   16   32 .. 64 ms          instance
 *
 * What becomes rarer the longer it takes is of one kind, however long its tail: beyond the fullest
 * octave none is expected to hold more than one before it (exponential, lognormal and Pareto laws,
 * among others). So of the counts of two octaves the later is at most binomial with chance 1/2.
 *
 * One hiccup of a disk or of the machine delays all requests that are under way. So time is cut
 * into stretches, and of the requests that arrive in one only one counts: the one that took
 * longest, which shows what is rare; and, as a second look, the one that came first. Where most
 * stretches have a hiccup only that shows what others take. Each look is at half the level.
 */
#ifndef TRACE_LOOP_UNUSUAL_H
#define TRACE_LOOP_UNUSUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request, in the order of arrival; all ns. */
struct unusual_time {
  int64_t value, arrived;
};

/* The time that tells the two kinds apart: where the octave with the fewest begins, between the
 * fullest and a hump whose times are `least` or more. A hump is found with a chance of at most
 * `level` where there is none; INT64_MAX: there is none. Times of 0 do not count. Stretches are of
 * `stretch` ns, at least 1: as long as a hiccup may last. */
int64_t loop_unusual_apart(const struct unusual_time *times, size_t count, int64_t stretch,
                           int64_t least, double level);

#endif
