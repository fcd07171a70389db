/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One flow while its graph is made: when each call of each request took effect, and which orders
 * were found. For the files of trace/graph only.
 *
 * A call takes effect from its start, but not before its caller's, to its end. It may end after its
 * caller: then that one did not wait for it, and the call is apart. An end that is late by no more
 * than the unit of the request's times, if they have one, is not. Where the clocks of two hosts
 * contradict each other (SPAN_SKEWED) the call is cut to its caller on both sides instead.
 */
#ifndef TRACE_GRAPH_MAKING_H
#define TRACE_GRAPH_MAKING_H

#include "trace/graph/graph.h"

/* Of a caller with at most so many calls all pairs are counted. */
enum { MAKING_PAIRS_ALL = 256 };

/* Two calls of one caller, a < b. */
struct sibling_pair {
  uint32_t a, b;
  uint64_t before, after; /* requests in which a had ended when b started; b when a started */
};

/* A wait of the lead of call `position`, or of its tail, for the tail of another call. */
struct found_wait {
  uint32_t position;
  bool is_lead;
  uint32_t before; /* the call waited for */
  uint32_t order;  /* index into flow->orders, or SPAN_NONE when it is sure */
};

struct flow_making {
  struct request_flow *flow;
  const struct span_store *store;
  const struct graph_options *options;
  uint64_t requests; /* that pairs and `outlived` count: those of the flow, or more where these are
                        a sample (trace/fold) */
  size_t width;      /* 2 * calls */
  int64_t *times;    /* ns since the root's start: of request i, call p: its start at
                        times[i * width + 2 p], its end behind it */
  int64_t *resolution; /* ns: of request i, the unit of all its times, as of flow->resolution */
  /* The calls of p are children[child_first[p] .. child_first[p + 1]), in the order of start, end
   * and position in the first request. */
  uint32_t *child_first, *children;
  uint64_t *outlived; /* by position: requests in which its end refutes that its caller waits */
  bool *follows;      /* by position: FOLLOWS_FROM its caller */
  bool
      *in_turn; /* by position: it is known to wait for the call before it, and its caller for it */
  VECTOR(struct sibling_pair) pairs;
  VECTOR(struct found_wait) waits;
  uint32_t *rank; /* of lead p at 2 p, of tail p at 2 p + 1; 0: all */
  size_t asked;   /* orders whose evidence was asked for; they share the level */
};

void making_init(struct flow_making *making, struct request_flow *flow,
                 const struct span_store *store, const struct graph_options *options);
void making_clear(struct flow_making *making);

/* Fills times, children, outlived and follows; counts flow->clipped and flow->apart. */
void making_times(struct flow_making *making);

/* Counts the orders among the calls of each caller, into pairs. */
void making_pairs(struct flow_making *making);

/* Judges the orders: flow->orders, and the waits they mean if undecided ones are waits. */
void making_orders(struct flow_making *making);

/* Finds waits for the first of several calls, or for k of them. Before undecided orders are
 * dropped.
 */
void making_joins(struct flow_making *making);

/* Under UNDECIDED_FREE: keeps those waits alone whose order is supported. */
void making_read(struct flow_making *making);

/* The flow's activities, waits and durations from the waits found. */
void making_activities(struct flow_making *making);

/* Of two calls in one request: whether a started first; at the same moment the shorter one, then
 * the one of lower position. */
static inline bool making_first(const int64_t *times, uint32_t a, uint32_t b) {
  const int64_t *x = times + 2 * (size_t)a, *y = times + 2 * (size_t)b;
  if (x[0] != y[0])
    return x[0] < y[0];
  return x[1] != y[1] ? x[1] < y[1] : a < b;
}

/* Whether call a had ended when call b started, as far as clocks of that resolution show. */
static inline bool making_before(const int64_t *times, uint32_t a, uint32_t b, int64_t resolution) {
  return times[2 * (size_t)a + 1] - resolution <= times[2 * (size_t)b] && making_first(times, a, b);
}

#endif
