/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Generated invariants about what happened for good: flags, and the order of FIFO messages.
 */
#ifndef SOLVER_PROVE_CANDIDATE_FLAG_H
#define SOLVER_PROVE_CANDIDATE_FLAG_H

#include "solver/prove/candidate_term.h"

/* Of the maker's action: a message that it received or sent, or an occurrence that it charged,
 * while it gave a state variable a constant, where the variable never goes back. */
void candidate_flags(struct maker *maker);

/* The second message is sent after the first one with the same fields, and so received after it. */
void candidate_fifo(struct maker *maker, const struct message *first, const struct message *second);

#endif
