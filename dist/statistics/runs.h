/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How often to run which request within a budget of time, so that the sum of the standard errors of
 * an estimate of each is least: sum of spread_i / sqrt(n_i), subject to the sum of (n_i -
 * samples_i) cost_i being within the budget and each n_i at least what there is and its minimum.
 *
 * With a multiplier for the budget n_i = (spread_i / (2 lambda cost_i))^(2/3) (WebPerf,
 * section 5.2); what falls below its minimum stays there and the rest is solved for again. Rounded
 * down; then one run at a time of what gains most for each second, while it fits. Rounding to the
 * nearest, as published, exceeds about half of all budgets.
 */
#ifndef DIST_STATISTICS_RUNS_H
#define DIST_STATISTICS_RUNS_H

#include "dist/statistics/plan.h"

/* The sum of standard errors of so many runs each. */
double runs_error(const double *spreads, const uint64_t *runs, size_t count);

/* Sets runs[0 .. count). The budget covers the minimums (allocate_least); spreads are >= 0 and
 * finite, costs at least 1. Nothing is left over that a further run with an effect would fit in.
 * Never worse than as many runs of each, or as much time for each. */
void runs_allocate(uint64_t *runs, const struct plan_component *components, const double *spreads,
                   size_t count, uint64_t budget_ns);

/* For comparison, within the same limits: rounds of one run each, and the same time for each. */
void runs_round_robin(uint64_t *runs, const struct plan_component *components, size_t count,
                      uint64_t budget_ns);
void runs_equal_time(uint64_t *runs, const struct plan_component *components, size_t count,
                     uint64_t budget_ns);

#endif
