/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `trace path` as lines of JSON (path.h).
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/jsonl.h"
#include "show/ledger.h"
#include "cli/present/order_json.h"
#include "cli/present/path.h"

static void put_id(struct jsonl *line, const char *key, const struct trace_path *answer,
                   const struct request_flow *flow, uint32_t position) {
  uint32_t row = flow->rows.data[answer->index * flow->calls.count + position];
  struct slice id = span_store_id(&answer->store, row);
  struct text text;
  text_init(&text);
  text_append_bytes(&text, id.start, id.length);
  jsonl_text(line, key, text_get(&text));
  text_clear(&text);
}

static void print_request(const struct trace_path *answer) {
  const struct request_flow *flow = answer->graph.flows.data[answer->flow];
  const struct request *request = &answer->store.requests.data[flow->requests.data[answer->index]];
  struct jsonl *line = jsonl_new("request");
  struct text id;
  text_init(&id);
  text_append_bytes(&id, request->id.start, request->id.length);
  jsonl_text(line, "id", text_get(&id));
  jsonl_integer(line, "flow", (int64_t)answer->flow);
  jsonl_integer(line, "latency_ns", answer->finish.data[answer->finish.count - 1]);
  jsonl_print(line);
  text_clear(&id);
}

/* A sum over many requests may exceed 2^53. */
static void put_sum(struct jsonl *line, const char *key, int64_t ns) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRId64, ns);
  jsonl_text(line, key, digits);
}

/* From the start of the request to its end. */
static void print_steps(const struct trace_path *answer) {
  const struct request_flow *flow = answer->graph.flows.data[answer->flow];
  for (size_t i = answer->path.steps.count; i-- > 0;) {
    const struct path_step *step = &answer->path.steps.data[i];
    const struct activity *activity = &flow->activities.data[step->activity];
    struct jsonl *line = jsonl_new("step");
    order_put_call(line, "whose", flow, activity->owner, &answer->store.names);
    put_id(line, "span", answer, flow, activity->owner);
    struct text text;
    text_init(&text);
    path_activity(&text, answer, flow, activity);
    jsonl_text(line, "what", text_get(&text));
    text_clear(&text);
    jsonl_integer(line, "from_ns", answer->finish.data[step->activity] - step->duration);
    jsonl_integer(line, "ns", step->duration);
    jsonl_flag(line, "undecided", step->order != SPAN_NONE);
    jsonl_flag(line, "tied", step->tied);
    if (step->rival != SPAN_NONE) {
      uint32_t rival = flow->activities.data[step->rival].position;
      order_put_call(line, "rival", flow, rival, &answer->store.names);
      put_id(line, "rival_span", answer, flow, rival);
      jsonl_integer(line, "rival_ended_ns", answer->finish.data[step->rival]);
    }
    jsonl_print(line);
  }
}

static void print_slacks(const struct trace_path *answer) {
  const struct request_flow *flow = answer->graph.flows.data[answer->flow];
  for (size_t a = 0; a < flow->activities.count; a++) {
    const struct activity *activity = &flow->activities.data[a];
    struct jsonl *line = jsonl_new("slack");
    struct text text;
    text_init(&text);
    order_put_call(line, "whose", flow, activity->owner, &answer->store.names);
    path_activity(&text, answer, flow, activity);
    jsonl_text(line, "what", text_get(&text));
    text_clear(&text);
    if (answer->slack.data[a] == SLACK_ANY)
      jsonl_text(line, "slack_ns", NULL);
    else
      jsonl_integer(line, "slack_ns", answer->slack.data[a]);
    jsonl_print(line);
  }
}

static void print_parts(const struct trace_path *answer) {
  const struct span_names *names = &answer->store.names;
  for (size_t i = 0; i < answer->parts.count; i++) {
    const struct path_part *part = &answer->parts.data[i];
    struct jsonl *line = jsonl_new("part");
    jsonl_text(line, "service", names_text(names, part->service));
    jsonl_text(line, "operation", names_text(names, part->operation));
    jsonl_text(line, "of", part->kind == ACTIVITY_NETWORK ? "network" : "work");
    jsonl_integer(line, "requests", (int64_t)part->requests);
    put_sum(line, "ns", part->total);
    put_sum(line, "ns_of_slowest", part->tail_total);
    put_sum(line, "ns_if_free", part->free_total);
    jsonl_print(line);
  }
}

static void print_flow(const struct trace_path *answer, size_t f) {
  const struct request_flow *flow = answer->graph.flows.data[f];
  struct jsonl *line = jsonl_new("flow");
  jsonl_integer(line, "flow", (int64_t)f);
  jsonl_integer(line, "requests", (int64_t)flow->requests.count);
  jsonl_number(line, "share", answer->shares.data[f].share);
  jsonl_number(line, "share_least", answer->shares.data[f].lower);
  jsonl_number(line, "share_most", answer->shares.data[f].upper);
  jsonl_integer(line, "calls", (int64_t)flow->calls.count);
  order_put_call(line, "root", flow, 0, &answer->store.names);
  struct jsonl *list = jsonl_list(line, "differences");
  for (size_t i = 0; i < answer->differences.count; i++) {
    const struct path_difference *difference = &answer->differences.data[i];
    if (difference->flow != f)
      continue;
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "service", names_text(&answer->store.names, difference->service));
    jsonl_text(item, "operation", names_text(&answer->store.names, difference->operation));
    jsonl_integer(item, "more", difference->more);
  }
  jsonl_print(line);
  orders_print_json(flow, f, &answer->store.names);
}

static void print_limits(const struct trace_path *answer) {
  for (size_t i = 0; i < answer->limits.count; i++) {
    const struct suspected_limit *limit = &answer->limits.data[i];
    size_t f = answer->limit_flows.data[i];
    struct jsonl *line = jsonl_new("limit");
    jsonl_integer(line, "flow", (int64_t)f);
    order_put_call(line, "caller", answer->graph.flows.data[f], limit->caller,
                   &answer->store.names);
    jsonl_text(line, "service",
               limit->service == 0 ? NULL : names_text(&answer->store.names, limit->service));
    jsonl_integer(line, "calls", limit->calls);
    jsonl_integer(line, "limit", limit->limit);
    jsonl_integer(line, "reached", (int64_t)limit->reached);
    jsonl_number(line, "by_chance", limit->by_chance);
    jsonl_print(line);
  }
}

void path_print_json(const struct trace_path *answer) {
  print_request(answer);
  print_steps(answer);
  print_slacks(answer);
  print_parts(answer);
  for (size_t f = 0; f < answer->graph.flows.count; f++)
    print_flow(answer, f);
  print_limits(answer);
  struct jsonl *line = jsonl_new("paths");
  jsonl_integer(line, "requests", (int64_t)answer->requests);
  put_sum(line, "latency_ns", answer->latency_total);
  jsonl_integer(line, "slowest_requests", (int64_t)answer->tail_requests);
  jsonl_integer(line, "slowest_from_ns", answer->tail_from);
  put_sum(line, "slowest_latency_ns", answer->tail_total);
  jsonl_print(line);
  ledger_print_json(&answer->ledger);
}
