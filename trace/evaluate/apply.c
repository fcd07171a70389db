/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What changes do to the flows of a graph (scenario.h).
 */
#include <stdlib.h>
#include <string.h>

#include "trace/evaluate/scenario.h"

/* What is chosen for all calls of one name. */
struct chosen_law {
  uint32_t service, operation;
  size_t law; /* SIZE_MAX: as recorded */
};

struct application {
  struct variants *variants;
  struct scenario *scenario;
  const struct request_graph *graph;
  const struct span_names *names;
  VECTOR(struct chosen_law) chosen;
};

static bool means(const struct application *a, const struct request_change *change,
                  const struct flow_call *call) {
  return change_means(change->name, names_text(a->names, call->service),
                      names_text(a->names, call->operation));
}

static bool has_calls(const struct request_flow *flow, uint32_t position) {
  for (size_t i = position + 1; i < flow->calls.count; i++)
    if (flow->calls.data[i].parent == position)
      return true;
  return false;
}

/* --- edits ------------------------------------------------------------------------------------ */

static void draw_call(struct flow_variant *variant, uint32_t position, size_t law) {
  const struct flow_call *call = &variant->flow.calls.data[position];
  struct activity *tail = &variant->flow.activities.data[call->tail];
  tail->wait_first = (uint32_t)variant->flow.waits.count;
  tail->wait_count = tail->rank = call->lead == SPAN_NONE ? 0 : 1;
  if (call->lead != SPAN_NONE)
    vector_push(&variant->flow.waits, call->lead);
  vector_push(
      &variant->edits,
      (struct edit){.kind = EDIT_DRAW, .activity = call->tail, .law = law, .lead = call->lead});
}

static void scale_call(struct flow_variant *variant, uint32_t position, struct edit edit) {
  const struct request_flow *flow = &variant->flow;
  bool leaf = !has_calls(flow, position);
  for (uint32_t i = 0; i < flow->activities.count; i++) {
    const struct activity *activity = &flow->activities.data[i];
    bool own = activity->is_lead ? activity->owner == position : activity->position == position;
    edit.activity = i;
    if (own && (activity->kind == ACTIVITY_WORK || (leaf && !activity->is_lead)))
      vector_push(&variant->edits, edit);
  }
}

/* Later: behind the lead, which the network is a part of. Earlier: less network before it, if it is
 * known, then less of itself. */
static void shift_call(struct flow_variant *variant, uint32_t position, int64_t ns) {
  const struct flow_call *call = &variant->flow.calls.data[position];
  const struct activity *activities = variant->flow.activities.data;
  struct edit edit = {.kind = EDIT_ADD, .activity = call->lead, .ns = ns, .other = SPAN_NONE};
  if (call->lead == SPAN_NONE || (ns < 0 && activities[call->lead].kind == ACTIVITY_WORK))
    edit.activity = call->tail;
  else if (ns < 0)
    edit.other = call->tail;
  vector_push(&variant->edits, edit);
}

static int64_t whole(const struct rational *ns) {
  int64_t value = INT64_MAX;
  return rational_floor(&value, ns) ? value : INT64_MAX;
}

static void limit_call(struct flow_variant *variant, uint32_t position, uint32_t change) {
  while (variant->limit_of.count < variant->flow.calls.count)
    vector_push(&variant->limit_of, SPAN_NONE);
  variant->limit_of.data[position] = change;
}

static void change_call(struct application *a, struct flow_variant *variant, uint32_t position,
                        uint32_t index) {
  const struct request_change *change = &a->scenario->changes.data[index];
  const struct change_of *of = &a->scenario->of.data[index];
  struct edit scale = {.kind = EDIT_SCALE};
  switch (change->kind) {
  case CHANGE_SCALE:
    scale.factor = &change->value;
    scale.number = rational_double(&change->value);
    scale_call(variant, position, scale);
    return;
  case CHANGE_CPU:
    scale.number = of->factor;
    scale_call(variant, position, scale);
    return;
  case CHANGE_SHIFT:
    shift_call(variant, position, whole(&change->value));
    return;
  case CHANGE_LAW:
    draw_call(variant, position, of->law);
    return;
  case CHANGE_LIMIT:
    limit_call(variant, position, index);
    return;
  case CHANGE_PROFILE:
  case CHANGE_LOAD:
  case CHANGE_FAIL:
  case CHANGE_SHARDS:
    return; /* load_flow */
  default:
    return; /* of event loops: refused before */
  }
}

