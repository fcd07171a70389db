/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/trace_path/trace_path.h"

#include <string.h>

#include "cli/question/trace_path/annotate.h"
#include "trace/evaluate/waiting.h"
#include "trace/fold/open.h"
#include "trace/graph/family.h"
#include "trace/graph/notes.h"

void trace_path_init(struct trace_path *answer, const struct trace_path_request *request) {
  *answer = (struct trace_path){.request = request};
  span_store_init(&answer->store);
  ledger_init(&answer->ledger);
}

void trace_path_clear(struct trace_path *answer) {
  flow_families_clear(&answer->ways);
  request_graph_clear(&answer->graph);
  span_store_clear(&answer->store);
  ledger_clear(&answer->ledger);
  vector_clear(&answer->parts);
  vector_clear(&answer->doubts);
  vector_clear(&answer->shares);
  vector_clear(&answer->differences);
  vector_clear(&answer->way_shares);
  vector_clear(&answer->way_differences);
  vector_clear(&answer->finish);
  vector_clear(&answer->slack);
  request_path_clear(&answer->path);
  for (size_t i = 0; i < answer->files.count; i++)
    mem_free(answer->files.data[i]);
  vector_clear(&answer->files);
}

static const struct request *request_at(const struct trace_path *answer, size_t flow, size_t i) {
  const struct request_flow *of = answer->graph.flows.data[flow];
  return &answer->store.requests.data[of->requests.data[i]];
}

static bool is_wanted(const struct trace_path *answer, const struct request *request) {
  const char *id = answer->request->id;
  return id != NULL && strlen(id) == request->id.length &&
         memcmp(id, request->id.start, request->id.length) == 0;
}

/* The request asked for, or the slowest; of several the first. */
static bool choose(struct trace_path *answer) {
  int64_t slowest = -1;
  for (size_t f = 0; f < answer->graph.flows.count; f++)
    for (size_t i = 0; i < answer->graph.flows.data[f]->requests.count; i++) {
      const struct request *request = request_at(answer, f, i);
      int64_t latency = span_store_latency(&answer->store, request);
      bool wanted = is_wanted(answer, request);
      if (!wanted && (answer->request->id != NULL || latency <= slowest))
        continue;
      slowest = latency;
      answer->flow = f;
      answer->index = i;
      if (wanted)
        return true;
    }
  return slowest >= 0;
}

static void follow(struct trace_path *answer) {
  const struct request_flow *flow = answer->graph.flows.data[answer->flow];
  size_t count = flow->activities.count;
  const int64_t *durations = flow->durations.data + answer->index * count;
  for (size_t a = 0; a < count; a++) {
    vector_push(&answer->finish, 0);
    vector_push(&answer->slack, 0);
  }
  flow_finish(answer->finish.data, flow, durations);
  flow_slack(answer->slack.data, flow, answer->finish.data, durations);
  flow_path(&answer->path, flow, answer->finish.data, durations);
}

enum status trace_path_answer(struct trace_path *answer) {
  const struct graph_options options = {.undecided = UNDECIDED_WAITS, .level = 0.05};
  const struct asker *asker = answer->request->asker;
  request_graph_make(&answer->graph, &answer->store, &options);
  if (answer->store.requests.count == 0)
    return asker_fail(asker, STATUS_DATA, "there is no request in these traces");
  if (!choose(answer))
    return asker_fail(asker, STATUS_USAGE, "no request of these traces has the id \"%s\"",
                      answer->request->id);
  follow(answer);
  flow_families_make(&answer->ways, &answer->graph);
  trace_path_add_up(answer);
  trace_path_compare_flows(answer);
  graph_note(&answer->ledger, &answer->graph);
  waiting_note(&answer->ledger, &answer->graph, &answer->store, options.level);
  return STATUS_OK;
}

static enum status hear_file(const char *path, void *context) {
  struct trace_path *answer = context;
  vector_push(&answer->files, mem_copy_text(path, strlen(path)));
  return STATUS_OK;
}

static bool is_sample(const struct span_store *store) {
  return store->census != NULL && store->census->requests > store->requests.count;
}

enum status trace_path_ask(struct trace_path *answer, const struct trace_path_request *request) {
  trace_path_init(answer, request);
  const struct trace_reading reading = {
      .ids = true,
      .tags = request->tags || request->selection.where.count != 0,
      .columns = request->columns,
      .follow = request->selection.follow != NULL,
      .foldable = request->id == NULL && request->selection.follow == NULL &&
                  request->annotate == NULL && selection_is_of_roots(&request->selection),
      .keep = true,
      .opened = request->annotate == NULL ? NULL : hear_file,
      .context = answer};
  answer->status = trace_open(&answer->store, request->paths, request->path_count, &reading,
                              &answer->ledger, request->asker);
  answer->sampled = answer->status == STATUS_OK && is_sample(&answer->store);
  if (answer->status == STATUS_OK)
    answer->status =
        selection_keep(&answer->store, &request->selection, &answer->ledger, request->asker);
  if (answer->status == STATUS_OK) {
    selection_note_roots(&answer->store, &answer->ledger);
    answer->status = trace_path_answer(answer);
  }
  if (answer->status == STATUS_OK && request->annotate != NULL)
    answer->status = trace_path_annotate(answer);
  return answer->status;
}
