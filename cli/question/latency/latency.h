/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `whatif latency`: what percentiles would recorded requests have if something were
 * different? It is answered twice: by the requests again with the change (trace/evaluate/replay.h),
 * and by the law of each activity (trace/evaluate/mixture.h).
 */
#ifndef CLI_QUESTION_LATENCY_LATENCY_H
#define CLI_QUESTION_LATENCY_LATENCY_H

#include "base/ledger.h"
#include "cli/question/latency/confirm.h"
#include "cli/question/law/request.h"
#include "cli/question/percentiles/percentile_list.h"
#include "dist/statistics/distance.h"
#include "measure/throughput/experiment/speedup.h"
#include "cli/question/selection.h"
#include "trace/evaluate/replay.h"
#include "trace/evaluate/waiting.h"

/* It and what it names must outlive the answer. */
struct latency_request {
  const struct asker *asker;
  const char *const *paths; /* of traces */
  size_t path_count;
  texts changes;       /* trace/evaluate/change.h */
  texts observed;      /* traces of the same after it was really changed; or none */
  const char *confirm; /* a plan with which the change is measured (confirm.h); NULL: none */
  const struct experiment_listener *listener; /* of the measurement; or NULL */
  struct request_selection selection;
  const char *columns;     /* --columns; NULL: none (trace/span/read.h) */
  const char *folder;      /* of the files that laws name; NULL: the current one */
  settings units;          /* by file */
  const char *percentiles; /* "50,99" */
  struct rational confidence;
  enum dependence_wish dependence;
  unsigned seed;
};

#define LATENCY_INFINITE UINT64_MAX

/* A percentile, and between which values it is with the confidence asked for. */
struct latency_range {
  uint64_t lower_ns, value_ns, upper_ns; /* or LATENCY_INFINITE */
};

/* A percentile of a law: between least and most if the requests are the whole truth. */
struct latency_bounds {
  uint64_t lower_ns, least_ns, most_ns, upper_ns;
};

enum { LATENCY_READINGS = 2 }; /* of undecided orders: as waiting, and not (graph.h) */

/* When calls came to queues in which they stood, at the earliest and at the latest (waiting.h). */
enum { LATENCY_FIRST, LATENCY_LAST, LATENCY_ARRIVALS };

/* What was measured beside a prediction (confirm.h). */
struct latency_confirmed {
  struct latency_range now, changed;
  bool settled;
  double least, most; /* by how much `changed` may be off the prediction: -0.02 to 0.03 */
  bool moved;         /* `now` is not as recorded */
  enum confirm_verdict verdict;
};

struct latency_percentile {
  const struct wanted *wanted;
  struct latency_range before;
  struct latency_range after[LATENCY_READINGS];
  struct latency_range least, most; /* over all readings, where answer->bounded has any */
  struct latency_range arrived[LATENCY_ARRIVALS]; /* where there are queues: over the readings */
  bool settled;                           /* false: the requests drift, nothing is promised */
  struct latency_bounds independent, any; /* over the readings */
  uint64_t needed;                        /* requests for an upper limit; 0: there are enough */
  struct latency_confirmed confirmed;     /* where it was asked for */
  struct latency_range observed;          /* where there are such traces */
};

/* An order that no request decides. */
struct undecided_order {
  char *before, *after; /* names of calls */
  enum order_kind kind;
  bool is_end; /* `after` is the caller, which may have answered without waiting */
  uint64_t held, refuted, needed; /* as graph.h */
};

struct latency_answer {
  const struct latency_request *request;
  enum status status;
  struct span_store store;
  struct span_store observed; /* without requests where none were asked about */
  struct distance distance;   /* between what was replayed, and observed */
  struct scenario_request of;
  struct scenario scenario;
  struct speedup_request measuring;
  struct speedup speedup; /* the measurement; without a plan where none was asked for */
  const char *doubt;      /* why it tells nothing, as a sentence; NULL: it does */
  struct replayed replayed[LATENCY_READINGS];
  struct replayed arrived[LATENCY_READINGS][LATENCY_ARRIVALS]; /* where there are queues */
  VECTOR(struct hidden_queue) queues; /* in which requests stood, by the first reading */
  struct bounded bounded; /* over all readings; empty where there is one, and nothing to suspect */
  size_t readings;        /* 1: no order is undecided, or none that matters */
  size_t flows;
  bool unread; /* calls share a pool, in more than one of a hundred requests, of which no reading
                  says what they wait for (graph.h) */
  bool found;  /* whether there are percentiles */
  wanted_list wanted;
  VECTOR(struct latency_percentile) percentiles;
  VECTOR(struct undecided_order) undecided;
  char *pair[2]; /* where replay and law differ: the calls that depend most; NULL: none do */
  double correlation;
  const char *no_law; /* why there is no law, as a part of a sentence; NULL: there is one */
  struct ledger ledger;
};

/* The answer is initialised in any case. */
enum status latency_ask(struct latency_answer *answer, const struct latency_request *request);
void latency_clear(struct latency_answer *answer);

/* Whether observed and predicted percentiles differ: their intervals, of all readings, have nothing
 * in common. */
bool latency_missed(const struct latency_answer *answer,
                    const struct latency_percentile *percentile);

/* Whether the law of independent activities is outside of the replay's interval: then they are not
 * independent, or the interval is one of those that fail. */
bool latency_differs(const struct latency_answer *answer,
                     const struct latency_percentile *percentile);

#endif
