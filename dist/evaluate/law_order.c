/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In which order the terms of a sum are added, so that rounding adds up least (law.h).
 */
#include "base/memory.h"
#include "dist/evaluate/law.h"
#include "dist/survival/sum.h"

/* A heap of terms still to be added, the least rounded first (Huffman 1952 with depth for weight:
 * the least longest chain; Golumbic 1976). */
struct sum_term {
  unsigned depth;
  size_t index;
};

static bool is_before(const struct sum_term *a, const struct sum_term *b) {
  return a->depth != b->depth ? a->depth < b->depth : a->index < b->index;
}

static void swap(struct sum_term *a, struct sum_term *b) {
  struct sum_term t = *a;
  *a = *b;
  *b = t;
}

static void heap_push(struct sum_term *heap, size_t *count, struct sum_term term) {
  size_t i = (*count)++;
  heap[i] = term;
  for (; i > 0 && is_before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
    swap(&heap[i], &heap[(i - 1) / 2]);
}

static struct sum_term heap_pop(struct sum_term *heap, size_t *count) {
  struct sum_term first = heap[0];
  heap[0] = heap[--*count];
  for (size_t i = 0, least;; i = least) {
    least = i;
    for (size_t child = 2 * i + 1; child <= 2 * i + 2; child++)
      if (child < *count && is_before(&heap[child], &heap[least]))
        least = child;
    if (least == i)
      return first;
    swap(&heap[i], &heap[least]);
  }
}

unsigned law_sum_order(size_t (*order)[2], const struct law_copies *parts, size_t count) {
  struct sum_term *heap = mem_alloc(count, sizeof *heap);
  size_t waiting = 0;
  for (size_t i = 0; i < count; i++)
    heap_push(heap, &waiting,
              (struct sum_term){parts[i].law->depth + sum_many_depth(parts[i].count), i});
  for (size_t j = 0; waiting > 1; j++) {
    struct sum_term x = heap_pop(heap, &waiting), y = heap_pop(heap, &waiting);
    order[j][0] = x.index;
    order[j][1] = y.index;
    heap_push(heap, &waiting,
              (struct sum_term){1 + (x.depth > y.depth ? x.depth : y.depth), count + j});
  }
  unsigned depth = heap[0].depth;
  mem_free(heap);
  return depth;
}
