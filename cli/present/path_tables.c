/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of `trace path` (path.h), for text and for pages.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "cli/present/path.h"

static void append_call(struct text *text, const struct trace_path *answer,
                        const struct request_flow *flow, uint32_t position) {
  flow_call_name(text, flow, position, &answer->store.names);
}

/* A call as its caller says it: without the service where that is its own. */
static void append_callee(struct text *text, const struct trace_path *answer,
                          const struct request_flow *flow, uint32_t position) {
  const struct flow_call *call = &flow->calls.data[position];
  bool same = call->service == flow->calls.data[call->parent].service && call->service != 0;
  struct text name;
  text_init(&name);
  append_call(&name, answer, flow, position);
  size_t skipped = same ? strlen(names_text(&answer->store.names, call->service)) + 1 : 0;
  text_append(text, text_get(&name) + skipped);
  text_clear(&name);
}

static bool has_calls(const struct request_flow *flow, uint32_t position) {
  return position + 1 < flow->calls.count && flow->calls.data[position + 1].parent == position;
}

void path_activity(struct text *text, const struct trace_path *answer,
                   const struct request_flow *flow, const struct activity *activity) {
  const struct flow_call *call = &flow->calls.data[activity->position];
  if (activity->kind == ACTIVITY_NETWORK) {
    text_append(text, activity->is_lead ? "network to " : "network, the answer");
    if (activity->is_lead)
      text_append(text, names_text(&answer->store.names, call->service));
  } else if (activity->is_lead) {
    text_append(text, "until it calls ");
    append_callee(text, answer, flow, activity->position);
  } else {
    text_append(text, has_calls(flow, activity->position) ? "after its calls" : "own work");
  }
}

static double percent(int64_t part, int64_t whole) {
  return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void cell_time(struct table *table, int64_t ns) {
  struct text text;
  text_init(&text);
  duration_print_nearest(&text, ns);
  table_take(table, &text);
}

/* --- one request ------------------------------------------------------------------------------ */

static int step_compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x > y ? -1 : x < y;
}

/* The least duration of a step that is listed, of which `count` are. */
static int64_t least_listed(const struct request_path *path, size_t top) {
  size_t count = path->steps.count;
  int64_t *durations = mem_alloc(count, sizeof *durations);
  for (size_t i = 0; i < count; i++)
    durations[i] = path->steps.data[i].duration;
  qsort(durations, count, sizeof *durations, step_compare);
  int64_t least = durations[(top < count ? top : count) - 1];
  mem_free(durations);
  return least > 0 ? least : 1;
}

/* "after the first of a, b", where not all of several calls were waited for. */
static void append_joined(struct text *text, const struct trace_path *answer,
                          const struct request_flow *flow, const struct activity *activity) {
  if (activity->rank == activity->wait_count)
    return;
  if (activity->rank == 1)
    text_append(text, "after the first of ");
  else
    text_format(text, "after %u of ", activity->rank);
  for (uint32_t w = 0; w < activity->wait_count; w++) {
    uint32_t other = flow->waits.data[activity->wait_first + w];
    text_append(text, w == 0 ? "" : ", ");
    append_call(text, answer, flow, flow->activities.data[other].position);
  }
}

static void cell_doubt(struct table *table, const struct trace_path *answer,
                       const struct request_flow *flow, const struct path_step *step) {
  struct text text;
  text_init(&text);
  const struct activity *activity = &flow->activities.data[step->activity];
  append_joined(&text, answer, flow, activity);
  bool differs = step->order != SPAN_NONE && flow->orders.data[step->order].differs;
  if (step->order != SPAN_NONE && step->rival == SPAN_NONE && (activity->is_lead || differs))
    text_append(&text, "undecided");
  if (step->order != SPAN_NONE && step->rival != SPAN_NONE) {
    int64_t earlier = answer->finish.data[step->waited] - answer->finish.data[step->rival];
    text_append(&text, "undecided: rival ");
    append_call(&text, answer, flow, flow->activities.data[step->rival].position);
    text_append(&text, earlier > 0 ? ", ended " : ", ended at the same time");
    if (earlier > 0) {
      duration_print_nearest(&text, earlier);
      text_append(&text, " earlier");
    }
  }
  table_take(table, &text);
}

