/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/family.h"

#include <stdlib.h>

#include "trace/graph/loops.h"
#include "trace/graph/relation.h"

/* A flow that looks for its family. */
struct candidate {
  uint32_t flow, loops; /* of the graph; loops that it has a round of */
};

struct joining {
  flow_families *families;
  const struct request_graph *graph;
  struct call_paths paths;
  VECTOR(struct flow_relation) relations; /* by family; empty where it has no loops */
  VECTOR(size_t) looping;                 /* families with loops */
};

/* ---- the shape of one flow */

static void add_call(struct flow_shape *shape, const struct request_flow *flow, uint32_t p,
                     const uint32_t *place, uint32_t ordinal) {
  struct flow_call call = flow->calls.data[p];
  call.parent = p == 0 ? SPAN_NONE : place[call.parent];
  call.ordinal = ordinal;
  call.lead = call.tail = SPAN_NONE;
  vector_push(&shape->own.calls, call);
}

/* Its calls and loops. */
static void outline(struct flow_shape *shape, const struct flow_rounds *rounds,
                    const struct call_paths *paths) {
  const struct request_flow *flow = rounds->flow;
  uint32_t count = (uint32_t)flow->calls.count;
  uint32_t *place = mem_alloc(count, sizeof *place);
  *shape = (struct flow_shape){.flow = &shape->own};
  for (uint32_t p = 0; p < count;) {
    bool is_round = flow_is_round(rounds, paths, p);
    if (is_round && flow->calls.data[p].ordinal > 0) {
      p = rounds->end[p];
      continue;
    }
    place[p] = (uint32_t)shape->own.calls.count;
    add_call(shape, flow, p, place, flow->calls.data[p].ordinal);
    if (!is_round) {
      p++;
      continue;
    }
    bool whole = paths->paths.data[rounds->path[p]].whole;
    uint32_t below = whole ? 0 : rounds->end[p] - p - 1;
    vector_push(&shape->loops,
                (struct shape_loop){place[p], place[p] + below, UINT32_MAX, 0, whole});
    for (uint32_t i = 1; i <= below; i++) {
      place[p + i] = place[p] + i;
      add_call(shape, flow, p + i, place, flow->calls.data[p + i].ordinal);
    }
    p = rounds->end[p];
  }
  mem_free(place);
}

/* Whether the shape fits each loop of the flow, and the flow waits for all or none of its calls. */
static bool has_shape(const struct request_flow *flow) {
  for (size_t a = 0; a < flow->activities.count; a++)
    if (flow->activities.data[a].rank != flow->activities.data[a].wait_count)
      return false;
  return true;
}

/* ---- families */

static bool rounds_are_rows(const struct shape_fit *fit, const struct call_paths *paths,
                            const struct flow_rounds *rounds) {
  for (size_t i = 0; i < fit->rounds.count; i++)
    if (!flow_is_round(rounds, paths, fit->rounds.data[i]))
      return false;
  return true;
}

static void count_rounds(struct flow_family *family) {
  const struct shape_fit *fit = &family->fits.data[family->fits.count - 1];
  family->requests += fit->flow->requests.count;
  for (size_t l = 0; l < family->shape.loops.count; l++) {
    struct shape_loop *loop = &family->shape.loops.data[l];
    uint32_t rounds = shape_rounds(fit, l);
    loop->least = rounds < loop->least ? rounds : loop->least;
    loop->most = rounds > loop->most ? rounds : loop->most;
  }
}

/* Whether the flow is of the family; if so it joins. */
static bool join(struct joining *joining, size_t f, const struct flow_rounds *rounds,
                 size_t number) {
  struct flow_family *family = joining->families->data[f];
  struct shape_fit fit;
  bool fits = shape_fit_make(&fit, &family->shape, rounds->flow) &&
              rounds_are_rows(&fit, &joining->paths, rounds) &&
              relation_join(&joining->relations.data[f], &family->shape, &fit);
  fit.number = number;
  if (fits) {
    vector_push(&family->fits, fit);
    count_rounds(family);
  } else {
    shape_fit_clear(&fit);
  }
  return fits;
}

/* A family of the flow, with the loops that it has. */
static void found(struct joining *joining, const struct flow_rounds *rounds, size_t number,
                  bool with_loops) {
  struct flow_family *family = mem_alloc(1, sizeof *family);
  struct flow_relation relation = {0};
  struct shape_fit fit;
  if (with_loops)
    outline(&family->shape, rounds, &joining->paths);
  if (family->shape.loops.count == 0 || family->shape.own.calls.count > LOOP_SHAPE_MAX) {
    flow_shape_clear(&family->shape);
    family->shape = (struct flow_shape){.flow = rounds->flow};
  }
  if (!shape_fit_make(&fit, &family->shape, rounds->flow))
    bug("a flow that is not of its own shape");
  fit.number = number;
  if (family->shape.loops.count > 0) {
    relation_make(&relation, &family->shape, &fit);
    vector_push(&joining->looping, joining->families->count);
  }
  vector_push(&family->fits, fit);
  count_rounds(family);
  vector_push(joining->families, family);
  vector_push(&joining->relations, relation);
}

