/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A protocol for a flow: which calls become nodes of their own, which activity becomes the cost of
 * a step or the delay of a message, and which step is taken when.
 *
 * Example. `shop` works 2 ms, calls `cart` and `price` of other services together, and works 1 ms
 * when both have answered. The nodes are shop, cart and price. Shop works for nobody else while it
 * starts the calls, so the time until each of them begins is the delay of its message; its last
 * 1 ms is the cost of the step on the later answer.
 *
 * Every node has one processor. So a service is one node as long as what it does is one thing after
 * the other; a call whose work runs beside other work of its service is a node of its own, the
 * thread that does it. An own activity is the cost of a step when the node does nothing else in its
 * time and waits for no answer; the others are part of the delay of the message that they end with.
 * Then no message ever waits for a busy node, and at recorded values the drafted bound is the
 * recorded latency exactly.
 *
 * A loop (trace/graph/shape.h) is work of its caller, which waits for one round after the other:
 * the cost of a step that adds up the rounds, at most N of them, N a parameter. Where its caller
 * does something else meanwhile, or the rounds are too many, it is one call, which takes what all
 * rounds take.
 */
#ifndef TRACE_DRAFT_PLAN_H
#define TRACE_DRAFT_PLAN_H

#include "base/text.h"
#include "trace/graph/shape.h"

#define DRAFT_CALLS_MAX 512
#define DRAFT_ROUNDS_MAX 512 /* of a loop whose rounds are told apart */

enum draft_place {
  DRAFT_APART,  /* no activity of it is on the way to the end: left out */
  DRAFT_NODE,   /* a node of the protocol */
  DRAFT_THREAD, /* the same; a call inside a service that runs beside its other work */
  DRAFT_INSIDE, /* done by the node of its caller, within that one's steps */
  DRAFT_WAY,    /* the client's side of its only call: the way there and back */
};

struct draft_call {
  enum draft_place place;
  uint32_t host;  /* position of the node that does its own work; of a WAY that which calls */
  uint32_t entry; /* of a node: the position whose lead begins the call: itself, or its WAY */
  char *name;     /* identifier, unique: "cart_get"; NULL when left out */
};

/* A step: what a node does on START, or when the last of several answers has come. */
struct draft_step {
  uint32_t node;            /* position */
  VECTOR(uint32_t) answers; /* the nodes whose answers it takes; none: the node's beginning */
  VECTOR(uint32_t) works;   /* activities that it costs, in their order */
  VECTOR(uint32_t) calls;   /* nodes it calls at its end, then */
  bool replies;             /* whether it answers the node's own call */
};

struct draft_plan {
  const struct flow_shape *shape;
  const struct request_flow *flow; /* the shape's */
  const struct span_names *names;
  VECTOR(struct draft_call) calls; /* by position */
  VECTOR(struct draft_step) steps; /* of a node its beginning first, nodes in the order of calls */
  bool *is_cost;                   /* by activity: of a step; else of a message */
  bool joins;                      /* whether a step takes several answers */
  bool *by_round; /* by loop of the shape: its rounds are told apart; else it is one call */
};

/* Plans the protocol. False, with one line in `reason`, when the shape is none that a protocol is
 * drafted for: it waits for the first of several calls, or has more than DRAFT_CALLS_MAX. The shape
 * and the names must outlive the plan, which is to be cleared in any case. */
bool draft_plan_make(struct draft_plan *plan, const struct flow_shape *shape,
                     const struct span_names *names, struct text *reason);
void draft_plan_clear(struct draft_plan *plan);

static inline bool draft_is_node(const struct draft_plan *plan, uint32_t position) {
  enum draft_place place = plan->calls.data[position].place;
  return place == DRAFT_NODE || place == DRAFT_THREAD;
}

/* The loop that a call is a part of and whose rounds are told apart, or NULL. */
const struct shape_loop *draft_loop_of(const struct draft_plan *plan, uint32_t position);

/* The node that calls this one. */
static inline uint32_t draft_caller(const struct draft_plan *plan, uint32_t node) {
  const struct request_flow *flow = plan->flow;
  return plan->calls.data[flow->calls.data[plan->calls.data[node].entry].parent].host;
}

/* Fills plan->steps and plan->joins from the places and costs; for trace/draft only. */
struct flow_closure;
void draft_steps_make(struct draft_plan *plan, const struct flow_closure *order);

/* The activities whose sum is the delay of a node's call, and of its answer: each at most two. */
size_t draft_call_delay(uint32_t activities[2], const struct draft_plan *plan, uint32_t node);
size_t draft_answer_delay(uint32_t activities[2], const struct draft_plan *plan, uint32_t node);

#endif
