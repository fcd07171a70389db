/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The division of a budget of time over components: the least of the sum of weights[i] n_i^-g, with
 * the sum of cost_i (n_i - samples_i) within the budget and each n_i at least what there is and the
 * minimum.
 */
#ifndef DIST_STATISTICS_ALLOCATE_H
#define DIST_STATISTICS_ALLOCATE_H

#include "dist/statistics/plan.h"

/* 146 years. */
#define ALLOCATE_BUDGET_MAX (UINT64_C(1) << 62)

/* What the minimums cost; UINT64_MAX when it does not fit. */
uint64_t allocate_least(const struct plan_component *components, size_t count);

/* Sets samples[0 .. count). The budget covers the minimums; weights are >= 0, finite. False, with
 * the minimums only, when all weights are 0. Else what is left over is less than any cost. */
bool allocate(uint64_t *samples, const struct plan_component *components, size_t count,
              uint64_t budget_ns, const double *weights, double exponent);

#endif
