/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mistakes of unit: numbers that were milliseconds and were read as nanoseconds. No test can prove
 * one, so these are warnings, with the remedy if they are right:
 *
 *   a median above 1 h;
 *   a component whose median is 10^5 times (or more) that of every other, or a 10^5th of each;
 *   the sum of the medians 300 times the median observed end to end, or a 300th of it;
 *   all values whole multiples of 10^3, 10^6 or 10^9 ns, half of them below 100 of those: a
 *   clock that cuts off what counts.
 */
#ifndef DIST_STATISTICS_PLAUSIBLE_H
#define DIST_STATISTICS_PLAUSIBLE_H

#include <stddef.h>

#include "dist/source/sample.h"
#include "dist/source/source.h"

struct plausible_file {
  const char *path;
  const struct sample *sample;
  const char *unit; /* ns, us, ms, s: that the values were read in, as the file or --unit states */
};

/* Adds one sentence for each suspicion, at most one a file, the file's name first; for
 * clocks that cut off the same, one for all files, with the name of the one where it counts most.
 * Files whose median is infinite are not judged. `observed` may be NULL. */
void plausible_warn(struct source_notes *warnings, const struct plausible_file *files, size_t count,
                    const struct plausible_file *observed);

#endif
