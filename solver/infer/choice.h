/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Candidates about steps that choose: what is sent to whom was chosen once.
 *
 *   forall u, v. sent Ask(u) and sent Ask(v) implies u == v
 *
 * of a message of which some fields are chosen by the step that sends it, for each value of the
 * others: a load balancer that gives each request to one server. One that asks again elsewhere
 * breaks it.
 */
#ifndef SOLVER_INFER_CHOICE_H
#define SOLVER_INFER_CHOICE_H

#include "solver/infer/relation.h"

/* Appends them. */
void choice_relations(relations *list, struct term_maker *m, const struct model *model);

#endif
