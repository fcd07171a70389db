/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which step had to come first. In the eager model no step starts after the time by which some
 * message had to be taken or some timer had to fire, at any node. In the advanced model a node
 * takes the message that was delivered first.
 */
#ifndef SOLVER_ENCODE_URGENCY_H
#define SOLVER_ENCODE_URGENCY_H

#include "solver/encode/symbolic.h"

/* Whether it is known before the action's step whether it can be taken: no guard depends on the
 * clock that the step reads. */
bool urgency_concerns(const struct action *action);

/* Whether a step may start at `start`, as nothing in the state was due before: no pending message
 * that an action which this concerns could receive, and no timer of such an action. Here a message
 * could be received when the action's guards hold for some of its choices, it is the next of its
 * FIFO channel, and a node with a schedule is still waiting when it arrives. */
smt_term urgency(struct encoder *encoder, const struct symbolic *at, smt_term start);

/* Whether the action waits for a timer that nothing may start behind, as of `urgency`, in the
 * eager model. */
bool urgency_forces_timer(const struct model *model, const struct action *action);

/* Whether such a timer was due by the time `by` in the state `at`: the guards of the action hold
 * for some of its choices, and its timer is no later. Its node is in the environment. */
smt_term urgency_timer_due(struct encoder *encoder, const struct action *action,
                           const struct symbolic *at, smt_term by);

/* Whether no message that the node could receive in the state (as above) was delivered before
 * `delivery`. */
smt_term urgency_order(struct encoder *encoder, const struct symbolic *at, const struct role *role,
                       smt_term node, smt_term delivery);

/* Whether no message of a higher priority than that which the node takes at `start`, and which it
 * could receive in the state (as above), was delivered before. */
smt_term urgency_priority(struct encoder *encoder, const struct symbolic *at,
                          const struct action *taken, smt_term node, smt_term start);

/* Whether a message with this delivery time arrives while the node waits: in a slot of a schedule
 * with a timeout, before that has run out. */
smt_term urgency_waits_for(struct encoder *encoder, const struct action *action, smt_term clock,
                           smt_term delivery);

/* Whether a guard depends on what the action chooses. */
bool urgency_is_open(const struct action *action, const struct term *guard);

/* That there is something which the action may choose in the state `at`, so that these guards of it
 * hold. Its node and fields are in the environment. True of an action that does not choose. */
smt_term urgency_some_choice(struct encoder *encoder, const struct action *action,
                             const struct symbolic *at);

#endif
