/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/draft/keep.h"

#include <string.h>

#include "base/jsonl.h"

static void keep_call(struct jsonl *item, const struct flow_call *call,
                      const struct span_names *names) {
  jsonl_text(item, "service", names_text(names, call->service));
  jsonl_text(item, "operation", names_text(names, call->operation));
  jsonl_integer(item, "caller", call->parent == SPAN_NONE ? -1 : (int64_t)call->parent);
  jsonl_integer(item, "ordinal", call->ordinal);
}

static void keep_activity(struct jsonl *item, const struct request_flow *flow,
                          const struct activity *activity) {
  jsonl_integer(item, "call", activity->position);
  jsonl_flag(item, "before_it", activity->is_lead);
  jsonl_flag(item, "network", activity->kind != ACTIVITY_WORK);
  jsonl_integer(item, "needs", activity->rank);
  struct jsonl *waits = jsonl_list(item, "waits");
  for (size_t i = 0; i < activity->wait_count; i++)
    jsonl_integer(jsonl_item(waits), "for", flow->waits.data[activity->wait_first + i]);
}

static void keep_loop(struct jsonl *item, const struct shape_loop *loop) {
  jsonl_integer(item, "call", loop->call);
  jsonl_integer(item, "last", loop->last);
  jsonl_integer(item, "least", loop->least);
  jsonl_integer(item, "most", loop->most);
  jsonl_flag(item, "whole", loop->whole);
}

void draft_keep(struct text *text, const struct flow_shape *shape, const struct span_names *names) {
  const struct request_flow *flow = shape->flow;
  struct jsonl *json = jsonl_new("calls");
  struct jsonl *calls = jsonl_list(json, "calls");
  for (size_t p = 0; p < flow->calls.count; p++)
    keep_call(jsonl_item(calls), &flow->calls.data[p], names);
  struct jsonl *activities = jsonl_list(json, "activities");
  for (size_t a = 0; a < flow->activities.count; a++)
    keep_activity(jsonl_item(activities), flow, &flow->activities.data[a]);
  struct jsonl *loops = shape->loops.count == 0 ? NULL : jsonl_list(json, "loops");
  for (size_t l = 0; l < shape->loops.count; l++)
    keep_loop(jsonl_item(loops), &shape->loops.data[l]);
  char *bytes = jsonl_take(json);
  text_append(text, bytes);
  mem_free(bytes);
}

/* An integer of an item from `low` to below `end`; false otherwise. */
static bool get(int64_t *value, const struct jsonl *item, const char *key, int64_t low,
                int64_t end) {
  return item != NULL && jsonl_get_integer(value, item, key) && *value >= low && *value < end;
}

static uint32_t number_of(struct span_names *names, const char *text) {
  return names_number(names, (struct slice){text, strlen(text)});
}

static bool recall_call(struct request_flow *flow, struct span_names *names,
                        const struct jsonl *item) {
  int64_t caller, ordinal, before = (int64_t)flow->calls.count;
  const char *service = item == NULL ? NULL : jsonl_get_text(item, "service");
  const char *operation = item == NULL ? NULL : jsonl_get_text(item, "operation");
  if (service == NULL || operation == NULL || !get(&caller, item, "caller", -1, before) ||
      !get(&ordinal, item, "ordinal", 0, UINT32_MAX) || (caller < 0) != (before == 0))
    return false;
  vector_push(&flow->calls, (struct flow_call){.service = number_of(names, service),
                                               .operation = number_of(names, operation),
                                               .parent = caller < 0 ? SPAN_NONE : (uint32_t)caller,
                                               .ordinal = (uint32_t)ordinal,
                                               .lead = SPAN_NONE,
                                               .tail = SPAN_NONE});
  return true;
}

static bool recall_waits(struct request_flow *flow, const struct jsonl *waits) {
  for (size_t i = 0; i < jsonl_count(waits); i++) {
    int64_t wait;
    if (!get(&wait, jsonl_at(waits, i), "for", 0, (int64_t)flow->activities.count))
      return false;
    vector_push(&flow->waits, (uint32_t)wait);
  }
  return true;
}

