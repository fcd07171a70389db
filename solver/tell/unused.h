/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a proof shows to be without use: actions that are never taken, messages that are never
 * received.
 */
#ifndef SOLVER_TELL_UNUSED_H
#define SOLVER_TELL_UNUSED_H

#include "lang/diagnostic.h"
#include "solver/prove/proof.h"

/* Adds the warnings W0506 and W0507. An action counts as never taken only when every invariant is
 * proved. */
void unused_warn(struct diagnostics *queue, const struct proof *proof);

#endif
