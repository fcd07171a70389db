/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops that were read apart, joined to one log. Private to trace/event.
 */
#ifndef TRACE_EVENT_JOIN_H
#define TRACE_EVENT_JOIN_H

#include "trace/event/log.h"

/* Adds a loop with the rows, requests and pauses of `part`, whose row numbers are from 0 and whose
 * names are those of the log; `first` and `count` of the loop are set here. Takes the rows out of
 * `part` where it can. */
void event_log_join(struct event_log *log, struct event_log *part, const struct event_loop *loop);

/* Puts requests and pauses into the order that the header of the log promises: once all loops are
 * there. Leaves out pauses that lie within one of the same kind. */
void event_log_settle(struct event_log *log);

#endif
