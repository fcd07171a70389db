/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of the guesses the proofs of the bounds rest on, directly or through other guesses, by
 * unsat cores. Everything else is taken as given.
 */
#ifndef SOLVER_INFER_NEED_H
#define SOLVER_INFER_NEED_H

#include "solver/proof.h"

/* The guesses are the last `count` properties of the proof. needed[i] is set for those that are;
 * false when some bound or needed guess is not proved at the first attempt: then it says nothing.
 */
bool infer_need(bool *needed, const struct proof *proof, size_t count,
                const struct proof_options *options);

#endif
