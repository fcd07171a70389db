/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `trace diff`: by how much did latency change from one recording to another, and
 * what accounts for it?
 */
#ifndef CLI_QUESTION_TRACE_DIFF_TRACE_DIFF_H
#define CLI_QUESTION_TRACE_DIFF_TRACE_DIFF_H

#include "base/ledger.h"
#include "base/rational.h"
#include "cli/question/loops/quantiles.h"
#include "cli/question/selection.h"
#include "trace/graph/graph.h"
#include "trace/tail/report.h"
#include "trace/tail/requests.h"

enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

enum { DIFF_ROOTS = 200 }; /* that are compared */

struct trace_diff_request {
  const char *const *paths; /* files, folders and summaries: first those of before */
  size_t counts[DIFF_SIDES];
  struct request_selection selection;
  const char *columns;        /* --columns; NULL: none (trace/span/read.h) */
  const char *percentiles;    /* "50,90,99" */
  struct rational confidence; /* 0.95; in 0 .. 1, without the ends */
  const struct asker *asker;
};

enum diff_verdict {
  DIFF_SLOWER,
  DIFF_FASTER,
  DIFF_ELSEWHERE, /* the latency is not shown to differ, but services are, or calls that are made */
  DIFF_TOO_FEW,   /* requests on a side */
  DIFF_NONE,      /* no difference is beyond chance */
};

/* At the confidence of all percentiles together. */
struct diff_percentile {
  struct loop_quantile sides[DIFF_SIDES];
  bool settled;       /* false: a side drifts, and there is no interval */
  double least, most; /* ns: of the change; most may be infinite */
};

/* Requests of one root. */
struct diff_root {
  uint32_t service, operation; /* names of the store */
  size_t counts[DIFF_SIDES];
  double sums[DIFF_SIDES]; /* of latencies, in ns */
  bool compared;           /* there are both, and it is among the DIFF_ROOTS most frequent: */
  struct tail_difference difference;
  bool significant; /* Holm's correction over all that have TAIL_LEAST of both */
};

/* What some requests have: a call, or the shape of a flow. The shares of both sides are compared by
 * Fisher's exact test, of both directions. */
struct diff_part {
  uint32_t service, operation; /* names of the store: of a call; of a flow its root's */
  size_t flow;                 /* of the graph; of a call SIZE_MAX */
  size_t counts[DIFF_SIDES];   /* requests */
  double by_chance;            /* Holm's correction over all of the kind */
};
typedef VECTOR(struct diff_part) diff_parts;

struct trace_diff {
  const struct trace_diff_request *request;
  enum status status; /* the exit code: STATUS_UNKNOWN where nothing can be told */
  bool found;         /* whether there is the rest: */
  enum diff_verdict verdict;
  double level; /* of significance: 1 - confidence; of the latency, and of services with causes */
  double level_of_kinds; /* a third of it: of roots, of calls and of flows each */
  struct span_store store;
  size_t counts[DIFF_SIDES], failed[DIFF_SIDES]; /* requests; whose root failed */
  double failed_by_chance;
  struct request_graph graph;
  uint32_t *order;         /* the store's index of each request of the causes */
  struct tail_split split; /* TAIL_SLOW: after */
  struct tail_causes causes;
  struct tail_report report;
  bool undecided;     /* some orders of calls are: they are read as waits, and */
  bool *either_way;   /* by finding of the report: as significant if none of them is one; owned */
  bool *services_too; /* by service of the report */
  wanted_list wanted;
  VECTOR(struct diff_percentile) percentiles; /* by wanted */
  VECTOR(struct diff_root) roots;             /* where there are several; most requests first */
  double mix;       /* ns of the change: because roots have other shares of the requests */
  diff_parts calls; /* whose share differs, the least chance first */
  diff_parts flows;
  size_t calls_tried, flows_tried;
  struct ledger ledger;
};

/* `request` must outlive the answer, which is initialised in any case. */
enum status trace_diff_ask(struct trace_diff *diff, const struct trace_diff_request *request);
void trace_diff_clear(struct trace_diff *diff);

/* Private to the question. */
void trace_diff_roots(struct trace_diff *diff);
void trace_diff_read_otherwise(struct trace_diff *diff);
void trace_diff_parts(struct trace_diff *diff);
double trace_diff_chance(const size_t counts[DIFF_SIDES], const size_t of[DIFF_SIDES]);

#endif
