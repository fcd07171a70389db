/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folds added up, and put into their one order (fold.h).
 */
#include <stdlib.h>
#include <string.h>

#include "trace/fold/counts.h"
#include "trace/fold/fold.h"
#include "trace/fold/request.h"

static bool add_counts(const struct trace_fold *fold, struct fold_flow *flow,
                       const struct fold_flow *other) {
  if (flow->counts == NULL && flow->requests + other->requests <= fold->keep)
    return true;
  if (flow->counts == NULL)
    fold_flow_count(flow);
  if (other->counts != NULL)
    return fold_counts_merge(flow->counts, other->counts);
  struct fold_flow copy = *other; /* its requests are not moved */
  fold_flow_count(&copy);
  bool fits = fold_counts_merge(flow->counts, copy.counts);
  fold_counts_free(copy.counts);
  return fits;
}

static bool add_flow(struct trace_fold *fold, const struct fold_flow *other) {
  struct fold_flow *flow = fold_flow_of(fold, other->key, strlen(other->key));
  uint64_t requests;
  if (__builtin_add_overflow(flow->requests, other->requests, &requests) || requests > INT64_MAX ||
      !add_counts(fold, flow, other))
    return false;
  flow->requests = requests;
  for (size_t i = 0; i < other->kept.count; i++) {
    const struct fold_request *kept = &other->kept.data[i];
    fold_keep(fold, flow, kept->hash, (struct slice){kept->line, strlen(kept->line)});
  }
  return true;
}

void fold_keep_fewer(struct trace_fold *fold, uint64_t keep) {
  fold->keep = keep;
  for (size_t f = 0; f < fold->flows.count; f++) {
    struct fold_flow *flow = fold->flows.data[f];
    if (flow->counts == NULL && flow->requests > keep)
      fold_flow_count(flow);
    fold_flow_trim(flow, keep);
  }
}

bool fold_merge(struct trace_fold *fold, const struct trace_fold *other, struct text *message) {
  if (other->keep < fold->keep)
    fold_keep_fewer(fold, other->keep);
  for (size_t i = 0; i < other->shards.count; i++)
    fold_shard_add(fold, other->shards.data[i].digest, other->shards.data[i].name);
  for (size_t f = 0; f < other->flows.count; f++)
    if (!add_flow(fold, other->flows.data[f])) {
      text_append(message, "counts so much that the sum does not fit into 64 bits");
      return false;
    }
  return true;
}

static int shard_compare(const void *a, const void *b) {
  return strcmp(((const struct fold_shard *)a)->digest, ((const struct fold_shard *)b)->digest);
}

static int flow_compare(const void *a, const void *b) {
  return strcmp((*(struct fold_flow *const *)a)->key, (*(struct fold_flow *const *)b)->key);
}

void fold_settle(struct trace_fold *fold) {
  for (size_t f = 0; f < fold->flows.count; f++)
    fold_flow_trim(fold->flows.data[f], fold->keep);
  if (fold->shards.count > 1)
    qsort(fold->shards.data, fold->shards.count, sizeof *fold->shards.data, shard_compare);
  if (fold->flows.count > 1)
    qsort(fold->flows.data, fold->flows.count, sizeof *fold->flows.data, flow_compare);
  index_clear(&fold->index); /* of the order before; made anew when a flow is looked for */
}

static int request_compare(const void *a, const void *b) {
  const struct fold_request *x = a, *y = b;
  return x->hash < y->hash ? -1 : x->hash > y->hash;
}

uint64_t fold_doubles(struct trace_fold *fold, struct slice *id) {
  VECTOR(struct fold_request) all = {0};
  uint64_t doubles = 0;
  for (size_t f = 0; f < fold->flows.count; f++)
    for (size_t i = 0; i < fold->flows.data[f]->kept.count; i++)
      vector_push(&all, fold->flows.data[f]->kept.data[i]);
  if (all.count > 1)
    qsort(all.data, all.count, sizeof *all.data, request_compare);
  for (size_t i = 1; i < all.count; i++)
    if (all.data[i].hash == all.data[i - 1].hash) {
      if (doubles++ == 0)
        *id = fold_request_id((struct slice){all.data[i].line, strlen(all.data[i].line)});
    }
  vector_clear(&all);
  return doubles;
}
