/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A limit on calls at once (limit.h), read as a pool with so many places: a call starts when one of
 * those before it has left its place. With k places and calls c0, c1, ... in the order in which
 * they are made, cj starts when j - k + 1 of c0 .. c(j-1) have ended, whichever they are: a wait
 * for some of several (graph.h). Example: of six queries through a pool of two, the fifth waits for
 * the third end among the first four.
 *
 * That order is the one in which they start on average. Where it is no pool of that order, a call
 * starts too early for its wait. It is read where that happens in one of a hundred requests at
 * most, and where no call of the pool waits for anything that is not before all of it. The reading
 * is decided where chance is excluded as of an order (graph.h); else it is open whether they share
 * a pool, as of an order that is undecided.
 */
#include <stdlib.h>

#include "trace/graph/limit.h"

enum {
  RARELY = 100, /* in one of so many requests */
  MANY = 10,    /* of fewer requests the shuffles depend too much on each other to decide */
};

/* Members by their average start. */
struct pool {
  uint32_t members[LIMIT_CALLS_MAX];
  size_t count, places;
};

struct started_call {
  double start;
  uint32_t position;
};

static int started_compare(const void *a, const void *b) {
  const struct started_call *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

static void pool_make(struct pool *pool, const struct flow_making *making,
                      const struct found_limit *limit) {
  struct started_call started[LIMIT_CALLS_MAX] = {0};
  pool->count = limit->about.calls;
  pool->places = limit->about.limit;
  for (size_t m = 0; m < pool->count; m++) {
    started[m].position = limit->members[m];
    for (size_t i = 0; i < making->flow->requests.count; i++)
      started[m].start += (double)making->times[i * making->width + 2 * (size_t)limit->members[m]];
  }
  qsort(started, pool->count, sizeof *started, started_compare);
  for (size_t m = 0; m < pool->count; m++)
    pool->members[m] = started[m].position;
}

/* Keeps the ends[0 .. count) sorted. */
static void insert(int64_t *ends, size_t count, int64_t end) {
  for (; count > 0 && ends[count - 1] > end; count--)
    ends[count] = ends[count - 1];
  ends[count] = end;
}

/* Whether each call starts when there is a place, up to the unit of the times. */
static bool keeps_order(const struct flow_making *making, const struct pool *pool, size_t request) {
  const int64_t *times = making->times + request * making->width;
  int64_t ends[LIMIT_CALLS_MAX] = {0};
  for (size_t j = 0; j < pool->count; j++) {
    size_t p = pool->members[j];
    if (j >= pool->places && ends[j - pool->places] > times[2 * p] + making->resolution[request])
      return false;
    insert(ends, j, times[2 * p + 1]);
  }
  return true;
}

static uint64_t count_kept(const struct flow_making *making, const struct pool *pool) {
  uint64_t kept = 0;
  for (size_t i = 0; i < making->flow->requests.count; i++)
    kept += keeps_order(making, pool, i);
  return kept;
}

static bool is_member(const struct pool *pool, uint32_t call) {
  for (size_t m = 0; m < pool->count; m++)
    if (pool->members[m] == call)
      return true;
  return false;
}

/* Whether `call` had ended in every request when the first of the pool started. */
static bool is_before_all(const struct flow_making *making, const struct pool *pool,
                          uint32_t call) {
  for (size_t i = 0; i < making->flow->requests.count; i++)
    for (size_t m = 0; m < pool->count; m++)
      if (making_precedes(making, i, call, pool->members[m]) != PRECEDES)
        return false;
  return true;
}

/* Whether the pool takes the place of a wait. */
static bool is_explained(const struct pool *pool, const struct found_wait *wait) {
  for (size_t j = 0; j < pool->count; j++)
    if (pool->members[j] == wait->position)
      return wait->is_lead && (j >= pool->places || is_member(pool, wait->before));
  return false;
}

/* Whether nothing else may hold up a call that waits for a place. */
static bool is_alone(const struct flow_making *making, const struct pool *pool) {
  for (size_t m = 0; m < pool->count; m++)
    if (making->pooled[pool->members[m]] || making->flow->calls.data[pool->members[m]].apart)
      return false;
  for (size_t i = 0; i < making->waits.count; i++) {
    const struct found_wait *wait = &making->waits.data[i];
    if (is_explained(pool, wait) && !is_member(pool, wait->before) &&
        !is_before_all(making, pool, wait->before))
      return false;
  }
  return true;
}

static void take_pool(struct flow_making *making, const struct pool *pool, uint32_t order) {
  size_t kept = 0;
  for (size_t i = 0; i < making->waits.count; i++) {
    const struct found_wait *wait = &making->waits.data[i];
    if (!is_explained(pool, wait))
      making->waits.data[kept++] = *wait;
    else if (wait->order != SPAN_NONE && order == SPAN_NONE)
      making->flow->orders.data[wait->order].verdict = ORDER_REFUTED;
  }
  making->waits.count = kept;
  for (size_t j = pool->places; j < pool->count; j++) {
    uint32_t p = pool->members[j];
    for (size_t m = 0; m < j; m++)
      vector_push(&making->waits,
                  (struct found_wait){
                      .position = p, .is_lead = true, .before = pool->members[m], .order = order});
    making->rank[2 * (size_t)p] = (uint32_t)(j - pool->places + 1);
    making->pooled[p] = true;
  }
}

/* The order that stands for an undecided pool. */
static uint32_t add_order(struct flow_making *making, const struct pool *pool,
                          const struct suspected_limit *about, uint64_t kept) {
  struct request_flow *flow = making->flow;
  vector_push(&flow->orders, (struct order){.before = pool->members[0],
                                            .after = pool->members[pool->count - 1],
                                            .kind = ORDER_POOL,
                                            .verdict = ORDER_UNDECIDED,
                                            .held = kept,
                                            .refuted = flow->requests.count - kept,
                                            .differs = true,
                                            .by_chance = about->by_chance,
                                            .needed = ORDER_NEVER});
  return (uint32_t)flow->orders.count - 1;
}

static void read_limit(struct flow_making *making, struct found_limit *limit, double level) {
  struct suspected_limit *about = &limit->about;
  struct pool pool;
  pool_make(&pool, making, limit);
  uint64_t requests = making->flow->requests.count, kept = count_kept(making, &pool);
  about->is_read = requests > 1 && requests - kept <= requests / RARELY && is_alone(making, &pool);
  about->decided = about->is_read && about->by_chance <= level && requests >= MANY;
  if (!about->is_read || making->options->plain)
    return;
  uint32_t order = about->decided ? SPAN_NONE : add_order(making, &pool, about, kept);
  if (about->decided || making->options->undecided == UNDECIDED_WAITS)
    take_pool(making, &pool, order);
}

void making_pools(struct flow_making *making, double level) {
  limit_list limits = {0};
  limits_find(&limits, making, level);
  size_t asked = making->asked + limits.count;
  for (size_t i = 0; i < limits.count; i++) {
    read_limit(making, &limits.data[i], level / (double)asked);
    vector_push(&making->flow->limits, limits.data[i].about);
  }
  vector_clear(&limits);
}
