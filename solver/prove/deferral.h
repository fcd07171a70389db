/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Deferral: a message that is there while its receiver is free, that no action can take yet, and
 * that a later step makes takeable. lang/model.h says why the timing models need that there is
 * none.
 */
#ifndef SOLVER_PROVE_DEFERRAL_H
#define SOLVER_PROVE_DEFERRAL_H

#include "lang/model.h"

/* Whether the model limits how long a message may lie there: advanced, or with a queueing term. */
bool deferral_matters(const struct model *model);

/* Whether it is the guard by which a schedule keeps the action to its slot: that wait is counted.
 */
bool deferral_is_slot(const struct action *action, const struct term *guard);

#endif
