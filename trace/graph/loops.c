/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/loops.h"

#include "base/hash.h"
#include "trace/graph/family.h"

static uint32_t path_of(struct call_paths *paths, uint32_t caller, const struct flow_call *call) {
  uint64_t hash = hash_word(hash_word(0, caller), (uint64_t)call->service << 32 | call->operation);
  for (struct index_look look = index_look(&paths->index, hash); index_next(&look);) {
    const struct call_path *path = &paths->paths.data[look.row];
    if (path->caller == caller && path->service == call->service &&
        path->operation == call->operation)
      return look.row;
  }
  index_add(&paths->index, hash, (uint32_t)paths->paths.count);
  vector_push(
      &paths->paths,
      (struct call_path){.caller = caller, .service = call->service, .operation = call->operation});
  return (uint32_t)paths->paths.count - 1;
}

/* The next call of its name by its caller, or SPAN_NONE. */
static uint32_t next_alike(const struct flow_rounds *rounds, uint32_t p) {
  const struct request_flow *flow = rounds->flow;
  uint32_t next = rounds->end[p];
  bool alike = next < flow->calls.count &&
               flow->calls.data[next].parent == flow->calls.data[p].parent &&
               rounds->path[next] == rounds->path[p];
  return alike ? next : SPAN_NONE;
}

static bool waits_for(const struct request_flow *flow, uint32_t q, uint32_t p) {
  const struct activity *lead = &flow->activities.data[flow->calls.data[q].lead];
  for (uint32_t i = 0; i < lead->wait_count; i++)
    if (flow->waits.data[lead->wait_first + i] == flow->calls.data[p].tail)
      return true;
  return false;
}

static void find_row(struct flow_rounds *rounds, uint32_t first) {
  bool in_row = true;
  for (uint32_t p = first, q; in_row && (q = next_alike(rounds, p)) != SPAN_NONE; p = q)
    in_row = waits_for(rounds->flow, q, p);
  for (uint32_t p = first; p != SPAN_NONE; p = next_alike(rounds, p))
    rounds->in_row[p] = in_row;
}

void flow_rounds_make(struct flow_rounds *rounds, struct call_paths *paths,
                      const struct request_flow *flow) {
  uint32_t count = (uint32_t)flow->calls.count;
  *rounds = (struct flow_rounds){.flow = flow,
                                 .path = mem_alloc(count, sizeof *rounds->path),
                                 .end = mem_alloc(count, sizeof *rounds->end),
                                 .in_row = mem_alloc(count, sizeof *rounds->in_row)};
  for (uint32_t p = 0; p < count; p++) {
    const struct flow_call *call = &flow->calls.data[p];
    rounds->path[p] = path_of(paths, p == 0 ? SPAN_NONE : rounds->path[call->parent], call);
    rounds->end[p] = p + 1;
  }
  for (uint32_t p = count; p-- > 1;)
    if (rounds->end[flow->calls.data[p].parent] < rounds->end[p])
      rounds->end[flow->calls.data[p].parent] = rounds->end[p];
  for (uint32_t p = 1; p < count; p++)
    if (flow->calls.data[p].ordinal == 0)
      find_row(rounds, p);
}

void flow_rounds_clear(struct flow_rounds *rounds) {
  mem_free(rounds->path);
  mem_free(rounds->end);
  mem_free(rounds->in_row);
}

static void count_rows(struct call_paths *paths, const struct flow_rounds *rounds) {
  for (uint32_t p = 1; p < rounds->flow->calls.count; p++) {
    if (rounds->flow->calls.data[p].ordinal > 0 || !rounds->in_row[p])
      continue;
    uint32_t count = 0;
    for (uint32_t q = p; q != SPAN_NONE; q = next_alike(rounds, q))
      count++;
    struct call_path *path = &paths->paths.data[rounds->path[p]];
    path->least = path->most == 0 || count < path->least ? count : path->least;
    path->most = count > path->most ? count : path->most;
  }
}

/* Whether what is below the call is one row of activities and has no loops. */
static bool is_plain(const struct call_paths *paths, const struct flow_rounds *rounds,
                     uint32_t call) {
  const struct request_flow *flow = rounds->flow;
  for (uint32_t p = call + 1; p < rounds->end[call]; p++)
    if (flow_is_round(rounds, paths, p))
      return false;
  uint32_t lead = flow->calls.data[call].lead, tail = flow->calls.data[call].tail;
  for (uint32_t a = lead + 1; a <= tail; a++) {
    const struct activity *activity = &flow->activities.data[a];
    if (activity->wait_count != 1 || flow->waits.data[activity->wait_first] != a - 1)
      return false;
  }
  return true;
}

/* Whether below both calls the same is done in the same order. */
static bool same_below(const struct request_flow *f, uint32_t p, const struct request_flow *g,
                       uint32_t q, uint32_t count) {
  uint32_t a = f->calls.data[p].lead, b = g->calls.data[q].lead;
  if (f->calls.data[p].tail - a != g->calls.data[q].tail - b)
    return false;
  for (uint32_t i = 1; i < count; i++) {
    const struct flow_call *x = &f->calls.data[p + i], *y = &g->calls.data[q + i];
    if (x->service != y->service || x->operation != y->operation || x->parent - p != y->parent - q)
      return false;
  }
  for (uint32_t i = 0; i <= f->calls.data[p].tail - a; i++) {
    const struct activity *x = &f->activities.data[a + i], *y = &g->activities.data[b + i];
    if (x->position - p != y->position - q || x->is_lead != y->is_lead)
      return false;
  }
  return true;
}

static void compare_rounds(struct call_paths *paths, const struct flow_rounds *rounds) {
  for (uint32_t p = 1; p < rounds->flow->calls.count; p++) {
    struct call_path *path = &paths->paths.data[rounds->path[p]];
    if (!flow_is_round(rounds, paths, p) || path->whole)
      continue;
    if (path->model == NULL) {
      path->model = rounds->flow;
      path->model_call = p;
      path->whole = !is_plain(paths, rounds, p);
      continue;
    }
    path->whole = !is_plain(paths, rounds, p) ||
                  !same_below(path->model, path->model_call, rounds->flow, p, rounds->end[p] - p);
  }
}

static void look_at_all(struct call_paths *paths, const struct request_graph *graph,
                        void (*look)(struct call_paths *paths, const struct flow_rounds *rounds)) {
  for (size_t f = 0; f < graph->flows.count; f++) {
    struct flow_rounds rounds;
    flow_rounds_make(&rounds, paths, graph->flows.data[f]);
    look(paths, &rounds);
    flow_rounds_clear(&rounds);
  }
}

void call_paths_find(struct call_paths *paths, const struct request_graph *graph) {
  *paths = (struct call_paths){0};
  bool any = false;
  look_at_all(paths, graph, count_rows);
  for (size_t i = 0; i < paths->paths.count; i++) {
    struct call_path *path = &paths->paths.data[i];
    path->loop = path->most >= LOOP_MANY || (path->most >= LOOP_LEAST && path->least < path->most);
    any |= path->loop;
  }
  if (any)
    look_at_all(paths, graph, compare_rounds);
}

void call_paths_clear(struct call_paths *paths) {
  vector_clear(&paths->paths);
  index_clear(&paths->index);
}
