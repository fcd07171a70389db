/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A single node that is always busy, in a model without queueing terms: its clock is followed by
 * what it has done. Every action of it that costs time puts a node into a set of its own, so that
 * the set's size counts its executions. Its work falls into stages, one for each kind of message it
 * takes, in their causal order; while the stage of M lasts, its clock is at most
 *
 *     the bound of M's delivery + the sum over the stage's actions of |set| * cost.
 *
 * An action belongs to the last stage that must have begun before it, and happens at most as often
 * as its set has members (the smallest parameter or family that is found to bound it).
 */
#ifndef SOLVER_INFER_STAGE_H
#define SOLVER_INFER_STAGE_H

#include "solver/infer/relation.h"

struct flow;

struct stage_action {
  const struct action *action;
  const struct state *set;
  const struct term *most; /* members, INT; NULL: no bound was found */
  size_t stage;            /* SIZE_MAX: none must have begun */
};

struct stages {
  const struct role *role;
  VECTOR(struct stage_action) actions;
  VECTOR(const struct stage_action *) begins; /* by stage: the action that takes its message */
};

/* Candidates about the sets: which is empty as long as which, and how large they get. False when no
 * node is of this kind. */
bool stage_relations(relations *list, struct term_maker *m, const struct model *model);

/* The stages of the model's busy node, by the relations that held; false when there is none. */
bool stages_init(struct stages *stages, const struct model *model, const relations *held);
/* Whether the relation says more than others do together. */
bool stages_want(const struct stages *stages, const struct relation *relation);
void stages_clear(struct stages *stages);

/* Where an action of the busy node ends at the latest; with `set` instead: a state in which this
 * set of it has members. NULL and a reason when that is not known. */
const struct term *stage_end(struct flow *flow, const struct action *action, const char **reason);
const struct stage_action *stage_of_set(const struct stages *stages, const struct term *formula);

/* The invariant of a stage; NULL when its message was not bounded. */
const struct term *stage_invariant(struct flow *flow, size_t stage);

#endif