static void add_step(struct table *table, const struct trace_path *answer,
                     const struct request_flow *flow, const struct path_step *step,
                     int64_t latency) {
  const struct activity *activity = &flow->activities.data[step->activity];
  struct text text;
  text_init(&text);
  cell_time(table, answer->finish.data[step->activity] - step->duration);
  cell_time(table, step->duration);
  table_cell(table, "%.1f %%", percent(step->duration, latency));
  append_call(&text, answer, flow, activity->owner);
  table_take(table, &text);
  path_activity(&text, answer, flow, activity);
  table_take(table, &text);
  cell_doubt(table, answer, flow, step);
}

struct path_rest path_steps_table(struct table *table, const struct trace_path *answer,
                                  size_t top) {
  const struct request_flow *flow = answer->graph.flows.data[answer->flow];
  int64_t latency = answer->finish.data[answer->finish.count - 1];
  int64_t least = least_listed(&answer->path, top);
  struct path_rest rest = {0};
  size_t doubtful = 0, listed = 0; /* of steps that take as long as the last one not all */
  table_init(table);
  table_column(table, TABLE_RIGHT, "from");
  table_column(table, TABLE_RIGHT, "time");
  table_column(table, TABLE_RIGHT, "share");
  table_column(table, TABLE_LEFT, "whose");
  table_column(table, TABLE_LEFT, "what");
  table_column(table, TABLE_LEFT, "");
  for (size_t i = answer->path.steps.count; i-- > 0;) {
    const struct path_step *step = &answer->path.steps.data[i];
    bool is_doubtful = step->order != SPAN_NONE && step->rival != SPAN_NONE;
    bool is_long = step->duration > least || (step->duration == least && listed < 2 * top);
    if (is_long || (is_doubtful && doubtful < top)) {
      doubtful += is_doubtful;
      listed++;
      add_step(table, answer, flow, step, latency);
    } else if (step->duration > 0) {
      rest.ns += step->duration;
      rest.count++;
    }
  }
  return rest;
}

/* --- all requests ----------------------------------------------------------------------------- */

static void add_part(struct table *table, const struct trace_path *answer,
                     const struct path_part *part) {
  const struct span_names *names = &answer->store.names;
  struct text text;
  text_init(&text);
  if (part->service != 0)
    text_format(&text, "%s/", names_text(names, part->service));
  text_append(&text, names_text(names, part->operation));
  text_append(&text, part->kind == ACTIVITY_NETWORK ? ", network behind it" : "");
  table_take(table, &text);
  cell_time(table, part->total / (int64_t)answer->requests);
  table_cell(table, "%.1f %%", percent(part->total, answer->latency_total));
  table_cell(table, "%.1f %%", percent((int64_t)part->requests, (int64_t)answer->requests));
  table_cell(table, "%.1f %%", percent(part->tail_total, answer->tail_total));
  if (answer->doubts.count > 0)
    table_cell(table, "%.1f %%", percent(part->free_total, answer->latency_total));
}

struct path_rest path_parts_table(struct table *table, const struct trace_path *answer,
                                  size_t top) {
  struct path_rest rest = {0};
  table_init(table);
  table_column(table, TABLE_LEFT, "on critical paths");
  table_column(table, TABLE_RIGHT, "mean");
  table_column(table, TABLE_RIGHT, "share");
  table_column(table, TABLE_RIGHT, "requests");
  table_column(table, TABLE_RIGHT, "share of\nthe slowest 1 %");
  if (answer->doubts.count > 0)
    table_column(table, TABLE_RIGHT, "share if nothing\nundecided is a wait");
  for (size_t i = 0; i < answer->parts.count; i++) {
    if (i < top) {
      add_part(table, answer, &answer->parts.data[i]);
    } else {
      rest.ns += answer->parts.data[i].total;
      rest.count++;
    }
  }
  return rest;
}

/* ", 1 c/disk more": up to three of them. */
static void append_differences(struct text *text, const struct trace_path *answer, size_t f) {
  enum { LISTED = 3 };
  const struct span_names *names = &answer->store.names;
  size_t listed = 0;
  for (size_t i = 0; i < answer->differences.count; i++) {
    const struct path_difference *difference = &answer->differences.data[i];
    if (difference->flow != f)
      continue;
    if (listed++ == LISTED) {
      text_append(text, ", ...");
      return;
    }
    text_format(text, ", %" PRId64 " ",
                difference->more > 0 ? difference->more : -difference->more);
    if (difference->service != 0)
      text_format(text, "%s/", names_text(names, difference->service));
    text_format(text, "%s %s", names_text(names, difference->operation),
                difference->more > 0 ? "more" : "fewer");
  }
}

