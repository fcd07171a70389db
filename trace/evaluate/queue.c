/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/evaluate/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

/* Who waits for an activity: dependents[first[a] .. first[a + 1]). */
struct dependents {
  const struct flow_variant *variant;
  VECTOR(uint32_t) first, list;
};

struct event { /* an activity ends */
  int64_t at;
  uint64_t order; /* of events at one moment: the one that was made first */
  uint32_t request, activity;
};
enum { ACTIVITY_START = UINT32_MAX }; /* in place of an activity: the request itself */

/* A call that waits for a server: the lead that has ended, or ACTIVITY_START of a root. */
struct waiter {
  uint32_t request, activity;
  int64_t since;
};

struct servers {
  uint64_t all, busy;
  VECTOR(struct waiter) queue; /* from `head` on */
  size_t head;
};

struct under_way {
  const struct dependents *dependents;
  uint32_t *missing; /* by activity: how many of those it waits for have to finish yet */
  uint32_t left;     /* activities that have not finished */
};

struct simulation {
  struct queued_request *requests;
  struct under_way *states; /* by request */
  struct servers *servers;  /* by change */
  struct queue_use *use;
  VECTOR(struct event) heap;
  uint64_t order;
  int64_t now;
  size_t finished; /* requests of which nothing is left */
};

/* --- events ----------------------------------------------------------------------------------- */

static bool before(const struct event *a, const struct event *b) {
  return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void swap(struct event *a, struct event *b) {
  struct event kept = *a;
  *a = *b;
  *b = kept;
}

static void push(struct simulation *s, int64_t at, uint32_t request, uint32_t activity) {
  struct event event = {at, s->order++, request, activity};
  vector_push(&s->heap, event);
  struct event *heap = s->heap.data;
  for (size_t i = s->heap.count - 1; i != 0 && before(&heap[i], &heap[(i - 1) / 2]);
       i = (i - 1) / 2)
    swap(&heap[i], &heap[(i - 1) / 2]);
}

static struct event pop(struct simulation *s) {
  struct event *heap = s->heap.data, first = heap[0];
  size_t count = --s->heap.count;
  heap[0] = heap[count];
  for (size_t i = 0;;) {
    size_t least = i;
    for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
      if (before(&heap[child], &heap[least]))
        least = child;
    if (least == i)
      return first;
    swap(&heap[i], &heap[least]);
    i = least;
  }
}

/* --- activities ------------------------------------------------------------------------------- */

static int64_t later(int64_t at, int64_t ns) {
  return at > INT64_MAX - ns ? INT64_MAX : at + ns;
}

static void start(struct simulation *s, uint32_t request, uint32_t activity) {
  push(s, later(s->now, s->requests[request].durations[activity]), request, activity);
}

/* What needs nothing else starts with the request. */
static void begin(struct simulation *s, uint32_t request) {
  const struct request_flow *flow = &s->requests[request].variant->flow;
  for (uint32_t i = 0; i < flow->activities.count; i++)
    if (flow->activities.data[i].rank == 0)
      start(s, request, i);
}

/* The limit of a call, or SPAN_NONE. */
static uint32_t limit_of(const struct flow_variant *variant, uint32_t position) {
  return variant->limit_of.count == 0 ? SPAN_NONE : variant->limit_of.data[position];
}

/* What waits for it goes on; of a call that starts or a request that begins. */
static void go_on(struct simulation *s, uint32_t request, uint32_t activity) {
  if (activity == ACTIVITY_START) {
    begin(s, request);
    return;
  }
  struct under_way *state = &s->states[request];
  const struct dependents *d = state->dependents;
  for (uint32_t i = d->first.data[activity]; i < d->first.data[activity + 1]; i++)
    if (state->missing[d->list.data[i]]-- == 1)
      start(s, request, d->list.data[i]);
}

static uint64_t waiting(const struct servers *servers) {
  return servers->queue.count - servers->head;
}

static void take(struct simulation *s, uint32_t limit, uint32_t request, uint32_t activity) {
  struct servers *servers = &s->servers[limit];
  struct queue_use *use = &s->use[limit];
  use->calls++;
  if (servers->busy < servers->all) {
    servers->busy++;
    use->most = servers->busy > use->most ? servers->busy : use->most;
    go_on(s, request, activity);
    return;
  }
  use->waited++;
  vector_push(&servers->queue, (struct waiter){request, activity, s->now});
  uint64_t here = servers->busy + waiting(servers);
  use->most = here > use->most ? here : use->most;
}

static void give_back(struct simulation *s, uint32_t limit) {
  struct servers *servers = &s->servers[limit];
  if (waiting(servers) == 0) {
    servers->busy--;
    return;
  }
  struct waiter next = servers->queue.data[servers->head++];
  if (waiting(servers) == 0)
    servers->head = servers->queue.count = 0;
  s->use[limit].waited_ns += (double)(s->now - next.since);
  go_on(s, next.request, next.activity);
}

static void end_activity(struct simulation *s, uint32_t request, uint32_t activity) {
  struct queued_request *r = &s->requests[request];
  struct under_way *state = &s->states[request];
  const struct request_flow *flow = &r->variant->flow;
  const struct activity *ended = &flow->activities.data[activity];
  uint32_t limit = limit_of(r->variant, ended->position);
  if (activity == flow->activities.count - 1)
    r->latency_ns = s->now - r->start_ns;
  if (limit != SPAN_NONE && ended->is_lead)
    take(s, limit, request, activity);
  else
    go_on(s, request, activity);
  if (limit != SPAN_NONE && !ended->is_lead)
    give_back(s, limit);
  if (--state->left != 0)
    return;
  mem_free(state->missing);
  state->missing = NULL;
  s->finished++;
}

/* --- requests --------------------------------------------------------------------------------- */

static void start_request(struct simulation *s, uint32_t request) {
  const struct flow_variant *variant = s->requests[request].variant;
  const struct request_flow *flow = &variant->flow;
  struct under_way *state = &s->states[request];
  state->left = (uint32_t)flow->activities.count;
  state->missing = mem_alloc(flow->activities.count, sizeof *state->missing);
  for (size_t i = 0; i < flow->activities.count; i++)
    state->missing[i] = flow->activities.data[i].rank;
  uint32_t limit = limit_of(variant, 0);
  if (limit == SPAN_NONE)
    begin(s, request);
  else
    take(s, limit, request, ACTIVITY_START);
}

static void find_dependents(struct dependents *d, const struct flow_variant *variant) {
  const struct request_flow *flow = &variant->flow;
  size_t count = flow->activities.count;
  *d = (struct dependents){.variant = variant};
  for (size_t i = 0; i <= count; i++)
    vector_push(&d->first, 0);
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < flow->activities.data[i].wait_count; k++) {
      d->first.data[flow->waits.data[flow->activities.data[i].wait_first + k] + 1]++;
      vector_push(&d->list, 0);
    }
  for (size_t i = 0; i < count; i++)
    d->first.data[i + 1] += d->first.data[i];
  uint32_t *next = mem_alloc(count, sizeof *next);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < flow->activities.data[i].wait_count; k++) {
      uint32_t before_it = flow->waits.data[flow->activities.data[i].wait_first + k];
      d->list.data[d->first.data[before_it] + next[before_it]++] = i;
    }
  mem_free(next);
}

