/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stretches of requests of an event-driven server: each link of a request's chain executes from its
 * begin until the next link is registered, and waits behind others, who have the loop, from when it
 * was ready until it begins. Of a main thread the system's id is that of the process; which of a
 * process' threads a worker's loop is on is not known.
 */
#ifndef TRACE_HOT_LOOPS_H
#define TRACE_HOT_LOOPS_H

#include "trace/hot/stretch.h"
#include "trace/loop/chain.h"

/* Appends those of all complete chains; a stretch's request is the number of its chain. */
void hot_stretches_of_loops(hot_stretches *stretches, const struct event_log *log,
                            const struct event_chains *chains);

#endif
