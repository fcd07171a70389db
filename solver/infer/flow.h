/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From when a message is delivered at the latest, by going back along what causes what: an upper
 * bound of each message's delivery time over its fields, and of a node's clock where an action
 * without a message is enabled, over the node and its INT states. An action that receives M(x) and
 * sends M'(y) gives time(M'(y)) the bound of M(x), the wait of M(x) unless its receiver is known to
 * be idle, the action's costs and the delay of M'(y). What y does not determine is closed by a
 * maximum; a cycle that counts something up by one becomes a sum.
 *
 * Everything that comes out is a guess to be proved.
 */
#ifndef SOLVER_INFER_FLOW_H
#define SOLVER_INFER_FLOW_H

#include "solver/infer/match.h"
#include "solver/infer/stage.h"
#include "solver/infer/tick.h"

/* One way for the event to come about, under conditions on the formals. */
struct alternative {
  const struct term *time;
  const char *via; /* the actions on the way, separated by commas; NULL: none */
  size_t condition_count;
  const struct replacement *conditions;
};
typedef VECTOR(struct alternative) alternative_vector;

enum unknown_status { UNKNOWN_NEW, UNKNOWN_ACTIVE, UNKNOWN_DONE, UNKNOWN_FAILED };

struct unknown {
  size_t number;
  const struct message *message; /* when is it delivered; NULL: when does `guard` hold */
  bool asked;                    /* by a bound only: no action starts there */
  bool sent;                     /* of a message: when is it sent, without its delay */
  const struct role *role;
  const struct term *node, *guard; /* of a guard: over formals[0], the node */
  const struct state *value;       /* how late the time in this state is where the guard (NULL:
                                    * true) holds, not when it holds; else NULL */
  const struct term *due;          /* a timer over the node that is set where the guard holds: then
                                    * the clock may also be as late as that; else NULL */
  const struct infer_tick *tick;   /* of a value: where its set has formals[1]; else NULL */
  const struct schedule *schedule; /* of a guard's role; then `time` is when the round began, and
                                    * the clock is later by the slots gone through */
  size_t slot, wrap; /* of its action; the slot from which the guard is waited for into the next
                      * round; SIZE_MAX: none */
  size_t formal_count;
  const struct term **formals;
  const struct state **states; /* of a guard, by formal from 1 on: the state it stands for */
  enum unknown_status status;
  const struct term *time; /* when DONE: NULL is 0 */
  size_t condition_count;  /* when DONE: what its formals equal whenever it comes about */
  const struct replacement *conditions;
  const char *reason; /* when FAILED */
  const char *loop;   /* the actions of a cycle that was summed up, or NULL */
};

struct flow {
  struct term_maker *m;
  const struct model *model;
  const bool *fresh;  /* by action id: where it is enabled, the clock is 0 */
  const bool *idle;   /* by message id: it never waits */
  const bool *prompt; /* by action id: where its timer is waited for, the clock is no later */
  const struct message *from; /* times count from this message; NULL: from time 0 */
  const relations *held;
  const struct stages *stages; /* of the node that is always busy, or NULL */
  VECTOR(struct unknown *) unknowns;
};

void flow_clear(struct flow *flow);

/* When the bound's event happens, at the latest: solved or failed. */
const struct unknown *flow_bound(struct flow *flow, const struct bound *bound);

/* Solves what was met on the way and is still open. */
void flow_close(struct flow *flow);

/* Its time with the bound's arguments for the formals; NULL and a reason when these leave something
 * open. */
const struct term *flow_bound_time(struct flow *flow, const struct unknown *unknown,
                                   const struct bound *bound, const char **reason);

/* The invariant that the unknown's time is a guess of. */
const struct term *flow_invariant(struct flow *flow, const struct unknown *unknown);

/* solver/infer/loop.c: the alternatives of an unknown without itself: a cycle that counts becomes a
 * sum. False with unknown->reason set when there is no bound. */
bool flow_close_loop(struct flow *flow, struct unknown *unknown, alternative_vector *alternatives);
/* solver/infer/round.c: as users write it, with sums of slots by themselves (`upto`). */
const struct term *round_written(struct flow *flow, const struct term *time);
/* One time for all alternatives. */
const struct term *flow_combine(struct flow *flow, const alternative_vector *alternatives);
/* A placeholder: a term that stands for the time of `unknown` while that is being solved. It occurs
 * in the times of unknowns that depend on it, itself included. Its kind is TERM_PLACEHOLDER, and
 * `integer` is the unknown's number. */
const struct term *flow_placeholder(struct flow *flow, const struct unknown *unknown);
/* The time with v replaced by a fixed node in every placeholder that is an addend of it: v is the
 * node of the step before, and what is being solved is the same whichever node that was. */
const struct term *flow_forget(struct flow *flow, const struct term *time,
                               const struct variable *v);
/* Whether the time contains the placeholder of `unknown`; if that is NULL, of any unknown. */
bool flow_has_placeholder(const struct term *time, const struct unknown *unknown);
/* A reason with the flow's life. */
const char *flow_text(struct flow *flow, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
