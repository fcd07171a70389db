/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the proof of a bound rests on: its obligations are tried again with every assumption and
 * every property of the state before as a fact that can be told apart, and the solver says which of
 * them the answer used; then the obligations of the properties used, until nothing new comes.
 */
#ifndef SOLVER_TELL_UNSAT_H
#define SOLVER_TELL_UNSAT_H

#include "solver/prove/proof.h"

struct support {
  bool *properties;  /* by index in the proof's properties */
  bool *assumptions; /* by index in the model */
  bool exact;        /* false: an obligation resisted, and all that it could use was counted */
};

/* Of a bound that is proved. */
void support_init(struct support *support, const struct proof *proof, const struct property *bound,
                  const struct proof_options *options);
void support_clear(struct support *support);

#endif
