/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `arrivals`: which token buckets do recorded arrivals keep to?
 */
#ifndef CLI_QUESTION_ARRIVALS_ARRIVALS_H
#define CLI_QUESTION_ARRIVALS_ARRIVALS_H

#include "base/asker.h"
#include "base/ledger.h"
#include "cli/question/arrivals/times.h"
#include "cli/question/setting.h"
#include "dist/statistics/token_bucket.h"

struct arrivals_request {
  const struct asker *asker;
  const char *const *paths; /* stores and folders of them, or one table */
  size_t count;
  struct times_wanted wanted;
  texts every; /* "2ms": whole ns, above 0; none: parts of the mean distance */
  texts burst; /* "4": the T is asked for */
};

/* A bucket for --burst: the largest T with which that burst is enough. */
struct arrivals_slowest {
  uint64_t burst, every_ns; /* as token_bucket_slowest gives it */
};

/* One stream of arrivals; two of them at least, over more than no time. */
struct arrivals_stream {
  const struct times_stream *times;
  uint64_t span_ns; /* from the first to the last */
  /* Floor of span / (arrivals - 1): with a larger T the bucket is not full again at the end, and
   * the burst it takes grows with the length of the recording. */
  uint64_t mean_gap_ns;
  double rate;                         /* (arrivals - 1) / span, in 1/s */
  VECTOR(struct token_bucket) buckets; /* by T, rising */
  VECTOR(struct arrivals_slowest) slowest;
};

/* The answer. */
struct arrivals_answer {
  enum status status; /* STATUS_UNKNOWN: arrivals are missing from the recording */
  bool found;
  struct times times;
  VECTOR(struct arrivals_stream) streams;
  struct ledger ledger;
};

/* `request` must outlive the answer, which is initialised in any case. */
enum status arrivals_ask(struct arrivals_answer *answer, const struct arrivals_request *request);
void arrivals_answer_clear(struct arrivals_answer *answer);

#endif
