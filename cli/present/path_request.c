/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The request that `trace path` follows, as a part of its document (path.h).
 */
#include <stdlib.h>

#include "base/duration.h"
#include "base/moment.h"
#include "cli/present/path.h"

enum { TAGS_LISTED = 500 };

static const struct object_key request_keys[] = {
    KEY("id", TEXT, .marks = MARK_NAMES),
    KEY("flow", COUNT),
    KEY("latency_ns", NS),
    KEY("started", TEXT, .marks = MARK_MAYBE,
        .note = "UTC, as `--from` takes it; missing where times count from a machine's start"),
    {0}};
const struct object_kind path_request_kind = {
    "request", "of `trace path`, the request that is followed", request_keys};

static const struct object_key step_keys[] = {
    KEY("whose", TEXT, .marks = MARK_NAMES),
    KEY("span", TEXT, .marks = MARK_NAMES, .note = "its id"),
    KEY("what", TEXT, .marks = MARK_NAMES),
    KEY("from_ns", NS),
    KEY("ns", NS),
    KEY("share", SHARE, .note = "of the latency"),
    KEY("undecided", FLAG),
    KEY("tied", FLAG),
    KEY("rival", TEXT, .marks = MARK_MAYBE),
    KEY("rival_span", TEXT, .marks = MARK_MAYBE),
    KEY("rival_ended_ns", NS, .marks = MARK_MAYBE, .note = "all three where there is one"),
    {0}};
const struct object_kind path_step_kind = {"step", "of its critical path, from its start on",
                                           step_keys};

static const struct object_key slack_keys[] = {
    KEY("whose", TEXT, .marks = MARK_NAMES),
    KEY("what", TEXT, .marks = MARK_NAMES),
    KEY("slack_ns", NS, .marks = MARK_NULL,
        .note = "how much longer it could take, at least; null: any time"),
    {0}};
const struct object_kind path_slack_kind = {"slack", NULL, slack_keys};

static void put_slice(struct objects *objects, const char *key, struct slice slice) {
  char *text = mem_copy_text(slice.start, slice.length);
  object_text(objects, key, text);
  mem_free(text);
}

static void put_span(struct objects *objects, const char *key, const struct trace_path *answer,
                     const struct request_flow *flow, uint32_t position) {
  uint32_t row = flow->rows.data[answer->index * flow->calls.count + position];
  put_slice(objects, key, span_store_id(&answer->store, row));
}

static void put_activity(struct objects *objects, const struct trace_path *answer,
                         const struct request_flow *flow, const struct activity *activity) {
  struct text text;
  text_init(&text);
  objects_add(objects);
  path_put_call(objects, "whose", answer, flow, activity->owner);
  path_activity(&text, answer, flow, activity);
  object_text(objects, "what", text_get(&text));
  text_clear(&text);
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
    path_call_say(text, answer, flow, flow->activities.data[other].position);
  }
}

static void append_step_doubt(struct text *text, const struct trace_path *answer,
                              const struct request_flow *flow, const struct path_step *step) {
  const struct activity *activity = &flow->activities.data[step->activity];
  append_joined(text, answer, flow, activity);
  bool differs = step->order != SPAN_NONE && flow->orders.data[step->order].differs;
  if (step->order != SPAN_NONE && step->rival == SPAN_NONE && (activity->is_lead || differs))
    text_append(text, "undecided");
  if (step->order != SPAN_NONE && step->rival != SPAN_NONE) {
    int64_t earlier = answer->finish.data[step->waited] - answer->finish.data[step->rival];
    text_append(text, "undecided: rival ");
    path_call_say(text, answer, flow, flow->activities.data[step->rival].position);
    text_append(text, earlier > 0 ? ", ended " : ", ended at the same time");
    if (earlier > 0) {
      duration_print_nearest(text, earlier);
      text_append(text, " earlier");
    }
  }
}

static void put_step(struct objects *steps, const struct trace_path *answer,
                     const struct request_flow *flow, const struct path_step *step) {
  const struct activity *activity = &flow->activities.data[step->activity];
  struct text text;
  text_init(&text);
  put_activity(steps, answer, flow, activity);
  put_span(steps, "span", answer, flow, activity->owner);
  object_ns(steps, "from_ns", answer->finish.data[step->activity] - step->duration);
  object_ns(steps, "ns", step->duration);
  object_number(steps, "share",
                path_share_of(step->duration, answer->finish.data[answer->finish.count - 1]));
  object_flag(steps, "undecided", step->order != SPAN_NONE);
  append_step_doubt(&text, answer, flow, step);
  object_words(steps, "undecided", "%s", text_get(&text));
  text_clear(&text);
  object_flag(steps, "tied", step->tied);
  if (step->rival == SPAN_NONE)
    return;
  uint32_t rival = flow->activities.data[step->rival].position;
  path_put_call(steps, "rival", answer, flow, rival);
  put_span(steps, "rival_span", answer, flow, rival);
  object_ns(steps, "rival_ended_ns", answer->finish.data[step->rival]);
}

