/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/store.h"

void span_store_init(struct span_store *store) {
  *store = (struct span_store){0};
  names_init(&store->names);
  arena_init(&store->texts);
}

void span_store_clear(struct span_store *store) {
  names_clear(&store->names);
  vector_clear(&store->start);
  vector_clear(&store->end);
  vector_clear(&store->parent);
  vector_clear(&store->below);
  vector_clear(&store->service);
  vector_clear(&store->operation);
  vector_clear(&store->instance);
  vector_clear(&store->kind);
  vector_clear(&store->status);
  vector_clear(&store->mark);
  vector_clear(&store->tag_end);
  vector_clear(&store->tags);
  vector_clear(&store->links);
  vector_clear(&store->foreign);
  vector_clear(&store->id_end);
  vector_clear(&store->ids);
  vector_clear(&store->requests);
  arena_clear(&store->texts);
  if (store->census != NULL)
    store->census->clear(store->census);
  store->census = NULL;
}

void span_store_forget(struct span_store *store) {
  store->start.count = store->end.count = store->parent.count = store->below.count = 0;
  store->service.count = store->operation.count = store->instance.count = 0;
  store->kind.count = store->status.count = store->mark.count = 0;
  store->tag_end.count = store->tags.count = store->links.count = 0;
  store->foreign.count = 0;
  store->id_end.count = store->ids.count = store->requests.count = 0;
  arena_clear(&store->texts);
}

struct slice span_store_id(const struct span_store *store, uint32_t row) {
  size_t first = row == 0 ? 0 : store->id_end.data[row - 1];
  size_t length = store->id_end.data[row] - first;
  return length == 0 ? (struct slice){"", 0} : (struct slice){store->ids.data + first, length};
}

int64_t span_store_latency(const struct span_store *store, const struct request *request) {
  return store->end.data[request->first] - store->start.data[request->first];
}