static void change_flow(struct application *a, size_t which) {
  struct flow_variant *variant = &a->variants->flows.data[which];
  for (uint32_t i = 0; i < a->scenario->changes.count; i++)
    for (uint32_t p = 0; p < variant->flow.calls.count; p++)
      if (means(a, &a->scenario->changes.data[i], &variant->flow.calls.data[p])) {
        a->scenario->of.data[i].calls += variant->flow.requests.count;
        change_call(a, variant, p, i);
      }
}

/* --- load ------------------------------------------------------------------------------------- */

struct moment {
  int64_t at;
  int step; /* 1: a call begins; -1: it ends */
};

/* A call that ends when another begins is not there any more. */
static int by_moment(const void *left, const void *right) {
  const struct moment *a = left, *b = right;
  return a->at != b->at ? (a->at < b->at ? -1 : 1) : a->step - b->step;
}

static uint64_t most_of(struct moment *moments, size_t count) {
  qsort(moments, count, sizeof *moments, by_moment);
  int64_t now = 0, most = 1;
  for (size_t i = 0; i < count; i++) {
    now += moments[i].step;
    most = now > most ? now : most;
  }
  return (uint64_t)most;
}

/* The most calls of one name that a request of this flow has at once. */
static uint64_t at_once(const struct request_flow *flow, const struct flow_call *like) {
  VECTOR(uint32_t) calls = {0};
  for (uint32_t p = 0; p < flow->calls.count; p++)
    if (flow->calls.data[p].service == like->service &&
        flow->calls.data[p].operation == like->operation)
      vector_push(&calls, p);
  uint64_t most = 1;
  size_t activities = flow->activities.count;
  int64_t *finish = mem_alloc(activities, sizeof *finish);
  struct moment *moments = mem_alloc(2 * calls.count + 1, sizeof *moments);
  for (size_t r = 0; r < flow->requests.count && calls.count > 1; r++) {
    flow_finish(finish, flow, flow->durations.data + r * activities);
    for (size_t i = 0; i < calls.count; i++) {
      const struct flow_call *call = &flow->calls.data[calls.data[i]];
      int64_t from = call->lead == SPAN_NONE ? 0 : finish[call->lead];
      moments[2 * i] = (struct moment){from, 1};
      moments[2 * i + 1] = (struct moment){finish[call->tail], -1};
    }
    uint64_t here = most_of(moments, 2 * calls.count);
    most = here > most ? here : most;
  }
  mem_free(moments);
  mem_free(finish);
  vector_clear(&calls);
  return most;
}

static enum status choose(size_t *law, struct application *a, const struct flow_call *call) {
  for (size_t i = 0; i < a->chosen.count; i++)
    if (a->chosen.data[i].service == call->service &&
        a->chosen.data[i].operation == call->operation) {
      *law = a->chosen.data[i].law;
      return STATUS_OK;
    }
  uint64_t most = 0;
  for (size_t i = 0; i < a->graph->flows.count; i++) {
    uint64_t here = at_once(a->graph->flows.data[i], call);
    most = here > most ? here : most;
  }
  enum status status = load_choose(law, a->scenario, names_text(a->names, call->service),
                                   names_text(a->names, call->operation), most);
  struct chosen_law chosen = {call->service, call->operation, *law};
  vector_push(&a->chosen, chosen);
  return status;
}

static enum status load_flow(struct application *a, size_t which) {
  struct flow_variant *variant = &a->variants->flows.data[which];
  enum status status = STATUS_OK;
  for (uint32_t p = 0; p < variant->flow.calls.count && status == STATUS_OK; p++) {
    size_t law;
    status = choose(&law, a, &variant->flow.calls.data[p]);
    if (status == STATUS_OK && law != SIZE_MAX)
      draw_call(variant, p, law);
  }
  return status;
}

/* --- names that mean nothing ------------------------------------------------------------------ */

struct near_name {
  char *name;
  size_t distance;
};
typedef VECTOR(struct near_name) near_names;

