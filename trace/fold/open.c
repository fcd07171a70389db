/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold/open.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "format/tell.h"
#include "trace/event/read.h"
#include "trace/fold/census.h"
#include "trace/fold/fold.h"
#include "trace/fold/large.h"
#include "trace/fold/request.h"
#include "trace/loop/spans.h"
#include "trace/span/follow.h"

/* ---- summaries added up */

static enum status read_fold(struct trace_fold *fold, const char *path, const struct asker *asker) {
  char *bytes;
  size_t length;
  struct text message, why;
  text_init(&message);
  text_init(&why);
  enum status status = file_read(path, FILE_LIMIT_MAX, &bytes, &length, &message);
  if (status == STATUS_OK) {
    static const struct format_wanted folds = {1u << YIELDS_FOLD, "summary of traces", ""};
    status = fold_parse(fold, bytes, length, &why);
    if (status != STATUS_OK &&
        !format_refuse_bytes(&message, path, (struct slice){bytes, length}, &folds))
      text_format(&message, "%s: %s", path, text_get(&why));
  }
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  mem_free(bytes);
  text_clear(&why);
  text_clear(&message);
  return status;
}

/* How many of its shards are counted already; *first is one of them. */
static size_t count_known(const struct trace_fold *fold, const struct trace_fold *other,
                          const struct fold_shard **first) {
  size_t known = 0;
  for (size_t i = 0; i < other->shards.count; i++)
    if (fold_shard_find(fold, other->shards.data[i].digest) != NULL && known++ == 0)
      *first = &other->shards.data[i];
  return known;
}

static enum status add(struct trace_fold *fold, const struct trace_fold *other, const char *path,
                       size_t *skipped, const struct asker *asker) {
  const struct fold_shard *first = NULL;
  size_t known = count_known(fold, other, &first), shards = other->shards.count;
  if (known == shards && known != 0 && skipped != NULL) {
    *skipped += known;
    return STATUS_OK;
  }
  if (known != 0)
    return asker_fail(asker, STATUS_DATA, "%s: %s of its shards is counted already (%s); %s", path,
                      known == shards ? "each" : "one", first->name,
                      known == shards ? "leave it out, or pass --skip-known"
                                      : "it cannot be taken out of a sum: fold the others again");
  struct text message;
  text_init(&message);
  enum status status = fold_merge(fold, other, &message) ? STATUS_OK : STATUS_DATA;
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s: %s", path, text_get(&message));
  text_clear(&message);
  return status;
}

enum status fold_read_all(struct trace_fold *fold, const char *const *paths, size_t path_count,
                          bool skip_known, size_t *skipped, const struct asker *asker) {
  enum status status = STATUS_OK;
  *skipped = 0;
  fold_init(fold, FOLD_KEEP_MAX);
  for (size_t i = 0; i < path_count && status == STATUS_OK; i++) {
    struct trace_fold other;
    status = read_fold(&other, paths[i], asker);
    if (status != STATUS_OK)
      break;
    status = add(fold, &other, paths[i], skip_known ? skipped : NULL, asker);
    fold_clear(&other);
  }
  return status;
}

/* ---- as a store */

/* The greatest hash up to which all requests of all flows are kept. */
static uint64_t common_limit(const struct trace_fold *fold) {
  uint64_t limit = UINT64_MAX;
  for (size_t f = 0; f < fold->flows.count; f++) {
    const struct fold_flow *flow = fold->flows.data[f];
    if (flow->counts != NULL && flow->kept.data[flow->kept.count - 1].hash < limit)
      limit = flow->kept.data[flow->kept.count - 1].hash;
  }
  return limit;
}

static enum status restore_flow(struct builder *builder, struct span_store *store,
                                const struct fold_flow *flow, uint64_t limit,
                                const struct trace_reading *reading) {
  struct fold_call *calls = fold_calls_new(flow->key, flow->calls);
  enum status status = STATUS_OK;
  uint64_t others;
  for (size_t i = 0; i < flow->kept.count && status == STATUS_OK; i++) {
    const char *line = flow->kept.data[i].line;
    if (flow->kept.data[i].hash > limit)
      break;
    size_t request = fold_request_restore(builder, (struct slice){line, strlen(line)}, calls,
                                          flow->calls, &others);
    if (reading->visit != NULL)
      status = reading->visit(store, request, reading->context);
    if (!reading->keep)
      span_store_forget(store);
  }
  fold_calls_free(calls, flow->calls);
  return status;
}