static bool recall_activity(struct request_flow *flow, const struct jsonl *item) {
  int64_t position, rank;
  if (!get(&position, item, "call", 0, (int64_t)flow->calls.count))
    return false;
  const struct jsonl *waits = jsonl_get_list(item, "waits");
  struct activity activity = {.position = (uint32_t)position,
                              .is_lead = jsonl_get_flag(item, "before_it"),
                              .kind = jsonl_get_flag(item, "network") ? ACTIVITY_NETWORK
                                                                      : ACTIVITY_WORK,
                              .wait_first = (uint32_t)flow->waits.count};
  struct flow_call *call = &flow->calls.data[position];
  uint32_t *place = activity.is_lead ? &call->lead : &call->tail;
  if (waits == NULL || *place != SPAN_NONE || (activity.is_lead && position == 0) ||
      !recall_waits(flow, waits))
    return false;
  activity.wait_count = (uint32_t)jsonl_count(waits);
  activity.owner = activity.is_lead ? call->parent : activity.position;
  if (!get(&rank, item, "needs", activity.wait_count == 0 ? 0 : 1, activity.wait_count + 1))
    return false;
  activity.rank = (uint32_t)rank;
  *place = (uint32_t)flow->activities.count;
  vector_push(&flow->activities, activity);
  return true;
}

/* Whether the loop's activities are one row, as its times are made by rounds of them. */
static bool is_row(const struct request_flow *flow, const struct shape_loop *loop) {
  uint32_t lead = flow->calls.data[loop->call].lead, tail = flow->calls.data[loop->call].tail;
  if (lead == SPAN_NONE || tail + 1 != lead + 2 * (loop->last - loop->call + 1))
    return false;
  for (uint32_t a = lead; a <= tail; a++) {
    const struct activity *activity = &flow->activities.data[a];
    if (activity->position < loop->call || activity->position > loop->last ||
        (a > lead &&
         (activity->wait_count != 1 || flow->waits.data[activity->wait_first] != a - 1)))
      return false;
  }
  return true;
}

static bool recall_loop(struct flow_shape *shape, const struct jsonl *item) {
  int64_t call, last, least, most, count = (int64_t)shape->own.calls.count;
  int64_t from = 1;
  if (shape->loops.count > 0)
    from = (int64_t)shape->loops.data[shape->loops.count - 1].last + 1;
  if (!get(&call, item, "call", from, count) || !get(&last, item, "last", call, count) ||
      !get(&least, item, "least", 0, UINT32_MAX) || !get(&most, item, "most", least, UINT32_MAX))
    return false;
  struct shape_loop loop = {(uint32_t)call, (uint32_t)last, (uint32_t)least, (uint32_t)most,
                            jsonl_get_flag(item, "whole")};
  vector_push(&shape->loops, loop);
  return is_row(&shape->own, &loop);
}

static bool recall_loops(struct flow_shape *shape, const struct jsonl *json) {
  const struct jsonl *loops = jsonl_get_list(json, "loops");
  for (size_t l = 0; loops != NULL && l < jsonl_count(loops); l++)
    if (!recall_loop(shape, jsonl_at(loops, l)))
      return false;
  return true;
}

static bool recall_all(struct request_flow *flow, struct span_names *names,
                       const struct jsonl *json) {
  const struct jsonl *calls = jsonl_get_list(json, "calls");
  const struct jsonl *activities = jsonl_get_list(json, "activities");
  if (calls == NULL || activities == NULL || jsonl_count(calls) == 0 ||
      jsonl_count(activities) != 2 * jsonl_count(calls) - 1)
    return false;
  for (size_t p = 0; p < jsonl_count(calls); p++)
    if (!recall_call(flow, names, jsonl_at(calls, p)))
      return false;
  for (size_t a = 0; a < jsonl_count(activities); a++)
    if (!recall_activity(flow, jsonl_at(activities, a)))
      return false;
  return flow->calls.data[0].tail + 1 == flow->activities.count;
}

bool draft_recall(struct flow_shape *shape, struct span_names *names, const char *bytes,
                  size_t length, struct text *message) {
  *shape = (struct flow_shape){.flow = &shape->own};
  struct jsonl *json = jsonl_parse(bytes, length, message);
  if (json == NULL)
    return false;
  bool recalled = recall_all(&shape->own, names, json) && recall_loops(shape, json);
  if (!recalled)
    text_append(message, "is not what tailproof draft wrote: some call or activity of it is "
                         "missing or impossible; draft anew");
  jsonl_free(json);
  return recalled;
}
