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
  making->late = mem_alloc(flow->requests.count * calls, sizeof *making->late);
  making->middle = mem_alloc(calls, sizeof *making->middle);
  making->ended = mem_alloc(calls, sizeof *making->ended);
  making->outlived = mem_alloc(calls, sizeof *making->outlived);
  making->doubted = mem_alloc(calls, sizeof *making->doubted);
  making->left = mem_alloc(calls, sizeof *making->left);
  making->follows = mem_alloc(calls, sizeof *making->follows);
  making->in_turn = mem_alloc(calls, sizeof *making->in_turn);
  for (size_t p = 0; p < calls; p++)
    making->in_turn[p] = true;
  making->rank = mem_alloc(making->width, sizeof *making->rank);
  making->pooled = mem_alloc(calls, sizeof *making->pooled);
}

void making_clear(struct flow_making *making) {
  mem_free(making->times);
  mem_free(making->resolution);
  mem_free(making->child_first);
  mem_free(making->children);
  mem_free(making->clock);
  mem_free(making->late);
  mem_free(making->middle);
  mem_free(making->ended);
  mem_free(making->outlived);
  mem_free(making->doubted);
  mem_free(making->left);
  mem_free(making->follows);
  mem_free(making->in_turn);
  mem_free(making->rank);
  mem_free(making->pooled);
  vector_clear(&making->pairs);
  vector_clear(&making->waits);
}

static bool is_sender(enum span_kind kind) {
  return kind == SPAN_CLIENT || kind == SPAN_PRODUCER;
}

static bool is_receiver(enum span_kind kind) {
  return kind == SPAN_SERVER || kind == SPAN_CONSUMER;
}

/* Whether the span is one of those that its own service makes, and not that by which the service
 * was called: that is a server's. */
static bool is_within_service(const struct request_flow *flow, const struct flow_call *call) {
  return call->parent != SPAN_NONE && flow->calls.data[call->parent].service == call->service;
}

bool making_crosses_network(const struct flow_making *making, uint32_t p) {
  const struct request_flow *flow = making->flow;
  const struct flow_call *call = &flow->calls.data[p], *caller = &flow->calls.data[call->parent];
  uint32_t calls = making->child_first[call->parent + 1] - making->child_first[call->parent];
  if (call->kind == SPAN_UNKNOWN && caller->kind == SPAN_UNKNOWN)
    return calls == 1 && call->service != caller->service && is_within_service(flow, caller);
  return is_sender(caller->kind) && is_receiver(call->kind);
}

static int64_t since(int64_t time, int64_t origin) {
  int64_t difference;
  if (__builtin_sub_overflow(time, origin, &difference))
    return time > origin ? INT64_MAX : INT64_MIN;
  return difference;
}

/* A call between times of its caller. That one may have been cut itself: `until` is its end then,
 * and `ended` the one that was recorded, against which a call is late. */
struct placed {
  int64_t from, until, ended, start, end;
  bool outside;
};

static bool skewed_in(const struct flow_making *making, uint32_t row) {
  return (making->store->mark.data[row] & SPAN_SKEWED) != 0;
}

static bool is_after(int64_t time, int64_t other, int64_t noise) {
  int64_t difference;
  if (__builtin_sub_overflow(time, other, &difference))
    return time > other;
  return difference > noise;
}

/* Cuts the call to its caller. Returns whether anything was cut off that should not be there. */
static bool place(struct placed *placed, const struct flow_making *making, size_t request,
                  uint32_t p, bool skewed) {
  uint32_t caller = making->flow->calls.data[p].parent;
  int64_t noise = making_noise(making, request, p, caller);
  placed->outside = is_after(placed->from, placed->end, making_noise(making, request, caller, p)) ||
                    is_after(placed->start, placed->ended, noise);
  bool cut = placed->start < placed->from || (skewed && placed->end > placed->until);
  if (skewed || (!placed->outside && placed->start > placed->until)) {
    placed->start = placed->start > placed->until ? placed->until : placed->start;
    placed->end = placed->end > placed->until ? placed->until : placed->end;
  }
  placed->start = placed->start < placed->from ? placed->from : placed->start;
  placed->end = placed->end < placed->start ? placed->start : placed->end;
  if (!placed->outside && placed->end > placed->until &&
      !is_after(placed->end, placed->ended, noise)) {
    making->flow->cut |= is_after(placed->end, placed->ended, making->resolution[request]);
    placed->end = placed->until;
  }
  return cut;
}

static enum lateness lateness_of(const struct placed *placed) {
  if (placed->outside)
    return LATE_MOSTLY;
  if (placed->end <= placed->until)
    return LATE_NOT;
  return since(placed->end, placed->until) > since(placed->until, placed->start) ? LATE_MOSTLY
                                                                                 : LATE;
}

/* Whether the client of a server's span waited for it, though that one says that it ended later. */
static bool waited_on(const struct flow_making *making, const uint32_t *rows, uint32_t p) {
  uint32_t caller = making->flow->calls.data[p].parent;
  return making_answers(making->flow, p) && making->store->status.data[rows[caller]] != SPAN_ERROR;
}

/* From when to when call p of a request took effect. */
static void call_times(struct flow_making *making, size_t request, const uint32_t *rows,
                       uint32_t p) {
  int64_t *times = making->times + request * making->width;
  const struct span_store *store = making->store;
  uint32_t row = rows[p];
  int64_t origin = store->start.data[rows[0]];
  struct placed placed = {.start = since(store->start.data[row], origin),
                          .end = since(store->end.data[row], origin)};
  if (p > 0) {
    uint32_t caller = making->flow->calls.data[p].parent;
    placed.from = times[2 * (size_t)caller];
    placed.until = times[2 * (size_t)caller + 1];
    placed.ended = making->ended[caller] > placed.until ? making->ended[caller] : placed.until;
    making->flow->clipped += place(&placed, making, request, p, skewed_in(making, row));
    enum lateness late = lateness_of(&placed);
    if (late != LATE_NOT && !placed.outside && waited_on(making, rows, p)) {
      late = LATE_NOT;
      placed.end = placed.until;
    }
    making->late[request * making->flow->calls.count + p] = (uint8_t)late;
    making->outlived[p] += late != LATE_NOT;
    making->follows[p] |= (store->mark.data[row] & SPAN_FOLLOWS) != 0;
    making->in_turn[p] &= (store->mark.data[row] & SPAN_IN_TURN) != 0;
  }
  making->ended[p] = since(store->end.data[row], origin);
  times[2 * (size_t)p] = placed.start;
  times[2 * (size_t)p + 1] = placed.end;
  for (size_t moment = 0; moment < 2; moment++)
    if (__builtin_add_overflow(making->middle[p], times[2 * (size_t)p + moment],
                               &making->middle[p]))
      making->middle[p] = INT64_MAX;
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
  }
  making_clocks(making);
  for (size_t i = 0; i < flow->requests.count; i++) {
    for (uint32_t p = 0; p < calls; p++)
      call_times(making, i, flow->rows.data + i * calls, p);
    making->beside += making->store->requests.data[flow->requests.data[i]].count - calls;
  }
  find_children(making);
  sort_children(making);
}
