/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the occurrences of a drafted protocol took in each recorded request, as a table that
 * `percentiles --joint` reads (dist/source/joint.h).
 */
#ifndef TRACE_DRAFT_SERIES_H
#define TRACE_DRAFT_SERIES_H

#include "trace/draft/plan.h"
#include "trace/graph/family.h"

/* Appends the name of the component that an activity is: "Work_cart_get" for what a call does
 * itself at its end, "Until_cart_get" for what its caller does before it. */
void draft_component(struct text *text, const struct draft_plan *plan, uint32_t activity);

/* The name of the delay of a node's messages. */
static inline const char *draft_delay(const struct draft_plan *plan, uint32_t node) {
  return plan->calls.data[node].place == DRAFT_THREAD ? "local" : "net";
}

/* Appends the table: a row for each request of the family that the plan is for, with its trace id,
 * every occurrence of the protocol ("-" of a round that it does not make), and its latency as
 * `request`. The ids are the store's. */
void draft_series(struct text *table, const struct draft_plan *plan,
                  const struct flow_family *family, const struct span_store *store);

#endif
