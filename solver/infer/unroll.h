/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first rounds of a step on a timer that counts them: after k rounds the states that this step
 * alone sets have the values that k rounds from the first state give. So of
 *
 *   action client.Send on timer due {
 *     flights := flights + 1   due := due + wait   wait := 2*wait   send Initial(flights)
 *   }
 *
 * due is PTO after one round and 3*PTO after two, and Initial(3) is sent at 3*PTO. Of rounds there
 * are as many as messages may be lost, and one more, or as many as the step's guard allows.
 *
 * And for an invariant that some message is on its way, that it comes by a time that a bound names:
 * a sum of the first addends of its expression.
 */
#ifndef SOLVER_INFER_UNROLL_H
#define SOLVER_INFER_UNROLL_H

struct infer_work;

/* Adds both as guesses. */
void unroll_guess(struct infer_work *w);

#endif
