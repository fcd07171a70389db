/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Logs of the Node.js recorder (tailproof record --node; docs/node.md) as event logs. A row is a
 * turn: a callback and the ticks and microtasks that ran behind it. Within it, as rows of their
 * own: callbacks that it called by the loop's means, and promises that were registered in an
 * earlier turn (registered there, released by the turn in which they continue).
 *
 * Callbacks that were registered and never began have a row where they can still begin: timers that
 * were due before the recording ended were cancelled, and have none.
 *
 * `looks` has what long callbacks were in when the recorder looked. No row has a `place`. The type
 * of a timer that runs again, or that its own callback sets again, has its time behind it: "Timeout
 * 700 ms".
 *
 * Of a log above 12 MB only stretches that are spread over all of it are read, 12 MB together:
 * requests that reach out of a stretch have no complete chain, and `unread` says how much was left
 * out. So reading takes 100 MB for logs of any size.
 */
#ifndef TRACE_EVENT_NODE_LOG_H
#define TRACE_EVENT_NODE_LOG_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "trace/event/log.h"

/* Adds the loops of the files to the log; the files of one process and thread are one loop. Parts
 * of files that are damaged are passed over, and counted in `dropped`. STATUS_NO_INPUT or
 * STATUS_DATA with a message; the log is then as it was before. */
enum status node_log_read(struct event_log *log, const char *const *paths, size_t count,
                          struct text *message);

#endif
