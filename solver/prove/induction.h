/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counterexamples to induction: for an obligation that could not be proved, a small state that has
 * every invariant, an action, and the state after it that lacks the property. Whether that state
 * can be reached is another question; it shows which invariant is missing.
 */
#ifndef SOLVER_PROVE_INDUCTION_H
#define SOLVER_PROVE_INDUCTION_H

#include "solver/prove/proof.h"

/* Owns its texts. */
struct induction {
  struct text state;  /* the counterexample in the user's names; empty when none was found */
  struct text scopes; /* "n=1: none; n=2: found" */
  struct text hint;   /* what is free in its first state: an invariant about it may be missing */
};

void induction_init(struct induction *induction, const struct proof *proof,
                    const struct obligation *obligation);
void induction_clear(struct induction *induction);

#endif
