/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages that wait for their pacer (`paced`); for tp_loop.c only.
 *
 * The generated `release` says when each leaves. Until then it is here, and the node goes on with
 * its steps. Its packet is made when it leaves, so that numbers of packets are those of leaving.
 */
#ifndef TP_HOLD_H
#define TP_HOLD_H

#include "tp_loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When a message of this kind leaves that loop->last sends, in ticks: the end of that, or later. It
 * counts as sent. */
uint64_t tp_hold_until(const struct tp_loop *loop, int32_t kind);

/* Keeps the message for node `to`, number `index` of its role, and records it as sent then. Without
 * place it is dropped. */
void tp_hold(struct tp_loop *loop, const struct tp_message *m, int32_t to, int32_t index,
             uint64_t at);

/* Lets those leave whose time has come by then (ticks), as they were sent. */
void tp_hold_let_go(struct tp_loop *loop, uint64_t now);

/* How long until the next one leaves, at most `wait_ns`. */
int64_t tp_hold_wait(const struct tp_loop *loop, int64_t wait_ns);

#ifdef __cplusplus
}
#endif

#endif
