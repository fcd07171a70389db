/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chains of requests through event loops as requests of a span store, so that everything that is
 * asked of traces can be asked of them.
 *
 * Example. A handler that reads a file becomes a span "GET /page" with the calls, one after the
 * other and without gaps,
 *
 *     request queue | request run | file app.js:12:3 read io | ... queue | ... run
 *
 * which add up to its latency. Whichever of several reads came last, the calls have the same names,
 * so such requests are of one kind. What follows:
 *
 *   - `run` is a whole turn of the loop: the callback with the ticks and continuations of promises
 *     behind it, as far as the request's chain is in it;
 *   - where nobody knows when something became ready, there is one call `wait` in place of `io` and
 *     `queue`; where only some instances of a class know it, there are `io`, `wait`, `queue`;
 *   - what the request did not begin itself, such as a timer that answers all that came in between,
 *     is called `shared`.
 */
#ifndef TRACE_LOOP_SPANS_H
#define TRACE_LOOP_SPANS_H

#include "base/ledger.h"
#include "trace/loop/chain.h"
#include "trace/span/read.h"

/* Each complete chain as a request of the store, as trace_read gives its requests; the ledger gets
 * what there is to say of the others. Stops at what reading->visit returns. */
enum status loop_spans_make(struct span_store *store, const struct event_log *log,
                            const struct event_chains *chains, const struct trace_reading *reading,
                            struct ledger *ledger);

#endif
