/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps on a timer that comes again and again and sends for what was gathered in a set meanwhile: a
 * flush, a batch, a round of heartbeats. How late its time is grows for ever, so it is not followed
 * from one tick to the next. It is no further away than a period, and so from whatever a member
 * came by it is that much later at most.
 *
 *   at a tick its node is late by the work that the members took, at most
 *   the time of the next tick is at most a period after now (eager model)
 *   where the set has x, the time of the next tick is at most a period after x came
 */
#ifndef SOLVER_INFER_TICK_H
#define SOLVER_INFER_TICK_H

#include "solver/infer/relation.h"

struct edge;
struct flow;

struct infer_tick {
  const struct action *action;
  const struct state *due, *set;
  const struct term *period;
};

/* The first two, as candidates. */
void tick_relations(relations *list, struct term_maker *m, const struct model *model);

/* The edge's send, when it is for the members of a set at a tick: appended to its result. False,
 * and nothing, when it is not. */
bool tick_sends(struct edge *edge, const struct term *delay);

#endif
