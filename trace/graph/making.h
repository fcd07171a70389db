/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One flow while its graph is made: when each call of each request took effect, and which orders
 * were found. For the files of trace/graph only.
 *
 * A call takes effect from its start, but not before its caller's, to its end. Where the clocks of
 * two hosts contradict each other (SPAN_SKEWED) the call is cut to its caller on both sides.
 *
 * It may end after its caller: it is late there. By no more than the noise of the two stamps
 * (making_noise) is not late, and neither is a server's span in the span of the client that it
 * answers, which waits for it, unless that one has failed: it may have given up. In how many
 * requests calls like it are late says what they are (lateness.c): in up to one of a hundred their
 * caller waits for them; in half of them or more it does not, and they are apart; between the two
 * that is undecided. Where a call is late and is waited for, it counts to its caller's end, or, if
 * most of it comes after that, not at all.
 *
 * What a wait is needs a recorded end before the start that waited for it. Where it is later,
 * within the noise or in the few requests in which a call is late, it is moved back to that start
 * (activities.c), so that no work takes less than no time.
 */
#ifndef TRACE_GRAPH_MAKING_H
#define TRACE_GRAPH_MAKING_H

#include "trace/graph/graph.h"

/* Of a caller with at most so many calls all pairs are counted. */
enum { MAKING_PAIRS_ALL = 256 };

/* Two calls of one caller, a < b. In how many requests a had ended when b started, or, `after`, b
 * when a started, up to noise; and in how many more it may have, if their hosts' clocks are off. */
struct sibling_pair {
  uint32_t a, b;
  uint64_t before, after, before_perhaps, after_perhaps;
};

enum lateness { LATE_NOT, LATE, LATE_MOSTLY /* more than half of it, or all, is late */ };

/* Calls like a call, in all flows, that are late (lateness.c). */
struct late_calls;

/* A wait of the lead of call `position`, or of its tail, for the tail of another call. */
struct found_wait {
  uint32_t position;
  bool is_lead;
  uint32_t before; /* the call waited for */
  uint32_t order;  /* index into flow->orders, or SPAN_NONE when it is sure */
  bool on_start;   /* for its lead instead, and as its work: it feeds `position` (streams.c) */
};

struct flow_making {
  struct request_flow *flow;
  const struct span_store *store;
  const struct graph_options *options;
  uint64_t requests; /* that pairs and `outlived` count: those of the flow, or more where these are
                        a sample (trace/fold) */
  uint64_t beside;   /* spans beside the root's trees, of all of them */
  size_t width;      /* 2 * calls */
  int64_t *times;    /* ns since the root's start: of request i, call p: its start at
                        times[i * width + 2 p], its end behind it */
  int64_t *resolution; /* ns: of request i, the unit of all its times, as of flow->resolution */
  uint32_t *clock;     /* of request i, call p: the call whose cut start its times count from, at
                          clock[i * calls + p], or SPAN_NONE; NULL: no call of the flow is cut */
  uint8_t *late;       /* of request i, call p: enum lateness */
  int64_t *middle;     /* by position: its starts and ends added up over the requests: in this order
                          calls may wait for each other */
  /* The calls of p are children[child_first[p] .. child_first[p + 1]), in the order of start, end
   * and position in the first request. */
  uint32_t *child_first, *children;
  int64_t *ended;     /* by position: the recorded end in the request that is looked at */
  uint64_t *outlived; /* by position: requests in which it is late */
  bool *doubted;      /* by position: whether its caller waits for its end differs by request */
  bool *left;         /* by position: where it is late, its caller did not wait for it */
  bool *follows;      /* by position: FOLLOWS_FROM its caller */
  bool
      *in_turn; /* by position: it is known to wait for the call before it, and its caller for it */
  VECTOR(struct sibling_pair) pairs;
  VECTOR(struct found_wait) waits;
  uint32_t *rank; /* of lead p at 2 p, of tail p at 2 p + 1; 0: all */
  bool *pooled;   /* by position: its lead waits for a place in a pool (pools.c) */
  size_t asked;   /* orders whose evidence was asked for; they share the level */
};

