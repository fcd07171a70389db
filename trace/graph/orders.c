/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From counted pairs to orders and waits (making.h). Orders that no request refutes are transitive,
 * so only those are asked about that do not follow from others: X before Y when no Z stands
 * between.
 */
#include <stdlib.h>

#include "trace/graph/evidence.h"
#include "trace/graph/making.h"

enum { SAMPLE = 2048 }; /* of the requests, for the evidence; all of them count as refutations */

/* What each call may wait for, of its siblings: earlier[first[p] .. first[p + 1]), the one that
 * is last on average first. */
struct possible {
  uint32_t *first, *earlier;
  uint64_t *perhaps; /* beside `earlier`: requests in which it may have ended by then */
  uint32_t *seen;    /* by position: the call + 1 for which it was last met */
  bool *followed;    /* by position: some sibling that its caller waits for comes after it */
  int64_t *x, *y;
  uint32_t *waited;
};

static bool holds(const struct flow_making *making, const struct sibling_pair *pair,
                  uint32_t *before, uint32_t *after) {
  bool forward = making_holds(making, pair, true);
  *before = forward ? pair->a : pair->b;
  *after = forward ? pair->b : pair->a;
  return (forward || making_holds(making, pair, false)) && !making->follows[*before];
}

struct ended_before {
  int64_t middle;
  uint64_t perhaps;
  uint32_t position;
};

static int later_first(const void *a, const void *b) {
  const struct ended_before *x = a, *y = b;
  if (x->middle != y->middle)
    return x->middle > y->middle ? -1 : 1;
  return x->position > y->position ? -1 : 1;
}

static void sort_possible(const struct flow_making *making, struct possible *possible) {
  struct ended_before *sorted = mem_alloc(making->flow->calls.count, sizeof *sorted);
  for (size_t p = 0; p < making->flow->calls.count; p++) {
    uint32_t *list = possible->earlier + possible->first[p];
    size_t count = possible->first[p + 1] - possible->first[p];
    for (size_t i = 0; i < count; i++)
      sorted[i] = (struct ended_before){making->middle[list[i]],
                                        possible->perhaps[possible->first[p] + i], list[i]};
    if (count > 1)
      qsort(sorted, count, sizeof *sorted, later_first);
    for (size_t i = 0; i < count; i++) {
      list[i] = sorted[i].position;
      possible->perhaps[possible->first[p] + i] = sorted[i].perhaps;
    }
  }
  mem_free(sorted);
}

static void possible_init(struct possible *possible, const struct flow_making *making) {
  size_t calls = making->flow->calls.count, count = 0;
  uint32_t before, after;
  possible->first = mem_alloc(calls + 2, sizeof *possible->first);
  possible->seen = mem_alloc(calls, sizeof *possible->seen);
  possible->followed = mem_alloc(calls, sizeof *possible->followed);
  possible->x = mem_alloc(SAMPLE, sizeof *possible->x);
  possible->y = mem_alloc(SAMPLE, sizeof *possible->y);
  possible->waited = mem_alloc(calls, sizeof *possible->waited);
  for (size_t i = 0; i < making->pairs.count; i++)
    if (holds(making, &making->pairs.data[i], &before, &after)) {
      possible->first[after + 2]++;
      possible->followed[before] |=
          !making->flow->calls.data[after].apart && !making->doubted[after];
      count++;
    }
  for (size_t p = 0; p < calls; p++)
    possible->first[p + 1] += possible->first[p];
  possible->earlier = mem_alloc(count, sizeof *possible->earlier);
  possible->perhaps = mem_alloc(count, sizeof *possible->perhaps);
  for (size_t i = 0; i < making->pairs.count; i++)
    if (holds(making, &making->pairs.data[i], &before, &after)) {
      const struct sibling_pair *pair = &making->pairs.data[i];
      size_t place = possible->first[after + 1]++;
      possible->earlier[place] = before;
      possible->perhaps[place] = before == pair->a ? pair->before_perhaps : pair->after_perhaps;
    }
  sort_possible(making, possible);
}

static void possible_clear(struct possible *possible) {
  mem_free(possible->first);
  mem_free(possible->earlier);
  mem_free(possible->perhaps);
  mem_free(possible->seen);
  mem_free(possible->followed);
  mem_free(possible->x);
  mem_free(possible->y);
  mem_free(possible->waited);
}

