/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/granted.h"

#include <stdlib.h>

#include "trace/event/log.h"
#include "trace/loop/chain.h"
#include "trace/loop/turns.h"

/* Grants of a log by the request that asked. */
struct granting {
  const struct loop_turns *turns;
  const struct event_log *log;
  const struct event_chains *chains;
  const struct event_chain *chain;
  uint32_t *order; /* numbers of log->grants whose request is known, by request */
  uint32_t count;
};

static const struct loop_turns *sorted; /* of the comparisons */

static const struct event_grant *grant_at(uint32_t number) {
  return &sorted->log->grants.data[number];
}

static uint32_t request_of(const struct loop_turns *turns, uint32_t number) {
  uint32_t row = turns->log->grants.data[number].asker;
  return row == EVENT_NONE ? EVENT_NONE : turns->owner[row];
}

static int by_request(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  uint32_t left = request_of(sorted, x), right = request_of(sorted, y);
  if (left != right)
    return left < right ? -1 : 1;
  return (x > y) - (x < y);
}

static int by_pool(const void *a, const void *b) {
  const struct event_grant *x = grant_at(*(const uint32_t *)a), *y = grant_at(*(const uint32_t *)b);
  if (x->loop != y->loop)
    return x->loop < y->loop ? -1 : 1;
  if (x->name != y->name)
    return x->name < y->name ? -1 : 1;
  if (x->asked != y->asked)
    return x->asked < y->asked ? -1 : 1;
  return (x->granted > y->granted) - (x->granted < y->granted);
}

/* Those of one pool that overlap are one stretch. */
static void find_stretches(struct loop_granted *granted, uint32_t *order, uint32_t count) {
  int64_t until = INT64_MIN;
  qsort(order, count, sizeof *order, by_pool);
  for (uint32_t i = 0; i < count; i++) {
    const struct event_grant *grant = grant_at(order[i]);
    bool same = i != 0 && grant_at(order[i - 1])->loop == grant->loop &&
                grant_at(order[i - 1])->name == grant->name && grant->asked < until;
    until = same && until > grant->granted ? until : grant->granted;
    granted->stretches += !same;
    granted->stretch[order[i]] = granted->stretches - 1;
  }
}

/* The first of `order` that is of the request, or of a later one. */
static uint32_t first_of(const struct granting *g, uint32_t request) {
  uint32_t low = 0, high = g->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (request_of(g->turns, g->order[middle]) < request)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether the turn in which the connection was granted is the link's, or follows from it with no
 * wait of the request's own in between, and the request goes on behind it. */
static bool leads_to_grant(const struct granting *g, uint32_t link,
                           const struct event_grant *grant) {
  uint32_t turn = g->turns->turn_of[grant->row], first = link;
  while (first > 0 && !event_link_at(g->chains, g->log, g->chain, first).shared)
    first--;
  for (uint32_t i = link; first != 0 && i < g->chain->count; i++) {
    const struct event_link at = event_link_at(g->chains, g->log, g->chain, i);
    if (i != link && at.shared)
      return false;
    if (g->turns->turn_of[at.row] == turn)
      return i + 1 < g->chain->count;
  }
  return false;
}

/* Others had the connection until it was granted, or it was not ready: so what it brought later is
 * what was asked then. */
static bool is_of_connection(const struct granting *g, const struct event_link *link,
                             const struct event_grant *grant) {
  return grant->connection != 0 && g->log->resource.data[link->row] == grant->connection &&
         link->begin >= grant->granted;
}

/* The link's callback itself is what was called when the connection was granted. */
static bool is_called(const struct granting *g, const struct event_link *link,
                      const struct event_grant *grant) {
  return grant->row == link->row && g->log->inside.data[link->row] != EVENT_NONE;
}

/* Of the chain's, which asked for the connections from number `i` on. */
static struct loop_grant_wait find_wait(const struct granting *g, uint32_t link, uint32_t i) {
  struct loop_grant_wait wait = {.grant = EVENT_NONE};
  const struct event_link of = event_link_at(g->chains, g->log, g->chain, link);
  for (; i < g->count && request_of(g->turns, g->order[i]) == g->chain->request; i++) {
    const struct event_grant *grant = &g->log->grants.data[g->order[i]];
    bool called = is_called(g, &of, grant);
    if (grant->granted <= of.registered || grant->asked >= of.begin ||
        (!called && !is_of_connection(g, &of, grant) && !leads_to_grant(g, link, grant)))
      continue;
    if (wait.grant == EVENT_NONE || grant->granted > wait.until)
      wait = (struct loop_grant_wait){0, grant->asked, grant->granted, g->order[i], called};
  }
  return wait;
}

static void find_waits(struct loop_granted *granted, struct granting *g) {
  for (size_t c = 0; c < g->chains->chains.count; c++) {
    g->chain = &g->chains->chains.data[c];
    uint32_t first = first_of(g, g->chain->request);
    if (first == g->count || request_of(g->turns, g->order[first]) != g->chain->request)
      continue;
    for (uint32_t link = 1; link < g->chain->count; link++) {
      struct loop_grant_wait wait = find_wait(g, link, first);
      wait.link = g->chain->first + link;
      if (wait.grant != EVENT_NONE)
        vector_push(&granted->waits, wait);
    }
  }
}

void loop_granted_make(struct loop_granted *granted, const struct loop_turns *turns,
                       const struct event_chains *chains) {
  uint32_t count = (uint32_t)turns->log->grants.count;
  struct granting g = {.turns = turns, .log = turns->log, .chains = chains};
  *granted = (struct loop_granted){0};
  if (count == 0)
    return;
  g.order = mem_alloc(count, sizeof *g.order);
  granted->stretch = mem_alloc(count, sizeof *granted->stretch);
  for (uint32_t i = 0; i < count; i++)
    g.order[i] = i;
  sorted = turns;
  find_stretches(granted, g.order, count);
  for (uint32_t i = 0; i < count; i++)
    if (request_of(turns, i) != EVENT_NONE)
      g.order[g.count++] = i;
  qsort(g.order, g.count, sizeof *g.order, by_request);
  find_waits(granted, &g);
  mem_free(g.order);
}

const struct loop_grant_wait *loop_granted_find(const struct loop_granted *granted, size_t link) {
  size_t low = 0, high = granted->waits.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (granted->waits.data[middle].link < link)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < granted->waits.count && granted->waits.data[low].link == link;
  return found ? &granted->waits.data[low] : NULL;
}

void loop_granted_clear(struct loop_granted *granted) {
  vector_clear(&granted->waits);
  mem_free(granted->stretch);
  *granted = (struct loop_granted){0};
}
