/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded requests as causes: what each call's own work, and the network before and after it, adds
 * to the critical path. A span that waits for another adds nothing meanwhile; the other does.
 *
 * Calls of one name are one cause, wherever in a request they are made. The requests are in the
 * order of their start. Replay goes through the graph: with a part shortened another may become the
 * longest. Of requests whose flow has no request of the rest, and between requests of different
 * flows, parts are added and taken away instead.
 */
#ifndef TRACE_TAIL_REQUESTS_H
#define TRACE_TAIL_REQUESTS_H

#include "trace/graph/graph.h"
#include "trace/tail/causes.h"
#include "trace/tail/tag.h"

/* `order` gets the store's index of each request, owned by the caller. The graph and its store must
 * outlive the causes, which are not initialised. */
void tail_requests_causes(struct tail_causes *causes, uint32_t **order,
                          const struct request_graph *graph, const struct span_store *store);

/* Marks of the tags of all spans of each request, and of the instances they ran on: "cart: host";
 * and "root" where roots have several names.
 * The keys become names of the store. */
void tail_requests_marks(tail_marks *marks, struct span_store *store, const uint32_t *order,
                         size_t requests);

/* Whether a span of the request has the tag. */
bool tail_request_has(const struct span_store *store, uint32_t request, const char *key,
                      const char *value);

#endif
