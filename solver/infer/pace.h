/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Candidates about messages with a pacer that a node takes one after the other, by their number: it
 * keeps up when no work is longer than the pacer's interval.
 *
 *   of two messages, that with the smaller number passes the pacer at least one interval earlier
 *   a node that has taken message c is done no later than paced(M(c)) + delay + costs
 *   a node that has taken none has done nothing
 */
#ifndef SOLVER_INFER_PACE_H
#define SOLVER_INFER_PACE_H

#include "solver/infer/relation.h"

void pace_relations(relations *list, struct term_maker *m, const struct model *model);

#endif
