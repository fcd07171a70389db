/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Throws out candidates for invariants that a random execution contradicts, before the solver sees
 * them: on those it would work for as long as it may.
 */
#ifndef SOLVER_SEARCH_SIFT_H
#define SOLVER_SEARCH_SIFT_H

#include "solver/search/sample.h"

/* Clears held[i] of each formula that does not hold in some state of a random execution; the same
 * executions every time. `taken` as in sample_states. `variable_count`: more than the id of any
 * variable in the formulas. */
void sift(bool *held, bool *taken, const struct model *model, const struct term *const *formulas,
          size_t count, size_t variable_count, const struct sample_effort *effort);

#endif
