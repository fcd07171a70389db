/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds queues (waiting.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "trace/evaluate/waiting_inside.h"

enum {
  CALLS_LEAST = 20,
  MET_LEAST = 10,   /* calls that were ready when no place was free */
  SHUFFLED = 10000, /* calls, of the earliest requests */
  SHUFFLES_LEAST = 199,
  SHUFFLES_MOST = 1999,
};

struct candidate {
  uint32_t service, operation;
};

struct search {
  const struct request_graph *graph;
  const struct span_store *store;
  double level;
  VECTOR(struct candidate) candidates;
  bool *service_seen, *operation_seen; /* by name */
};

static int time_compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

uint64_t waiting_most(int64_t *starts, int64_t *ends, size_t count) {
  uint64_t now = 0, most = 0;
  qsort(starts, count, sizeof *starts, time_compare);
  qsort(ends, count, sizeof *ends, time_compare);
  for (size_t i = 0, ended = 0; i < count; i++) {
    for (now++; ended < count && ends[ended] <= starts[i]; ended++)
      now--;
    most = now > most ? now : most;
  }
  return most;
}

/* --- what is looked at ------------------------------------------------------------------------ */

static bool has_calls(const struct request_flow *flow, uint32_t p) {
  return p + 1 < flow->calls.count && flow->calls.data[p + 1].parent == p;
}

/* A service is entered by a call of another one; what a service calls within itself, such as a
 * database that has no spans of its own, is told by its operation. */
static bool is_of(const struct request_flow *flow, uint32_t p, const struct candidate *of) {
  const struct flow_call *call = &flow->calls.data[p];
  if (call->service != of->service || call->apart || p == 0)
    return false;
  bool within = flow->calls.data[call->parent].service == call->service;
  if (of->operation == 0)
    return !within;
  return within && call->operation == of->operation && !has_calls(flow, p);
}

static void find_candidates(struct search *s) {
  for (size_t f = 0; f < s->graph->flows.count; f++) {
    const struct request_flow *flow = s->graph->flows.data[f];
    for (uint32_t p = 1; p < flow->calls.count; p++) {
      const struct flow_call *call = &flow->calls.data[p];
      struct candidate entered = {call->service, 0}, inside = {call->service, call->operation};
      if (!s->service_seen[call->service] && is_of(flow, p, &entered)) {
        s->service_seen[call->service] = true;
        vector_push(&s->candidates, entered);
      }
      if (!s->operation_seen[call->operation] && is_of(flow, p, &inside)) {
        s->operation_seen[call->operation] = true;
        vector_push(&s->candidates, inside);
      }
    }
  }
}

static int call_compare(const void *a, const void *b) {
  const struct waiting_call *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  if (x->flow != y->flow)
    return x->flow < y->flow ? -1 : 1;
  if (x->request != y->request)
    return x->request < y->request ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

static int64_t origin_of(const struct search *s, const struct request_flow *flow, size_t i) {
  return s->store->start.data[s->store->requests.data[flow->requests.data[i]].first];
}

static bool has_any(const struct request_flow *flow, const struct candidate *of) {
  for (uint32_t p = 1; p < flow->calls.count; p++)
    if (is_of(flow, p, of))
      return true;
  return false;
}

/* A call that takes no time is in nobody's way. */
static void add_request(struct waiting_calls *calls, const struct search *s, size_t f, size_t i,
                        const struct candidate *of, int64_t *finish) {
  const struct request_flow *flow = s->graph->flows.data[f];
  int64_t origin = origin_of(s, flow, i);
  flow_finish(finish, flow, flow->durations.data + i * flow->activities.count);
  for (uint32_t p = 1; p < flow->calls.count; p++) {
    const struct flow_call *call = &flow->calls.data[p];
    if (!is_of(flow, p, of) || finish[call->tail] <= finish[call->lead])
      continue;
    int64_t ready = flow_ready(finish, flow, &flow->activities.data[call->lead]);
    vector_push(&calls->all, (struct waiting_call){.flow = (uint32_t)f,
                                                   .request = (uint32_t)i,
                                                   .position = p,
                                                   .ready = origin + ready,
                                                   .start = origin + finish[call->lead],
                                                   .end = origin + finish[call->tail]});
  }
}

static void find_calls(struct waiting_calls *calls, const struct search *s,
                       const struct candidate *of) {
  for (size_t f = 0; f < s->graph->flows.count; f++) {
    const struct request_flow *flow = s->graph->flows.data[f];
    if (!has_any(flow, of))
      continue;
    int64_t *finish = mem_alloc(flow->activities.count, sizeof *finish);
    for (size_t i = 0; i < flow->requests.count; i++)
      add_request(calls, s, f, i, of, finish);
    mem_free(finish);
  }
  if (calls->all.count > 1)
    qsort(calls->all.data, calls->all.count, sizeof *calls->all.data, call_compare);
}

/* --- by chance? ------------------------------------------------------------------------------- */

static uint64_t most_at_once(const struct waiting_calls *calls, bool from_ready) {
  size_t count = calls->all.count;
  int64_t *starts = mem_alloc(count, sizeof *starts), *ends = mem_alloc(count, sizeof *ends);
  for (size_t i = 0; i < count; i++) {
    const struct waiting_call *call = &calls->all.data[i];
    starts[i] = from_ready ? call->ready : call->start;
    ends[i] = call->end;
  }
  uint64_t most = waiting_most(starts, ends, count);
  mem_free(starts);
  mem_free(ends);
  return most;
}

struct shuffling {
  const struct search *search;
  const struct candidate *of;
  int64_t until; /* requests that start later are left out */
  struct random random;
  VECTOR(int64_t) starts, ends;
};

/* The requests of a flow again, the leads of the calls each from another of them. */
static void shuffle_flow(struct shuffling *x, const struct request_flow *flow) {
  size_t activities = flow->activities.count, count = 0;
  uint32_t *used = mem_alloc(flow->requests.count, sizeof *used);
  for (uint32_t i = 0; i < flow->requests.count; i++)
    if (origin_of(x->search, flow, i) <= x->until)
      used[count++] = i;
  int64_t *rows = mem_alloc(count * activities, sizeof *rows);
  int64_t *finish = mem_alloc(activities, sizeof *finish);
  uint32_t *order = mem_alloc(count, sizeof *order);
  for (size_t i = 0; i < count; i++)
    memcpy(rows + i * activities, flow->durations.data + used[i] * activities,
           activities * sizeof *rows);
  for (uint32_t p = 1; p < flow->calls.count; p++) {
    if (!is_of(flow, p, x->of))
      continue;
    uint32_t lead = flow->calls.data[p].lead;
    for (uint32_t i = 0; i < count; i++)
      order[i] = i;
    random_shuffle(&x->random, order, count);
    for (size_t i = 0; i < count; i++)
      rows[i * activities + lead] = flow->durations.data[used[order[i]] * activities + lead];
  }
  for (size_t i = 0; i < count; i++) {
    int64_t origin = origin_of(x->search, flow, used[i]);
    flow_finish(finish, flow, rows + i * activities);
    for (uint32_t p = 1; p < flow->calls.count; p++) {
      const struct flow_call *call = &flow->calls.data[p];
      if (!is_of(flow, p, x->of) || finish[call->tail] <= finish[call->lead])
        continue;
      vector_push(&x->starts, origin + finish[call->lead]);
      vector_push(&x->ends, origin + finish[call->tail]);
    }
  }
  mem_free(rows);
  mem_free(finish);
  mem_free(order);
  mem_free(used);
}

static bool keeps(struct shuffling *x, uint64_t servers) {
  x->starts.count = x->ends.count = 0;
  for (size_t f = 0; f < x->search->graph->flows.count; f++)
    if (has_any(x->search->graph->flows.data[f], x->of))
      shuffle_flow(x, x->search->graph->flows.data[f]);
  return waiting_most(x->starts.data, x->ends.data, x->starts.count) <= servers;
}

/* More than `level` when it is clear that it is more. */
static double chance_of(const struct search *s, const struct candidate *of,
                        const struct waiting_calls *calls, uint64_t servers, double level) {
  size_t last = calls->all.count < SHUFFLED ? calls->all.count - 1 : SHUFFLED;
  struct shuffling x = {.search = s, .of = of, .random = {1}};
  x.until = calls->all.data[last].start;
  double wanted = 1 / level;
  size_t shuffles = SHUFFLES_LEAST, kept = 1;
  if (wanted > SHUFFLES_LEAST + 1)
    shuffles = wanted > SHUFFLES_MOST ? SHUFFLES_MOST : (size_t)wanted;
  for (size_t i = 0; i < shuffles && (double)kept <= level * (double)(shuffles + 1); i++)
    kept += keeps(&x, servers);
  vector_clear(&x.starts);
  vector_clear(&x.ends);
  return (double)kept / (double)(shuffles + 1);
}

static void look(struct queue_waiting *waiting, const struct search *s,
                 const struct candidate *of) {
  struct waiting_calls *calls = mem_alloc(1, sizeof *calls);
  find_calls(calls, s, of);
  struct hidden_queue queue = {of->service, of->operation, 0, calls->all.count, 0, 0, 1};
  bool met = false;
  if (calls->all.count >= CALLS_LEAST) {
    queue.servers = most_at_once(calls, false);
    met = most_at_once(calls, true) > queue.servers &&
          waiting_judge(calls, queue.servers) >= MET_LEAST;
  }
  double level = s->level / (double)s->candidates.count;
  if (met)
    queue.by_chance = chance_of(s, of, calls, queue.servers, level);
  if (!met || queue.by_chance > level) {
    vector_clear(&calls->all);
    mem_free(calls);
    return;
  }
  for (size_t i = 0; i < calls->all.count; i++)
    queue.waited += calls->all.data[i].waited;
  vector_push(&waiting->queues, queue);
  vector_push(&waiting->calls, calls);
}

void waiting_find(struct queue_waiting *waiting, const struct request_graph *graph,
                  const struct span_store *store, double level) {
  *waiting = (struct queue_waiting){.flows = graph->flows.count};
  waiting->durations = mem_alloc(waiting->flows, sizeof *waiting->durations);
  waiting->held = mem_alloc(waiting->flows, sizeof *waiting->held);
  waiting->sampled = store->census != NULL && store->census->requests != store->requests.count;
  if (waiting->sampled || store->requests.count < 2)
    return;
  struct search s = {.graph = graph, .store = store, .level = level};
  s.service_seen = mem_alloc(store->names.texts.count, sizeof *s.service_seen);
  s.operation_seen = mem_alloc(store->names.texts.count, sizeof *s.operation_seen);
  find_candidates(&s);
  for (size_t i = 0; i < s.candidates.count; i++)
    look(waiting, &s, &s.candidates.data[i]);
  vector_clear(&s.candidates);
  mem_free(s.service_seen);
  mem_free(s.operation_seen);
}
