/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which activity of a flow is before which, through all that they wait for. For the files of
 * trace/draft only.
 */
#ifndef TRACE_DRAFT_ORDER_H
#define TRACE_DRAFT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct draft_plan;
struct request_flow;

struct draft_order {
  size_t count;
  uint64_t *before; /* count rows of bits: row b has bit a when a is before b */
};

void draft_order_make(struct draft_order *order, const struct request_flow *flow);
void draft_order_clear(struct draft_order *order);

/* Whether a must have finished before b begins; not so for a == b. */
static inline bool draft_before(const struct draft_order *order, uint32_t a, uint32_t b) {
  size_t words = (order->count + 63) / 64;
  return (order->before[b * words + a / 64] >> (a % 64) & 1) != 0;
}

static inline bool draft_ordered(const struct draft_order *order, uint32_t a, uint32_t b) {
  return a == b || draft_before(order, a, b) || draft_before(order, b, a);
}

/* Whether the end of the request waits for it. */
static inline bool draft_matters(const struct draft_order *order, uint32_t a) {
  return a + 1 == order->count || draft_before(order, a, (uint32_t)order->count - 1);
}

/* Fills plan->steps and plan->joins from the places and costs. */
void draft_steps_make(struct draft_plan *plan, const struct draft_order *order);

#endif
