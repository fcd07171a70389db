/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits on how many calls of one span run at once, such as a pool of connections, as far as
 * recorded times show them. Example: six queries through a pool of two. Any two of them run at
 * once in some request, as each takes whichever connection is free, but three never do.
 *
 * A limit is suspected where more calls than that were seen in pairs, and never together. Where all
 * orders are fixed, as of two calls after two others, there is no such set, and nothing to suspect.
 * Chance is told by taking for each call the time it took in another request: the share of such
 * shuffles in which the limit would hold too. Where it holds in none of them, how far they are from
 * that is told by the requests one by one: the product of the shares of shuffles in which each
 * keeps the limit. One request alone has no shuffles: then the limit is a suspicion that only more
 * requests confirm, by_chance 1. An overlap within the unit of the times is none.
 */
#ifndef TRACE_GRAPH_LIMIT_H
#define TRACE_GRAPH_LIMIT_H

#include "trace/graph/making.h"

enum { LIMIT_CALLS_MAX = 64 };

/* A suspected limit with the calls that it is about. */
struct found_limit {
  struct suspected_limit about;
  uint32_t members[LIMIT_CALLS_MAX]; /* about.calls positions, rising */
};

typedef VECTOR(struct found_limit) limit_list;

/* Appends what is suspected of the calls of each span: of all its calls, and of those to each one
 * service, where these are 4 .. LIMIT_CALLS_MAX. Each limit has by_chance of at most `level`, or
 * the flow has one request. Is neither read nor decided yet. After making_times. */
void limits_find(limit_list *limits, const struct flow_making *making, double level);

#endif
