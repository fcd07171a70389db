/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds over all readings of undecided orders (replay.h).
 *
 * Two readings take each undecided order for a wait, or none. A request may wait by one and not by
 * another, and what comes of that need not lie between the two: of three stages of which each may
 * feed the next, the second alone may be what all wait for. But a reading gives each activity what
 * it waits for and how long it takes by itself, and the recorded ends, from which both follow, are
 * the same in all of them. So the least of both readings, one activity after the other, is the
 * least of all.
 */
#include <string.h>

#include "trace/evaluate/replay_inside.h"

struct bounding {
  const struct flow_variant *variant[2]; /* by reading */
  uint32_t *same;                        /* by activity of the first: that of the second */
  uint32_t *order; /* of the first's activities: each after all it waits for */
  bool ordered;    /* there is such an order in which both go */
  int64_t *durations[2], *least[2], *most[2];
  int64_t *recorded; /* finish, of the first */
};

static const struct request_flow *flow_of(const struct bounding *b, int reading) {
  return &b->variant[reading]->flow;
}

static uint32_t twin_of(const struct bounding *b, uint32_t activity) {
  const struct activity *a = &flow_of(b, 0)->activities.data[activity];
  const struct flow_call *call = &flow_of(b, 1)->calls.data[a->position];
  return a->is_lead ? call->lead : call->tail;
}

/* Whether all that an activity waits for, in both readings, and what may feed it, was put. */
static bool is_free(const struct bounding *b, uint32_t activity, const bool *put[2]) {
  for (int reading = 0; reading < 2; reading++) {
    const struct request_flow *flow = flow_of(b, reading);
    const struct activity *a = &flow->activities.data[reading == 0 ? activity : b->same[activity]];
    for (uint32_t w = 0; w < a->wait_count; w++)
      if (!put[reading][flow->waits.data[a->wait_first + w]])
        return false;
  }
  const struct request_flow *flow = flow_of(b, 0);
  for (size_t i = 0; i < flow->beside.count; i++) {
    const struct flow_call *from = &flow->calls.data[flow->beside.data[i].from];
    const struct flow_call *to = &flow->calls.data[flow->beside.data[i].to];
    if ((to->tail == activity && !put[0][from->tail]) ||
        (to->lead == activity && !put[0][from->lead]))
      return false;
  }
  return true;
}

/* Activities stand in an order that nearly fits: as often through them as it takes. */
static void find_order(struct bounding *b) {
  size_t count = flow_of(b, 0)->activities.count, placed = 0, before = 1;
  bool *put[2] = {mem_alloc(count, sizeof **put), mem_alloc(count, sizeof **put)};
  const bool *seen[2] = {put[0], put[1]};
  while (placed != before) {
    before = placed;
    for (uint32_t a = 0; a < count; a++)
      if (!put[0][a] && is_free(b, a, seen)) {
        put[0][a] = put[1][b->same[a]] = true;
        b->order[placed++] = a;
      }
  }
  b->ordered = placed == count;
  mem_free(put[0]);
  mem_free(put[1]);
}

static void bounding_make(struct bounding *b, const struct flow_variant *waits,
                          const struct flow_variant *free) {
  *b = (struct bounding){.variant = {waits, free}};
  size_t count = waits->flow.activities.count;
  b->same = mem_alloc(count, sizeof *b->same);
  b->order = mem_alloc(count, sizeof *b->order);
  for (uint32_t a = 0; a < count; a++)
    b->same[a] = twin_of(b, a);
  find_order(b);
  for (int reading = 0; reading < 2; reading++) {
    b->durations[reading] = mem_alloc(count, sizeof **b->durations);
    b->least[reading] = mem_alloc(count, sizeof **b->least);
    b->most[reading] = mem_alloc(count, sizeof **b->most);
  }
  b->recorded = mem_alloc(count, sizeof *b->recorded);
}

static void bounding_clear(struct bounding *b) {
  mem_free(b->same);
  mem_free(b->order);
  mem_free(b->recorded);
  for (int reading = 0; reading < 2; reading++) {
    mem_free(b->durations[reading]);
    mem_free(b->least[reading]);
    mem_free(b->most[reading]);
  }
}

/* Whether its wait is for the end of another call, and not only for its caller's start. */
static bool waits_for_call(const struct request_flow *flow, uint32_t activity) {
  const struct activity *a = &flow->activities.data[activity];
  for (uint32_t w = 0; w < a->wait_count; w++)
    if (!flow->activities.data[flow->waits.data[a->wait_first + w]].is_lead)
      return true;
  return false;
}

static int64_t later(int64_t ready, int64_t duration) {
  int64_t end;
  return __builtin_add_overflow(ready, duration, &end) ? INT64_MAX / 2 : end;
}

/* By what the change makes an activity longer. */
static double factor_of(const struct bounding *b, const int64_t *durations, uint32_t activity) {
  return durations[activity] > 0 ? (double)b->durations[0][activity] / (double)durations[activity]
                                 : 1;
}

/* If `from` feeds `to`: what of `to` comes after the end of the other takes as much longer as it
 * does, and what was recorded before was waiting for it. */
static void look_at_end(struct bounding *b, const int64_t *durations, uint32_t from, uint32_t to,
                        uint32_t begin) {
  double factor = factor_of(b, durations, to);
  int64_t after = b->recorded[to] - b->recorded[from];
  int64_t beside = b->recorded[from] - b->recorded[begin];
  if (after < 0 || beside < 0)
    return;
  int64_t rest = (int64_t)((double)after * factor);
  int64_t most = later(b->most[0][from], rest);
  int64_t least = later(b->least[0][begin], beside + rest);
  if (b->most[0][to] < b->most[0][from] && most > b->most[0][to])
    b->most[0][to] = most;
  if (factor > 1 && least < b->least[0][to])
    b->least[0][to] = least;
}