enum status fold_restore(struct span_store *store, const struct trace_reading *reading) {
  const struct trace_fold *fold = fold_of_census(store->census);
  uint64_t limit = common_limit(fold);
  enum status status = STATUS_OK;
  struct builder *builder = builder_new(store);
  builder_drop_ids(builder);
  for (size_t f = 0; f < fold->flows.count && status == STATUS_OK; f++)
    status = restore_flow(builder, store, fold->flows.data[f], limit, reading);
  builder_free(builder);
  return status;
}

static enum status restore_all(struct span_store *store, const struct trace_reading *reading,
                               struct ledger *ledger) {
  uint64_t requests = store->census->requests;
  size_t first = store->requests.count;
  enum status status = fold_restore(store, reading);
  if (store->requests.count - first < requests)
    ledger_note(ledger, LEDGER_DATA,
                "of the %llu requests of the summary %zu stand for all, a sample by the hash of "
                "their trace ids; which calls did not wait is counted over all",
                (unsigned long long)requests, store->requests.count - first);
  return status;
}

static enum status open_folds(struct span_store *store, const char *const *paths, size_t path_count,
                              const struct trace_reading *reading, struct ledger *ledger,
                              const struct asker *asker) {
  struct trace_fold *fold = mem_alloc(1, sizeof *fold);
  size_t skipped;
  enum status status = fold_read_all(fold, paths, path_count, false, &skipped, asker);
  fold_settle(fold);
  store->census = fold_census_new(fold, true);
  return status == STATUS_OK ? restore_all(store, reading, ledger) : status;
}

/* ---- logs of event loops */

static enum status make_requests(struct span_store *store, const struct event_log *log,
                                 const struct trace_reading *reading, struct ledger *ledger) {
  struct event_chains chains;
  event_chains_make(&chains, log);
  enum status status = loop_spans_make(store, log, &chains, reading, ledger);
  event_chains_clear(&chains);
  return status;
}

static enum status open_logs(struct span_store *store, const char *const *paths, size_t path_count,
                             const struct trace_reading *reading, struct ledger *ledger,
                             const struct asker *asker) {
  struct event_log log;
  enum status status = STATUS_OK;
  event_log_init(&log);
  if (reading->opened != NULL)
    status = event_each_file(paths, path_count, reading->opened, reading->context);
  if (status == STATUS_OK)
    status = event_read(&log, paths, path_count, ledger, asker);
  if (status == STATUS_OK)
    status = log.requests.count == 0 ? event_refuse_no_request(paths, path_count, asker)
                                     : make_requests(store, &log, reading, ledger);
  event_log_clear(&log);
  return status;
}

static enum status refuse_columns(const struct trace_reading *reading, const char *path,
                                  const struct asker *asker) {
  if (reading->columns == NULL)
    return STATUS_OK;
  return asker_fail(asker, STATUS_USAGE,
                    "--columns: %s has a format that says itself what its keys are; leave it out",
                    path);
}

/* Requests to their last consumers. */
static enum status read_following(struct span_store *store, const char *const *paths,
                                  size_t path_count, const struct trace_reading *reading,
                                  struct ledger *ledger, const struct asker *asker) {
  struct trace_reading with_ids = *reading;
  struct follow_notes notes;
  with_ids.ids = true;
  store->keeps_foreign = true;
  enum status status = trace_read(store, paths, path_count, &with_ids, ledger, asker);
  if (status != STATUS_OK)
    return status;
  span_follow(store, &notes);
  if (notes.messages == 0)
    return asker_fail(
        asker, STATUS_DATA,
        "--follow messages: %s holds no message: no span of kind CONSUMER is below one "
        "of kind PRODUCER, or has a link to a span that is recorded",
        paths[0]);
  ledger_note(ledger, LEDGER_DATA,
              "%llu requests last until their %llu messages are consumed, %llu of these in other "
              "traces or elsewhere in their own",
              (unsigned long long)notes.requests, (unsigned long long)notes.messages,
              (unsigned long long)notes.joined);
  if (notes.lost > 0)
    ledger_note(ledger, LEDGER_DATA,
                "%llu links of consumers lead to spans that are not recorded: nothing follows from "
                "them",
                (unsigned long long)notes.lost);
  return STATUS_OK;
}

