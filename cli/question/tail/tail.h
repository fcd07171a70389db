/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tail`: why are the slow requests slow? Of a table of calls or of recorded
 * traces.
 */
#ifndef CLI_QUESTION_TAIL_TAIL_H
#define CLI_QUESTION_TAIL_TAIL_H

#include "base/ledger.h"
#include "base/rational.h"
#include "cli/question/selection.h"
#include "trace/tail/containment.h"
#include "trace/tail/report.h"
#include "trace/tail/requests.h"
#include "trace/tail/tag.h"

struct tail_request {
  const char *const *paths; /* one table, or traces */
  size_t path_count;
  const char *above;          /* "p99", "250ms"; NULL: p99 of its root, unless `slow` */
  settings slow, against;     /* by labels: slow requests have all of slow; the rest, of against */
  const char *unit, *latency; /* of a table: call_reading */
  const char *calls;          /* a file of callers and callees; or NULL */
  texts tags;                 /* columns of a table that hold labels though they are numbers */
  const char *request;        /* the id of one to be held against all others, of traces; or NULL */
  struct request_selection selection; /* of traces */
  const char *columns;                /* --columns; NULL: none (trace/span/read.h) */
  const char *profile;                /* samples of the programs, of traces; or NULL */
  const char *profile_offset; /* what its clock is put forward by: "3.5s", "-2ms"; or NULL */
  struct rational confidence; /* 0.95; in 0 .. 1, without the ends */
  const struct asker *asker;
};

enum tail_verdict {
  TAIL_EXPLAINED,  /* causes are significant */
  TAIL_TOO_FEW,    /* requests on a side */
  TAIL_NOT_SLOWER, /* those that a label calls slow are not */
  TAIL_NO_CAUSE,   /* is significant */
  TAIL_ONE,        /* request is described, and nothing is judged */
};

struct hot_answer; /* cli/question/tail/hot.h */

/* The answer. */
struct tail_answer {
  const struct tail_request *request;
  enum status status; /* the exit code: STATUS_UNKNOWN where nothing can be told */
  bool found;         /* whether there is the rest: */
  enum tail_verdict verdict;
  double percent;          /* of --above p99; 0 otherwise */
  double level;            /* of significance: 1 - confidence */
  struct call_table table; /* of a table: */
  struct containment containment;
  bool traces;             /* of traces: */
  struct span_store store; /* all requests */
  struct request_graph graph;
  uint32_t *order; /* the store's index of each request of the causes */
  size_t one;      /* among the causes' requests: that of TAIL_ONE */
  size_t roots;    /* each with a percentile of its own; at most 1: all have one */
  struct tail_split split;
  struct tail_causes causes;
  struct tail_report report;
  tail_marks marks;
  struct tag_report tags;
  const struct span_names *names; /* of the tags */
  struct hot_answer *hot;         /* NULL unless a profile was asked for */
  struct ledger ledger;
};

/* `request` must outlive the answer, which is initialised in any case. */
enum status tail_ask(struct tail_answer *answer, const struct tail_request *request);
void tail_clear_answer(struct tail_answer *answer);

#endif
