/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/draft/series.h"

#include <inttypes.h>

/* A column: the sum of some activities. */
struct column {
  uint32_t activities[2];
  size_t count;
};

struct columns {
  VECTOR(struct column) list;
};

void draft_component(struct text *text, const struct draft_plan *plan, uint32_t activity) {
  const struct activity *of = &plan->flow->activities.data[activity];
  text_format(text, "%s_%s", of->is_lead ? "Until" : "Work", plan->calls.data[of->position].name);
}

static void add_costs(struct text *header, struct columns *columns, const struct draft_plan *plan) {
  for (size_t s = 0; s < plan->steps.count; s++) {
    const struct draft_step *step = &plan->steps.data[s];
    for (size_t w = 0; w < step->works.count; w++) {
      text_append(header, ",");
      draft_component(header, plan, step->works.data[w]);
      text_append(header, "_ns");
      vector_push(&columns->list, (struct column){{step->works.data[w], 0}, 1});
    }
  }
}

static void add_message(struct text *header, struct columns *columns, const struct draft_plan *plan,
                        uint32_t node) {
  struct column there = {{0}, 0}, back = {{0}, 0};
  there.count = draft_call_delay(there.activities, plan, node);
  back.count = draft_answer_delay(back.activities, plan, node);
  const char *delay = draft_delay(plan, node), *name = plan->calls.data[node].name;
  text_format(header, ",%s.Call_%s_ns,%s.Answer_%s_ns", delay, name, delay, name);
  vector_push(&columns->list, there);
  vector_push(&columns->list, back);
  if (plan->joins) {
    text_format(header, ",Queuing.Call_%s_ns,Queuing.Answer_%s_ns", name, name);
    vector_push(&columns->list, (struct column){{0}, 0});
    vector_push(&columns->list, (struct column){{0}, 0});
  }
}

static void add_row(struct text *table, const struct columns *columns, const int64_t *durations) {
  for (size_t c = 0; c < columns->list.count; c++) {
    const struct column *column = &columns->list.data[c];
    int64_t sum = 0;
    for (size_t i = 0; i < column->count; i++)
      sum += durations[column->activities[i]];
    text_format(table, ",%" PRId64, sum);
  }
}

/* A trace id is any text; a cell of the table holds letters, digits and a few signs of it. */
static void add_id(struct text *table, struct slice id) {
  for (size_t i = 0; i < id.length; i++) {
    char c = id.start[i];
    bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 c == '-' || c == '_' || c == '.';
    text_append_bytes(table, plain ? &c : "_", 1);
  }
}

void draft_series(struct text *table, const struct draft_plan *plan,
                  const struct span_store *store) {
  const struct request_flow *flow = plan->flow;
  struct columns columns = {{0}};
  text_append(table, "trace_id");
  add_costs(table, &columns, plan);
  for (uint32_t p = 1; p < plan->calls.count; p++)
    if (draft_is_node(plan, p))
      add_message(table, &columns, plan, p);
  text_append(table, ",request_ns\n");
  int64_t *finish = mem_alloc(flow->activities.count, sizeof *finish);
  for (size_t i = 0; i < flow->requests.count; i++) {
    const int64_t *durations = flow->durations.data + i * flow->activities.count;
    add_id(table, store->requests.data[flow->requests.data[i]].id);
    add_row(table, &columns, durations);
    text_format(table, ",%" PRId64 "\n", flow_finish(finish, flow, durations));
  }
  mem_free(finish);
  vector_clear(&columns.list);
}