/* If `from` feeds the call that starts with `begin`: it starts with the first that it hands on. */
static void look_at_start(struct bounding *b, const int64_t *durations,
                          const struct flow_call *from, uint32_t begin) {
  double factor = factor_of(b, durations, from->tail);
  int64_t first = b->recorded[begin] - b->recorded[from->lead];
  if (factor >= 1 || first < 0 || waits_for_call(flow_of(b, 0), begin))
    return;
  int64_t least = later(b->least[0][from->lead], (int64_t)((double)first * factor));
  if (least < b->least[0][begin])
    b->least[0][begin] = least;
}

/* What comes of it if calls that run beside this one feed it; whether that is anything. */
static bool look_beside(struct bounding *b, const int64_t *durations, uint32_t activity) {
  const struct request_flow *flow = flow_of(b, 0);
  int64_t least = b->least[0][activity], most = b->most[0][activity];
  for (size_t i = 0; i < flow->beside.count; i++) {
    const struct flow_call *from = &flow->calls.data[flow->beside.data[i].from];
    const struct flow_call *to = &flow->calls.data[flow->beside.data[i].to];
    if (to->tail == activity)
      look_at_end(b, durations, from->tail, activity, to->lead);
    else if (to->lead == activity)
      look_at_start(b, durations, from, activity);
  }
  return least != b->least[0][activity] || most != b->most[0][activity];
}

/* Request i of the flow; returns how often what runs beside matters. */
static uint64_t bound_request(struct bounding *b, const int64_t *durations) {
  uint64_t fed = 0;
  size_t count = flow_of(b, 0)->activities.count;
  flow_finish(b->recorded, b->variant[0]->recorded, durations);
  for (size_t i = 0; i < count; i++) {
    uint32_t a = b->order[i], twin = b->same[a];
    const struct activity *waits = &flow_of(b, 0)->activities.data[a];
    const struct activity *free = &flow_of(b, 1)->activities.data[twin];
    int64_t least = later(flow_ready(b->least[0], flow_of(b, 0), waits), b->durations[0][a]);
    int64_t other = later(flow_ready(b->least[1], flow_of(b, 1), free), b->durations[1][twin]);
    b->least[0][a] = least < other ? least : other;
    int64_t most = later(flow_ready(b->most[0], flow_of(b, 0), waits), b->durations[0][a]);
    other = later(flow_ready(b->most[1], flow_of(b, 1), free), b->durations[1][twin]);
    b->most[0][a] = most > other ? most : other;
    fed += look_beside(b, durations, a);
    b->least[1][twin] = b->least[0][a];
    b->most[1][twin] = b->most[0][a];
  }
  return fed;
}

static void take(struct bounded *bounded, size_t at, int64_t least, int64_t most) {
  bounded->least.data[at] = least;
  bounded->most.data[at] = most;
}

static void bound_flow(struct bounded *bounded, struct replaying readings[2], size_t f,
                       size_t first) {
  const struct variants *waits = readings[0].request->variants;
  const struct variants *free = readings[1].request->variants;
  struct bounding b;
  bounding_make(&b, &waits->flows.data[f], &free->flows.data[f]);
  const struct request_flow *flow = &waits->flows.data[f].flow;
  bool queued = waits->flows.data[f].limit_of.count != 0 || free->flows.data[f].limit_of.count != 0;
  for (size_t i = 0; i < flow->requests.count; i++) {
    size_t at = first + flow->requests.data[i];
    const int64_t *row = b.variant[0]->recorded->durations.data + i * flow->activities.count;
    for (int k = 0; k < 2 && !queued; k++) {
      replaying_variant(&readings[k], b.variant[k]);
      replaying_redo(&readings[k], b.durations[k], i);
    }
    if (queued || !b.ordered) {
      int64_t one = readings[0].replayed->after.data[at];
      int64_t two = readings[1].replayed->after.data[at];
      take(bounded, at, one < two ? one : two, one > two ? one : two);
      continue;
    }
    size_t last = flow->activities.count - 1;
    bounded->fed += bound_request(&b, row);
    take(bounded, at, replaying_latency(&readings[0], b.least[0][last]),
         replaying_latency(&readings[0], b.most[0][last]));
  }
  bounding_clear(&b);
}

void requests_bound(struct bounded *bounded, const struct replay_wish *waits,
                    const struct replay_wish *free, struct replayed *const replayed[2]) {
  *bounded = (struct bounded){0};
  struct replaying readings[2];
  size_t requests = waits->store->requests.count;
  replaying_init(&readings[0], waits, replayed[0]);
  replaying_init(&readings[1], free, replayed[1]);
  for (size_t i = 0; i < replayed[0]->repetitions * requests; i++) {
    vector_push(&bounded->least, 0);
    vector_push(&bounded->most, 0);
  }
  for (size_t k = 0; k < replayed[0]->repetitions; k++)
    for (size_t f = 0; f < waits->variants->flows.count; f++)
      bound_flow(bounded, readings, f, k * requests);
  replaying_clear(&readings[0]);
  replaying_clear(&readings[1]);
}

void bounded_clear(struct bounded *bounded) {
  vector_clear(&bounded->least);
  vector_clear(&bounded->most);
}
