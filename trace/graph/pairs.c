/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts how often one call had ended when another of the same caller started (making.h). Up to
 * MAKING_PAIRS_ALL calls of one caller every pair is counted. Of more, each call is held against
 * those alone that ended last before it started in the first request: the others are waited for
 * through these.
 */
#include <stdlib.h>

#include "trace/graph/making.h"

enum { PAIRS = 1 << 16, FEWEST = 2 };

static void all_pairs(struct flow_making *making, const uint32_t *children, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = i + 1; j < count; j++) {
      uint32_t a = children[i], b = children[j];
      vector_push(&making->pairs, (struct sibling_pair){.a = a < b ? a : b, .b = a < b ? b : a});
    }
}

struct ended_call {
  int64_t end;
  uint32_t index; /* into the caller's children, which are in the order of their start */
};

static int ended_compare(const void *a, const void *b) {
  const struct ended_call *x = a, *y = b;
  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static void near_pairs(struct flow_making *making, const uint32_t *children, size_t count) {
  size_t window = PAIRS / count < FEWEST ? FEWEST : PAIRS / count, ended = 0;
  int64_t noise = making->clock == NULL ? making->resolution[0] : SPAN_CUT_NS;
  struct ended_call *calls = mem_alloc(count, sizeof *calls);
  for (size_t i = 0; i < count; i++)
    calls[i] = (struct ended_call){making->times[2 * (size_t)children[i] + 1], (uint32_t)i};
  qsort(calls, count, sizeof *calls, ended_compare);
  for (size_t i = 0; i < count; i++) {
    int64_t start = making->times[2 * (size_t)children[i]];
    while (ended < count && calls[ended].end - noise <= start)
      ended++;
    size_t first = ended > window ? ended - window : 0;
    making->flow->unasked += first;
    for (size_t j = first; j < ended; j++) {
      uint32_t a = children[calls[j].index], b = children[i];
      if (calls[j].index < i)
        vector_push(&making->pairs, (struct sibling_pair){.a = a < b ? a : b, .b = a < b ? b : a});
    }
  }
  mem_free(calls);
}

static void count_pairs(struct flow_making *making, size_t request) {
  for (size_t i = 0; i < making->pairs.count; i++) {
    struct sibling_pair *pair = &making->pairs.data[i];
    enum precedence before = making_precedes(making, request, pair->a, pair->b);
    enum precedence after = making_precedes(making, request, pair->b, pair->a);
    pair->before += before == PRECEDES;
    pair->after += after == PRECEDES;
    pair->before_perhaps += before == PRECEDES_PERHAPS;
    pair->after_perhaps += after == PRECEDES_PERHAPS;
  }
}

void making_pairs(struct flow_making *making) {
  for (size_t p = 0; p < making->flow->calls.count; p++) {
    const uint32_t *children = making->children + making->child_first[p];
    size_t count = making->child_first[p + 1] - making->child_first[p];
    if (count <= MAKING_PAIRS_ALL)
      all_pairs(making, children, count);
    else
      near_pairs(making, children, count);
  }
  for (size_t i = 0; i < making->flow->requests.count; i++)
    count_pairs(making, i);
}
