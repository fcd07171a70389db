/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Invariants that nobody should have to write: what a protocol text says about the order of its own
 * events. Read off the syntax, they are only candidates; those that are not inductive together with
 * the user's invariants are dropped (Houdini: Flanagan, Leino, FME 2001), the others are
 * obligations like any.
 *
 *   a message received was sent; clocks and delivery times are not negative
 *   a reply was sent exactly if the message it answers was received
 *   a node is in a set of answers exactly if its answer was received
 *   a message sent under a condition: the condition holds from then on
 *   where an action is enabled it has not yet sent its messages nor charged its occurrence
 *   an occurrence was charged only if the action's message was sent
 *   a state variable that is given a constant and never goes back has it, once a message is sent or
 *   received by the action that gives it
 *   arrival times are not negative nor later than the clock; slots are in range
 *   a pacer of a message that must be sent: what was sent last says when it lets the next one go
 *   a FIFO message sent after another was received after it
 */
#ifndef SOLVER_PROVE_CANDIDATE_H
#define SOLVER_PROVE_CANDIDATE_H

#include "base/vector.h"
#include "lang/model.h"

struct candidates {
  struct arena arena;   /* owns the invariants */
  struct rational zero; /* shared by their terms */
  size_t variable_count;
  VECTOR(const struct invariant *) items; /* named "generated.1", ... */
};

void candidates_init(struct candidates *candidates, const struct model *model);
void candidates_clear(struct candidates *candidates);

#endif
