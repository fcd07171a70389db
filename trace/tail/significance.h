/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which differences are more than chance: services first, then the causes within those that are.
 * For report.c, and for questions that compare requests of one kind.
 *
 * A service that is significant hands its part of the level on to its causes; those left over share
 * the level anew. This is the inheritance procedure of Goeman and Finos (Statistical Applications
 * in Genetics and Molecular Biology 11, 2012): with chance at most `level` any service or cause is
 * named wrongly. Where a service differs one of its causes does (Shaffer, JASA 81, 1986), so that a
 * service of one cause names that, too, and the first of n causes is held against n - 1. Causes of
 * no service are a service each: the correction of Holm (1979).
 *
 * The level is shared in part equally and in part by how much a service's or a cause's times vary
 * over the requests of both sides together, so that what can add much is asked most of. Which side
 * a request is on has no part in that.
 *
 * One difference is judged by two tests, each at half the level: of ranks, and of what few requests
 * have much more of. Both compare within blocks of time, or blocks of the one side with blocks of
 * the other, as sides are in time (blocks.h). The second is of means where sides are apart, else
 * whether the highest twentieth of all values is more often in slow requests (Fisher's exact test,
 * too). Few clusters, which share nothing, are judged by Fisher's test alone.
 */
#ifndef TRACE_TAIL_SIGNIFICANCE_H
#define TRACE_TAIL_SIGNIFICANCE_H

#include "dist/statistics/blocks.h"
#include "trace/tail/report.h"

/* What the values of requests say at a level; the slow side is b. */
enum rank_verdict tail_test(enum tail_course *course, const int64_t *values,
                            const struct tail_split *split, double level);

/* Marks the findings and services of the report, whose differences are there, and counts them. */
void tail_significant_find(struct tail_report *report, const struct tail_causes *causes,
                           const struct tail_split *split, double level);

#endif
