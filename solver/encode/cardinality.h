/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measures of sets of nodes: the cardinality |S|, and the sum over S of an occurrence. Both count
 * each member with its weight, so the same rules give both.
 *
 * A measure is reduced by the form of the set (members given one by one, union, difference, a whole
 * role, the effects of a step) to those of the sets in the unknown state and of intersections.
 * Each of these is a function f of what the set depends on, with these axioms (x, y of the role):
 *
 *   every f
 *     0 <= f; a member x implies weight(x) <= f
 *   f a cardinality
 *     f <= size; f >= 1 implies some member; f >= size implies that x is one; f < size implies that
 *     some node is none
 *   f a sum of C[..]
 *     f <= |S| * C (the bare name); f <= W, the sum over the whole (ordered) role; x not a member
 *     implies f + weight(x) <= W
 *   f of A and g of B
 *     A in B implies f <= g; and then a member x of B alone implies f + weight(x) <= g
 *   f and g cardinalities
 *     no common member implies f + g <= size; and then a node in neither implies f + g < size
 *
 * Of what belongs to nodes, such as each group's own machines, only sets of one owner are related:
 * those of two have nothing to do with each other as a rule, and a witness that belongs to a third
 * would have the solver count the sets of that, which gives it more witnesses.
 *
 * The functions occur in the triggers, so a fact is used only of sets whose measure is mentioned.
 * Counterexamples and members are Skolem terms; they make no new measure, hence no matching loop of
 * their own. Beyond MEASURE_PAIRS_MAX pairs of functions no more pairs are related: that can only
 * lose proofs.
 *
 * With a scope a measure is a sum over all nodes.
 */
#ifndef SOLVER_ENCODE_CARDINALITY_H
#define SOLVER_ENCODE_CARDINALITY_H

#include "solver/encode/symbolic.h"

enum { MEASURE_PAIRS_MAX = 120 };

smt_term encode_cardinality(struct encoder *encoder, const struct term *set,
                            const struct symbolic *state);

/* The sum of `body` for `variable` running over its set. */
smt_term encode_set_sum(struct encoder *encoder, const struct variable *variable,
                        const struct term *body, const struct symbolic *state);

/* The cardinality of a set given by a predicate "name(free, node)", which the caller defines. */
const struct measure *cardinality_of_predicate(struct encoder *encoder, const struct role *role,
                                               const char *name, const struct variable_list *free);
smt_term cardinality_apply(struct encoder *encoder, const struct measure *measure,
                           const smt_term *args);
smt_term cardinality_member(struct encoder *encoder, const struct measure *measure,
                            const smt_term *args, smt_term node);

#endif
