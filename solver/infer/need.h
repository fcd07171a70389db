/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of the guesses the proofs of the bounds rest on, directly or through other guesses, by
 * the unsat cores of the elimination. Everything else is taken as given.
 */
#ifndef SOLVER_INFER_NEED_H
#define SOLVER_INFER_NEED_H

#include "solver/prove/proof.h"

/* The guesses are the last `count` properties of a proof that was about candidates only. needed[i]
 * is set for those that are; false when some bound or phase is not proved at the first attempt:
 * then it says nothing. */
bool infer_need(bool *needed, const struct proof *proof, size_t count);

#endif
