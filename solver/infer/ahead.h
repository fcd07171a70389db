/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work ahead of a request: messages with numbers that one node takes in their order, each with
 * costs of its own. Since some message j it has been busy, so it is done with message c no later
 * than max j in 1..c (time(M(j)) + sum i in j..c (Cost[i])). Where a sender that only counts sends
 * them, message j was sent sum i in j + 1..k (Gap[i]) before message k; of any other sender it is
 * known at most that it was sent before.
 */
#ifndef SOLVER_INFER_AHEAD_H
#define SOLVER_INFER_AHEAD_H

#include "solver/infer/relation.h"

struct bound;
struct flow;
struct unknown;

/* What candidates say of the message. */
struct ahead {
  const struct message *message;
  const struct action *work; /* takes it; or NULL */
  const struct action *send; /* spaces them, by its costs; or NULL */
  const struct term *first;  /* the number before the first: INT without state */
};

void ahead_relations(relations *list, struct term_maker *m, const struct model *model);

/* When a step that takes the message of `u` starts at the latest, over its formals; NULL: not known
 * so. */
const struct term *ahead_start(struct flow *flow, const struct unknown *u);

/* Whether it is known what work may be ahead of the message. */
bool ahead_is_known(const struct flow *flow, const struct message *message);

/* The time less the sending of what the bound counts from; NULL when it is not made so. */
const struct term *ahead_since_sent(struct flow *flow, const struct bound *bound,
                                    const struct term *time);

#endif
