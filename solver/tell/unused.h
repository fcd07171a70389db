/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a proof shows to be without use: actions that are never taken, messages that are never
 * received.
 */
#ifndef SOLVER_TELL_UNUSED_H
#define SOLVER_TELL_UNUSED_H

#include "lang/diagnostic.h"
#include "solver/prove/proof.h"

/* By action id: whether the proof shows that it is never taken. None is unless every invariant is
 * proved. Owned by the caller. */
bool *unused_actions(const struct proof *proof);

/* Adds the warnings W0506 and W0507, given which actions are never taken. */
void unused_warn(struct diagnostics *queue, const struct model *model, const bool *never);

#endif
