/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * FIFO channels. Every message on one has a place in the order of sending (symbolic_order); a
 * receive requires that no message of the same channel with an earlier place is pending.
 */
#ifndef SOLVER_ENCODE_FIFO_H
#define SOLVER_ENCODE_FIFO_H

#include "solver/encode/symbolic.h"

/* Whether nothing sent before the message on its channel is pending; true of a message that is on
 * no FIFO channel. */
smt_term fifo_is_next(struct encoder *encoder, const struct symbolic *at,
                      const struct message *message, const smt_term *fields);

/* FACT_FIFO_PLACE, an axiom: the place of a sent FIFO message is below the number of sends so far. It holds in every
 * reachable state because only a send gives a place, and gives it the number before its own. Z3 is
 * not asked to prove it. */
smt_term fifo_facts(struct encoder *encoder, const struct symbolic *at);

#endif
