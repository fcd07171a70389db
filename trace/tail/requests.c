/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/requests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/graph/path.h"

/* A flow, as far as causes are concerned. */
struct cause_flow {
  const struct request_flow *flow;
  uint32_t *causes; /* by activity */
  int64_t *usual;   /* by activity: lower median of the rest */
  size_t rest;      /* requests of the rest */
};

/* Where a request is. */
struct cause_place {
  uint32_t flow, index;
};

struct cause_replay {
  struct cause_flow *flows;
  size_t flow_count;
  struct cause_place *places;  /* by request, in the order of the causes */
  int64_t *durations, *finish; /* room for a request */
};

static size_t activities_of(const struct cause_flow *flow) {
  return flow->flow->activities.count;
}

static const int64_t *durations_of(const struct cause_replay *replay, size_t request) {
  struct cause_place place = replay->places[request];
  const struct cause_flow *flow = &replay->flows[place.flow];
  return flow->flow->durations.data + place.index * activities_of(flow);
}

static bool is_in(uint32_t cause, const uint32_t *set, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (set[i] == cause)
      return true;
  return false;
}

static int64_t without(const struct tail_causes *causes, size_t request, const uint32_t *set,
                       size_t count) {
  struct cause_replay *replay = causes->replay.context;
  const struct cause_flow *flow = &replay->flows[replay->places[request].flow];
  if (flow->rest == 0)
    return tail_parts_without(causes, request, set, count);
  const int64_t *durations = durations_of(replay, request);
  for (size_t a = 0; a < activities_of(flow); a++) {
    bool shorter = durations[a] > flow->usual[a] && is_in(flow->causes[a], set, count);
    replay->durations[a] = shorter ? flow->usual[a] : durations[a];
  }
  return flow_finish(replay->finish, flow->flow, replay->durations);
}

static int64_t with(const struct tail_causes *causes, size_t request, const uint32_t *set,
                    size_t count, size_t other) {
  struct cause_replay *replay = causes->replay.context;
  uint32_t index = replay->places[request].flow;
  if (replay->places[other].flow != index)
    return tail_parts_with(causes, request, set, count, other);
  const struct cause_flow *flow = &replay->flows[index];
  const int64_t *own = durations_of(replay, request), *others = durations_of(replay, other);
  for (size_t a = 0; a < activities_of(flow); a++)
    replay->durations[a] = is_in(flow->causes[a], set, count) ? others[a] : own[a];
  return flow_finish(replay->finish, flow->flow, replay->durations);
}

static void settle(const struct tail_causes *causes, const enum tail_side *sides) {
  struct cause_replay *replay = causes->replay.context;
  int64_t *values = mem_alloc(causes->requests, sizeof *values);
  uint32_t *members = mem_alloc(causes->requests, sizeof *members);
  for (uint32_t f = 0; f < replay->flow_count; f++) {
    struct cause_flow *flow = &replay->flows[f];
    flow->rest = 0;
    for (uint32_t i = 0; i < causes->requests; i++)
      if (replay->places[i].flow == f && sides[i] == TAIL_REST)
        members[flow->rest++] = i;
    for (size_t a = 0; a < activities_of(flow) && flow->rest != 0; a++) {
      for (size_t i = 0; i < flow->rest; i++)
        values[i] = durations_of(replay, members[i])[a];
      flow->usual[a] = tail_median(values, flow->rest);
    }
  }
  mem_free(members);
  mem_free(values);
}

static void clear(void *context) {
  struct cause_replay *replay = context;
  for (size_t f = 0; f < replay->flow_count; f++) {
    mem_free(replay->flows[f].causes);
    mem_free(replay->flows[f].usual);
  }
  mem_free(replay->flows);
  mem_free(replay->places);
  mem_free(replay->durations);
  mem_free(replay->finish);
  mem_free(replay);
}

/* --- making them ------------------------------------------------------------------------------ */

/* Causes and services while they are made: numbers of what tells them apart. */
struct known_causes {
  struct span_names causes, services;
};

/* A service's own work, or the way to it. */
static uint32_t service_of(struct tail_causes *causes, struct known_causes *known, const char *name,
                           bool way) {
  struct text key;
  text_init(&key);
  text_format(&key, "%d%s", way, name);
  uint32_t number = names_number(&known->services, (struct slice){key.data, key.length});
  text_clear(&key);
  if (number > causes->services.count)
    vector_push(&causes->services, (struct tail_service){mem_copy_text(name, strlen(name)), way});
  return number - 1;
}

/* The cause of a name, a kind and a service. */
static uint32_t cause_of(struct tail_causes *causes, struct known_causes *known, const char *name,
                         enum cause_kind kind, uint32_t service) {
  struct text key;
  text_init(&key);
  text_format(&key, "%d %" PRIu32 " %s", (int)kind, service, name);
  uint32_t number = names_number(&known->causes, (struct slice){key.data, key.length});
  text_clear(&key);
  if (number > causes->causes.count)
    tail_causes_add(causes, name, kind)->service = service;
  return number - 1;
}

