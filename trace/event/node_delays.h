/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where in a loop's time it had no processor. Its recorder says for stretches of some 10 ms how long the thread
 * waited to run, of that how long because a quota was used up, and how long the process was stopped; not
 * where within the stretch. Private to trace/event.
 *
 * A thread that sleeps waits for no processor. So it was within a turn, within a collection, or
 * between the moment at which a turn was ready and its begin. Of these the longest counts first:
 * what lasted long because it did not run is long. What lasted for less than that cannot have held it.
 *
 * Example. From 0 to 100 ms the thread waited for 90. It ran turns from 1 to 1.2, from 2 to 92.4 and
 * from 95 to 95.1: the wait is from 2 to 92, and the second turn ran for 0.4 ms.
 */
#ifndef TRACE_EVENT_NODE_DELAYS_H
#define TRACE_EVENT_NODE_DELAYS_H

#include <stddef.h>

#include "trace/event/log.h"
#include "trace/event/node_record.h"

/* Adds pauses to the log for NODE_DELAY records of the loop, all of whose turns have rows, and sorts them by time;
 * collections in which it waited are shortened. The loop's sums count what has no place, too. Delays may overlap: the
 * system tells of a wait when it is over, and the recorder may have looked within it. */
void node_delays_place(struct event_log *log, uint32_t loop, struct node_record *delays,
                       size_t count);

#endif
