/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold/large.h"

#include "trace/fold/census.h"
#include "trace/fold/fold.h"

enum { SPAN_BYTES = 64, BATCH = 1 << 16 /* spans that are read before they are folded */ };

const struct large_limits large_limits = {.bytes = 80 << 20, .spans = 1 << 19, .least = 512};

struct large {
  const struct large_limits *limits;
  struct trace_fold *fold; /* NULL: all are in the store */
};

static size_t bytes_of(const struct span_store *store) {
  return store->start.count * SPAN_BYTES + store->tags.count * sizeof *store->tags.data +
         store->ids.count;
}

static size_t count_kept(const struct trace_fold *fold) {
  size_t spans = 0;
  for (size_t f = 0; f < fold->flows.count; f++) {
    const struct fold_flow *flow = fold->flows.data[f];
    size_t kept = flow->kept.count < fold->keep ? flow->kept.count : (size_t)fold->keep;
    spans += kept * flow->calls;
  }
  return spans;
}

/* So many requests of each flow as would be kept if there were one, so that a flow of many is
 * counted from the first batch on. */
static uint64_t first_keep(const struct large *large, const struct span_store *store) {
  uint64_t each = store->start.count / (store->requests.count + 1) + 1;
  uint64_t keep = large->limits->spans / each;
  return keep < large->limits->least ? large->limits->least : keep;
}

static void fold_batch(struct large *large, struct span_store *store) {
  if (large->fold == NULL) {
    large->fold = mem_alloc(1, sizeof *large->fold);
    fold_init(large->fold, first_keep(large, store));
  }
  struct trace_fold *fold = large->fold;
  fold_add(fold, store);
  span_store_forget(store);
  while (count_kept(fold) > large->limits->spans && fold->keep > large->limits->least) {
    uint64_t half = fold->keep / 2;
    fold_keep_fewer(fold, half < large->limits->least ? large->limits->least : half);
  }
}

static enum status on_request(struct span_store *store, size_t request, void *context) {
  struct large *large = context;
  (void)request;
  if (large->fold == NULL ? bytes_of(store) > large->limits->bytes : store->start.count >= BATCH)
    fold_batch(large, store);
  return STATUS_OK;
}

/* The store takes the fold over. */
static enum status give_sample(struct span_store *store, struct large *large,
                               const struct trace_reading *reading, struct ledger *ledger) {
  fold_batch(large, store);
  fold_settle(large->fold);
  store->census = fold_census_new(large->fold, true);
  large->fold = NULL;
  struct trace_reading keeping = {.keep = true};
  enum status status = fold_restore(store, &keeping);
  ledger_note(ledger, LEDGER_DATA,
              "these are too many requests to be kept: of %llu a sample of %zu stands for all, by "
              "the hash of their trace ids; which calls did not wait is counted over all%s",
              (unsigned long long)store->census->requests, store->requests.count,
              reading->tags ? "; tags are not looked at" : "");
  return status;
}

enum status large_read(struct span_store *store, const char *const *paths, size_t path_count,
                       const struct trace_reading *reading, const struct large_limits *limits,
                       struct ledger *ledger, const struct asker *asker) {
  struct large large = {.limits = limits};
  struct trace_reading folding = *reading;
  folding.visit = on_request;
  folding.context = &large;
  folding.opened = NULL;
  enum status status = trace_read(store, paths, path_count, &folding, ledger, asker);
  if (status == STATUS_OK && large.fold != NULL)
    status = give_sample(store, &large, reading, ledger);
  if (large.fold != NULL) {
    fold_clear(large.fold);
    mem_free(large.fold);
  }
  return status;
}
