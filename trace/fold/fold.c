/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold/fold.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/fold/counts.h"
#include "trace/fold/request.h"
#include "trace/graph/flows.h"
#include "base/hash.h"

void fold_init(struct trace_fold *fold, uint64_t keep) {
  *fold = (struct trace_fold){.keep = keep};
}

static void flow_clear(struct fold_flow *flow) {
  for (size_t i = 0; i < flow->kept.count; i++)
    mem_free(flow->kept.data[i].line);
  vector_clear(&flow->kept);
  fold_counts_free(flow->counts);
  mem_free(flow->key);
  mem_free(flow);
}

void fold_clear(struct trace_fold *fold) {
  for (size_t i = 0; i < fold->shards.count; i++)
    mem_free(fold->shards.data[i].name);
  for (size_t i = 0; i < fold->flows.count; i++)
    flow_clear(fold->flows.data[i]);
  vector_clear(&fold->shards);
  vector_clear(&fold->flows);
  index_clear(&fold->index);
}

const struct fold_shard *fold_shard_find(const struct trace_fold *fold, const char *digest) {
  for (size_t i = 0; i < fold->shards.count; i++)
    if (strcmp(fold->shards.data[i].digest, digest) == 0)
      return &fold->shards.data[i];
  return NULL;
}

void fold_shard_add(struct trace_fold *fold, const char *digest, const char *name) {
  struct fold_shard shard = {.name = mem_copy_text(name, strlen(name))};
  memcpy(shard.digest, digest, sizeof shard.digest);
  vector_push(&fold->shards, shard);
}

uint64_t fold_requests(const struct trace_fold *fold) {
  uint64_t requests = 0;
  for (size_t i = 0; i < fold->flows.count; i++)
    requests += fold->flows.data[i]->requests;
  return requests;
}

/* ---- flows by their key */

static size_t count_lines(const char *key) {
  size_t count = 0;
  for (; *key != 0; key++)
    count += *key == '\n';
  return count;
}

struct fold_flow *fold_flow_of(struct trace_fold *fold, const char *key, size_t length) {
  uint64_t hash = hash_bytes(0, (struct slice){key, length});
  for (uint32_t f = (uint32_t)fold->index.count; f < fold->flows.count; f++)
    index_add(&fold->index, hash_string(0, fold->flows.data[f]->key), f);
  for (struct index_look look = index_look(&fold->index, hash); index_next(&look);) {
    struct fold_flow *known = fold->flows.data[look.row];
    if (strncmp(known->key, key, length) == 0 && known->key[length] == 0)
      return known;
  }
  struct fold_flow *flow = mem_alloc(1, sizeof *flow);
  flow->key = mem_copy_text(key, length);
  flow->calls = count_lines(flow->key);
  index_add(&fold->index, hash, (uint32_t)fold->flows.count);
  vector_push(&fold->flows, flow);
  return flow;
}

/* ---- kept requests */

static int kept_compare(const void *a, const void *b) {
  const struct fold_request *x = a, *y = b;
  if (x->hash != y->hash)
    return x->hash < y->hash ? -1 : 1;
  return strcmp(x->line, y->line);
}

void fold_flow_trim(struct fold_flow *flow, uint64_t keep) {
  if (flow->kept.count > 1)
    qsort(flow->kept.data, flow->kept.count, sizeof *flow->kept.data, kept_compare);
  while (flow->kept.count > keep)
    mem_free(flow->kept.data[--flow->kept.count].line);
}

void fold_keep(const struct trace_fold *fold, struct fold_flow *flow, uint64_t hash,
               struct slice line) {
  size_t keep = (size_t)fold->keep;
  if (flow->kept.count >= 2 * keep) {
    fold_flow_trim(flow, keep);
    flow->limited = true;
    flow->limit = flow->kept.data[keep - 1].hash;
  }
  if (flow->limited && hash > flow->limit)
    return;
  struct fold_request request = {hash, mem_copy_text(line.start, line.length)};
  vector_push(&flow->kept, request);
}

void fold_flow_count(struct fold_flow *flow) {
  struct fold_call *calls = fold_calls_new(flow->key, flow->calls);
  uint32_t *parents = mem_alloc(flow->calls, sizeof *parents);
  for (size_t p = 0; p < flow->calls; p++)
    parents[p] = calls[p].parent;
  flow->counts = fold_counts_new(parents, flow->calls);
  struct span_store store;
  struct request_graph graph = {0};
  uint64_t others;
  span_store_init(&store);
  struct builder *builder = builder_new(&store);
  for (size_t i = 0; i < flow->kept.count; i++) {
    const char *line = flow->kept.data[i].line;
    fold_request_restore(builder, (struct slice){line, strlen(line)}, calls, flow->calls, &others);
    flow->counts->others += others;
  }
  flows_make(&graph, &store);
  for (size_t f = 0; f < graph.flows.count; f++) {
    fold_counts_add(flow->counts, graph.flows.data[f], &store);
    flow_free(graph.flows.data[f]);
  }
  vector_clear(&graph.flows);
  builder_free(builder);
  span_store_clear(&store);
  mem_free(parents);
  fold_calls_free(calls, flow->calls);
}

/* ---- added */

void fold_key_print(struct text *key, const struct request_flow *flow,
                    const struct span_names *names) {
  for (size_t p = 0; p < flow->calls.count; p++) {
    const struct flow_call *call = &flow->calls.data[p];
    const char *service = names_text(names, call->service);
    const char *operation = names_text(names, call->operation);
    if (call->parent == SPAN_NONE)
      text_append(key, "-");
    else
      text_format(key, "%" PRIu32, call->parent);
    text_append(key, " ");
    fold_escape(key, service, strlen(service));
    text_append(key, " ");
    fold_escape(key, operation, strlen(operation));
    text_append(key, "\n");
  }
}

static void keep_requests(const struct trace_fold *fold, struct fold_flow *flow,
                          const struct request_flow *of, const struct span_store *store) {
  struct text line;
  text_init(&line);
  for (size_t i = 0; i < of->requests.count; i++) {
    const struct request *request = &store->requests.data[of->requests.data[i]];
    line.length = 0;
    fold_request_print(&line, store, request, of->rows.data + i * flow->calls, flow->calls);
    struct slice written = {line.data, line.length};
    fold_keep(fold, flow, fold_request_hash(written), written);
  }
  text_clear(&line);
}

static void add_flow(struct trace_fold *fold, struct request_flow *of,
                     const struct span_store *store) {
  struct text key;
  text_init(&key);
  fold_key_print(&key, of, &store->names);
  struct fold_flow *flow = fold_flow_of(fold, key.data, key.length);
  text_clear(&key);
  uint64_t requests = flow->requests + of->requests.count;
  if (flow->counts == NULL && requests > fold->keep)
    fold_flow_count(flow);
  if (flow->counts != NULL)
    fold_counts_add(flow->counts, of, store);
  flow->requests = requests;
  keep_requests(fold, flow, of, store);
}

void fold_add(struct trace_fold *fold, const struct span_store *store) {
  struct request_graph graph = {0};
  flows_make(&graph, store);
  for (size_t f = 0; f < graph.flows.count; f++) {
    add_flow(fold, graph.flows.data[f], store);
    flow_free(graph.flows.data[f]);
  }
  vector_clear(&graph.flows);
}