enum status trace_open_recorded(struct span_store *store, const char *const *paths,
                                size_t path_count, const struct trace_reading *reading,
                                struct ledger *ledger, const struct asker *asker) {
  size_t logs = 0;
  for (size_t i = 0; i < path_count; i++)
    logs += event_is_log(paths[i]);
  if (logs == 0 && reading->follow)
    return read_following(store, paths, path_count, reading, ledger, asker);
  if (reading->follow)
    return asker_fail(asker, STATUS_USAGE,
                      "--follow: %s is a log of an event loop, without messages", paths[0]);
  if (logs == 0)
    return reading->foldable
               ? large_read(store, paths, path_count, reading, &large_limits, ledger, asker)
               : trace_read(store, paths, path_count, reading, ledger, asker);
  enum status status = refuse_columns(reading, paths[0], asker);
  if (status == STATUS_OK)
    status = event_check_named(paths, path_count, asker);
  if (status != STATUS_OK)
    return status;
  return open_logs(store, paths, path_count, reading, ledger, asker);
}

/* What can be read twice: a pipe cannot. */
static bool is_file(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static bool is_fold(const char *path) {
  static const char first[] = "tailproof-fold ";
  char bytes[sizeof first - 1];
  FILE *file = is_file(path) ? fopen(path, "rb") : NULL;
  bool is = file != NULL && fread(bytes, sizeof bytes, 1, file) == 1 &&
            memcmp(bytes, first, sizeof bytes) == 0;
  if (file != NULL)
    fclose(file);
  return is;
}

enum status trace_open(struct span_store *store, const char *const *paths, size_t path_count,
                       const struct trace_reading *reading, struct ledger *ledger,
                       const struct asker *asker) {
  size_t folds = 0;
  for (size_t i = 0; i < path_count; i++)
    folds += is_fold(paths[i]);
  if (folds == 0)
    return trace_open_recorded(store, paths, path_count, reading, ledger, asker);
  if (folds < path_count)
    return asker_fail(
        asker, STATUS_USAGE,
        "summaries and traces together are not read; fold the traces first: tailproof "
        "trace fold TRACES... --out FILE");
  enum status status = refuse_columns(reading, paths[0], asker);
  if (status == STATUS_OK && reading->follow)
    status =
        asker_fail(asker, STATUS_USAGE,
                   "--follow: %s is a summary, which keeps no links; name the traces", paths[0]);
  if (status != STATUS_OK)
    return status;
  return open_folds(store, paths, path_count, reading, ledger, asker);
}

enum status trace_open_more(struct span_store *store, const char *const *paths, size_t path_count,
                            size_t opened, const struct trace_reading *reading,
                            struct ledger *ledger, const struct asker *asker) {
  struct span_census *first = store->census;
  store->census = NULL;
  enum status status =
      trace_open(store, paths + opened, path_count - opened, reading, ledger, asker);
  bool both = first != NULL && store->census != NULL;
  if (status == STATUS_OK && (first != NULL) != (store->census != NULL))
    status = asker_fail(asker, STATUS_USAGE,
                        "one recording is a summary and the other is not; fold both: tailproof "
                        "trace fold TRACES... --out FILE");
  if (first != NULL)
    first->clear(first);
  if (status != STATUS_OK || !both)
    return status;
  struct trace_fold *fold = mem_alloc(1, sizeof *fold);
  size_t skipped;
  status = fold_read_all(fold, paths, path_count, false, &skipped, asker);
  fold_settle(fold);
  store->census->clear(store->census);
  store->census = fold_census_new(fold, true);
  return status;
}
