/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/replay/traces.h"

#include <string.h>

#include "base/duration.h"
#include "base/file.h"
#include "cli/question/replay/enact.h"
#include "cli/question/replay/judge.h"
#include "trace/draft/keep.h"
#include "trace/fold/open.h"
#include "trace/graph/notes.h"

#define CALLS_SIZE_MAX ((size_t)64 << 20)

/* The flow that the protocol was drafted from, and what it is in the protocol. */
struct drafted {
  struct request_flow flow;
  struct draft_plan plan;
  struct enactment enactment;
};

static enum status prepare(struct traces_answer *answer, const struct replay_request *request) {
  enum status status = protocol_load(&answer->protocol, request->path, request->asker);
  const struct bound *only = NULL;
  if (status == STATUS_OK && request->bound != NULL) {
    only = protocol_bound(&answer->protocol, request->bound, request->asker);
    status = only == NULL ? STATUS_USAGE : STATUS_OK;
  }
  if (status == STATUS_OK)
    status =
        parameters_read(&answer->parameters, answer->protocol.model, &request->set, request->asker);
  if (status != STATUS_OK)
    return status;
  struct text message;
  text_init(&message);
  answer->interpreter =
      needed_interpreter(&status, answer->protocol.model, &answer->parameters, &message);
  if (answer->interpreter == NULL)
    asker_say(request->asker, SAYING_MISTAKE, "%s", text_get(&message));
  else
    needed_bounds(&answer->run.bounds, answer->protocol.model, only, &answer->parameters,
                  &answer->run.missing);
  text_clear(&message);
  return answer->interpreter == NULL ? status : STATUS_OK;
}

/* "dir/x.tp": "dir/x.calls" */
static void calls_path(struct text *path, const char *protocol) {
  size_t length = strlen(protocol);
  if (length > 3 && strcmp(protocol + length - 3, ".tp") == 0)
    length -= 3;
  text_append_bytes(path, protocol, length);
  text_append(path, ".calls");
}

static enum status recall(struct drafted *drafted, struct traces_answer *answer,
                          const struct replay_request *request) {
  struct text path, message;
  text_init(&path);
  text_init(&message);
  calls_path(&path, request->path);
  char *bytes = NULL;
  size_t length;
  enum status status = file_read(text_get(&path), CALLS_SIZE_MAX, &bytes, &length, &message);
  if (status != STATUS_OK)
    asker_say(request->asker, SAYING_FAILURE, "%s; --traces is for a protocol of tailproof draft",
              text_get(&message));
  else if (!draft_recall(&drafted->flow, &answer->store.names, bytes, length, &message) ||
           !draft_plan_make(&drafted->plan, &drafted->flow, &answer->store.names, &message))
    status = asker_fail(request->asker, STATUS_DATA, "%s: %s", text_get(&path), text_get(&message));
  else if (!enactment_init(&drafted->enactment, &drafted->plan, answer->protocol.model, &message))
    status = asker_fail(request->asker, STATUS_DATA, "%s: %s: change both alike, or draft anew",
                        request->path, text_get(&message));
  mem_free(bytes);
  text_clear(&path);
  text_clear(&message);
  return status;
}

static bool same_calls(const struct request_flow *a, const struct request_flow *b) {
  if (a->calls.count != b->calls.count)
    return false;
  for (size_t p = 0; p < a->calls.count; p++) {
    const struct flow_call *x = &a->calls.data[p], *y = &b->calls.data[p];
    if (x->service != y->service || x->operation != y->operation || x->parent != y->parent ||
        x->ordinal != y->ordinal)
      return false;
  }
  return true;
}

static void add_other(struct traces_answer *answer, size_t request, const char *reason) {
  struct slice id = answer->store.requests.data[request].id;
  vector_push(&answer->others,
              (struct traces_other){mem_copy_text(id.start, id.length),
                                    reason == NULL ? NULL : mem_copy_text(reason, strlen(reason))});
  *(reason == NULL ? &answer->strangers : &answer->misfits) += 1;
}

static void say_early(struct text *reason, const struct drafted *drafted, uint32_t activity,
                      const int64_t *finish) {
  const struct request_flow *flow = &drafted->flow;
  const struct activity *of = &flow->activities.data[activity];
  const struct span_names *names = drafted->plan.names;
  uint32_t latest = flow->waits.data[of->wait_first];
  for (size_t i = 0; i < of->wait_count; i++)
    if (finish[flow->waits.data[of->wait_first + i]] > finish[latest])
      latest = flow->waits.data[of->wait_first + i];
  flow_call_name(reason, flow, of->position, names);
  text_append(reason, of->is_lead ? " begins " : " ends ");
  duration_print_nearest(reason, finish[latest] - finish[activity]);
  text_append(reason, " before ");
  flow_call_name(reason, flow, flow->activities.data[latest].position, names);
  text_append(reason, flow->activities.data[latest].is_lead ? " begins" : " has ended");
  text_append(reason, ", which it waits for");
}

