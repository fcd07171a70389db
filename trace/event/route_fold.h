/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Paths with a name in them ("/users/alice", "/users/bob", ...) as one route. A part of a path that
 * has more than 50 values behind the same beginning becomes "*", except for values with at least
 * one in 50 of the requests there: so at most 50 values stay, whatever the log.
 *
 * Example: "GET /shop/alice" and 60 more customers, "GET /shop/login" in half of all requests ->
 * "GET /shop/ *" (without the blank) and "GET /shop/login".
 *
 * No request is lost, and none changes but for its route. Patterns of a framework are left alone.
 */
#ifndef TRACE_EVENT_ROUTE_FOLD_H
#define TRACE_EVENT_ROUTE_FOLD_H

#include <stddef.h>

#include "trace/event/log.h"

enum { ROUTE_VALUES_MOST = 50 };

struct event_folded {
  size_t paths, routes; /* so many became so many; 0: none were folded */
  uint32_t example;     /* name of a path that was folded */
};

/* Gives the requests of the log their folded routes. */
struct event_folded event_routes_fold(struct event_log *log);

#endif
