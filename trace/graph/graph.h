/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The request graph: which work of a request waited for which other work. Requests that make the
 * same calls share one graph, a flow; each keeps the times it was recorded with.
 *
 * Example. `shop` works 2 ms, calls `cart` and `price` together, waits for both, and works 1 ms
 * more. Its activities are: the 2 ms before both calls (the `lead` of each call), the own work of
 * `cart` and of `price`, and the last 1 ms of `shop` (its `tail`), which waits for all of {cart,
 * price}.
 *
 * Each span but the root has two activities: its lead, which is its caller's own work, or the
 * network, between what the call waited for and its start; and its tail, its own work between what
 * it waited for last and its end. The root has a tail only. A span without calls is all tail. With
 *
 *     ready(v)  = the `rank`-th smallest finish of what v waits for; 0 when it waits for nothing
 *     finish(v) = ready(v) + duration(v)
 *
 * the latency of a request is finish(tail of the root), exactly, for each recorded request. All
 * durations are at least 0: parts of a span outside its caller, and calls nobody waited for, are
 * not on the graph's way to the end and are counted in `clipped` and `apart`.
 */
#ifndef TRACE_GRAPH_GRAPH_H
#define TRACE_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "trace/span/store.h"

/* A call of the flow, known by its position: the same in each of its requests. */
struct flow_call {
  uint32_t service, operation; /* names of the store */
  uint32_t parent;             /* position, or SPAN_NONE for the root */
  uint32_t ordinal;            /* 0, 1, ... among its parent's calls of the same name */
  enum span_kind kind;
  uint32_t lead, tail; /* activities; lead SPAN_NONE for the root */
  bool apart;          /* its caller does not wait for its end, in any request */
};

enum activity_kind {
  ACTIVITY_WORK,    /* a span's own work */
  ACTIVITY_NETWORK, /* on the way between a client's span and its server's */
  ACTIVITY_QUEUE,   /* of a message, between its producer's span and its consumer's */
};

struct activity {
  enum activity_kind kind;
  uint32_t position; /* whose lead or tail it is */
  bool is_lead;
  uint32_t owner;                  /* the position whose own time it is: a lead is its caller's */
  uint32_t wait_first, wait_count; /* stretch of graph->waits: activities, each before this one */
  uint32_t rank; /* how many of those must have finished: 1 .. wait_count (all), 0 without any */
};

/* What the recorded orders say of "X has ended when Y starts" among calls of one span; Y may be the
 * end of that span. */
enum order_verdict {
  ORDER_REFUTED,   /* Y does not wait for X: a request has the other order, or, of an end, half of
                      them have */
  ORDER_SUPPORTED, /* Y waits for X: without that, so many requests would not all agree by chance */
  ORDER_UNDECIDED, /* too few requests speak for it; or some, not the most, speak against it */
};

/* What is open in an order. */
enum order_kind {
  ORDER_AFTER, /* whether Y waits for X to end */
  ORDER_FEEDS, /* X and Y run side by side: whether X feeds Y, which then cannot end before X
                  (streams.c). Never decided */
  ORDER_POOL,  /* X is the first and Y the last of calls that seem to share a pool: whether each
                  waits for a place in it (pools.c) */
};

struct order {
  uint32_t before, after; /* positions; after = the parent of `before`: its end */
  enum order_kind kind;
  enum order_verdict verdict;
  uint64_t held, refuted; /* requests that have it, and that do not. If undecided, an end is late in
                             the latter, or the start of a call on another host is early by no more
                             than clocks may be off */
  bool differs; /* it is undecided because it differs by request: more of them do not decide it */
  /* Probability that Y would start so long after X ended in all of them if how long X took had
   * nothing to do with it (trace/graph/evidence.h); 1 if refuted. */
  double by_chance;
  /* About how many more requests would decide it; 0 when it is decided; ORDER_NEVER when X is so
   * early that no number of such requests would. */
  uint64_t needed;
};

#define ORDER_NEVER UINT64_MAX

