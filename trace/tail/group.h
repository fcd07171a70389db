/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slow requests by what makes them slow: two faults at a time are two groups, each with its causes.
 * Private to report.c and its tests.
 */
#ifndef TRACE_TAIL_GROUP_H
#define TRACE_TAIL_GROUP_H

#include "trace/tail/report.h"

/* Of each slow request above the threshold the significant causes are taken away, the largest
 * excess first, until it would be below; those taken away are its group. Fills report->groups. */
void tail_groups_find(struct tail_report *report, const struct tail_causes *causes,
                      const struct tail_split *split, double level);

#endif
