/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums of integers over a role: sum x in r (E(x)), where E is made of what each node has, x.s or
 * m[x] of another node's map (lang/check_sum.c).
 *
 * A step changes E for one node with each assignment, so the sum after the assignment is the sum
 * before it and what E has grown by at that node. The sum in the unknown state is a function f of
 * the other variables of E, with these axioms (x of the role, size its number of nodes):
 *
 *   E(x) >= 0 for all x implies E(x) <= f
 *   E(x) <= 0 for all x implies f - E(x) <= 0
 *   E(x) <= 1 for all x implies f + 1 - E(x) <= size
 *   E(x) <= F(x) for all x implies f + F(x) - E(x) <= g of another such sum g of F
 *
 * each also without x, and for two different nodes at once: one is that of the step, the other that
 * of which something is to be shown.
 *
 * Counterexamples of "for all" are Skolem terms. Beyond SUM_PAIRS_MAX pairs of functions no more
 * pairs are related: that can only lose proofs. With a scope a sum is written out.
 */
#ifndef SOLVER_ENCODE_INTEGER_SUM_H
#define SOLVER_ENCODE_INTEGER_SUM_H

#include "solver/encode/symbolic.h"

enum { SUM_PAIRS_MAX = 60 };

/* A TERM_SUM_OVER of type INT. */
smt_term encode_integer_sum(struct encoder *encoder, const struct term *term,
                            const struct symbolic *state);

#endif
