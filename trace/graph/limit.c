/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/limit.h"

#include <stdlib.h>

#include "base/random.h"

enum { FEWEST = 4, MOST = 64, SAMPLE = 128, SHUFFLES = 199 };

struct limit_finder {
  const struct request_flow *flow;
  size_t requests; /* of the flow, looked at */
  uint32_t members[MOST];
  size_t count;
  int64_t *start, *duration; /* of request i, member m: at i * count + m */
  bool overlap[MOST][MOST];  /* in some request */
};

struct moment {
  int64_t time;
  int change; /* -1 before +1 at the same time: who starts when another ends runs after it */
};

static int moment_compare(const void *a, const void *b) {
  const struct moment *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->change - y->change;
}

/* The most that run at once; adds to *reached how often exactly `limit` run from some start on. */
static uint32_t most_at_once(const int64_t *start, const int64_t *duration, size_t count,
                             uint32_t limit, uint64_t *reached) {
  struct moment moments[2 * MOST];
  size_t used = 0;
  for (size_t m = 0; m < count; m++)
    if (duration[m] > 0) {
      moments[used++] = (struct moment){start[m], 1};
      moments[used++] = (struct moment){start[m] + duration[m], -1};
    }
  if (used > 0)
    qsort(moments, used, sizeof *moments, moment_compare);
  int running = 0, most = 0;
  for (size_t i = 0; i < used; i++) {
    running += moments[i].change;
    most = running > most ? running : most;
    *reached += moments[i].change > 0 && running == (int)limit;
  }
  return (uint32_t)most;
}

static void load(struct limit_finder *finder) {
  const struct request_flow *flow = finder->flow;
  size_t activities = flow->activities.count;
  int64_t *finish = mem_alloc(activities, sizeof *finish);
  for (size_t i = 0; i < finder->requests; i++) {
    size_t request = i * flow->requests.count / finder->requests;
    flow_finish(finish, flow, flow->durations.data + request * activities);
    for (size_t m = 0; m < finder->count; m++) {
      const struct flow_call *call = &flow->calls.data[finder->members[m]];
      finder->start[i * finder->count + m] = finish[call->lead];
      finder->duration[i * finder->count + m] = finish[call->tail] - finish[call->lead];
    }
  }
  mem_free(finish);
}

static void find_overlaps(struct limit_finder *finder) {
  for (size_t i = 0; i < finder->requests; i++) {
    const int64_t *start = finder->start + i * finder->count;
    const int64_t *duration = finder->duration + i * finder->count;
    for (size_t a = 0; a < finder->count; a++)
      for (size_t b = 0; b < finder->count; b++)
        finder->overlap[a][b] |=
            start[a] < start[b] + duration[b] && start[b] < start[a] + duration[a];
  }
}

/* Whether limit + 1 calls were all seen in pairs: looked for from each call on, taking every call
 * that was seen with all taken so far. */
static bool more_in_pairs(const struct limit_finder *finder, uint32_t limit) {
  for (size_t first = 0; first < finder->count; first++) {
    size_t taken[MOST] = {first}, count = 1;
    for (size_t m = 0; m < finder->count && count <= limit; m++) {
      bool with_all = m != first;
      for (size_t t = 0; t < count && with_all; t++)
        with_all = finder->overlap[m][taken[t]];
      if (with_all)
        taken[count++] = m;
    }
    if (count > limit)
      return true;
  }
  return false;
}

/* Each call gets the times it took in the requests in another order. */
static void shuffle(int64_t *shuffled, const struct limit_finder *finder, struct random *random) {
  uint32_t order[SAMPLE];
  for (size_t m = 0; m < finder->count; m++) {
    for (uint32_t i = 0; i < finder->requests; i++)
      order[i] = i;
    random_shuffle(random, order, finder->requests);
    for (size_t i = 0; i < finder->requests; i++)
      shuffled[i * finder->count + m] = finder->duration[order[i] * finder->count + m];
  }
}