void path_flows_table(struct table *table, const struct trace_path *answer, size_t top) {
  table_init(table);
  table_column(table, TABLE_RIGHT, "requests");
  table_column(table, TABLE_RIGHT, "share");
  table_column(table, TABLE_RIGHT, "with 95 % confidence");
  table_column(table, TABLE_RIGHT, "calls");
  table_column(table, TABLE_LEFT, "of");
  for (size_t f = 0; f < answer->graph.flows.count && f < top; f++) {
    const struct request_flow *flow = answer->graph.flows.data[f];
    const struct path_share *share = &answer->shares.data[f];
    struct text text;
    text_init(&text);
    append_call(&text, answer, flow, 0);
    append_differences(&text, answer, f);
    table_cell(table, "%zu", flow->requests.count);
    table_cell(table, "%.1f %%", 100 * share->share);
    table_cell(table, "%.1f .. %.1f %%", floor(1000 * share->lower) / 10,
               ceil(1000 * share->upper) / 10);
    table_cell(table, "%zu", flow->calls.count);
    table_take(table, &text);
  }
}

/* --- what is undecided ------------------------------------------------------------------------ */

/* Why no number of requests decides it: some speak against it. */
static void append_differing(struct text *text, const struct order *order, bool is_end) {
  uint64_t requests = order->held + order->refuted;
  if (order->refuted == 0)
    text_append(text, "It had ended by then here, but calls like it end later elsewhere. ");
  else
    text_format(text, "In %" PRIu64 " of %" PRIu64 " requests it had not ended by then. ",
                order->refuted, requests);
  text_append(text, is_end
                        ? "More such requests would not decide it: it differs by request."
                        : "Their hosts' clocks may be off by as much, so that more such requests "
                          "would not decide it.");
}

static void append_needed(struct text *text, const struct order *order) {
  uint64_t requests = order->held + order->refuted;
  if (requests == 1)
    text_append(text, "It had ended by then in the only request. ");
  else if (order->refuted > 0)
    text_format(text,
                "It had ended by then in %" PRIu64 " of %" PRIu64
                " requests, which chance explains with probability %.2g. ",
                order->held, requests, order->by_chance);
  else
    text_format(text,
                "It had ended by then in all %" PRIu64
                " requests, which chance explains with probability %.2g. ",
                requests, order->by_chance);
  if (order->needed == ORDER_NEVER)
    text_append(text, "More such requests would not decide it: it always ends long before.");
  else
    text_format(text, "About %" PRIu64 " more would decide it.", order->needed);
}

void path_doubt_say(struct text *text, const struct trace_path *answer,
                    const struct path_doubt *doubt) {
  const struct request_flow *flow = answer->graph.flows.data[doubt->flow];
  const struct order *order = &flow->orders.data[doubt->order];
  bool is_end = flow->calls.data[order->before].parent == order->after;
  text_append(text, is_end ? "Does the end of " : "Does ");
  append_call(text, answer, flow, order->after);
  text_append(text, " wait for ");
  append_call(text, answer, flow, order->before);
  text_append(text, "? ");
  if (order->differs)
    append_differing(text, order, is_end);
  else
    append_needed(text, order);
  if (doubt->rival != SPAN_NONE) {
    text_append(text, " If it waits for ");
    append_call(text, answer, flow, doubt->rival);
    text_append(text, " alone, up to ");
    duration_print_nearest(text, doubt->most);
    text_append(text, " of a request belong to ");
    append_call(text, answer, flow, flow->calls.data[order->before].parent);
    text_append(text, " itself.");
  }
}

void path_limit_say(struct text *text, const struct trace_path *answer, size_t i) {
  const struct suspected_limit *limit = &answer->limits.data[i];
  const struct request_flow *flow = answer->graph.flows.data[answer->limit_flows.data[i]];
  text_format(text, "Of the %u calls of %s by ", limit->calls,
              limit->service == 0 ? "all services"
                                  : names_text(&answer->store.names, limit->service));
  append_call(text, answer, flow, limit->caller);
  text_format(text,
              " no more than %u ever ran at once, and so many %" PRIu64
              " times: a limit of %u is suspected. ",
              limit->limit, limit->reached, limit->limit);
  text_append(text, limit->by_chance < 1 ? "Then a call waits for whichever ends first."
                                         : "One request cannot confirm it.");
}