/* Two calls of one span that run side by side: the second ended no sooner than the first in 99 of a
 * hundred requests, which chance explains. Whether the first feeds it is not asked (streams.c). Where
 * a server's span answers a call, it stands for it. */
struct side_by_side {
  uint32_t from, to; /* positions */
};

/* A limit on how many calls of one span run at once, such as a pool of connections (limit.h). */
struct suspected_limit {
  uint32_t caller;  /* position of the span whose calls they are */
  uint32_t service; /* the service of the calls, or 0: calls of several services */
  uint32_t calls;   /* how many calls */
  uint32_t limit;   /* how many of them ran at once at most, in all requests; 2 or more */
  uint64_t reached; /* how often a call started that made it so many */
  double by_chance; /* 1: there is one request alone */
  /* Its calls are made in one order in (nearly) all requests, so that the graph can say which ends
   * each waits for. Else it stays a suspicion, and no reading of it is made. */
  bool is_read;
  bool decided; /* chance is excluded, as of an order that is supported: it is read as a pool */
};

struct request_flow {
  VECTOR(struct flow_call) calls; /* by position, in preorder; [0] is the root */
  VECTOR(struct activity)
  activities; /* each after all that it waits for; the root's tail is last */
  VECTOR(uint32_t) waits;
  VECTOR(uint32_t) wait_orders; /* beside each of waits: its order, or SPAN_NONE when it is sure */
  VECTOR(struct order) orders;  /* those that could matter, undecided ones too */
  VECTOR(struct suspected_limit) limits;
  VECTOR(struct side_by_side) beside;
  uint64_t unasked;          /* orders not looked at: among the calls of a span with very many */
  VECTOR(uint32_t) requests; /* indices into the store's requests */
  VECTOR(uint32_t) rows;     /* of request i's call p: rows[i * calls.count + p] */
  VECTOR(int64_t)
  durations;          /* ns: of request i's activity a: durations[i * activities.count + a] */
  int64_t resolution; /* ns: the greatest unit, 1000 or 1000000, of which all times of a request are
                         multiples; 0: none. An overlap of one unit within such a request may come
                         from rounding, and refutes no order */
  uint64_t clipped;   /* spans cut to their caller: their times say that they started before it */
  uint64_t apart;     /* spans nobody waits for: they follow from their caller, calls like them end
                         after it in half of the requests or more, or they stand beside the root */
  uint64_t late;      /* spans that end after their caller, of calls that are waited for */
  bool cut;           /* an overlap was passed over because of a start that is cut (SPAN_CUT) */
};

struct request_graph {
  VECTOR(struct request_flow *) flows; /* the most frequent first */
  uint64_t alike; /* orders that are supported because several flows say so together (alike.h) */
};

/* How undecided orders are read: as waiting (the reading of a walk back in time), or not. */
enum undecided_reading { UNDECIDED_WAITS, UNDECIDED_FREE };

struct graph_options {
  enum undecided_reading undecided;
  double level; /* an order is supported when by_chance is at most this, split among all orders of
                   the flow that are asked about (Bonferroni); 0.05 unless told */
  bool plain;   /* streams and pools are found, and not read as waits in any case */
};

/* The graph of all requests of the store, which must outlive it. Use request_graph_clear. */
void request_graph_make(struct request_graph *graph, const struct span_store *store,
                        const struct graph_options *options);
void request_graph_clear(struct request_graph *graph);

/* "cart/get", or "cart/get #2" for the second of several calls of one name by one caller. Appended.
 */
struct text;
void flow_call_name(struct text *text, const struct request_flow *flow, uint32_t position,
                    const struct span_names *names);

/* finish[a] of every activity of a request with these durations (`activities.count` of each);
 * returns the finish of the last, the latency. */
int64_t flow_finish(int64_t *finish, const struct request_flow *flow, const int64_t *durations);

/* ready(activity), given the finish of all activities before it. */
int64_t flow_ready(const int64_t *finish, const struct request_flow *flow,
                   const struct activity *activity);

#endif