static bool keeps(const struct limit_finder *finder, const int64_t *duration, uint32_t limit) {
  uint64_t reached = 0;
  for (size_t i = 0; i < finder->requests; i++)
    if (most_at_once(finder->start + i * finder->count, duration + i * finder->count, finder->count,
                     limit, &reached) > limit)
      return false;
  return true;
}

static double chance_of(const struct limit_finder *finder, uint32_t limit) {
  struct random random = {1};
  size_t kept = 1, cells = finder->requests * finder->count;
  int64_t *shuffled = mem_alloc(cells, sizeof *shuffled);
  for (int i = 0; i < SHUFFLES; i++) {
    shuffle(shuffled, finder, &random);
    kept += keeps(finder, shuffled, limit);
  }
  mem_free(shuffled);
  return (double)kept / (SHUFFLES + 1);
}

static void look(limit_list *limits, struct limit_finder *finder, uint32_t service, double level) {
  struct suspected_limit found = {.caller = finder->flow->calls.data[finder->members[0]].parent,
                                  .service = service,
                                  .calls = (uint32_t)finder->count};
  for (size_t i = 0; i < finder->requests; i++) {
    uint64_t reached = 0;
    uint32_t most = most_at_once(finder->start + i * finder->count,
                                 finder->duration + i * finder->count, finder->count, 0, &reached);
    found.limit = most > found.limit ? most : found.limit;
  }
  for (size_t i = 0; i < finder->requests; i++)
    most_at_once(finder->start + i * finder->count, finder->duration + i * finder->count,
                 finder->count, found.limit, &found.reached);
  if (found.limit < 2 || found.limit + 2 > finder->count || found.reached < 3)
    return;
  found.by_chance = 1;
  if (finder->requests > 1) {
    find_overlaps(finder);
    if (!more_in_pairs(finder, found.limit))
      return;
    found.by_chance = chance_of(finder, found.limit);
    if (found.by_chance > level)
      return;
  }
  vector_push(limits, found);
}

static void try_group(limit_list *limits, const struct request_flow *flow, const uint32_t *members,
                      size_t count, uint32_t service, double level) {
  if (count < FEWEST || count > MOST)
    return;
  size_t requests = flow->requests.count < SAMPLE ? flow->requests.count : SAMPLE;
  struct limit_finder *finder = mem_alloc(1, sizeof *finder);
  finder->flow = flow;
  finder->requests = requests;
  finder->count = count;
  for (size_t m = 0; m < count; m++)
    finder->members[m] = members[m];
  finder->start = mem_alloc(requests * count, sizeof *finder->start);
  finder->duration = mem_alloc(requests * count, sizeof *finder->duration);
  load(finder);
  look(limits, finder, service, level);
  mem_free(finder->start);
  mem_free(finder->duration);
  mem_free(finder);
}

/* The calls of one span stand in the order of their services' names: first each service's, then,
 * where there are several services, all. */
static void try_calls(limit_list *limits, const struct request_flow *flow, const uint32_t *calls,
                      size_t count, double level) {
  size_t first = 0;
  for (size_t i = 1; i <= count; i++) {
    uint32_t service = flow->calls.data[calls[first]].service;
    if (i < count && flow->calls.data[calls[i]].service == service)
      continue;
    try_group(limits, flow, calls + first, i - first, service, level);
    if (first == 0 && i == count)
      return;
    first = i;
  }
  try_group(limits, flow, calls, count, 0, level);
}

void flow_limits(limit_list *limits, const struct request_flow *flow, double level) {
  size_t count = flow->calls.count;
  uint32_t *first = mem_alloc(count + 2, sizeof *first), *calls = mem_alloc(count, sizeof *calls);
  for (size_t p = 1; p < count; p++)
    first[flow->calls.data[p].parent + 2]++;
  for (size_t p = 0; p < count; p++)
    first[p + 1] += first[p];
  for (uint32_t p = 1; p < count; p++)
    calls[first[flow->calls.data[p].parent + 1]++] = p;
  for (size_t p = 0; p < count; p++)
    if (first[p + 1] - first[p] >= FEWEST)
      try_calls(limits, flow, calls + first[p], first[p + 1] - first[p], level);
  mem_free(first);
  mem_free(calls);
}
