/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `trace path`: what did recorded requests wait for? One request is followed step
 * by step; over all of them the times on their critical paths are added up. The parts of a request
 * add up to its latency, and those of all requests to the sum of their latencies, exactly.
 */
#ifndef CLI_QUESTION_TRACE_PATH_TRACE_PATH_H
#define CLI_QUESTION_TRACE_PATH_TRACE_PATH_H

#include "base/asker.h"
#include "base/ledger.h"
#include "cli/question/selection.h"
#include "trace/graph/family_list.h"
#include "trace/graph/path.h"

struct trace_path_request {
  const char *const *paths; /* files and folders of traces */
  size_t path_count;
  struct request_selection selection;
  const char *columns;  /* --columns; NULL: none (trace/span/read.h) */
  const char *id;       /* of the request to follow; NULL: the slowest */
  const char *annotate; /* where to write the traces with their paths (annotate.h); NULL: nowhere */
  bool tags;            /* whether those of its spans are wanted, for pictures */
  const struct asker *asker;
};

/* Where latency is spent: by calls of one name, their own work apart from the network behind it. */
struct path_part {
  uint32_t service, operation; /* names of the store */
  const char *names[2];        /* their texts, which order parts that took as long */
  enum activity_kind kind;
  uint64_t requests;  /* on whose path it is */
  int64_t total;      /* ns on critical paths, of all requests */
  int64_t tail_total; /* of the slowest hundredth alone */
  int64_t free_total; /* of all, if no undecided order is a wait */
};

/* An undecided order on critical paths: the time between both ends belongs to `before` if it is
 * a wait, and to the work before `after` if that waited for a rival only. */
struct path_doubt {
  size_t flow;
  uint32_t order;    /* of that flow's orders */
  uint32_t rival;    /* position of the call that may have been waited for instead, where that makes
                        the greatest difference; SPAN_NONE: there is none */
  int64_t most;      /* ns: that difference, and */
  int64_t between;   /* by how much `before` ended later than rivals, in all */
  uint64_t requests; /* on whose path it is */
};

/* How frequent the requests of one flow are, with 95 % confidence (Clopper and Pearson 1934). */
struct path_share {
  double share, lower, upper;
};

/* A call that requests of a flow make so many times more than those of the most frequent flow that
 * begins with the same call; or those of a way, loops apart, than those of the most frequent way. */
struct path_difference {
  size_t of;                   /* flow, or way */
  uint32_t service, operation; /* names of the store */
  int64_t more;                /* negative: fewer */
};

typedef VECTOR(struct path_difference) path_differences;

struct trace_path {
  const struct trace_path_request *request;
  enum status status;
  struct span_store store;
  struct request_graph graph; /* undecided orders are waits */
  struct ledger ledger;
  uint64_t requests, tail_requests;
  bool sampled;                      /* the requests are a sample of those that were recorded */
  int64_t latency_total, tail_total; /* of all, and of the slowest hundredth */
  int64_t tail_from;                 /* ns: the latency of the fastest of that hundredth */
  VECTOR(struct path_part) parts;    /* the greatest total first */
  VECTOR(struct path_doubt) doubts;  /* the greatest `between` first */
  VECTOR(struct path_share) shares;  /* by flow */
  path_differences differences;      /* by flow */
  flow_families ways; /* flows that differ in the rounds of their loops alone are one way */
  VECTOR(struct path_share) way_shares; /* by way */
  path_differences way_differences;     /* by way */
  size_t flow, index;                   /* of the request that is followed */
  VECTOR(int64_t) finish, slack;        /* of its activities */
  struct request_path path;
  VECTOR(char *) files; /* that were read, if they are to be annotated; owned */
  uint64_t annotated;   /* spans */
};

/* `request` must outlive the answer, which is initialised in any case. STATUS_OK: there is at least
 * one request. */
enum status trace_path_ask(struct trace_path *answer, const struct trace_path_request *request);

/* The same of a store that was read, which the answer takes over. */
enum status trace_path_answer(struct trace_path *answer);

void trace_path_init(struct trace_path *answer, const struct trace_path_request *request);
void trace_path_clear(struct trace_path *answer);

/* Adds up parts, doubts and shares (path_parts.c). */
void trace_path_add_up(struct trace_path *answer);

/* Finds the differences (path_differences.c). */
void trace_path_compare_flows(struct trace_path *answer);

#endif
