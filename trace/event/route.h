/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The name of what a URL asks for, without what differs from request to request or is nobody's
 * business. The query is left out, and so are scheme and host. A part of the path is kept if it
 * consists of words of at most 16 letters with at most two digits behind them, joined by '-', '_'
 * and '.', in at most 32 characters, and is no hexadecimal number of 8 or more; every other is ":id": numbers, tokens, addresses, names in
 * other alphabets.
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