static int by_distance(const void *left, const void *right) {
  const struct near_name *a = left, *b = right;
  return a->distance != b->distance ? (a->distance < b->distance ? -1 : 1)
                                    : strcmp(a->name, b->name);
}

static void add_name(near_names *list, struct text *name, size_t distance) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->data[i].name, name->data) == 0) {
      text_clear(name);
      return;
    }
  vector_push(list, (struct near_name){text_take(name), distance});
}

/* Of SERVICE also operations that are called like that, so that who left out the service is told.
 */
static void add_call(near_names *list, const char *wanted, const char *service,
                     const char *operation) {
  bool whole = strchr(wanted, '/') != NULL;
  struct text name, full;
  text_init(&name);
  text_append(&name, service);
  text_init(&full);
  text_format(&full, "%s/%s", service, operation);
  if (whole)
    text_clear(&name);
  else
    add_name(list, &name, text_distance(wanted, service));
  add_name(list, &full, text_distance(wanted, whole ? full.data : operation));
}

static void list_names(near_names *list, const struct application *a, const char *wanted) {
  for (size_t i = 0; i < a->graph->flows.count; i++)
    for (size_t p = 0; p < a->graph->flows.data[i]->calls.count; p++) {
      const struct flow_call *call = &a->graph->flows.data[i]->calls.data[p];
      add_call(list, wanted, names_text(a->names, call->service),
               names_text(a->names, call->operation));
    }
  qsort(list->data, list->count, sizeof *list->data, by_distance);
}

static enum status complain(const struct application *a, const struct request_change *change) {
  near_names list = {0};
  struct text text;
  text_init(&text);
  list_names(&list, a, change->name);
  for (size_t i = 0; i < list.count; i++) {
    if (i < 3)
      text_format(&text, "%s%s", i == 0 ? "" : ", ", list.data[i].name);
    mem_free(list.data[i].name);
  }
  vector_clear(&list);
  enum status status = asker_fail(a->scenario->request->asker, STATUS_USAGE,
                                  "--change '%s': no recorded call is called \"%s\"; nearest: %s",
                                  change->text, change->name, text_get(&text));
  text_clear(&text);
  return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void copy_flow(struct flow_variant *variant, const struct request_flow *flow) {
  *variant = (struct flow_variant){.recorded = flow, .flow = *flow};
  memset(&variant->flow.activities, 0, sizeof variant->flow.activities);
  memset(&variant->flow.waits, 0, sizeof variant->flow.waits);
  for (size_t i = 0; i < flow->activities.count; i++)
    vector_push(&variant->flow.activities, flow->activities.data[i]);
  for (size_t i = 0; i < flow->waits.count; i++)
    vector_push(&variant->flow.waits, flow->waits.data[i]);
}

enum status scenario_apply(struct variants *variants, struct scenario *scenario,
                           const struct request_graph *graph, const struct span_store *store) {
  struct application a = {variants, scenario, graph, &store->names, {0}};
  enum status status = STATUS_OK;
  memset(variants, 0, sizeof *variants);
  for (size_t i = 0; i < scenario->of.count; i++)
    scenario->of.data[i].calls = 0;
  for (size_t i = 0; i < graph->flows.count; i++) {
    struct flow_variant variant;
    copy_flow(&variant, graph->flows.data[i]);
    vector_push(&variants->flows, variant);
  }
  for (size_t i = 0; i < graph->flows.count && status == STATUS_OK; i++) {
    if (scenario_has(scenario, CHANGE_LOAD))
      status = load_flow(&a, i);
    if (status == STATUS_OK)
      change_flow(&a, i);
  }
  for (size_t i = 0; i < scenario->changes.count && status == STATUS_OK; i++)
    if (scenario->of.data[i].calls == 0)
      status = complain(&a, &scenario->changes.data[i]);
  vector_clear(&a.chosen);
  return status;
}

void variants_clear(struct variants *variants) {
  for (size_t i = 0; i < variants->flows.count; i++) {
    struct flow_variant *variant = &variants->flows.data[i];
    vector_clear(&variant->flow.activities);
    vector_clear(&variant->flow.waits);
    vector_clear(&variant->edits);
    vector_clear(&variant->limit_of);
  }
  vector_clear(&variants->flows);
}
