/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of one request, listed in an order that does not depend on when they ran: a call, then
 * everything below it, the calls of one caller by service and operation, and those of one name by
 * their start. Requests whose lists are equal made the same calls.
 */
#ifndef TRACE_GRAPH_CALL_LIST_H
#define TRACE_GRAPH_CALL_LIST_H

#include "base/vector.h"
#include "trace/span/store.h"

struct listed_call {
  uint64_t name; /* ranks of the service's and the operation's text: equal names, equal numbers */
  uint32_t row, caller; /* the caller's position, or SPAN_NONE */
};

struct call_list {
  uint32_t *ranks;                  /* of the names of the store, by their text */
  VECTOR(struct listed_call) calls; /* by position, in preorder */
  VECTOR(struct listed_call) to_do; /* found, not yet listed: the next one last */
};

/* The names of the store must not change until call_list_clear. */
void call_list_init(struct call_list *list, const struct span_store *store);
void call_list_clear(struct call_list *list);

/* Lists the calls below the root of a request, and the root itself, into list->calls. */
void call_list_make(struct call_list *list, const struct span_store *store,
                    const struct request *request);

/* Equal for equal lists. */
uint64_t call_list_hash(const struct call_list *list);

#endif
