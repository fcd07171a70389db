/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/call_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct ranked {
  const char *text;
  uint32_t number;
};

static int ranked_compare(const void *a, const void *b) {
  return strcmp(((const struct ranked *)a)->text, ((const struct ranked *)b)->text);
}

void call_list_init(struct call_list *list, const struct span_store *store) {
  *list = (struct call_list){0};
  size_t count = store->names.texts.count;
  struct ranked *sorted = mem_alloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++)
    sorted[i] = (struct ranked){names_text(&store->names, (uint32_t)i), (uint32_t)i};
  qsort(sorted, count, sizeof *sorted, ranked_compare);
  list->ranks = mem_alloc(count, sizeof *list->ranks);
  for (size_t i = 0; i < count; i++)
    list->ranks[sorted[i].number] = (uint32_t)i;
  mem_free(sorted);
}

void call_list_clear(struct call_list *list) {
  mem_free(list->ranks);
  vector_clear(&list->calls);
  vector_clear(&list->to_do);
  list->ranks = NULL;
}

static struct listed_call call_of(const struct call_list *list, const struct span_store *store,
                                  uint32_t row, uint32_t caller) {
  uint64_t service = list->ranks[store->service.data[row]];
  uint64_t operation = list->ranks[store->operation.data[row]];
  return (struct listed_call){service << 32 | operation, row, caller};
}

/* The later call of a caller comes first, as the end of the list is taken first. */
static int call_compare(const void *a, const void *b) {
  const struct listed_call *x = a, *y = b;
  if (x->name != y->name)
    return x->name < y->name ? 1 : -1;
  return x->row < y->row ? 1 : -1;
}

static void sort_calls(struct listed_call *calls, size_t count) {
  enum { FEW = 12 };
  if (count > FEW) {
    qsort(calls, count, sizeof *calls, call_compare);
    return;
  }
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0 && call_compare(&calls[j - 1], &calls[j]) > 0; j--) {
      struct listed_call call = calls[j];
      calls[j] = calls[j - 1];
      calls[j - 1] = call;
    }
}

void call_list_make(struct call_list *list, const struct span_store *store,
                    const struct request *request) {
  list->calls.count = list->to_do.count = 0;
  vector_push(&list->to_do, call_of(list, store, request->first, SPAN_NONE));
  while (list->to_do.count > 0) {
    struct listed_call call = list->to_do.data[--list->to_do.count];
    uint32_t position = (uint32_t)list->calls.count;
    vector_push(&list->calls, call);
    size_t first = list->to_do.count;
    uint32_t end = call.row + store->below.data[call.row];
    for (uint32_t row = call.row + 1; row <= end; row += store->below.data[row] + 1)
      vector_push(&list->to_do, call_of(list, store, row, position));
    sort_calls(list->to_do.data + first, list->to_do.count - first);
  }
}

uint64_t call_list_hash(const struct call_list *list) {
  uint64_t hash = list->calls.count;
  for (size_t i = 0; i < list->calls.count; i++) {
    const struct listed_call *call = &list->calls.data[i];
    hash = hash_word(hash_word(hash, call->name), call->caller);
  }
  return hash;
}