void making_init(struct flow_making *making, struct request_flow *flow,
                 const struct span_store *store, const struct graph_options *options);
void making_clear(struct flow_making *making);

/* Fills clock, which making_noise needs. */
void making_clocks(struct flow_making *making);

/* Fills times, children, late, outlived, middle and follows; counts flow->clipped. */
void making_times(struct flow_making *making);

/* Adds up in how many requests the calls of flows are late; after making_times of each. */
struct late_calls *late_calls_new(void);
void late_calls_add(struct late_calls *calls, const struct flow_making *making);
void late_calls_settle(struct late_calls *calls);
void late_calls_free(struct late_calls *calls);

/* Which calls are apart or doubted; counts flow->apart and flow->late. */
void making_apart(struct flow_making *making, const struct late_calls *calls);

/* Counts the orders among the calls of each caller, into pairs. */
void making_pairs(struct flow_making *making);

/* Judges the orders: flow->orders, and the waits they mean if undecided ones are waits. */
void making_orders(struct flow_making *making);

/* Finds limits on calls at once, and reads them as pools: flow->limits, and waits for any that
 * leaves its place. `level` of one flow. */
void making_pools(struct flow_making *making, double level);

/* Finds calls that seem to feed others that run beside them: orders, and waits if undecided ones
 * are. Last of those that find waits. */
void making_streams(struct flow_making *making);

/* Finds waits for the first of several calls, or for k of them. Before undecided orders are
 * dropped.
 */
void making_joins(struct flow_making *making);

/* Under UNDECIDED_FREE: keeps those waits alone whose order is supported. A client that gave up on
 * its server in some requests is left alone in those. */
void making_read(struct flow_making *making);

/* The flow's activities, waits and durations from the waits found. */
void making_activities(struct flow_making *making);

/* By how much the end of call a may be recorded after a moment of call b that came no sooner, ns.
 */
int64_t making_noise(const struct flow_making *making, size_t request, uint32_t a, uint32_t b);

enum precedence { PRECEDES_NOT, PRECEDES_PERHAPS, PRECEDES };

/* Whether call a had ended when call b started, of one caller or of two of its calls: up to noise,
 * or if the clocks of their hosts are off as far as causality allows in this request. */
enum precedence making_precedes(const struct flow_making *making, size_t request, uint32_t a,
                                uint32_t b);

/* The same of the end of call b, for the end of a. */
enum precedence making_ends_first(const struct flow_making *making, size_t request, uint32_t a,
                                  uint32_t b);

/* Whether call p is what its caller, a client's span, asked a server for. Where the kinds are not
 * recorded: the only call of its caller, by another service, from within its own. */
bool making_crosses_network(const struct flow_making *making, uint32_t p);

/* Of two calls of one caller that may wait for each other either way: whether b for a. */
static inline bool making_first(const struct flow_making *making, uint32_t a, uint32_t b) {
  int64_t x = making->middle[a], y = making->middle[b];
  return x != y ? x < y : a < b;
}

/* Whether no request refutes that b (of the pair the second one if `forward`) waits for a, and what
 * only clocks that are off explain is in fewer than half of them. */
static inline bool making_holds(const struct flow_making *making, const struct sibling_pair *pair,
                                bool forward) {
  uint64_t sure = forward ? pair->before : pair->after;
  uint64_t perhaps = forward ? pair->before_perhaps : pair->after_perhaps;
  uint32_t first = forward ? pair->a : pair->b, second = forward ? pair->b : pair->a;
  return sure + perhaps == making->requests && perhaps < sure &&
         making_first(making, first, second);
}

/* A client's span lasts until its server has answered (OpenTelemetry, "SpanKind"). */
static inline bool making_answers(const struct request_flow *flow, uint32_t p) {
  const struct flow_call *call = &flow->calls.data[p];
  return p > 0 && call->kind == SPAN_SERVER && flow->calls.data[call->parent].kind == SPAN_CLIENT;
}

#endif
