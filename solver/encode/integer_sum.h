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
 *   E(x) <= c for all x implies f + c - E(x) <= c*size
 *   E(x) >= c for all x implies c*size + E(x) - c <= f
 *   E(x) <= F(x) for all x implies f + F(x) - E(x) <= g of another such sum g of F
 *
 * each also without x, and for two different nodes at once: one is that of the step, the other that
 * of which something is to be shown.
 *
 * Every c of literals and parameters makes the fourth and fifth true: of finitely many numbers that
 * are at most c each, all but x add up to at most c for each. They are given for the c of which the
 * text mentions c*size (solver/encode/multiple.h): products of unknowns are hard for the solver.
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
