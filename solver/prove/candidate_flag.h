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

/* Which field of a FIFO message is its number, the only integer among them; or -1. */
int candidate_number(const struct message *message);

/* Of a FIFO message with a number, between two nodes and with all other fields the same: a larger
 * number is sent later, and so received later. */
void candidate_numbered(struct maker *maker, const struct message *message);

#endif