/* By call, the one other service that it is made to, where it is nothing but that: a client's span;
 * where no kind says so, a span from within its service all of whose calls are of one other. Else
 * SPAN_NONE. To be freed. */
static uint32_t *called_services(const struct request_flow *flow) {
  size_t count = flow->calls.count;
  const struct flow_call *calls = flow->calls.data;
  uint32_t *called = mem_alloc(count, sizeof *called);
  bool *mixed = mem_alloc(count, sizeof *mixed);
  for (size_t i = 0; i < count; i++)
    called[i] = SPAN_NONE;
  for (size_t i = 1; i < count; i++) {
    uint32_t p = calls[i].parent, *of_parent = &called[p];
    mixed[p] |= calls[i].service == calls[p].service ||
                (*of_parent != SPAN_NONE && *of_parent != calls[i].service);
    *of_parent = calls[i].service;
  }
  for (size_t i = 0; i < count; i++) {
    const struct flow_call *call = &calls[i];
    bool inside = call->parent != SPAN_NONE && calls[call->parent].service == call->service;
    bool untold = call->kind == SPAN_UNKNOWN || call->kind == SPAN_INTERNAL;
    bool client = call->kind == SPAN_CLIENT || (untold && inside);
    if (mixed[i] || !client)
      called[i] = SPAN_NONE;
  }
  mem_free(mixed);
  return called;
}

/* By call: the service that its own time is of. To be freed. */
static uint32_t *services_of(struct tail_causes *causes, struct known_causes *known,
                             const struct request_flow *flow, const struct span_names *names) {
  uint32_t *services = called_services(flow);
  for (size_t i = 0; i < flow->calls.count; i++) {
    bool way = services[i] != SPAN_NONE;
    uint32_t name = way ? services[i] : flow->calls.data[i].service;
    services[i] = service_of(causes, known, names_text(names, name), way);
  }
  return services;
}

static void name_causes(struct tail_causes *causes, struct cause_flow *flow,
                        struct known_causes *known, const struct span_names *names) {
  struct text name;
  text_init(&name);
  uint32_t *services = services_of(causes, known, flow->flow, names);
  for (size_t a = 0; a < activities_of(flow); a++) {
    const struct activity *activity = &flow->flow->activities.data[a];
    name.length = 0;
    flow_call_name(&name, flow->flow, activity->owner, names);
    flow->causes[a] = cause_of(causes, known, text_get(&name),
                               activity->kind == ACTIVITY_NETWORK ? CAUSE_NETWORK
                               : activity->kind == ACTIVITY_QUEUE ? CAUSE_QUEUE
                                                                  : CAUSE_WORK,
                               services[activity->owner]);
  }
  mem_free(services);
  text_clear(&name);
}

struct started {
  int64_t start; /* first: sorted by it, then by request */
  uint32_t request;
};

static int by_start(const void *a, const void *b) {
  const struct started *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->request > y->request) - (x->request < y->request);
}

/* The requests by start; `ranks` is where each went. */
static uint32_t *order_of(uint32_t *ranks, const struct span_store *store) {
  size_t count = store->requests.count;
  struct started *all = mem_alloc(count, sizeof *all);
  uint32_t *order = mem_alloc(count, sizeof *order);
  for (uint32_t i = 0; i < count; i++)
    all[i] = (struct started){store->start.data[store->requests.data[i].first], i};
  qsort(all, count, sizeof *all, by_start);
  for (uint32_t i = 0; i < count; i++) {
    order[i] = all[i].request;
    ranks[all[i].request] = i;
  }
  mem_free(all);
  return order;
}

/* What is on the critical path of each request of a flow. */
static void add_paths(struct tail_causes *causes, uint32_t index, const uint32_t *ranks) {
  struct cause_replay *replay = causes->replay.context;
  const struct cause_flow *flow = &replay->flows[index];
  struct request_path path = {0};
  for (uint32_t i = 0; i < flow->flow->requests.count; i++) {
    uint32_t rank = ranks[flow->flow->requests.data[i]];
    replay->places[rank] = (struct cause_place){index, i};
    const int64_t *durations = durations_of(replay, rank);
    causes->latency[rank] = flow_finish(replay->finish, flow->flow, durations);
    flow_path(&path, flow->flow, replay->finish, durations);
    for (size_t s = 0; s < path.steps.count; s++) {
      uint32_t cause = flow->causes[path.steps.data[s].activity];
      causes->causes.data[cause].parts[rank] += path.steps.data[s].duration;
    }
  }
  request_path_clear(&path);
}

