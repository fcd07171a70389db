/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What brings an unknown about: for each way through each action that sends the message, or after
 * which the guard may hold, the bound of what the action starts from with what the action adds.
 * Only the files of solver/infer/ include this.
 */
#ifndef SOLVER_INFER_EDGE_H
#define SOLVER_INFER_EDGE_H

#include "solver/infer/flow.h"
#include "solver/infer/way.h"

struct edge {
  struct flow *flow;
  struct unknown *target;
  const struct action *action;
  const struct way *way;
  const struct statement *send; /* when the target is sent by it; else NULL */
  bool starts;                  /* until the action starts, not until it ends */
  struct match match;
  alternative_vector *result;
};

/* Append to the edge's result; on failure the target has a reason. */
void edge_from_sends(struct edge *edge);
void edge_from_assignments(struct edge *edge);
/* The first state, when the guard may hold in it. */
void edge_from_start(struct flow *flow, struct unknown *unknown, alternative_vector *result);

/* solver/infer/flow.c */
struct unknown *flow_message(struct flow *flow, const struct message *message, bool sent);
/* `guard` over `node`, a term of the role; `action` when it is that of an action, else NULL. */
struct unknown *flow_guard(struct flow *flow, const struct role *role, const struct term *node,
                           const struct term *guard, const struct action *action);
/* How late the time in this state of the node is where the guard (NULL: true) holds. */
struct unknown *flow_value(struct flow *flow, const struct state *value, const struct term *node,
                           const struct term *guard);
/* How late a tick is where formals[1] is in its set. */
struct unknown *flow_gathered(struct flow *flow, const struct infer_tick *tick);
/* solver/infer/cost.c: the component's bare name, which is its occurrence where it has one. */
const struct term *flow_bare(struct flow *flow, const struct component *component);
/* The sum of a cost over a variable's range, or over the whole role where it is of nodes. */
const struct term *flow_batch(struct flow *flow, const struct variable *v, const struct term *cost);
/* The sum of an action's costs. */
const struct term *flow_costs(struct flow *flow, const struct action *action);
const struct term *flow_state(struct flow *flow, const struct state *state,
                              const struct term *node);
/* The alternatives of an unknown over its formals, into an empty vector; one placeholder while it
 * is being solved itself. What rests on a placeholder of another is not kept. */
bool flow_solve(struct flow *flow, struct unknown *unknown, alternative_vector *result);

/* The time of a source in the action's own terms, whose formals are `actuals` there. */
const struct term *edge_in_action(struct flow *flow, const struct unknown *u,
                                  const struct alternative *source,
                                  const struct term *const *actuals);
/* What the formals of an unknown about the node are, in terms of its state. */
const struct term **edge_actuals(struct flow *flow, const struct unknown *u,
                                 const struct term *node);
/* The action's guard over its node, without what it says of the message. */
const struct term *edge_guard(struct flow *flow, const struct action *action);
/* Appends an alternative for each of the sources, those of `u` (NULL: in the action's terms), with
 * `weight` added. */
void edge_add_sources(struct edge *edge, const struct unknown *u, const struct term *const *actuals,
                      const alternative_vector *sources, const struct term *weight);
/* The same for when the action ends, with `delay` added. */
void edge_from_end(struct edge *edge, const struct term *delay, bool round);

/* solver/infer/tick.c: the alternatives of an unknown with a tick. */
void tick_gather(struct flow *flow, struct unknown *unknown, alternative_vector *result);

/* solver/infer/timer.c: a step starts no sooner than its timer is due. `sources` become one, in the
 * action's own terms. */
void timer_wait(struct edge *edge, const struct unknown *u, const struct term *const *actuals,
                alternative_vector *sources);
/* What is known of the target's value when the action leaves it as `after`. */
void timer_value(struct edge *edge, const struct term *after);
/* The time in a state at first. */
const struct term *timer_first(struct flow *flow, const struct unknown *value);

/* solver/infer/round.c: schedules. The bare names of the slots before `count`; of all of them and
 * the wait for a message; and the same as it depends on the node's slot. */
const struct term *round_until(struct flow *flow, const struct schedule *schedule, size_t count);
const struct term *round_whole(struct flow *flow, const struct schedule *schedule);
const struct term *round_so_far(struct flow *flow, const struct schedule *schedule,
                                const struct term *node);
/* The whole round while the slot is at most `last`: 0 afterwards. */
const struct term *round_wrapped(struct flow *flow, const struct schedule *schedule,
                                 const struct term *node, size_t last);
const struct schedule *schedule_of(const struct model *model, const struct role *role);

#endif
