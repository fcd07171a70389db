/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Orders that are alike in many flows, each of few requests: "the next `item` waits for the one
 * before" is one order of a loop, in however many flows the loop has another length. For the files
 * of trace/graph only.
 *
 * Orders are alike where callers and calls have the same names. Their evidence (evidence.h) is
 * combined: within a flow, whose requests all its orders share, twice the mean of the probabilities
 * (Vovk and Wang, Biometrika 107, 2020: valid however they depend), and over flows, which share no
 * request, by Fisher's method. What a flow of ALIKE_MANY requests or more says of itself counts
 * alone there, and one request in any flow that refutes one of them leaves each to its own flow. So
 * it is assumed that calls of one name by a caller of one name are made alike (lateness.c assumes
 * it, too).
 */
#ifndef TRACE_GRAPH_ALIKE_H
#define TRACE_GRAPH_ALIKE_H

#include "trace/graph/making.h"

enum {
  ALIKE_LEAST = 4,  /* requests of a flow whose evidence counts */
  ALIKE_MANY = 100, /* requests of a flow that is judged by itself */
};

struct alike_orders *alike_orders_new(void);
void alike_orders_free(struct alike_orders *alike);

/* What a flow says; after making_orders. */
void alike_orders_add(struct alike_orders *alike, const struct flow_making *making);

/* When all flows have been added; `level` as of the graph's options, shared by all that is asked.
 */
void alike_orders_settle(struct alike_orders *alike, double level);

/* Supports the flow's undecided orders that all flows together support; returns their number. */
uint64_t alike_orders_apply(const struct alike_orders *alike, struct request_flow *flow);

#endif