/* Order `order` stays to be judged; it means a wait of `after`. */
static void ask(struct flow_making *making, uint32_t before, uint32_t after, uint64_t refuted) {
  struct request_flow *flow = making->flow;
  uint32_t index = (uint32_t)flow->orders.count;
  bool is_lead = flow->calls.data[before].parent != after;
  if (making->in_turn[before] && (!is_lead || making->in_turn[after])) {
    vector_push(&making->waits, (struct found_wait){after, is_lead, before, SPAN_NONE, false});
    return;
  }
  vector_push(&flow->orders,
              (struct order){.before = before,
                             .after = after,
                             .verdict = ORDER_UNDECIDED,
                             .held = making->requests - refuted,
                             .refuted = refuted,
                             .differs = is_lead ? refuted > 0 : making->doubted[before],
                             .by_chance = 1});
  vector_push(&making->waits, (struct found_wait){after, is_lead, before, index, false});
}

/* Those that call p may wait for and that no other of them comes after. */
static void ask_before(struct flow_making *making, struct possible *possible, uint32_t p) {
  for (uint32_t i = possible->first[p]; i < possible->first[p + 1]; i++) {
    uint32_t before = possible->earlier[i];
    if (possible->seen[before] != p + 1)
      ask(making, before, p, possible->perhaps[i]);
    for (uint32_t j = possible->first[before]; j < possible->first[before + 1]; j++)
      possible->seen[possible->earlier[j]] = p + 1;
  }
}

static void ask_end(struct flow_making *making, uint32_t p) {
  uint32_t caller = making->flow->calls.data[p].parent;
  if (making_answers(making->flow, p) && !making->doubted[p])
    vector_push(&making->waits, (struct found_wait){caller, false, p, SPAN_NONE, false});
  else
    ask(making, p, caller, making->outlived[p]);
}

static void ask_all(struct flow_making *making, struct possible *possible) {
  const struct request_flow *flow = making->flow;
  for (uint32_t p = 1; p < flow->calls.count; p++) {
    ask_before(making, possible, p);
    if (!flow->calls.data[p].apart && !possible->followed[p])
      ask_end(making, p);
  }
}

static size_t sample_of(const struct flow_making *making) {
  size_t requests = making->flow->requests.count;
  return requests < SAMPLE ? requests : SAMPLE;
}

/* When the order's second part came: the start of a sibling, or the end of the caller. */
static int64_t time_after(const struct flow_making *making, const struct order *order,
                          const int64_t *times) {
  bool is_end = making->flow->calls.data[order->before].parent == order->after;
  return times[2 * (size_t)order->after + is_end];
}

/* Whether a request speaks against an order that is undecided or rarely does not hold. */
static bool is_against(const struct flow_making *making, size_t request,
                       const struct order *order) {
  if (making->flow->calls.data[order->before].parent == order->after)
    return making->late[request * making->flow->calls.count + order->before] != LATE_NOT;
  return making_precedes(making, request, order->before, order->after) != PRECEDES;
}

/* The evidence for an order. Times are counted from the start of its first part, or from the latest
 * end of the calls `waited` for anyway. */
static void evidence_for(struct order_evidence *evidence, const struct flow_making *making,
                         struct possible *possible, const struct order *order,
                         const uint32_t *waited, size_t waited_count) {
  size_t requests = making->flow->requests.count, count = sample_of(making), against = 0;
  for (size_t i = 0; i < count; i++) {
    const int64_t *times = making->times + i * requests / count * making->width;
    const int64_t *before = times + 2 * (size_t)order->before;
    int64_t origin = waited_count > 0 ? times[2 * (size_t)waited[0] + 1] : before[0];
    for (size_t w = 1; w < waited_count; w++)
      if (times[2 * (size_t)waited[w] + 1] > origin)
        origin = times[2 * (size_t)waited[w] + 1];
    possible->x[i] = before[1] - origin;
    possible->y[i] = time_after(making, order, times) - origin;
    against += is_against(making, i * requests / count, order);
  }
  evidence_of(evidence, possible->x, possible->y, count, against);
}

static void judge(const struct flow_making *making, struct possible *possible, struct order *order,
                  const uint32_t *waited, size_t waited_count) {
  struct order_evidence evidence;
  evidence_for(&evidence, making, possible, order, waited, waited_count);
  double level = making->options->level / (double)making->asked;
  if (evidence.by_chance < order->by_chance)
    order->by_chance = evidence.by_chance;
  bool supported = order->by_chance <= level && !order->differs;
  order->verdict = supported ? ORDER_SUPPORTED : ORDER_UNDECIDED;
  if (order->differs)
    order->needed = ORDER_NEVER;
  else if (order->verdict == ORDER_SUPPORTED)
    order->needed = 0;
  else if (waited_count == 0)
    order->needed = evidence_needed(&evidence, sample_of(making), level);
}