/* People see the `top` longest steps, and as many undecided ones. */
static struct path_rest put_steps(struct objects *steps, const struct trace_path *answer,
                                  size_t top) {
  const struct request_flow *flow = answer->graph.flows.data[answer->flow];
  int64_t least = least_listed(&answer->path, top);
  struct path_rest rest = {0};
  size_t doubtful = 0, listed = 0; /* of steps that take as long as the last one not all */
  for (size_t i = answer->path.steps.count; i-- > 0;) {
    const struct path_step *step = &answer->path.steps.data[i];
    bool is_doubtful = step->order != SPAN_NONE && step->rival != SPAN_NONE;
    bool is_long = step->duration > least || (step->duration == least && listed < 2 * top);
    put_step(steps, answer, flow, step);
    if (is_long || (is_doubtful && doubtful < top)) {
      doubtful += is_doubtful;
      listed++;
      continue;
    }
    object_shown(steps, SHOWN_PROGRAMS);
    rest.ns += step->duration > 0 ? step->duration : 0;
    rest.count += step->duration > 0;
  }
  return rest;
}

static void show_steps(struct document *document, const struct trace_path *answer, size_t top) {
  static const struct object_column columns[] = {
      {.title = "from", .align = TABLE_RIGHT, .key = "from_ns"},
      {.title = "time", .align = TABLE_RIGHT, .key = "ns"},
      {.title = "share", .align = TABLE_RIGHT, .key = "share", .decimals = 1},
      {.title = "whose", .key = "whose"},
      {.title = "what", .key = "what"},
      {.title = "", .key = "undecided"},
  };
  struct text text;
  text_init(&text);
  document_section(document, "steps", "The critical path step by step");
  struct objects *steps = document_objects(document, &path_step_kind);
  struct path_rest rest = put_steps(steps, answer, top);
  document_table(document, LINES_APART, 2, steps, columns, sizeof columns / sizeof *columns);
  if (rest.count != 0) {
    text_format(&text, "and %zu shorter steps: ", rest.count);
    duration_print_nearest(&text, rest.ns);
    text_append(&text, " in all");
  }
  document_take(document, LINES_CLOSE, 2, &text);
}

static void put_slacks(struct document *document, const struct trace_path *answer) {
  const struct request_flow *flow = answer->graph.flows.data[answer->flow];
  struct objects *slacks = document_objects(document, &path_slack_kind);
  for (size_t a = 0; a < flow->activities.count; a++) {
    put_activity(slacks, answer, flow, &flow->activities.data[a]);
    if (answer->slack.data[a] == SLACK_ANY)
      object_null(slacks, "slack_ns");
    else
      object_ns(slacks, "slack_ns", answer->slack.data[a]);
  }
}

/* --- its spans --------------------------------------------------------------------------------
 */

static void add_tag(struct table *grid, const struct span_store *store, uint32_t row, size_t tag) {
  const char *service = names_text(&store->names, store->service.data[row]);
  table_cell(grid, "%s%s%s", store->service.data[row] == 0 ? "" : service,
             store->service.data[row] == 0 ? "" : "/",
             names_text(&store->names, store->operation.data[row]));
  table_cell(grid, "%s", names_text(&store->names, store->tags.data[tag].key));
  table_cell(grid, "%s", names_text(&store->names, store->tags.data[tag].value));
}

static void show_tags(struct document *document, const struct span_store *store,
                      const struct request *request) {
  size_t rows = 0;
  struct table grid;
  table_init(&grid);
  table_column(&grid, TABLE_LEFT, "call");
  table_column(&grid, TABLE_LEFT, "tag");
  table_column(&grid, TABLE_LEFT, "value");
  for (uint32_t row = request->first; row < request->first + request->count; row++)
    for (size_t t = row == 0 ? 0 : store->tag_end.data[row - 1]; t < store->tag_end.data[row]; t++)
      if (rows++ < TAGS_LISTED)
        add_tag(&grid, store, row, t);
  if (rows != 0)
    document_folded(document, "tags", "Tags of its calls", &grid);
  if (rows > TAGS_LISTED)
    document_say(document, LINES_CLOSE, "and %zu further tags", rows - TAGS_LISTED);
  table_clear(&grid);
}

void path_started_say(struct text *text, const struct trace_path *answer) {
  const struct request_flow *flow = answer->graph.flows.data[answer->flow];
  uint32_t root = answer->store.requests.data[flow->requests.data[answer->index]].first;
  int64_t ns = answer->store.start.data[root];
  if (moment_is_calendar(ns))
    moment_print(text, ns);
}

static void put_started(struct objects *requests, const struct trace_path *answer) {
  struct text started;
  text_init(&started);
  path_started_say(&started, answer);
  if (started.length != 0)
    object_text(requests, "started", started.data);
  text_clear(&started);
}

void path_request_document(struct document *document, const struct trace_path *answer, size_t top) {
  const struct request_flow *flow = answer->graph.flows.data[answer->flow];
  const struct request *request = &answer->store.requests.data[flow->requests.data[answer->index]];
  int64_t latency = answer->finish.data[answer->finish.count - 1];
  struct objects *requests = document_objects(document, &path_request_kind);
  objects_add(requests);
  put_slice(requests, "id", request->id);
  object_count(requests, "flow", answer->flow);
  object_ns(requests, "latency_ns", latency);
  put_started(requests, answer);
  document_show(document, SHOWN_PAGES);
  show_tags(document, &answer->store, request);
  document_show(document, SHOWN_ALWAYS);
  struct text text;
  text_init(&text);
  path_followed_say(&text, answer);
  text_append_bytes(&text, request->id.start, request->id.length);
  text_append(&text, " took ");
  duration_print_nearest(&text, latency);
  text_append(&text, ". What it waited for, from its start:");
  document_take(document, LINES_APART, 0, &text);
  show_steps(document, answer, top);
  put_slacks(document, answer);
}