static void place_flow(struct joining *joining, size_t number) {
  const struct request_flow *flow = joining->graph->flows.data[number];
  struct flow_rounds rounds;
  flow_rounds_make(&rounds, &joining->paths, flow);
  bool with_loops = has_shape(flow), joined = false;
  for (size_t i = 0; with_loops && i < joining->looping.count && !joined; i++)
    joined = join(joining, joining->looping.data[i], &rounds, number);
  if (!joined)
    found(joining, &rounds, number, with_loops);
  flow_rounds_clear(&rounds);
}

static uint32_t loops_in(struct joining *joining, const struct request_flow *flow) {
  struct flow_rounds rounds;
  uint32_t loops = 0;
  flow_rounds_make(&rounds, &joining->paths, flow);
  for (uint32_t p = 1; p < flow->calls.count; p++)
    loops += flow->calls.data[p].ordinal == 0 && flow_is_round(&rounds, &joining->paths, p);
  flow_rounds_clear(&rounds);
  return loops;
}

static int most_loops_first(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->loops != y->loops)
    return x->loops > y->loops ? -1 : 1;
  return x->flow < y->flow ? -1 : x->flow > y->flow;
}

/* The order of the first of their flows decides between equals. */
static int family_compare(const void *a, const void *b) {
  const struct flow_family *x = *(struct flow_family *const *)a;
  const struct flow_family *y = *(struct flow_family *const *)b;
  if (x->requests != y->requests)
    return x->requests > y->requests ? -1 : 1;
  size_t i = x->fits.data[0].number, j = y->fits.data[0].number;
  return i < j ? -1 : i > j;
}

static int fit_compare(const void *a, const void *b) {
  const struct shape_fit *x = a, *y = b;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* A single flow in which no loop has a second round is its own shape. */
static void drop_single_rounds(struct flow_family *family) {
  struct shape_fit *fit = &family->fits.data[0];
  const struct request_flow *flow = fit->flow;
  size_t number = fit->number;
  for (size_t l = 0; l < family->shape.loops.count; l++)
    if (family->shape.loops.data[l].most > 1)
      return;
  if (family->fits.count > 1 || family->shape.loops.count == 0)
    return;
  shape_fit_clear(fit);
  flow_shape_clear(&family->shape);
  family->shape = (struct flow_shape){.flow = flow};
  if (!shape_fit_make(fit, &family->shape, flow))
    bug("a flow that is not of its own shape");
  fit->number = number;
}

static void finish(struct joining *joining) {
  for (size_t f = 0; f < joining->families->count; f++) {
    struct flow_family *family = joining->families->data[f];
    drop_single_rounds(family);
    if (family->shape.loops.count > 0)
      relation_finish(&joining->relations.data[f], family);
    relation_clear(&joining->relations.data[f]);
    if (family->fits.count > 1)
      qsort(family->fits.data, family->fits.count, sizeof *family->fits.data, fit_compare);
  }
  vector_clear(&joining->relations);
  vector_clear(&joining->looping);
  if (joining->families->count > 1)
    qsort(joining->families->data, joining->families->count, sizeof(struct flow_family *),
          family_compare);
}

void flow_families_make(flow_families *families, const struct request_graph *graph) {
  struct joining joining = {.families = families, .graph = graph};
  size_t count = graph->flows.count;
  struct candidate *candidates = mem_alloc(count, sizeof *candidates);
  *families = (flow_families){0};
  call_paths_find(&joining.paths, graph);
  for (size_t f = 0; f < count; f++)
    candidates[f] = (struct candidate){(uint32_t)f, loops_in(&joining, graph->flows.data[f])};
  if (count > 1)
    qsort(candidates, count, sizeof *candidates, most_loops_first);
  for (size_t f = 0; f < count; f++)
    place_flow(&joining, candidates[f].flow);
  mem_free(candidates);
  finish(&joining);
  call_paths_clear(&joining.paths);
}

void flow_families_clear(flow_families *families) {
  for (size_t f = 0; f < families->count; f++) {
    struct flow_family *family = families->data[f];
    for (size_t i = 0; i < family->fits.count; i++)
      shape_fit_clear(&family->fits.data[i]);
    vector_clear(&family->fits);
    flow_shape_clear(&family->shape);
    mem_free(family);
  }
  vector_clear(families);
}

struct family_calls flow_family_calls(const struct flow_family *family) {
  struct family_calls calls = {SIZE_MAX, 0};
  for (size_t i = 0; i < family->fits.count; i++) {
    size_t count = family->fits.data[i].flow->calls.count;
    calls.least = count < calls.least ? count : calls.least;
    calls.most = count > calls.most ? count : calls.most;
  }
  return calls;
}
