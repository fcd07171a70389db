/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which calls the requests of a flow make more or less often: than those of the most frequent flow
 * that begins with the same call (trace_path.h).
 */
#include <stdlib.h>

#include "cli/question/trace_path/trace_path.h"
#include "trace/graph/family.h"

struct named_calls {
  uint64_t *names; /* service and operation, ascending */
  size_t count;
};

static int name_compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Those of a flow; of a shape without those in loops. */
static struct named_calls calls_of(const struct request_flow *flow,
                                   const struct flow_shape *shape) {
  struct named_calls calls = {mem_alloc(flow->calls.count, sizeof *calls.names), 0};
  for (uint32_t p = 0; p < flow->calls.count; p++)
    if (shape == NULL || shape_loop_of(shape, p) == NULL)
      calls.names[calls.count++] =
          (uint64_t)flow->calls.data[p].service << 32 | flow->calls.data[p].operation;
  qsort(calls.names, calls.count, sizeof *calls.names, name_compare);
  return calls;
}

static size_t take(const struct named_calls *calls, size_t *at, uint64_t name) {
  size_t from = *at;
  while (*at < calls->count && calls->names[*at] == name)
    ++*at;
  return *at - from;
}

static void compare(path_differences *differences, size_t of, const struct named_calls *usual,
                    const struct named_calls *calls) {
  for (size_t i = 0, j = 0; i < usual->count || j < calls->count;) {
    uint64_t name = i < usual->count ? usual->names[i] : UINT64_MAX;
    if (j < calls->count && calls->names[j] < name)
      name = calls->names[j];
    int64_t before = (int64_t)take(usual, &i, name), now = (int64_t)take(calls, &j, name);
    if (before != now)
      vector_push(differences, (struct path_difference){.of = of,
                                                        .service = (uint32_t)(name >> 32),
                                                        .operation = (uint32_t)(name & UINT32_MAX),
                                                        .more = now - before});
  }
}

static bool same_root(const struct request_flow *a, const struct request_flow *b) {
  return a->calls.data[0].service == b->calls.data[0].service &&
         a->calls.data[0].operation == b->calls.data[0].operation;
}

static void compare_both(path_differences *differences, size_t of, struct named_calls usual,
                         struct named_calls calls) {
  compare(differences, of, &usual, &calls);
  mem_free(usual.names);
  mem_free(calls.names);
}

/* Each against the most frequent one of those that begin alike, which is the first of them. */
void trace_path_compare_flows(struct trace_path *answer) {
  for (size_t f = 1; f < answer->graph.flows.count; f++) {
    const struct request_flow *flow = answer->graph.flows.data[f];
    size_t first = 0;
    while (!same_root(answer->graph.flows.data[first], flow))
      first++;
    if (first != f)
      compare_both(&answer->differences, f, calls_of(answer->graph.flows.data[first], NULL),
                   calls_of(flow, NULL));
  }
  for (size_t w = 1; w < answer->ways.count; w++) {
    const struct flow_shape *shape = &answer->ways.data[w]->shape;
    size_t first = 0;
    while (!same_root(answer->ways.data[first]->shape.flow, shape->flow))
      first++;
    const struct flow_shape *usual = &answer->ways.data[first]->shape;
    if (first != w)
      compare_both(&answer->way_differences, w, calls_of(usual->flow, usual),
                   calls_of(shape->flow, shape));
  }
}
