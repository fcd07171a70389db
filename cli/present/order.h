/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The orders of calls as objects: those of `trace path` and of `trace summary`.
 */
#ifndef CLI_PRESENT_ORDER_H
#define CLI_PRESENT_ORDER_H

#include "show/objects.h"
#include "trace/graph/graph.h"

extern const struct object_kind order_kind;

/* Adds each order of the flow, which is number f of its graph; people see those that are undecided,
 * or all when they ask for all. */
void orders_put(struct objects *orders, const struct request_flow *flow, size_t f,
                const struct span_names *names);

/* How many of them are undecided. */
size_t orders_undecided(const struct request_flow *flow);

#endif
