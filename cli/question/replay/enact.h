/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A recorded request as the events that its drafted protocol has for it: the steps, messages and
 * costs, at the recorded times. Names of the plan are looked up in the protocol, which may have
 * been edited since.
 */
#ifndef CLI_QUESTION_REPLAY_ENACT_H
#define CLI_QUESTION_REPLAY_ENACT_H

#include "solver/conform/conform.h"
#include "trace/draft/plan.h"

struct enact_call {
  const struct role *role;
  const struct message *call, *answer;    /* of a node but the root */
  const struct action *begin, *on_answer; /* the latter of its caller */
};

struct enactment {
  const struct draft_plan *plan;
  VECTOR(struct enact_call) calls; /* by position */
  const struct component **works;  /* by activity; NULL where it is no cost */
  const struct message *reply;
};

/* Finds what the plan names. False, with one line in `message` that names what the protocol lacks.
 * To be cleared in any case. */
bool enactment_init(struct enactment *enactment, const struct draft_plan *plan,
                    const struct model *model, struct text *message);
void enactment_clear(struct enactment *enactment);

typedef VECTOR(struct conform_event) event_vector;

/* The events of a request whose activities took these times, none of them early. `most` are the
 * rounds of each loop of the shape that the model has: those that the request lacks take no time. */
void enact(event_vector *events, const struct enactment *enactment, const struct shape_times *times,
           const uint32_t *most, uint32_t instance);

#endif
