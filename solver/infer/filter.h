/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Throws out candidates that a random execution contradicts, before the solver sees them.
 */
#ifndef SOLVER_INFER_FILTER_H
#define SOLVER_INFER_FILTER_H

#include "lang/model.h"

/* Clears held[i] of each formula that does not hold in some state of a random execution.
 * `variable_count`: more than the id of any variable in the formulas. */
void infer_filter(bool *held, const struct model *model, const struct term *const *formulas,
                  size_t count, size_t variable_count);

#endif
