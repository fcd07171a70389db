/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/making.h"

#include <stdlib.h>

void making_init(struct flow_making *making, struct request_flow *flow,
                 const struct span_store *store, const struct graph_options *options) {
  size_t calls = flow->calls.count;
  *making = (struct flow_making){.flow = flow,
                                 .store = store,
                                 .options = options,
                                 .requests = flow->requests.count,
                                 .width = 2 * calls};
  making->times = mem_alloc(flow->requests.count * making->width, sizeof *making->times);
  making->resolution = mem_alloc(flow->requests.count, sizeof *making->resolution);
  making->child_first = mem_alloc(calls + 2, sizeof *making->child_first);
  making->children = mem_alloc(calls, sizeof *making->children);
  making->outlived = mem_alloc(calls, sizeof *making->outlived);
  making->follows = mem_alloc(calls, sizeof *making->follows);
  making->in_turn = mem_alloc(calls, sizeof *making->in_turn);
  for (size_t p = 0; p < calls; p++)
    making->in_turn[p] = true;
  making->rank = mem_alloc(making->width, sizeof *making->rank);
}

void making_clear(struct flow_making *making) {
  mem_free(making->times);
  mem_free(making->resolution);
  mem_free(making->child_first);
  mem_free(making->children);
  mem_free(making->outlived);
  mem_free(making->follows);
  mem_free(making->in_turn);
  mem_free(making->rank);
  vector_clear(&making->pairs);
  vector_clear(&making->waits);
}

static int64_t since(int64_t time, int64_t origin) {
  int64_t difference;
  if (__builtin_sub_overflow(time, origin, &difference))
    return time > origin ? INT64_MAX : INT64_MIN;
  return difference;
}

/* From when to when call p of a request took effect. */
static void call_times(struct flow_making *making, size_t request, const uint32_t *rows,
                       uint32_t p) {
  int64_t *times = making->times + request * making->width;
  const struct span_store *store = making->store;
  uint32_t row = rows[p];
  int64_t origin = store->start.data[rows[0]];
  int64_t start = since(store->start.data[row], origin), end = since(store->end.data[row], origin);
  if (p > 0) {
    uint32_t caller = making->flow->calls.data[p].parent;
    int64_t from = times[2 * (size_t)caller], until = times[2 * (size_t)caller + 1];
    bool skewed = (store->mark.data[row] & SPAN_SKEWED) != 0;
    bool outside = end < from || start > until;
    bool cut = start < from || (skewed && end > until);
    if (skewed) {
      start = start > until ? until : start;
      end = end > until ? until : end;
    }
    start = start < from ? from : start;
    end = end < start ? start : end;
    making->flow->clipped += cut;
    if (end > until && end - making->resolution[request] <= until && !outside)
      end = until;
    making->outlived[p] += outside || end > until;
    making->follows[p] |= (store->mark.data[row] & SPAN_FOLLOWS) != 0;
    making->in_turn[p] &= (store->mark.data[row] & SPAN_IN_TURN) != 0;
  }
  times[2 * (size_t)p] = start;
  times[2 * (size_t)p + 1] = end;
}

static void find_children(struct flow_making *making) {
  const struct request_flow *flow = making->flow;
  uint32_t *first = making->child_first, count = (uint32_t)flow->calls.count;
  for (uint32_t p = 1; p < count; p++)
    first[flow->calls.data[p].parent + 2]++;
  for (uint32_t p = 1; p < count; p++)
    first[p + 1] += first[p];
  for (uint32_t p = 1; p < count; p++)
    making->children[first[flow->calls.data[p].parent + 1]++] = p;
}

struct timed_call {
  int64_t start, end;
  uint32_t position;
};

static int timed_compare(const void *a, const void *b) {
  const struct timed_call *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  return x->position < y->position ? -1 : 1;
}

static void sort_children(struct flow_making *making) {
  struct timed_call *timed = mem_alloc(making->flow->calls.count, sizeof *timed);
  for (size_t p = 0; p < making->flow->calls.count; p++) {
    uint32_t *children = making->children + making->child_first[p];
    size_t count = making->child_first[p + 1] - making->child_first[p];
    for (size_t c = 0; c < count; c++) {
      const int64_t *times = making->times + 2 * (size_t)children[c];
      timed[c] = (struct timed_call){times[0], times[1], children[c]};
    }
    if (count > 1)
      qsort(timed, count, sizeof *timed, timed_compare);
    for (size_t c = 0; c < count; c++)
      children[c] = timed[c].position;
  }
  mem_free(timed);
}

static void find_apart(struct flow_making *making) {
  struct request_flow *flow = making->flow;
  for (size_t p = 1; p < flow->calls.count; p++) {
    flow->calls.data[p].apart = making->follows[p] || making->outlived[p] > 0;
    flow->apart += flow->calls.data[p].apart ? flow->requests.count : 0;
  }
  for (size_t i = 0; i < flow->requests.count; i++)
    flow->apart += making->store->requests.data[flow->requests.data[i]].count - flow->calls.count;
}

/* The unit of all times of a request; each request for itself, so that what is counted of it does
 * not depend on which others are looked at. */
static int64_t resolution_of(const struct span_store *store, const uint32_t *rows, size_t count) {
  enum { MILLISECOND = 1000000, MICROSECOND = 1000 };
  int64_t unit = MILLISECOND;
  for (size_t p = 0; p < count && unit > 0; p++) {
    int64_t start = store->start.data[rows[p]], end = store->end.data[rows[p]];
    while (unit > 0 && (start % unit != 0 || end % unit != 0))
      unit = unit == MILLISECOND ? MICROSECOND : 0;
  }
  return unit;
}

void making_times(struct flow_making *making) {
  struct request_flow *flow = making->flow;
  size_t calls = flow->calls.count;
  for (size_t i = 0; i < flow->requests.count; i++) {
    const uint32_t *rows = flow->rows.data + i * calls;
    making->resolution[i] = resolution_of(making->store, rows, calls);
    if (making->resolution[i] > flow->resolution)
      flow->resolution = making->resolution[i];
    for (uint32_t p = 0; p < calls; p++)
      call_times(making, i, rows, p);
  }
  find_children(making);
  sort_children(making);
  find_apart(making);
}