static struct cause_replay *replay_new(const struct request_graph *graph, size_t requests) {
  struct cause_replay *replay = mem_alloc(1, sizeof *replay);
  size_t most = 1;
  replay->flow_count = graph->flows.count;
  replay->flows = mem_alloc(graph->flows.count, sizeof *replay->flows);
  replay->places = mem_alloc(requests, sizeof *replay->places);
  for (size_t f = 0; f < graph->flows.count; f++) {
    size_t count = graph->flows.data[f]->activities.count;
    replay->flows[f] = (struct cause_flow){graph->flows.data[f], mem_alloc(count, sizeof(uint32_t)),
                                           mem_alloc(count, sizeof(int64_t)), 0};
    most = count > most ? count : most;
  }
  replay->durations = mem_alloc(most, sizeof(int64_t));
  replay->finish = mem_alloc(most, sizeof(int64_t));
  return replay;
}

void tail_requests_causes(struct tail_causes *causes, uint32_t **order,
                          const struct request_graph *graph, const struct span_store *store) {
  tail_causes_init(causes, store->requests.count);
  struct cause_replay *replay = replay_new(graph, store->requests.count);
  causes->replay = (struct tail_replay){replay, without, with, settle, clear};
  struct known_causes known;
  names_init(&known.causes);
  names_init(&known.services);
  for (size_t f = 0; f < replay->flow_count; f++)
    name_causes(causes, &replay->flows[f], &known, &store->names);
  names_clear(&known.causes);
  names_clear(&known.services);
  uint32_t *ranks = mem_alloc(store->requests.count, sizeof *ranks);
  *order = order_of(ranks, store);
  for (uint32_t f = 0; f < replay->flow_count; f++)
    add_paths(causes, f, ranks);
  mem_free(ranks);
}

/* --- tags ------------------------------------------------------------------------------------- */

/* "cart: host" */
static uint32_t key_of(struct span_store *store, uint32_t service, const char *key) {
  struct text text;
  text_init(&text);
  if (service != 0)
    text_format(&text, "%s: ", names_text(&store->names, service));
  text_append(&text, key);
  uint32_t number = names_number(&store->names, (struct slice){text_get(&text), text.length});
  text_clear(&text);
  return number;
}

static void mark_row(tail_marks *marks, struct span_store *store, uint32_t row, uint32_t rank) {
  uint32_t service = store->service.data[row], instance = store->instance.data[row];
  if (instance != 0)
    vector_push(marks, (struct tail_mark){key_of(store, service, "instance"), instance, rank});
  size_t from = row == 0 ? 0 : store->tag_end.data[row - 1];
  for (size_t t = from; t < store->tag_end.data[row]; t++) {
    struct span_tag tag = store->tags.data[t];
    uint32_t key = key_of(store, service, names_text(&store->names, tag.key));
    vector_push(marks, (struct tail_mark){key, tag.value, rank});
  }
}

/* What a request's root is called is told as a tag: endpoints differ. */
static void mark_root(tail_marks *marks, struct span_store *store, uint32_t row, uint32_t rank) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s/%s", names_text(&store->names, store->service.data[row]),
              names_text(&store->names, store->operation.data[row]));
  uint32_t value = names_number(&store->names, (struct slice){text.data, text.length});
  vector_push(marks, (struct tail_mark){key_of(store, 0, "root"), value, rank});
  text_clear(&text);
}

static bool have_one_root(const struct span_store *store) {
  uint32_t first = store->requests.data[0].first;
  for (size_t i = 1; i < store->requests.count; i++) {
    uint32_t row = store->requests.data[i].first;
    if (store->service.data[row] != store->service.data[first] ||
        store->operation.data[row] != store->operation.data[first])
      return false;
  }
  return true;
}

void tail_requests_marks(tail_marks *marks, struct span_store *store, const uint32_t *order,
                         size_t requests) {
  bool mixed = requests != 0 && !have_one_root(store);
  for (uint32_t rank = 0; rank < requests; rank++) {
    const struct request request = store->requests.data[order[rank]];
    if (mixed)
      mark_root(marks, store, request.first, rank);
    for (uint32_t i = 0; i < request.count; i++)
      mark_row(marks, store, request.first + i, rank);
  }
}

bool tail_request_has(const struct span_store *store, uint32_t index, const char *key,
                      const char *value) {
  const struct request *request = &store->requests.data[index];
  uint32_t k = names_find(&store->names, (struct slice){key, strlen(key)});
  uint32_t v = names_find(&store->names, (struct slice){value, strlen(value)});
  size_t end = store->tag_end.data[request->first + request->count - 1];
  for (size_t t = request->tag_first; t < end; t++)
    if (k != 0 && store->tags.data[t].key == k && store->tags.data[t].value == v)
      return true;
  return false;
}
