/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/alike.h"

#include <math.h>
#include <stdlib.h>

#include "dist/statistics/special.h"

/* An order's probability is the lesser of so many (orders.c, judge_rest). */
static const double ASKED = 2;

struct alike_key {
  uint64_t caller, before, after; /* names: service and operation; an end: after is its caller */
  bool is_end;
};

/* What one flow says of orders of a key, and then what all say. */
struct alike_order {
  struct alike_key key;
  double probabilities; /* added up, and then: that of all, by chance */
  uint64_t orders;      /* in the flow that count */
  bool refuted;
};

struct alike_orders {
  VECTOR(struct alike_order) all, flow; /* `flow`: of the one that is added */
  double level;
};

struct alike_orders *alike_orders_new(void) {
  return mem_alloc(1, sizeof(struct alike_orders));
}

void alike_orders_free(struct alike_orders *alike) {
  vector_clear(&alike->all);
  vector_clear(&alike->flow);
  mem_free(alike);
}

static uint64_t name_of(const struct request_flow *flow, uint32_t p) {
  return (uint64_t)flow->calls.data[p].service << 32 | flow->calls.data[p].operation;
}

static struct alike_key key_of(const struct request_flow *flow, uint32_t before, uint32_t after) {
  uint32_t caller = flow->calls.data[before].parent;
  return (struct alike_key){name_of(flow, caller), name_of(flow, before), name_of(flow, after),
                            after == caller};
}

static int compare(const void *a, const void *b) {
  const struct alike_key *x = a, *y = b;
  if (x->caller != y->caller)
    return x->caller < y->caller ? -1 : 1;
  if (x->before != y->before)
    return x->before < y->before ? -1 : 1;
  if (x->after != y->after)
    return x->after < y->after ? -1 : 1;
  return x->is_end - y->is_end;
}

static void refute(struct alike_orders *alike, const struct flow_making *making, uint32_t before,
                   uint32_t after) {
  vector_push(&alike->flow,
              (struct alike_order){.key = key_of(making->flow, before, after), .refuted = true});
}

/* Calls that overlap in some request, and ends that are not waited for in some. */
static void add_refuted(struct alike_orders *alike, const struct flow_making *making) {
  for (size_t i = 0; i < making->pairs.count; i++) {
    const struct sibling_pair *pair = &making->pairs.data[i];
    if (making_holds(making, pair, true) || making_holds(making, pair, false))
      continue;
    refute(alike, making, pair->a, pair->b);
    refute(alike, making, pair->b, pair->a);
  }
  for (uint32_t p = 1; p < making->flow->calls.count; p++)
    if (making->flow->calls.data[p].apart || making->doubted[p])
      refute(alike, making, p, making->flow->calls.data[p].parent);
}

static void add_asked(struct alike_orders *alike, const struct flow_making *making) {
  for (size_t i = 0; i < making->flow->orders.count; i++) {
    const struct order *order = &making->flow->orders.data[i];
    if (order->verdict == ORDER_REFUTED)
      continue;
    bool counts = making->flow->requests.count >= ALIKE_LEAST && !order->differs;
    vector_push(&alike->flow,
                (struct alike_order){.key = key_of(making->flow, order->before, order->after),
                                     .probabilities = counts ? order->by_chance : 0,
                                     .orders = counts,
                                     .refuted = order->differs});
  }
}

static void merge_flow(struct alike_orders *alike) {
  struct alike_order *flow = alike->flow.data;
  size_t kept = 0;
  if (alike->flow.count == 0)
    return;
  qsort(flow, alike->flow.count, sizeof *flow, compare);
  for (size_t i = 1; i < alike->flow.count; i++) {
    if (compare(&flow[kept], &flow[i]) != 0) {
      flow[++kept] = flow[i];
      continue;
    }
    flow[kept].probabilities += flow[i].probabilities;
    flow[kept].orders += flow[i].orders;
    flow[kept].refuted |= flow[i].refuted;
  }
  for (size_t i = 0; i <= kept; i++)
    vector_push(&alike->all, flow[i]);
}

void alike_orders_add(struct alike_orders *alike, const struct flow_making *making) {
  alike->flow.count = 0;
  add_refuted(alike, making);
  add_asked(alike, making);
  merge_flow(alike);
}

/* Of one key: all[from .. end). */
static struct alike_order combine(const struct alike_order *all, size_t from, size_t end) {
  struct alike_order sum = {.key = all[from].key, .probabilities = 1};
  double statistic = 0, flows = 0;
  for (size_t i = from; i < end; i++) {
    sum.refuted |= all[i].refuted;
    if (all[i].orders == 0)
      continue;
    double mean = all[i].probabilities / (double)all[i].orders;
    double probability = fmin(1, (all[i].orders == 1 ? 1 : 2) * ASKED * mean);
    statistic -= 2 * log(fmax(probability, 1e-300));
    sum.orders += all[i].orders;
    flows++;
  }
  if (flows > 1)
    sum.probabilities = special_chi_square_above(statistic, 2 * flows);
  return sum;
}

void alike_orders_settle(struct alike_orders *alike, double level) {
  struct alike_order *all = alike->all.data;
  size_t kept = 0;
  if (alike->all.count > 1)
    qsort(all, alike->all.count, sizeof *all, compare);
  for (size_t from = 0, end; from < alike->all.count; from = end) {
    for (end = from + 1; end < alike->all.count && compare(&all[from], &all[end]) == 0; end++)
      ;
    all[kept++] = combine(all, from, end);
  }
  alike->all.count = kept;
  alike->level = level / (double)(kept == 0 ? 1 : kept);
}

uint64_t alike_orders_apply(const struct alike_orders *alike, struct request_flow *flow) {
  uint64_t supported = 0;
  if (flow->requests.count >= ALIKE_MANY || alike->all.count == 0)
    return 0;
  for (size_t i = 0; i < flow->orders.count; i++) {
    struct order *order = &flow->orders.data[i];
    if (order->verdict != ORDER_UNDECIDED || order->differs)
      continue;
    struct alike_key key = key_of(flow, order->before, order->after);
    const struct alike_order *found =
        bsearch(&key, alike->all.data, alike->all.count, sizeof *found, compare);
    if (found == NULL || found->refuted || found->probabilities > alike->level)
      continue;
    order->verdict = ORDER_SUPPORTED;
    order->by_chance = found->probabilities;
    order->needed = 0;
    supported++;
  }
  return supported;
}
