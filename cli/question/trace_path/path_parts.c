/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adds up the critical paths of all requests (trace_path.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "cli/question/trace_path/trace_path.h"
#include "dist/statistics/chance.h"
#include "trace/graph/family.h"

/* Where one flow's activities count. */
struct flow_parts {
  uint32_t *of_activity; /* index into the answer's parts */
  uint32_t *of_order;    /* of undecided orders: index into the answer's doubts + 1, or 0 */
  int64_t *finish;
  struct request_path path;
};

static void add(int64_t *sum, int64_t value) {
  if (__builtin_add_overflow(*sum, value, sum))
    *sum = INT64_MAX;
}

struct part_index {
  struct trace_path *answer;
  struct index index;    /* of the answer's parts */
  VECTOR(uint64_t) last; /* by part: the number of the request that was last seen on it */
  uint64_t number;       /* of the latest request, from 1 */
};

static uint32_t part_of(struct part_index *index, const struct request_flow *flow,
                        const struct activity *activity) {
  const struct flow_call *owner = &flow->calls.data[activity->owner];
  const struct path_part part = {
      .service = owner->service, .operation = owner->operation, .kind = activity->kind};
  uint64_t hash = hash_word(hash_word(part.kind, part.service), part.operation);
  for (struct index_look look = index_look(&index->index, hash); index_next(&look);) {
    const struct path_part *here = &index->answer->parts.data[look.row];
    if (here->service == part.service && here->operation == part.operation &&
        here->kind == part.kind)
      return look.row;
  }
  uint32_t number = (uint32_t)index->answer->parts.count;
  index_add(&index->index, hash, number);
  vector_push(&index->answer->parts, part);
  vector_push(&index->last, 0);
  return number;
}

static void find_parts(struct part_index *index, const struct request_flow *flow,
                       uint32_t *of_activity) {
  for (size_t a = 0; a < flow->activities.count; a++)
    of_activity[a] = part_of(index, flow, &flow->activities.data[a]);
}

/* For how long what is fed ran beside what feeds it. */
static int64_t beside_it(const struct request_flow *flow, const int64_t *finish,
                         const struct path_step *step) {
  uint32_t lead = flow->calls.data[flow->activities.data[step->activity].position].lead;
  return finish[step->waited] - finish[lead];
}

static void add_doubt(struct trace_path *answer, size_t f, struct flow_parts *parts,
                      const struct path_step *step) {
  const struct request_flow *flow = answer->graph.flows.data[f];
  uint32_t *index = &parts->of_order[step->order];
  if (*index == 0) {
    vector_push(&answer->doubts,
                (struct path_doubt){.flow = f, .order = step->order, .rival = SPAN_NONE});
    *index = (uint32_t)answer->doubts.count;
  }
  struct path_doubt *doubt = &answer->doubts.data[*index - 1];
  doubt->requests++;
  if (step->rival == SPAN_NONE && flow->orders.data[step->order].kind == ORDER_FEEDS)
    add(&doubt->between, beside_it(flow, parts->finish, step));
  if (step->rival == SPAN_NONE)
    return;
  int64_t between = parts->finish[step->waited] - parts->finish[step->rival];
  add(&doubt->between, between);
  if (doubt->rival != SPAN_NONE && between <= doubt->most)
    return;
  doubt->rival = flow->activities.data[step->rival].position;
  doubt->most = between;
}

static int time_compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Finds from which latency on a request is among the slowest hundredth: at least one is. */
static void find_tail(struct trace_path *answer) {
  size_t count = answer->store.requests.count;
  int64_t *latencies = mem_alloc(count, sizeof *latencies);
  for (size_t i = 0; i < count; i++) {
    latencies[i] = span_store_latency(&answer->store, &answer->store.requests.data[i]);
    add(&answer->latency_total, latencies[i]);
  }
  qsort(latencies, count, sizeof *latencies, time_compare);
  answer->requests = count;
  answer->tail_from = latencies[count - (count + 99) / 100];
  for (size_t i = count; i > 0 && latencies[i - 1] >= answer->tail_from; i--) {
    answer->tail_requests++;
    add(&answer->tail_total, latencies[i - 1]);
  }
  mem_free(latencies);
}

static void add_path(struct part_index *places, size_t f, struct flow_parts *parts, bool is_tail) {
  struct trace_path *answer = places->answer;
  uint64_t number = ++places->number;
  for (size_t s = 0; s < parts->path.steps.count; s++) {
    const struct path_step *step = &parts->path.steps.data[s];
    uint32_t index = parts->of_activity[step->activity];
    struct path_part *part = &answer->parts.data[index];
    add(&part->total, step->duration);
    if (is_tail)
      add(&part->tail_total, step->duration);
    if (step->duration > 0 && places->last.data[index] != number) {
      part->requests++;
      places->last.data[index] = number;
    }
    if (step->order != SPAN_NONE)
      add_doubt(answer, f, parts, step);
  }
}

static void add_flow(struct part_index *index, size_t f) {
  struct trace_path *answer = index->answer;
  const struct request_flow *flow = answer->graph.flows.data[f];
  size_t count = flow->activities.count;
  struct flow_parts parts = {.of_activity = mem_alloc(count, sizeof *parts.of_activity),
                             .of_order = mem_alloc(flow->orders.count, sizeof *parts.of_order),
                             .finish = mem_alloc(count, sizeof *parts.finish)};
  find_parts(index, flow, parts.of_activity);
  for (size_t i = 0; i < flow->requests.count; i++) {
    const int64_t *durations = flow->durations.data + i * count;
    int64_t latency = flow_finish(parts.finish, flow, durations);
    flow_path(&parts.path, flow, parts.finish, durations);
    add_path(index, f, &parts, latency >= answer->tail_from);
  }
  mem_free(parts.of_activity);
  mem_free(parts.of_order);
  mem_free(parts.finish);
  request_path_clear(&parts.path);
}

/* The same paths if no undecided order is a wait. */
static void add_free(struct part_index *index) {
  struct trace_path *answer = index->answer;
  const struct graph_options options = {.undecided = UNDECIDED_FREE, .level = 0.05};
  struct request_graph graph;
  request_graph_make(&graph, &answer->store, &options);
  for (size_t f = 0; f < graph.flows.count; f++) {
    const struct request_flow *flow = graph.flows.data[f];
    size_t count = flow->activities.count;
    uint32_t *of_activity = mem_alloc(count, sizeof *of_activity);
    int64_t *finish = mem_alloc(count, sizeof *finish);
    struct request_path path = {0};
    find_parts(index, flow, of_activity);
    for (size_t i = 0; i < flow->requests.count; i++) {
      const int64_t *durations = flow->durations.data + i * count;
      flow_finish(finish, flow, durations);
      flow_path(&path, flow, finish, durations);
      for (size_t s = 0; s < path.steps.count; s++) {
        const struct path_step *step = &path.steps.data[s];
        add(&answer->parts.data[of_activity[step->activity]].free_total, step->duration);
      }
    }
    request_path_clear(&path);
    mem_free(of_activity);
    mem_free(finish);
  }
  request_graph_clear(&graph);
}

static int part_compare(const void *a, const void *b) {
  const struct path_part *x = a, *y = b;
  if (x->total != y->total)
    return x->total > y->total ? -1 : 1;
  for (size_t i = 0; i < 2; i++) {
    int order = strcmp(x->names[i], y->names[i]);
    if (order != 0)
      return order;
  }
  return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static int doubt_compare(const void *a, const void *b) {
  const struct path_doubt *x = a, *y = b;
  if (x->between != y->between)
    return x->between > y->between ? -1 : 1;
  if (x->requests != y->requests)
    return x->requests > y->requests ? -1 : 1;
  if (x->flow != y->flow)
    return x->flow < y->flow ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static struct path_share share_of(uint64_t count, uint64_t all) {
  const uint64_t alpha = UINT64_C(25000000000000000); /* 2.5 % on each side, of 10^18 */
  struct path_share share = {.share = (double)count / (double)all, .upper = 1};
  if (count < all)
    share.upper = (double)chance_upper(count, all, alpha) / 1e18;
  if (count > 0)
    share.lower = 1 - (double)(count < all ? chance_upper(all - count, all, alpha)
                                           : chance_upper(0, all, alpha)) /
                          1e18;
  return share;
}

void trace_path_add_up(struct trace_path *answer) {
  struct part_index index = {.answer = answer};
  find_tail(answer);
  for (size_t f = 0; f < answer->graph.flows.count; f++) {
    add_flow(&index, f);
    uint64_t count = answer->graph.flows.data[f]->requests.count;
    /* The most frequent come first, and very many may occur once. */
    bool same = f > 0 && answer->graph.flows.data[f - 1]->requests.count == count;
    struct path_share share = same ? answer->shares.data[f - 1] : share_of(count, answer->requests);
    vector_push(&answer->shares, share);
  }
  for (size_t w = 0; w < answer->ways.count; w++) {
    uint64_t count = answer->ways.data[w]->requests;
    bool same = w > 0 && answer->ways.data[w - 1]->requests == count;
    struct path_share share =
        same ? answer->way_shares.data[w - 1] : share_of(count, answer->requests);
    vector_push(&answer->way_shares, share);
  }
  add_free(&index);
  index_clear(&index.index);
  vector_clear(&index.last);
  for (size_t i = 0; i < answer->parts.count; i++) {
    struct path_part *part = &answer->parts.data[i];
    part->names[0] = names_text(&answer->store.names, part->service);
    part->names[1] = names_text(&answer->store.names, part->operation);
  }
  qsort(answer->parts.data, answer->parts.count, sizeof *answer->parts.data, part_compare);
  if (answer->doubts.count > 1)
    qsort(answer->doubts.data, answer->doubts.count, sizeof *answer->doubts.data, doubt_compare);
}