typedef VECTOR(struct dependents *) dependents_list;

static const struct dependents *dependents_of(dependents_list *list,
                                              const struct flow_variant *variant) {
  if (list->count != 0 && list->data[list->count - 1]->variant == variant)
    return list->data[list->count - 1]; /* requests of one flow stand together */
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i]->variant == variant)
      return list->data[i];
  struct dependents *made = mem_alloc(1, sizeof *made);
  find_dependents(made, variant);
  vector_push(list, made);
  return made;
}

static void clear_dependents(dependents_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    vector_clear(&list->data[i]->first);
    vector_clear(&list->data[i]->list);
    mem_free(list->data[i]);
  }
  vector_clear(list);
}

/* Which request starts when: they are not among the events, which are few that way. */
struct start_of {
  int64_t at;
  uint32_t request;
};

static int by_time(const void *left, const void *right) {
  const struct start_of *a = left, *b = right;
  return a->at != b->at ? (a->at < b->at ? -1 : 1)
                        : (a->request < b->request ? -1 : a->request > b->request);
}

static struct start_of *sort_starts(const struct queued_request *requests, size_t count) {
  struct start_of *starts = mem_alloc(count, sizeof *starts);
  for (uint32_t i = 0; i < count; i++)
    starts[i] = (struct start_of){requests[i].start_ns, i};
  qsort(starts, count, sizeof *starts, by_time);
  return starts;
}

static void run(struct simulation *s, size_t count) {
  struct start_of *starts = sort_starts(s->requests, count);
  for (size_t next = 0; s->heap.count != 0 || next < count;) {
    if (next < count && (s->heap.count == 0 || starts[next].at <= s->heap.data[0].at)) {
      s->now = starts[next].at;
      start_request(s, starts[next++].request);
    } else {
      struct event event = pop(s);
      s->now = event.at;
      end_activity(s, event.request, event.activity);
    }
  }
  mem_free(starts);
}

static void clear(struct simulation *s, size_t count, size_t change_count) {
  for (size_t i = 0; i < count; i++)
    mem_free(s->states[i].missing);
  for (size_t i = 0; i < change_count; i++)
    vector_clear(&s->servers[i].queue);
  mem_free(s->states);
  mem_free(s->servers);
  vector_clear(&s->heap);
}

bool queue_run(struct queued_request *requests, size_t count, const uint64_t *servers,
               struct queue_use *use, size_t change_count) {
  struct simulation s = {.requests = requests, .use = use};
  dependents_list list = {0};
  s.states = mem_alloc(count, sizeof *s.states);
  s.servers = mem_alloc(change_count, sizeof *s.servers);
  for (size_t i = 0; i < change_count; i++)
    s.servers[i].all = servers[i];
  memset(use, 0, change_count * sizeof *use);
  for (size_t i = 0; i < count; i++)
    s.states[i].dependents = dependents_of(&list, requests[i].variant);
  run(&s, count);
  bool done = s.finished == count;
  clear(&s, count, change_count);
  clear_dependents(&list);
  return done;
}
