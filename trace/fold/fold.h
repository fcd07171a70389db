/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded requests of many files as a summary that is small, and that adds up: a fold. Folds of
 * shards, merged in any order and any grouping, are the fold of all shards at once, byte for byte.
 *
 * What is known of a flow (requests that make the same calls, trace/graph/flows.h):
 *   - how many requests it has;
 *   - `keep` of these requests as they were recorded: those whose trace id has the smallest hash
 *     (a bottom-k sample: uniform, the same whoever draws it, and of two samples the `keep`
 *     smallest are the sample of both). Everything that is joint is computed of these: what waited
 *     for what, critical paths, what-if, causes;
 *   - once there are more: counts over all of them (counts.h), for what a sample may miss. An order
 *     that one request refutes is refuted, so for each pair of calls it is counted how often the
 *     one had ended when the other started; and percentiles far out need every request, so
 *     durations are counted in histograms.
 *
 * The evidence for an order (trace/graph/evidence.h) is that of the kept requests. It needs the
 * exact times of both calls in the same request: histograms of each would have to be rounded, and
 * the gap between the two is lost in them. The permutation test on a uniform sample is as exact as
 * on all requests; it never claims more than the requests it was given say, and it is what the
 * graph does itself with more than 2048 requests.
 *
 * A fold owns all that is in it.
 */
#ifndef TRACE_FOLD_FOLD_H
#define TRACE_FOLD_FOLD_H

#include <stdbool.h>

#include "base/digest.h"
#include "base/index.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "trace/span/store.h"

enum { FOLD_KEEP = 2048, FOLD_KEEP_MAX = 1000000 };

struct fold_shard {
  char digest[DIGEST_LENGTH + 1]; /* of the file's bytes */
  char *name;                     /* as it was called when it was folded */
};

/* A kept request. */
struct fold_request {
  uint64_t hash; /* of its id */
  char *line;    /* all of it, as the file has it (request.h) */
};

struct fold_flow {
  char *key;    /* its calls as the file has them: a line each, "PARENT SERVICE OPERATION\n" */
  size_t calls; /* lines of it */
  uint64_t requests;
  VECTOR(struct fold_request) kept; /* after fold_settle: at most `keep`, by hash and line */
  bool limited;                     /* no request with a hash above `limit` is among the smallest */
  uint64_t limit;
  struct fold_counts *counts; /* of all its requests; NULL: those are all kept */
};

struct trace_fold {
  uint64_t keep;                    /* 1 .. FOLD_KEEP_MAX */
  VECTOR(struct fold_shard) shards; /* by digest */
  VECTOR(struct fold_flow *) flows; /* after fold_settle: by key */
  struct index index;               /* of flows, by key */
};

void fold_init(struct trace_fold *fold, uint64_t keep);
void fold_clear(struct trace_fold *fold);

/* The shard of that digest, or NULL. */
const struct fold_shard *fold_shard_find(const struct trace_fold *fold, const char *digest);
void fold_shard_add(struct trace_fold *fold, const char *digest, const char *name);

/* Adds all requests of the store. The shard they come from is added by the caller. */
void fold_add(struct trace_fold *fold, const struct span_store *store);

/* Adds what the other has. Of two that keep different numbers the smaller counts. The shards of the
 * two must be disjoint; false, with a line in `message`, when a count would be too large. */
bool fold_merge(struct trace_fold *fold, const struct trace_fold *other, struct text *message);

/* From now on keeps fewer requests of each flow. */
void fold_keep_fewer(struct trace_fold *fold, uint64_t keep);

/* Puts everything into the one order that does not depend on how it came; before printing. */
void fold_settle(struct trace_fold *fold);

uint64_t fold_requests(const struct trace_fold *fold);

/* Kept requests that have the trace id of another kept one; *id names one, valid as long as the
 * fold. Of requests that are split over two shards or recorded in both, as many as are kept show.
 */
uint64_t fold_doubles(struct trace_fold *fold, struct slice *id);

/* The text of a settled fold. Lines: what the parts are, in docs/cluster.md. */
void fold_print(struct text *text, const struct trace_fold *fold);

/* Reads such a text; bytes[length] is 0. STATUS_DATA with a line in `message`, without the file's
 * name but with the number of the line; *fold is then empty. */
enum status fold_parse(struct trace_fold *fold, const char *bytes, size_t length,
                       struct text *message);

/* --- for the files of trace/fold ---------------------------------------------------------------
 */

/* The flow of this key, made when there is none; the key is copied. */
struct fold_flow *fold_flow_of(struct trace_fold *fold, const char *key, size_t length);

struct request_flow;
void fold_key_print(struct text *key, const struct request_flow *flow,
                    const struct span_names *names);

/* Keeps the request if it may be among the smallest; the line is copied. */
void fold_keep(const struct trace_fold *fold, struct fold_flow *flow, uint64_t hash,
               struct slice line);

/* Drops all but `keep` requests. */
void fold_flow_trim(struct fold_flow *flow, uint64_t keep);

/* Makes counts of the kept requests, which are all there are. */
void fold_flow_count(struct fold_flow *flow);

#endif
