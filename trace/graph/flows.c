/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/flows.h"

#include <stdlib.h>

#include "base/index.h"
#include "trace/graph/call_list.h"

struct found_flow {
  struct request_flow *flow;
  VECTOR(struct listed_call) calls; /* of its first request */
};

struct flow_table {
  VECTOR(struct found_flow) found;
  struct index index; /* of found */
};

static bool same_calls(const struct found_flow *found, const struct call_list *list) {
  if (found->calls.count != list->calls.count)
    return false;
  for (size_t i = 0; i < list->calls.count; i++) {
    const struct listed_call *a = &found->calls.data[i], *b = &list->calls.data[i];
    if (a->name != b->name || a->caller != b->caller)
      return false;
  }
  return true;
}

static enum span_kind kind_of(const struct span_store *store, uint32_t row) {
  return (enum span_kind)store->kind.data[row];
}

/* Calls of one name by one caller stand in the list in the order of their ordinals, with what is
 * below them in between: `last` is the latest position of each name below each caller so far. */
static void add_calls(struct request_flow *flow, const struct call_list *list,
                      const struct span_store *store) {
  size_t count = list->calls.count;
  uint32_t *last = mem_alloc(count, sizeof *last); /* of each caller: its latest call + 1 */
  for (uint32_t p = 0; p < count; p++) {
    const struct listed_call *call = &list->calls.data[p];
    uint32_t ordinal = 0;
    if (call->caller != SPAN_NONE) {
      uint32_t before = last[call->caller];
      if (before != 0 && list->calls.data[before - 1].name == call->name)
        ordinal = flow->calls.data[before - 1].ordinal + 1;
      last[call->caller] = p + 1;
    }
    vector_push(&flow->calls, (struct flow_call){.service = store->service.data[call->row],
                                                 .operation = store->operation.data[call->row],
                                                 .parent = call->caller,
                                                 .ordinal = ordinal,
                                                 .kind = kind_of(store, call->row),
                                                 .lead = SPAN_NONE,
                                                 .tail = SPAN_NONE});
  }
  mem_free(last);
}

/* The flow of the calls; a new one where there is none. */
static struct request_flow *flow_of(struct flow_table *table, const struct call_list *list,
                                    const struct span_store *store) {
  uint64_t hash = call_list_hash(list);
  for (struct index_look look = index_look(&table->index, hash); index_next(&look);)
    if (same_calls(&table->found.data[look.row], list))
      return table->found.data[look.row].flow;
  struct found_flow found = {.flow = mem_alloc(1, sizeof *found.flow)};
  for (size_t i = 0; i < list->calls.count; i++)
    vector_push(&found.calls, list->calls.data[i]);
  add_calls(found.flow, list, store);
  index_add(&table->index, hash, (uint32_t)table->found.count);
  vector_push(&table->found, found);
  return found.flow;
}

static void add_request(struct flow_table *table, const struct call_list *list,
                        const struct span_store *store, uint32_t request) {
  struct request_flow *flow = flow_of(table, list, store);
  vector_push(&flow->requests, request);
  for (size_t i = 0; i < list->calls.count; i++)
    vector_push(&flow->rows, list->calls.data[i].row);
}

static int found_compare(const void *a, const void *b) {
  const struct found_flow *x = a, *y = b;
  if (x->flow->requests.count != y->flow->requests.count)
    return x->flow->requests.count > y->flow->requests.count ? -1 : 1;
  if (x->calls.count != y->calls.count)
    return x->calls.count < y->calls.count ? -1 : 1;
  for (size_t i = 0; i < x->calls.count; i++) {
    const struct listed_call *c = &x->calls.data[i], *d = &y->calls.data[i];
    if (c->name != d->name)
      return c->name < d->name ? -1 : 1;
    if (c->caller != d->caller)
      return c->caller < d->caller ? -1 : 1;
  }
  return 0;
}

void flows_make(struct request_graph *graph, const struct span_store *store) {
  struct flow_table table = {0};
  struct call_list list;
  call_list_init(&list, store);
  for (size_t i = 0; i < store->requests.count; i++) {
    call_list_make(&list, store, &store->requests.data[i]);
    add_request(&table, &list, store, (uint32_t)i);
  }
  call_list_clear(&list);
  if (table.found.count > 1)
    qsort(table.found.data, table.found.count, sizeof *table.found.data, found_compare);
  for (size_t f = 0; f < table.found.count; f++) {
    vector_push(&graph->flows, table.found.data[f].flow);
    vector_clear(&table.found.data[f].calls);
  }
  vector_clear(&table.found);
  index_clear(&table.index);
}

void flow_free(struct request_flow *flow) {
  vector_clear(&flow->calls);
  vector_clear(&flow->activities);
  vector_clear(&flow->waits);
  vector_clear(&flow->wait_orders);
  vector_clear(&flow->orders);
  vector_clear(&flow->limits);
  vector_clear(&flow->beside);
  vector_clear(&flow->requests);
  vector_clear(&flow->rows);
  vector_clear(&flow->durations);
  mem_free(flow);
}
