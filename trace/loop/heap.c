/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/heap.h"

#include <stdbool.h>

static bool is_before(struct heap_item a, struct heap_item b) {
  return a.key != b.key ? a.key < b.key : a.number < b.number;
}

void heap_add(struct heap *heap, int64_t key, uint32_t number) {
  struct heap_item item = {key, number};
  vector_push(&heap->items, item);
  size_t at = heap->items.count - 1;
  for (; at > 0 && is_before(item, heap->items.data[(at - 1) / 2]); at = (at - 1) / 2)
    heap->items.data[at] = heap->items.data[(at - 1) / 2];
  heap->items.data[at] = item;
}

struct heap_item heap_take(struct heap *heap) {
  struct heap_item top = heap->items.data[0], last = heap->items.data[--heap->items.count];
  size_t at = 0, count = heap->items.count;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child + 1 < count && is_before(heap->items.data[child + 1], heap->items.data[child]))
      child++;
    if (child >= count || !is_before(heap->items.data[child], last))
      break;
    heap->items.data[at] = heap->items.data[child];
    at = child;
  }
  if (count != 0)
    heap->items.data[at] = last;
  return top;
}
