/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who waits for something that is under way already. A step that sends M(x, ..) for all x of a set
 * in a node's state ends a wait that x began by joining the set, maybe long after the message that
 * the step takes was brought about:
 *
 *   action cache.Fill on Row(i) { send Value(r, i) for all r in joined  joined := {} }
 *
 * So by when Row(i) is delivered depends on r only while r is in the set; and, when it joins, on
 * the clock of the node alone.
 */
#ifndef SOLVER_INFER_JOINED_H
#define SOLVER_INFER_JOINED_H

#include "solver/infer/relation.h"

/* Appends `x in SET` for each such set of a single node, of which some step sends the message with
 * these fields. */
typedef VECTOR(const struct term *) conditions;
void joined_conditions(conditions *list, struct term_maker *m, const struct model *model,
                       const struct message *message, const struct term *const *args);

/* Candidates about who is idle when, for models with such a step: single nodes are not past a
 * message on its way from or to them, nor, while another node is in its first state, past that. */
void joined_relations(relations *list, struct term_maker *m, const struct model *model);

#endif
