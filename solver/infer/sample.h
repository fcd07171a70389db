/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * States of random executions in small scopes: what a candidate for an invariant is held against
 * before the solver sees it.
 */
#ifndef SOLVER_INFER_SAMPLE_H
#define SOLVER_INFER_SAMPLE_H

#include "solver/judge/evaluate.h"

/* Calls visit with each state, the first of an execution included, until it returns false or
 * `seconds` of processor time have passed. `variable_count`: more than the id of any variable that
 * visit evaluates; the bindings of the evaluation have that many. */
void sample_states(const struct model *model, size_t variable_count, size_t runs, double seconds,
                   bool (*visit)(const struct interpretation *state, void *context), void *context);

#endif
