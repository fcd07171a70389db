/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which calls the requests of a flow make more or less often: than those of the most frequent flow
 * that begins with the same call (trace_path.h).
 */
#include <stdlib.h>

#include "cli/question/trace_path/trace_path.h"

struct named_calls {
  uint64_t *names; /* service and operation, ascending */
  size_t count;
};

static int name_compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static struct named_calls calls_of(const struct request_flow *flow) {
  struct named_calls calls = {mem_alloc(flow->calls.count, sizeof *calls.names), flow->calls.count};
  for (size_t p = 0; p < calls.count; p++)
    calls.names[p] = (uint64_t)flow->calls.data[p].service << 32 | flow->calls.data[p].operation;
  qsort(calls.names, calls.count, sizeof *calls.names, name_compare);
  return calls;
}

static size_t take(const struct named_calls *calls, size_t *at, uint64_t name) {
  size_t from = *at;
  while (*at < calls->count && calls->names[*at] == name)
    ++*at;
  return *at - from;
}

static void compare(struct trace_path *answer, size_t f, const struct named_calls *usual,
                    const struct named_calls *calls) {
  for (size_t i = 0, j = 0; i < usual->count || j < calls->count;) {
    uint64_t name = i < usual->count ? usual->names[i] : UINT64_MAX;
    if (j < calls->count && calls->names[j] < name)
      name = calls->names[j];
    int64_t before = (int64_t)take(usual, &i, name), now = (int64_t)take(calls, &j, name);
    if (before != now)
      vector_push(&answer->differences,
                  (struct path_difference){.flow = f,
                                           .service = (uint32_t)(name >> 32),
                                           .operation = (uint32_t)(name & UINT32_MAX),
                                           .more = now - before});
  }
}

static bool same_root(const struct request_flow *a, const struct request_flow *b) {
  return a->calls.data[0].service == b->calls.data[0].service &&
         a->calls.data[0].operation == b->calls.data[0].operation;
}

/* Each flow against the most frequent one of those that begin alike, which is the first of them. */
void trace_path_compare_flows(struct trace_path *answer) {
  for (size_t f = 1; f < answer->graph.flows.count; f++) {
    const struct request_flow *flow = answer->graph.flows.data[f];
    size_t first = 0;
    while (!same_root(answer->graph.flows.data[first], flow))
      first++;
    if (first == f)
      continue;
    struct named_calls usual = calls_of(answer->graph.flows.data[first]), calls = calls_of(flow);
    compare(answer, f, &usual, &calls);
    mem_free(usual.names);
    mem_free(calls.names);
  }
}
