/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * States of random executions in small scopes: what a candidate for an invariant is held against
 * before the solver sees it.
 */
#ifndef SOLVER_SEARCH_SAMPLE_H
#define SOLVER_SEARCH_SAMPLE_H

#include "solver/judge/evaluate.h"

struct sample_effort {
  size_t scopes, runs, steps; /* that many runs of so many steps in each of the scopes */
  double seconds_max;         /* of processor time: ends early */
};

/* Calls visit with each state, the first of an execution included, until it returns false; not with
 * states that have integers beyond 100, over which a formula may range. Sets
 * taken[id] of each action that an execution takes (`taken` may be NULL).
 * `variable_count`: more than the id of any variable that visit evaluates; the bindings of the
 * evaluation have that many. */
void sample_states(bool *taken, const struct model *model, size_t variable_count,
                   const struct sample_effort *effort,
                   bool (*visit)(const struct interpretation *state, void *context), void *context);

#endif
