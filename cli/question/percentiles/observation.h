/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer to --observed: whether the bound's law dominates what was observed. What is said of
 * the system rests on its observations alone, with the confidence of the whole for each end, so it
 * holds however the components depend on each other.
 */
#ifndef CLI_QUESTION_PERCENTILES_OBSERVATION_H
#define CLI_QUESTION_PERCENTILES_OBSERVATION_H

#include "cli/question/percentiles/percentiles.h"

/* "dominated", "within chance", "not dominated", "cannot tell" */
const char *observation_name(enum observation observation);
enum status observation_status(enum observation observation);

/* Whether the observations are those of the rows that the bound is evaluated for, and how many of
 * them took longer than it; before the others. */
void observation_pair(struct percentiles *run);

/* Fills what `percentile` says of the observations. */
void observation_judge(struct percentile *percentile, const struct percentiles *run,
                       const struct estimate *estimate);

/* Fills curve->comparison and curve->settled. */
void observation_compare(const struct percentiles *run, struct curve *curve);

/* Of the curve and all percentiles that were asked for: the worst. */
enum observation observation_of_curve(const struct percentiles *run, const struct curve *curve);

/* Appends why it cannot be told and what would decide it, as a sentence; nothing when it is clear.
 */
void observation_explain(struct text *text, const struct percentiles *run,
                         const struct percentile *percentile);

/* Appends, where requests could not be paired, what the percentile is at both ends, and what would
 * decide: "; 49 of 1000 requests could not be paired: without them ..."; else nothing. */
void observation_both_ends(struct text *text, const struct percentiles *run,
                           const struct percentile *percentile, const char *name);

/* Appends where it is not dominated, or why that cannot be told; nothing where it is. */
void observation_explain_curve(struct text *text, const struct percentiles *run,
                               const struct curve *curve);

/* Appends which components have fewer samples than a percentile takes: "samples of each component"
 * and "Grant has 1", or "requests" and "these 7404 are worth 820"; false when none has. */
bool observation_print_short(struct text *of_what, struct text *who, const struct percentiles *run,
                             const struct percentile *percentile);

#endif
