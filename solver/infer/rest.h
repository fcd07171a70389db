/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More candidates about who is idle when (relation.h has the ones that are tried first): for nodes
 * that wait for one of several messages, for models without queueing terms, and for priorities.
 *
 *   a node that has sent M and received nothing since has done nothing since
 *   what a step sends is delivered no sooner than what the step takes
 *   a node that waits for its timer has done nothing since it received M
 *   without a queueing term: neither sender nor receiver of a message on its way is past it
 *   nor has any node done anything where the first step can be taken
 *   who gets a message before others is late by one step for those others at most (eager model)
 */
#ifndef SOLVER_INFER_REST_H
#define SOLVER_INFER_REST_H

#include "solver/infer/relation.h"

void rest_relations(relations *list, struct term_maker *m, const struct model *model);

#endif
