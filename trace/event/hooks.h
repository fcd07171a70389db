/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What Node.js writes by itself with --trace-event-categories node.async_hooks,node.http,v8, as an
 * event log: Chrome's trace events, in which
 *
 *     b TYPE           an operation was registered; args say in which one's callback
 *     b TYPE_CALLBACK  a callback of it begins; e TYPE_CALLBACK: it ends
 *     e TYPE           it was destroyed
 *     http.server.request  b: noticed, e: answered, with its URL
 *     V8.GC..., MinorGC, MajorGC, V8.Compile...   pauses
 *
 * It says neither when something became ready, nor when a request arrived, nor what resolved a
 * promise; those are intervals, and the turn in which a promise was resolved is known. Private to
 * trace/event.
 */
#ifndef TRACE_EVENT_HOOKS_H
#define TRACE_EVENT_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/asker.h"
#include "base/ledger.h"
#include "trace/event/log.h"

/* Whether a file with these first bytes is one: a list of trace events with asynchronous operations
 * of Node.js, or with nothing but what Node.js and V8 say of themselves (collections, requests). */
bool hooks_is(const char *bytes, size_t length);

/* Adds the loops of the files, which go on from one to the next (node_trace.1.log,
 * node_trace.2.log). A file may end anywhere. STATUS_DATA with FILE:LINE:COLUMN for what is no
 * JSON; what was odd goes into the ledger. */
enum status hooks_read(struct event_log *log, const char *const *paths, size_t path_count,
                       struct ledger *ledger, const struct asker *asker);

#endif
