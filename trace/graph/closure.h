/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which activity of a flow is before which, through all that they wait for.
 */
#ifndef TRACE_GRAPH_CLOSURE_H
#define TRACE_GRAPH_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct request_flow;

struct flow_closure {
  size_t count;
  uint64_t *before; /* count rows of bits: row b has bit a when a is before b */
};

void flow_closure_make(struct flow_closure *order, const struct request_flow *flow);
void flow_closure_clear(struct flow_closure *order);

/* Whether a must have finished before b begins; not so for a == b. */
static inline bool flow_before(const struct flow_closure *order, uint32_t a, uint32_t b) {
  size_t words = (order->count + 63) / 64;
  return (order->before[b * words + a / 64] >> (a % 64) & 1) != 0;
}

static inline bool flow_ordered(const struct flow_closure *order, uint32_t a, uint32_t b) {
  return a == b || flow_before(order, a, b) || flow_before(order, b, a);
}

/* Whether the end of the request waits for it. */
static inline bool flow_matters(const struct flow_closure *order, uint32_t a) {
  return a + 1 == order->count || flow_before(order, a, (uint32_t)order->count - 1);
}

#endif
