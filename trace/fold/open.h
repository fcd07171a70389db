/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded requests, whether from traces, from logs of event loops, or from summaries: what every
 * question about requests begins with.
 */
#ifndef TRACE_FOLD_OPEN_H
#define TRACE_FOLD_OPEN_H

#include "trace/span/read.h"

struct trace_fold;

/* As trace_read, of logs of event loops as well (trace/event/read.h): each answered request with
 * its chain of callbacks (trace/loop/spans.h). Logs beside traces are refused: STATUS_USAGE. */
enum status trace_open_recorded(struct span_store *store, const char *const *paths,
                                size_t path_count, const struct trace_reading *reading,
                                struct ledger *ledger, const struct asker *asker);

/* As trace_open_recorded. Where the paths are summaries, the store gets as many of their requests
 * as are a uniform sample of all flows alike (without tags and ids of spans), and a census, by
 * which a graph of the store has the orders refuted that any request refuted, in the sample or not.
 * Traces beside summaries are refused: STATUS_USAGE. */
enum status trace_open(struct span_store *store, const char *const *paths, size_t path_count,
                       const struct trace_reading *reading, struct ledger *ledger,
                       const struct asker *asker);

/* Adds a second recording to a store that trace_open has made of the first `opened` paths: the rest
 * of them. Its requests come behind. Both are summaries, or none: STATUS_USAGE. */
enum status trace_open_more(struct span_store *store, const char *const *paths, size_t path_count,
                            size_t opened, const struct trace_reading *reading,
                            struct ledger *ledger, const struct asker *asker);

/* Puts the requests that the store's census keeps into the store. */
enum status fold_restore(struct span_store *store, const struct trace_reading *reading);

/* Adds up summaries into *fold, which is initialised. With `skip_known` those of which each shard
 * is counted already are passed over, and *skipped counts these shards; otherwise, and where sums
 * overlap in part, STATUS_DATA. Not settled. */
enum status fold_read_all(struct trace_fold *fold, const char *const *paths, size_t path_count,
                          bool skip_known, size_t *skipped, const struct asker *asker);

#endif
