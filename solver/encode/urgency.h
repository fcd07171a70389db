/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What could be done instead of a step. The urgency of the eager model: no step starts later than
 * what is due at another node, or at its own. The order of the advanced model: a node takes what
 * was delivered first.
 */
#ifndef SOLVER_ENCODE_URGENCY_H
#define SOLVER_ENCODE_URGENCY_H

#include "solver/encode/symbolic.h"

/* Whether a step that starts at `start` in the state is late for nothing: neither for a pending
 * message that some action without a clock read could receive, nor for a timer of such an action
 * that could run. A message could be received when the action's guards hold, it is the next of its
 * FIFO channel, and it arrives while a scheduled node waits (the last two are more than
 * lang/model.h asks for, so that a little less is assumed). */
smt_term urgency(struct encoder *encoder, const struct symbolic *at, smt_term start);

/* Whether no message that the node could receive in the state (as above) was delivered before
 * `delivery`. */
smt_term urgency_order(struct encoder *encoder, const struct symbolic *at, const struct role *role,
                       smt_term node, smt_term delivery);

/* Whether a message with this delivery time arrives while the node waits: in a slot of a schedule
 * with a timeout, before that has run out. */
smt_term urgency_waits_for(struct encoder *encoder, const struct action *action, smt_term clock,
                           smt_term delivery);

#endif
