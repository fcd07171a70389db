/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Queues that recorded requests stood in. Example: all requests together share one connection to
 * `sql`. Its calls never overlap, and what a caller seems to do before it calls is mostly waiting
 * for the connection. If `sql` were twice as fast that would shrink, too.
 *
 * Such a queue shows in the calls of a service over all requests: no more than k ever run at once,
 * though calls were about to be made in other requests. Chance is told by shuffles: each call's
 * lead (graph.h) takes the time that it took in another request of its flow, and the requests run
 * again from where they started; by_chance is the share of shuffles in which no more than k run at
 * once either. Where requests themselves are never more than k at once there is no queue to see.
 *
 * Servers are taken to serve first come, first served, and all calls to be in the traces. Then each
 * call's place was free at a known moment: when k - 1 of those served before it were still running.
 * A call that was ready sooner, and starts as soon after it as calls do that have waited, waited.
 * When it came lies between the moment when what its caller had waited for was over and the moment
 * when it had its place: the caller did something of its own in between. How long that takes is
 * known of calls that met a free place. Their times, with those of which only a limit is known, give
 * its law (Kaplan and Meier 1958, for values that are known to be less); a call that waited gets a
 * draw of that law, given that it came after those that were served before it, and before its place
 * was free; with what was drawn the law is made again (Geman and Geman 1984).
 */
#ifndef TRACE_EVALUATE_WAITING_H
#define TRACE_EVALUATE_WAITING_H

#include "trace/evaluate/scenario.h"

struct hidden_queue {
  uint32_t service, operation; /* names; operation 0: all calls by which the service is entered */
  uint64_t servers;            /* how many calls ran at once at most */
  uint64_t calls, waited;
  double waited_ns; /* of those that waited, added up: as is likely; 0 before waiting_take */
  double by_chance;
};

/* When calls that waited came to the queue. */
enum queue_arrival {
  ARRIVES_LIKELY, /* as those that did not wait */
  ARRIVES_FIRST,  /* as soon as possible: all before is waiting */
  ARRIVES_LAST,   /* when its place was free: as late as such calls ever came, if that was sooner */
};

struct waiting_calls;

struct queue_waiting {
  bool sampled; /* the store has not all requests, so that none were looked for */
  VECTOR(struct hidden_queue) queues;
  VECTOR(struct waiting_calls *) calls; /* beside each its calls */
  size_t flows;
  int64_t **durations; /* by flow: as of the flow, without waiting; NULL: as recorded */
  int64_t **held;      /* by flow, as the durations: how much longer a call has its place */
};

/* Looks for queues in the requests of the store, whose graph this is. Each has by_chance of at most
 * `level`, shared by all services. None where the store is a sample of the requests, or has only
 * one. Initialised in any case; cleared with waiting_clear. */
void waiting_find(struct queue_waiting *waiting, const struct request_graph *graph,
                  const struct span_store *store, double level);
void waiting_clear(struct queue_waiting *waiting);

/* Sets the durations without waiting, and what calls hold their places for. */
void waiting_take(struct queue_waiting *waiting, const struct request_graph *graph,
                  enum queue_arrival arrival);

/* Makes the calls of the queues wait in the variants of that graph, but for those that a change has
 * limited: queue q is limit `first` + q. */
void waiting_limit(const struct queue_waiting *waiting, struct variants *variants, uint32_t first);

/* Finds the queues of a graph whose store has all requests, and says what counts as the work of
 * callers, or as network, and is waiting for them. */
void waiting_note(struct ledger *ledger, const struct request_graph *graph,
                  const struct span_store *store, double level);

/* "sql" or "sql/query". Appended. */
void waiting_name(struct text *text, const struct hidden_queue *queue,
                  const struct span_names *names);

#endif
