/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions of `trace fold`, `trace merge` and `trace summary`: recorded requests of many files
 * as one small file, several of these as one, and what one says.
 */
#ifndef CLI_QUESTION_FOLD_FOLD_H
#define CLI_QUESTION_FOLD_FOLD_H

#include "base/asker.h"
#include "base/ledger.h"
#include "cli/question/selection.h"
#include "trace/fold/fold.h"
#include "trace/fold/view.h"

struct fold_wish {
  const struct asker *asker;
  const char *const *paths; /* fold: files and folders of traces; else what `fold` wrote */
  size_t path_count;
  struct request_selection selection; /* of fold */
  const char *columns;                /* --columns; NULL: none (trace/span/read.h) */
  const char *out;                    /* the file to write; NULL: none */
  uint64_t keep;                      /* of fold: requests to keep of each flow; 0: FOLD_KEEP */
  texts expected;  /* of merge: files and folders of shards, all of which must be counted */
  bool skip_known; /* what is counted already is passed over; otherwise it is a mistake */
};

struct fold_answer {
  const struct fold_wish *wish;
  enum status status;
  struct trace_fold fold; /* settled */
  struct ledger ledger;
  size_t skipped; /* shards that were counted already */
};

/* Each initialises the answer in any case, and writes nothing unless all went well. */
enum status fold_ask(struct fold_answer *answer, const struct fold_wish *wish);
enum status fold_merge_ask(struct fold_answer *answer, const struct fold_wish *wish);
void fold_answer_clear(struct fold_answer *answer);

/* --- what a fold says ------------------------------------------------------------------------- */

enum { FOLD_PERCENTILES = 4 }; /* 50, 90, 99, 99.9 */

/* A percentile; between `lower` and `upper` with 95 % confidence. */
struct fold_percentile {
  uint64_t ns, lower_ns, upper_ns;
  bool finite; /* upper_ns says something: there are enough requests */
};

/* How frequent something is, with 95 % confidence (Clopper and Pearson 1934). */
struct fold_share {
  double share, lower, upper;
};

/* A call of a flow, or calls of one name and kind on critical paths. */
struct fold_part {
  uint32_t service, operation; /* names of the view's store */
  enum activity_kind kind;
  struct fold_share share; /* of all latency that is spent there */
};

struct fold_report {
  struct fold_view view; /* undecided orders are waits */
  struct fold_percentile latencies[FOLD_PERCENTILES];
  VECTOR(struct fold_share) shares; /* by flow */
  uint64_t requests, kept;
  VECTOR(struct fold_part) parts; /* the greatest share first */
};

/* Of a fold with at least one request, which must outlive it. */
void fold_report_make(struct fold_report *report, struct fold_answer *answer);
void fold_report_clear(struct fold_report *report);

/* "50" */
const char *fold_percentile_name(size_t index);

/* Percentile `index` of a finished sample that is not empty. */
void fold_percentile_of(struct fold_percentile *percentile, const struct sample *sample,
                        size_t index);

#endif
