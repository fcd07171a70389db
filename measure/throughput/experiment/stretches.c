/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/stretches.h"

#include <stdlib.h>

static int by_start(const void *left, const void *right) {
  const struct time_stretch *a = left, *b = right;
  return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

void stretches_unite(stretch_list *list) {
  if (list->count == 0)
    return;
  qsort(list->data, list->count, sizeof *list->data, by_start);
  size_t last = 0;
  for (size_t i = 1; i < list->count; i++) {
    struct time_stretch *before = &list->data[last], next = list->data[i];
    if (next.from_ns > before->until_ns)
      list->data[++last] = next;
    else if (next.until_ns > before->until_ns)
      before->until_ns = next.until_ns;
  }
  list->count = last + 1;
}

uint64_t stretches_overlap(const stretch_list *a, const stretch_list *b) {
  uint64_t overlap = 0;
  for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
    const struct time_stretch *x = &a->data[i], *y = &b->data[j];
    uint64_t from = x->from_ns > y->from_ns ? x->from_ns : y->from_ns;
    uint64_t until = x->until_ns < y->until_ns ? x->until_ns : y->until_ns;
    overlap += from < until ? until - from : 0;
    if (x->until_ns < y->until_ns)
      i++;
    else
      j++;
  }
  return overlap;
}
