/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether the observations of a series look exchangeable, as every band takes them to be. Needs the
 * order in which they were made; a sample without its series is not judged. All three look at ranks
 * only, so that no tail can hide or feign anything:
 *
 *   correlation   of neighbours, lag 1 (Wald and Wolfowitz 1943; Bartels 1982)
 *   runs          above and not above the median (Wald and Wolfowitz 1940)
 *   drift         the statistic of Kwiatkowski, Phillips, Schmidt and Shin (1992) on ranks, which
 *                 under exchangeability is that of Cramer and von Mises, a sum of squares of normal
 *                 variables with known weights
 *
 * A series of independent draws raises a warning with chance below 1/1000, all three together.
 * Large series show immaterial deviations: correlations and runs off by less than 2 % do not warn.
 */
#ifndef DIST_STATISTICS_EXCHANGE_H
#define DIST_STATISTICS_EXCHANGE_H

#include <stdbool.h>

#include "dist/source/sample.h"
#include "dist/source/source.h"
#include "dist/statistics/serial.h"

enum { EXCHANGE_LEAST = SERIAL_LEAST }; /* observations to be judged */

struct exchange {
  bool judged;
  double correlation; /* of the ranks of neighbours */
  double runs, runs_expected;
  double drift; /* independent draws: 1/6 on average, above 0.74 once in 100 */
  bool correlated, clustered, drifting; /* beyond chance and material */
};

struct exchange exchange_judge(const struct sample *sample);

/* One sentence with all that is beyond chance and what the observations are worth, naming `path`:
 * for the ledger, and for stderr with "warning: " before it. None when nothing is. */
void exchange_warn(struct source_notes *warnings, const struct sample *sample, const char *path);

/* Of the whole sample, by serial_overall; a sample without its series is not known. */
struct serial exchange_serial(const struct sample *sample);

/* How many independent observations the real ones are worth, 1 to sample->real: the number in the
 * warning (serial.h). sample->real when there is no series, or nothing speaks against independence.
 * Set sample->real to it to have bands account for it. Of a series that is not settled the number
 * promises nothing: no verdict may rest on it. */
uint64_t exchange_effective_size(const struct sample *sample);

#endif
