/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits on how many calls of one span run at once, such as a pool of connections, as far as
 * recorded times show them. Example: six queries through a pool of two. Any two of them run at
 * once in some request, as each takes whichever connection is free, but three never do.
 *
 * A limit is suspected where more calls than that were seen in pairs, and never together. Where all
 * orders are fixed, as of two calls after two others, there is no such set, and nothing to suspect.
 * Chance is told by taking for each call the time it took in another request: the share of such
 * shuffles in which the limit would hold too. One request alone has no shuffles: then the limit is
 * a suspicion that only more requests confirm, by_chance 1.
 */
#ifndef TRACE_GRAPH_LIMIT_H
#define TRACE_GRAPH_LIMIT_H

#include "trace/graph/graph.h"

struct suspected_limit {
  uint32_t caller;  /* position of the span whose calls they are */
  uint32_t service; /* the service of the calls, or 0: calls of several services */
  uint32_t calls;   /* how many calls */
  uint32_t limit;   /* how many of them ran at once at most, in all requests; 2 or more */
  uint64_t reached; /* how often a call started that made it so many */
  double by_chance;
};

typedef VECTOR(struct suspected_limit) limit_list;

/* Appends what is suspected of the calls of each span: of all its calls, and of those to each one
 * service, where these are 4 .. 64. Each limit has by_chance of at most `level`, or the flow has
 * one request. */
void flow_limits(limit_list *limits, const struct request_flow *flow, double level);

#endif
