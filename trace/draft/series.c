/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/draft/series.h"

#include <inttypes.h>
#include <stdlib.h>

/* A column: the sum of some activities; of a loop one round. */
struct column {
  uint32_t activities[2];
  size_t count;
  bool by_round;
  uint32_t round; /* from 0 */
};

struct columns {
  VECTOR(struct column) list;
};

void draft_component(struct text *text, const struct draft_plan *plan, uint32_t activity) {
  const struct activity *of = &plan->flow->activities.data[activity];
  text_format(text, "%s_%s", of->is_lead ? "Until" : "Work", plan->calls.data[of->position].name);
}

static void add_cost(struct text *header, struct columns *columns, const struct draft_plan *plan,
                     uint32_t activity) {
  const struct shape_loop *loop =
      draft_loop_of(plan, plan->flow->activities.data[activity].position);
  for (uint32_t round = 0; round < (loop == NULL ? 1 : loop->most); round++) {
    text_append(header, ",");
    draft_component(header, plan, activity);
    if (loop != NULL)
      text_format(header, ".%" PRIu32, round + 1);
    text_append(header, "_ns");
    vector_push(&columns->list, (struct column){{activity, 0}, 1, loop != NULL, round});
  }
}

static void add_costs(struct text *header, struct columns *columns, const struct draft_plan *plan) {
  for (size_t s = 0; s < plan->steps.count; s++)
    for (size_t w = 0; w < plan->steps.data[s].works.count; w++)
      add_cost(header, columns, plan, plan->steps.data[s].works.data[w]);
}

static void add_message(struct text *header, struct columns *columns, const struct draft_plan *plan,
                        uint32_t node) {
  struct column there = {0}, back = {0};
  there.count = draft_call_delay(there.activities, plan, node);
  back.count = draft_answer_delay(back.activities, plan, node);
  const char *delay = draft_delay(plan, node), *name = plan->calls.data[node].name;
  text_format(header, ",%s.Call_%s_ns,%s.Answer_%s_ns", delay, name, delay, name);
  vector_push(&columns->list, there);
  vector_push(&columns->list, back);
  if (plan->joins) {
    text_format(header, ",Queuing.Call_%s_ns,Queuing.Answer_%s_ns", name, name);
    vector_push(&columns->list, (struct column){0});
    vector_push(&columns->list, (struct column){0});
  }
}

static void add_row(struct text *table, const struct columns *columns,
                    const struct shape_times *times) {
  for (size_t c = 0; c < columns->list.count; c++) {
    const struct column *column = &columns->list.data[c];
    int64_t sum = 0;
    if (column->by_round) {
      size_t at = times->from.data[column->activities[0]] + column->round;
      if (at < times->from.data[column->activities[0] + 1])
        text_format(table, ",%" PRId64, times->rounds.data[at]);
      else
        text_append(table, ",-");
      continue;
    }
    for (size_t i = 0; i < column->count; i++)
      sum += shape_sum(times, column->activities[i]);
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

/* A request of the family: the i-th of a fit's flow. */
struct row {
  uint32_t request; /* of the store */
  uint32_t fit, i;
};

static int row_compare(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  return x->request < y->request ? -1 : x->request > y->request;
}

/* As they were recorded: what follows each other may depend on each other. */
static struct row *rows_of(const struct flow_family *family) {
  struct row *rows = mem_alloc(family->requests, sizeof *rows);
  size_t count = 0;
  for (uint32_t f = 0; f < family->fits.count; f++) {
    const struct request_flow *flow = family->fits.data[f].flow;
    for (uint32_t i = 0; i < flow->requests.count; i++)
      rows[count++] = (struct row){flow->requests.data[i], f, i};
  }
  if (count > 1)
    qsort(rows, count, sizeof *rows, row_compare);
  return rows;
}

void draft_series(struct text *table, const struct draft_plan *plan,
                  const struct flow_family *family, const struct span_store *store) {
  struct columns columns = {{0}};
  struct shape_times times = {0};
  text_append(table, "trace_id");
  add_costs(table, &columns, plan);
  for (uint32_t p = 1; p < plan->calls.count; p++)
    if (draft_is_node(plan, p))
      add_message(table, &columns, plan, p);
  text_append(table, ",request_ns\n");
  size_t most = 0;
  for (size_t f = 0; f < family->fits.count; f++)
    if (family->fits.data[f].flow->activities.count > most)
      most = family->fits.data[f].flow->activities.count;
  int64_t *finish = mem_alloc(most, sizeof *finish);
  struct row *rows = rows_of(family);
  for (size_t r = 0; r < family->requests; r++) {
    const struct shape_fit *fit = &family->fits.data[rows[r].fit];
    const struct request_flow *flow = fit->flow;
    int64_t latency =
        flow_finish(finish, flow, flow->durations.data + rows[r].i * flow->activities.count);
    shape_times_make(&times, plan->shape, fit, finish);
    add_id(table, store->requests.data[rows[r].request].id);
    add_row(table, &columns, &times);
    text_format(table, ",%" PRId64 "\n", latency);
  }
  mem_free(finish);
  mem_free(rows);
  shape_times_clear(&times);
  vector_clear(&columns.list);
}
