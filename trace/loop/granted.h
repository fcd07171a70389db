/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests that wait for a connection of a pool that the application keeps, apart from what they
 * then ask by it.
 *
 * Example. A pool of two connections to a database, both in use for 200 ms more, when a request
 * asks for one. It gets it (is granted it) then, and its answer comes 1 ms later: it waited 200 ms
 * for a connection, and 1 ms for the database. Its chain has one link for that, since what releases
 * it is the connection, which others used meanwhile.
 *
 * A link of a chain waited for a connection where a grant to this request says so: the link is a
 * callback of that very connection, which others had until it was granted; the link is the turn in
 * which the connection was granted, which goes on with the request; or what was called then.
 */
#ifndef TRACE_LOOP_GRANTED_H
#define TRACE_LOOP_GRANTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct event_chains; /* trace/loop/chain.h */
struct loop_turns;   /* trace/loop/turns.h */

/* A link waited for a connection from ... until, ns, where it waited at all. */
struct loop_grant_wait {
  size_t link; /* of all links of the chains */
  int64_t from, until;
  uint32_t grant; /* of log->grants */
  bool called;    /* its callback is what was called then: it was ready when that turn was */
};

struct loop_granted {
  VECTOR(struct loop_grant_wait) waits; /* by link */
  uint32_t *stretch; /* by grant: one number for all that wait for a pool while others do */
  uint32_t stretches;
};

/* Needs the origins of the log (event_log_forget_origins). */
void loop_granted_make(struct loop_granted *granted, const struct loop_turns *turns,
                       const struct event_chains *chains);

/* Of a link of all, or NULL: it did not wait. */
const struct loop_grant_wait *loop_granted_find(const struct loop_granted *granted, size_t link);
void loop_granted_clear(struct loop_granted *granted);

#endif
