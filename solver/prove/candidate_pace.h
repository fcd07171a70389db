/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Generated invariants about pacers of messages that must be sent: in steps that wait for a message
 * or a timer.
 */
#ifndef SOLVER_PROVE_CANDIDATE_PACE_H
#define SOLVER_PROVE_CANDIDATE_PACE_H

#include "solver/prove/candidate_term.h"

/* When a node may send the next message: what it sent last says so, or it has sent none; and its
 * timers are no earlier. */
void candidate_pace(struct maker *maker, const struct message *message);

#endif
