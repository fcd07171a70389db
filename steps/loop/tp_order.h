/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In which order a node takes FIFO messages; for tp_loop.c only.
 *
 * All FIFO messages from one node to another are on one channel. Each carries the number of the one
 * before it, so that a receiver knows when one is missing. It takes none before those that were
 * sent before it: of what comes in another order, the later waits for the earlier. Where the
 * protocol lets all of a channel be lost (`loses`), one that is missing counts as lost; it is
 * dropped should it still come. Where it does not, nothing of the channel is taken any more, as in
 * the protocol.
 */
#ifndef TP_ORDER_H
#define TP_ORDER_H

#include "tp_loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A new instance: nothing was sent or taken. */
void tp_order_begin(struct tp_loop *loop);

/* A message with this number leaves for a node: the number of the one before it on its channel; 0:
 * it is the first, or on none. */
uint32_t tp_order_sent(struct tp_loop *loop, const struct tp_kind *kind, int32_t to,
                       uint32_t number);

/* Whether it came too late: it counts as lost. */
bool tp_order_is_lost(const struct tp_loop *loop, const struct tp_waiting *came);

/* Whether some message has to be taken before this one, which waits. */
bool tp_order_is_held(const struct tp_loop *loop, const struct tp_waiting *waiting);

/* When it was there, and those that were sent before it (ticks). */
uint64_t tp_order_arrived(const struct tp_loop *loop, const struct tp_waiting *waiting);

/* It is taken. */
void tp_order_taken(struct tp_loop *loop, const struct tp_waiting *taken);

#ifdef __cplusplus
}
#endif

#endif
