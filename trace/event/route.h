/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The name of what a URL asks for, without what differs from request to request: the query is left
 * out, and parts of the path that are numbers, UUIDs or long hexadecimal numbers are ":id".
 *
 * Example: GET, "/users/4711/cart?full=1" -> "GET /users/:id/cart"
 */
#ifndef TRACE_EVENT_ROUTE_H
#define TRACE_EVENT_ROUTE_H

#include "base/slice.h"
#include "base/text.h"

enum { ROUTE_BYTES_MAX = 200 }; /* a longer one ends with "..." */

/* Replaces the text. Of length 0: the method is not known. */
void event_route(struct text *text, struct slice method, struct slice url);

#endif