/* How long each of the drafted activities took, in a request given by when those of its own flow
 * ended. False with the reason when one began before what it waits for had ended. */
static bool drafted_durations(int64_t *durations, int64_t *finish, const struct drafted *drafted,
                              const struct request_flow *own, const int64_t *own_finish,
                              struct text *reason) {
  const struct request_flow *flow = &drafted->flow;
  for (uint32_t a = 0; a < flow->activities.count; a++) {
    const struct activity *activity = &flow->activities.data[a];
    const struct flow_call *call = &own->calls.data[activity->position];
    finish[a] = own_finish[activity->is_lead ? call->lead : call->tail];
    durations[a] = finish[a] - flow_ready(finish, flow, activity);
    if (durations[a] >= 0)
      continue;
    if (drafted->plan.calls.data[activity->position].place != DRAFT_APART) {
      say_early(reason, drafted, a, finish);
      return false;
    }
    durations[a] = 0;
  }
  return true;
}

static void judge_events(struct traces_answer *answer, event_vector *events, size_t request) {
  if (conform_instance(answer->conform, events->data, events->count) == CONFORM_FITS) {
    answer->fitting++;
    return;
  }
  struct text reason;
  text_init(&reason);
  conform_print_event(&reason, conform_culprit(answer->conform));
  text_format(&reason, " %s", conform_reason(answer->conform));
  add_other(answer, request, text_get(&reason));
  text_clear(&reason);
}

static void judge_flow(struct traces_answer *answer, const struct drafted *drafted,
                       const struct request_flow *own) {
  size_t count = own->activities.count;
  int64_t *finish = mem_alloc(count, sizeof *finish),
          *own_finish = mem_alloc(count, sizeof *finish),
          *durations = mem_alloc(count, sizeof *durations);
  event_vector events = {0};
  struct text reason;
  text_init(&reason);
  for (size_t i = 0; i < own->requests.count; i++) {
    uint32_t request = own->requests.data[i];
    reason.length = 0;
    events.count = 0;
    flow_finish(own_finish, own, own->durations.data + i * count);
    if (drafted_durations(durations, finish, drafted, own, own_finish, &reason)) {
      enact(&events, &drafted->enactment, durations, request + 1);
      judge_events(answer, &events, request);
    } else {
      add_other(answer, request, text_get(&reason));
    }
  }
  vector_clear(&events);
  text_clear(&reason);
  mem_free(finish);
  mem_free(own_finish);
  mem_free(durations);
}

static enum status judge(struct traces_answer *answer, const struct drafted *drafted) {
  struct replay_run *run = &answer->run;
  struct conform_settings how = {.times = answer->parameters.times,
                                 .bounds = run->bounds.data,
                                 .bound_count = run->bounds.count,
                                 .timed = true,
                                 .slack_ns = run->slack_ns,
                                 .must_complete = true};
  answer->conform = conform_new(answer->interpreter, &how);
  struct request_graph graph;
  request_graph_make(&graph, &answer->store,
                     &(struct graph_options){.undecided = UNDECIDED_WAITS, .level = 0.05});
  for (size_t f = 0; f < graph.flows.count; f++) {
    const struct request_flow *own = graph.flows.data[f];
    if (same_calls(&drafted->flow, own))
      judge_flow(answer, drafted, own);
    else
      for (size_t i = 0; i < own->requests.count; i++)
        add_other(answer, own->requests.data[i], NULL);
  }
  graph_note_late(&answer->ledger, &graph);
  request_graph_clear(&graph);
  if (answer->misfits > 0)
    return STATUS_REFUTED;
  return answer->fitting > 0 && run->bounds.count > 0 ? STATUS_OK : STATUS_UNKNOWN;
}

enum status traces_ask(struct traces_answer *answer, const struct replay_request *request) {
  *answer = (struct traces_answer){.run = {.request = request, .slack_ns = request->slack_ns}};
  recording_init(&answer->run.recording);
  span_store_init(&answer->store);
  ledger_init(&answer->ledger);
  struct drafted drafted = {0};
  struct trace_reading reading = {.keep = true};
  enum status status = prepare(answer, request);
  if (status == STATUS_OK)
    status = recall(&drafted, answer, request);
  if (status == STATUS_OK)
    status = trace_open_recorded(&answer->store, request->stores, request->store_count, &reading,
                                 &answer->ledger, request->asker);
  if (status == STATUS_OK)
    status = judge(answer, &drafted);
  enactment_clear(&drafted.enactment);
  draft_plan_clear(&drafted.plan);
  draft_forget(&drafted.flow);
  return answer->status = status;
}

void traces_answer_clear(struct traces_answer *answer) {
  for (size_t i = 0; i < answer->others.count; i++) {
    mem_free(answer->others.data[i].id);
    mem_free(answer->others.data[i].reason);
  }
  vector_clear(&answer->others);
  judge_clear(&answer->run, answer->conform, answer->interpreter, &answer->parameters);
  span_store_clear(&answer->store);
  ledger_clear(&answer->ledger);
  protocol_clear(&answer->protocol);
}