static bool same_target(const struct found_wait *a, const struct found_wait *b) {
  return a->position == b->position && a->is_lead == b->is_lead;
}

static bool is_sure(const struct flow_making *making, const struct found_wait *wait) {
  return wait->order == SPAN_NONE ||
         making->flow->orders.data[wait->order].verdict == ORDER_SUPPORTED;
}

/* waits[first .. end) are of one target. What is supported explains when the target came, up to its
 * own work; another order is supported when it explains what that leaves. */
static void judge_rest(struct flow_making *making, struct possible *possible, size_t first,
                       size_t end) {
  struct order *orders = making->flow->orders.data;
  size_t supported = 0;
  for (size_t w = first; w < end; w++)
    if (is_sure(making, &making->waits.data[w]))
      possible->waited[supported++] = making->waits.data[w].before;
  for (size_t w = first; w < end && supported > 0; w++)
    if (!is_sure(making, &making->waits.data[w]))
      judge(making, possible, &orders[making->waits.data[w].order], possible->waited, supported);
}

/* The end of the run of waits of one target that starts at `first`. */
static size_t run_end(const struct flow_making *making, size_t first) {
  size_t end = first + 1;
  while (end < making->waits.count &&
         same_target(&making->waits.data[first], &making->waits.data[end]))
    end++;
  return end;
}

static int wait_compare(const void *a, const void *b) {
  const struct found_wait *x = a, *y = b;
  if (x->position != y->position)
    return x->position < y->position ? -1 : 1;
  if (x->is_lead != y->is_lead)
    return x->is_lead ? -1 : 1;
  return x->before < y->before ? -1 : x->before > y->before;
}

/* Each order is asked about once, and again where its target has several. */
static void judge_all(struct flow_making *making, struct possible *possible) {
  struct request_flow *flow = making->flow;
  if (making->waits.count > 1)
    qsort(making->waits.data, making->waits.count, sizeof *making->waits.data, wait_compare);
  making->asked = flow->orders.count;
  for (size_t first = 0, end; first < making->waits.count; first = end) {
    end = run_end(making, first);
    making->asked += end - first > 1 ? end - first : 0;
  }
  for (size_t i = 0; i < flow->orders.count; i++)
    judge(making, possible, &flow->orders.data[i], NULL, 0);
  for (size_t first = 0, end; first < making->waits.count; first = end) {
    end = run_end(making, first);
    judge_rest(making, possible, first, end);
  }
}

static void add_refuted(struct flow_making *making, uint32_t before, uint32_t after,
                        uint64_t held) {
  struct request_flow *flow = making->flow;
  uint64_t requests = making->requests;
  if (held > 0 && held < requests)
    vector_push(&flow->orders, (struct order){.before = before,
                                              .after = after,
                                              .verdict = ORDER_REFUTED,
                                              .held = held,
                                              .refuted = requests - held,
                                              .by_chance = 1});
}

static void add_all_refuted(struct flow_making *making) {
  struct request_flow *flow = making->flow;
  for (size_t i = 0; i < making->pairs.count; i++) {
    const struct sibling_pair *pair = &making->pairs.data[i];
    if (!making_holds(making, pair, true))
      add_refuted(making, pair->a, pair->b, pair->before);
    if (!making_holds(making, pair, false))
      add_refuted(making, pair->b, pair->a, pair->after);
  }
  for (uint32_t p = 1; p < flow->calls.count; p++)
    if (flow->calls.data[p].apart)
      add_refuted(making, p, flow->calls.data[p].parent, making->requests - making->outlived[p]);
}

void making_orders(struct flow_making *making) {
  struct possible possible;
  possible_init(&possible, making);
  ask_all(making, &possible);
  judge_all(making, &possible);
  add_all_refuted(making);
  possible_clear(&possible);
}

void making_read(struct flow_making *making) {
  if (making->options->undecided == UNDECIDED_WAITS)
    return;
  size_t kept = 0;
  for (size_t i = 0; i < making->waits.count; i++) {
    const struct found_wait *wait = &making->waits.data[i];
    bool gave_up = !wait->is_lead && making_answers(making->flow, wait->before);
    making->left[wait->before] |= gave_up && !is_sure(making, wait);
    if (gave_up || is_sure(making, wait))
      making->waits.data[kept++] = *wait;
  }
  making->waits.count = kept;
}
