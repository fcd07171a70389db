/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `plan --traces`: which kind of request is to be run how many times more within a
 * budget of time, so that the mean latencies, or a percentile of each, are known best together?
 */
#ifndef CLI_QUESTION_RUNS_RUNS_H
#define CLI_QUESTION_RUNS_RUNS_H

#include "base/asker.h"
#include "base/ledger.h"
#include "base/vector.h"
#include "dist/statistics/plan.h"

/* It and what it names outlive the answer. */
struct runs_request {
  const struct asker *asker;
  const char *const *paths; /* of traces */
  size_t path_count;
  const char *columns;    /* --columns; NULL: none */
  const char *percentile; /* one: "99"; NULL: the mean */
  const char *budget;     /* "120s" */
  const char *minimum;    /* "20", or NULL */
};

struct run_kind { /* of requests, told by what their root is called */
  char *name;
  uint64_t recorded;
  double mean_ns;
  double spread_ns; /* divided by the root of the number of runs it is the standard error */
};

struct runs_answer {
  const struct runs_request *request;
  enum status status;
  bool found;
  uint64_t budget_ns, spent_ns;
  VECTOR(struct run_kind) kinds; /* the most frequent first */
  VECTOR(uint64_t) runs;         /* by kind: in the end, what is recorded included */
  struct ledger ledger;
};

/* The answer is initialised in any case. */
enum status runs_ask(struct runs_answer *answer, const struct runs_request *request);
void runs_clear(struct runs_answer *answer);

#endif
