/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/limit.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

enum { FEWEST = 4, MOST = LIMIT_CALLS_MAX, SAMPLE = 128, SHUFFLES = 199 };

struct limit_finder {
  const struct flow_making *making;
  size_t requests; /* of the flow */
  size_t sampled;  /* of those, evenly taken, that are shuffled */
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
  const struct flow_making *making = finder->making;
  for (size_t i = 0; i < finder->requests; i++) {
    const int64_t *times = making->times + i * making->width;
    for (size_t m = 0; m < finder->count; m++) {
      int64_t start = times[2 * (size_t)finder->members[m]];
      int64_t took = times[2 * (size_t)finder->members[m] + 1] - start - making->resolution[i];
      finder->start[i * finder->count + m] = start;
      finder->duration[i * finder->count + m] = took > 0 ? took : 0;
    }
  }
}

static size_t sampled_at(const struct limit_finder *finder, size_t i) {
  return i * finder->requests / finder->sampled;
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
    for (uint32_t i = 0; i < finder->sampled; i++)
      order[i] = i;
    random_shuffle(random, order, finder->sampled);
    for (size_t i = 0; i < finder->sampled; i++)
      shuffled[i * finder->count + m] =
          finder->duration[sampled_at(finder, order[i]) * finder->count + m];
  }
}

/* Whether all requests of the sample keep the limit; counts up those that do. */
static bool keeps(const struct limit_finder *finder, const int64_t *duration, uint32_t limit,
                  uint32_t *kept) {
  bool all = true;
  for (size_t i = 0; i < finder->sampled; i++) {
    uint64_t reached = 0;
    bool within =
        most_at_once(finder->start + sampled_at(finder, i) * finder->count,
                     duration + i * finder->count, finder->count, limit, &reached) <= limit;
    kept[i] += within;
    all = all && within;
  }
  return all;
}

static double chance_of(const struct limit_finder *finder, uint32_t limit, double level) {
  struct random random = {1};
  size_t kept = 1;
  int64_t *shuffled = mem_alloc(finder->sampled * finder->count, sizeof *shuffled);
  uint32_t *kept_by = mem_alloc(finder->sampled, sizeof *kept_by);
  for (int i = 0; i < SHUFFLES && (double)kept <= fmax(level * (SHUFFLES + 1), 1); i++) {
    shuffle(shuffled, finder, &random);
    kept += keeps(finder, shuffled, limit, kept_by);
  }
  double chance = (double)kept / (SHUFFLES + 1), one_by_one = 1;
  for (size_t i = 0; i < finder->sampled; i++)
    one_by_one *= (double)(kept_by[i] + 1) / (SHUFFLES + 1);
  mem_free(kept_by);
  mem_free(shuffled);
  return kept == 1 ? fmin(chance, one_by_one) : chance;
}

static void look(limit_list *limits, struct limit_finder *finder, uint32_t service, double level) {
  struct found_limit found = {
      .about = {.caller = finder->making->flow->calls.data[finder->members[0]].parent,
                .service = service,
                .calls = (uint32_t)finder->count}};
  struct suspected_limit *about = &found.about;
  for (size_t i = 0; i < finder->requests; i++) {
    uint64_t reached = 0;
    uint32_t most = most_at_once(finder->start + i * finder->count,
                                 finder->duration + i * finder->count, finder->count, 0, &reached);
    about->limit = most > about->limit ? most : about->limit;
  }
  for (size_t i = 0; i < finder->requests; i++)
    most_at_once(finder->start + i * finder->count, finder->duration + i * finder->count,
                 finder->count, about->limit, &about->reached);
  if (about->limit < 2 || about->limit + 2 > finder->count || about->reached < 3)
    return;
  about->by_chance = 1;
  if (finder->requests > 1) {
    find_overlaps(finder);
    if (!more_in_pairs(finder, about->limit))
      return;
    about->by_chance = chance_of(finder, about->limit, level);
    if (about->by_chance > level)
      return;
  }
  for (size_t m = 0; m < finder->count; m++)
    found.members[m] = finder->members[m];
  vector_push(limits, found);
}

static void try_group(limit_list *limits, const struct flow_making *making, const uint32_t *members,
                      size_t count, uint32_t service, double level) {
  if (count < FEWEST || count > MOST)
    return;
  size_t requests = making->flow->requests.count;
  struct limit_finder *finder = mem_alloc(1, sizeof *finder);
  finder->making = making;
  finder->requests = requests;
  finder->sampled = requests < SAMPLE ? requests : SAMPLE;
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
static void try_calls(limit_list *limits, const struct flow_making *making, const uint32_t *calls,
                      size_t count, double level) {
  const struct request_flow *flow = making->flow;
  size_t first = 0;
  for (size_t i = 1; i <= count; i++) {
    uint32_t service = flow->calls.data[calls[first]].service;
    if (i < count && flow->calls.data[calls[i]].service == service)
      continue;
    try_group(limits, making, calls + first, i - first, service, level);
    if (first == 0 && i == count)
      return;
    first = i;
  }
  try_group(limits, making, calls, count, 0, level);
}

void limits_find(limit_list *limits, const struct flow_making *making, double level) {
  const struct request_flow *flow = making->flow;
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
      try_calls(limits, making, calls + first[p], first[p + 1] - first[p], level);
  mem_free(first);
  mem_free(calls);
}
