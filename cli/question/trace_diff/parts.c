/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `trace diff`: calls and flows that more requests of one recording have than of the other; what is
 * new, and what is gone.
 */
#include <math.h>
#include <stdlib.h>

#include "cli/question/trace_diff/trace_diff.h"
#include "dist/statistics/holm.h"
#include "dist/statistics/special.h"

double trace_diff_chance(const size_t counts[DIFF_SIDES], const size_t of[DIFF_SIDES]) {
  size_t with = counts[DIFF_BEFORE] + counts[DIFF_AFTER];
  double more =
      special_hypergeometric_from(counts[DIFF_AFTER], of[DIFF_AFTER], of[DIFF_BEFORE], with);
  double fewer =
      special_hypergeometric_from(counts[DIFF_BEFORE], of[DIFF_BEFORE], of[DIFF_AFTER], with);
  return fmin(1, 2 * fmin(more, fewer));
}

static int by_chance(const void *a, const void *b) {
  const struct diff_part *x = a, *y = b;
  if (x->by_chance != y->by_chance)
    return x->by_chance < y->by_chance ? -1 : 1;
  if (x->flow != y->flow)
    return x->flow < y->flow ? -1 : 1;
  if (x->service != y->service)
    return x->service < y->service ? -1 : 1;
  return (x->operation > y->operation) - (x->operation < y->operation);
}

/* Leaves those whose share differs beyond chance; returns how many there were. */
static size_t keep_significant(diff_parts *parts, const struct trace_diff *d) {
  struct holm holm = {.left = parts->count};
  size_t tried = parts->count, kept = 0;
  if (tried == 0)
    return 0;
  for (size_t i = 0; i < tried; i++)
    parts->data[i].by_chance = trace_diff_chance(parts->data[i].counts, d->counts);
  qsort(parts->data, tried, sizeof *parts->data, by_chance);
  for (; kept < tried; kept++) {
    parts->data[kept].by_chance = holm_next(&holm, parts->data[kept].by_chance);
    if (parts->data[kept].by_chance > d->level_of_kinds)
      break;
  }
  parts->count = kept;
  return tried;
}

/* --- calls ------------------------------------------------------------------------------------ */

struct made_call {
  uint32_t service, operation, request;
};

static int by_call(const void *a, const void *b) {
  const struct made_call *x = a, *y = b;
  if (x->service != y->service)
    return x->service < y->service ? -1 : 1;
  if (x->operation != y->operation)
    return x->operation < y->operation ? -1 : 1;
  return (x->request > y->request) - (x->request < y->request);
}

/* Each call of each request, in the order of calls. */
static struct made_call *calls_of(const struct trace_diff *d, size_t *count) {
  VECTOR(struct made_call) calls = {0};
  for (uint32_t i = 0; i < d->store.requests.count; i++) {
    const struct request *request = &d->store.requests.data[i];
    for (uint32_t row = request->first; row < request->first + request->count; row++)
      vector_push(&calls,
                  (struct made_call){d->store.service.data[row], d->store.operation.data[row], i});
  }
  qsort(calls.data, calls.count, sizeof *calls.data, by_call);
  *count = calls.count;
  return calls.data;
}

static void find_calls(struct trace_diff *d) {
  size_t count;
  struct made_call *calls = calls_of(d, &count);
  for (size_t i = 0; i < count; i++) {
    bool new = i == 0 || calls[i].service != calls[i - 1].service ||
               calls[i].operation != calls[i - 1].operation;
    if (new)
      vector_push(&d->calls, (struct diff_part){.service = calls[i].service,
                                                .operation = calls[i].operation,
                                                .flow = SIZE_MAX});
    if (new || calls[i].request != calls[i - 1].request)
      d->calls.data[d->calls.count - 1].counts[calls[i].request >= d->counts[DIFF_BEFORE]]++;
  }
  mem_free(calls);
  d->calls_tried = keep_significant(&d->calls, d);
}

/* --- flows ------------------------------------------------------------------------------------ */

static void find_flows(struct trace_diff *d) {
  for (size_t f = 0; f < d->graph.flows.count; f++) {
    const struct request_flow *flow = d->graph.flows.data[f];
    struct diff_part part = {flow->calls.data[0].service, flow->calls.data[0].operation, .flow = f};
    for (size_t i = 0; i < flow->requests.count; i++)
      part.counts[flow->requests.data[i] >= d->counts[DIFF_BEFORE]]++;
    vector_push(&d->flows, part);
  }
  d->flows_tried = keep_significant(&d->flows, d);
}

void trace_diff_parts(struct trace_diff *d) {
  find_calls(d);
  find_flows(d);
}
