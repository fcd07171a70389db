/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How turns and pieces are kept in memory (struct loop_turns), read. Private to trace/loop.
 */
#ifndef TRACE_LOOP_TURNS_KEPT_H
#define TRACE_LOOP_TURNS_KEPT_H

#include "trace/loop/turns.h"

enum { PIECE_KIND_SHIFT = 30 }; /* of turns->pieces; what a piece is of has the bits below */

/* A turn without its pieces, eligible and order, which may not be there yet. */
struct loop_turn loop_turn_unsettled(const struct loop_turns *turns, uint32_t number);

#endif
