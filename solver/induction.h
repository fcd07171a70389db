/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counterexamples to induction: for an obligation that could not be proved, a small state that has
 * every invariant, an action, and the state after it that lacks the property. Whether that state
 * can be reached is another question; it shows which invariant is missing.
 */
#ifndef SOLVER_INDUCTION_H
#define SOLVER_INDUCTION_H

#include "solver/proof.h"

/* Appends the counterexample in the user's names; false when none was found in these scopes. */
bool induction_explain(struct text *text, const struct proof *proof,
                       const struct obligation *obligation);

#endif
