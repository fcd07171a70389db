/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The orders of calls as lines of JSON: those of `trace path` and of `trace summary`.
 */
#ifndef CLI_PRESENT_ORDER_JSON_H
#define CLI_PRESENT_ORDER_JSON_H

#include "trace/graph/graph.h"

struct jsonl;

/* Sets `key` to the name of the call at a position of the flow; to null for SPAN_NONE. */
void order_put_call(struct jsonl *line, const char *key, const struct request_flow *flow,
                    uint32_t position, const struct span_names *names);

/* A line for each order of the flow, which is number f of its graph. */
void orders_print_json(const struct request_flow *flow, size_t f, const struct span_names *names);

#endif
