/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/replay/traces.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "base/file.h"
#include "cli/question/replay/enact.h"
#include "cli/question/replay/judge.h"
#include "trace/draft/keep.h"
#include "trace/fold/open.h"
#include "trace/graph/notes.h"
#include "trace/span/fold_names.h"

#define CALLS_SIZE_MAX ((size_t)64 << 20)

/* The shape that the protocol was drafted from, and what it is in the protocol. */
struct drafted {
  struct flow_shape shape;
  struct draft_plan plan;
  struct enactment enactment;
  VECTOR(uint32_t) most; /* by loop: rounds that the protocol has, at the parameters given */
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

static const struct param *find_param(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->params.count; i++)
    if (strcmp(model->params.items[i]->name, name) == 0)
      return model->params.items[i];
  return NULL;
}

/* How many rounds of each loop the protocol has; false where it lacks the parameter that says so.
 */
static bool find_rounds(struct drafted *drafted, const struct traces_answer *answer,
                        struct text *message) {
  struct text name;
  text_init(&name);
  for (size_t l = 0; l < drafted->shape.loops.count && message->length == 0; l++) {
    const struct shape_loop *loop = &drafted->shape.loops.data[l];
    vector_push(&drafted->most, 0);
    if (!drafted->plan.by_round[l] || drafted->plan.calls.data[loop->call].name == NULL)
      continue;
    name.length = 0;
    text_format(&name, "N_%s", drafted->plan.calls.data[loop->call].name);
    const struct param *param = find_param(answer->protocol.model, text_get(&name));
    if (param == NULL) {
      text_format(message, "has no parameter %s, which says how many rounds there are",
                  text_get(&name));
      break;
    }
    int64_t value = answer->parameters.values[param->id];
    drafted->most.data[l] = value < 0 ? 0 : value > INT32_MAX ? INT32_MAX : (uint32_t)value;
  }
  text_clear(&name);
  return message->length == 0;
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
  else if (!draft_recall(&drafted->shape, &answer->store.names, bytes, length, &message) ||
           !draft_plan_make(&drafted->plan, &drafted->shape, &answer->store.names, &message))
    status = asker_fail(request->asker, STATUS_DATA, "%s: %s", text_get(&path), text_get(&message));
  else if (!enactment_init(&drafted->enactment, &drafted->plan, answer->protocol.model, &message) ||
           !find_rounds(drafted, answer, &message))
    status = asker_fail(request->asker, STATUS_DATA, "%s: %s: change both alike, or draft anew",
                        request->path, text_get(&message));
  mem_free(bytes);
  text_clear(&path);
  text_clear(&message);
  return status;
}

static void add_other(struct traces_answer *answer, size_t request, const char *reason) {
  struct slice id = answer->store.requests.data[request].id;
  vector_push(&answer->others,
              (struct traces_other){mem_copy_text(id.start, id.length),
                                    reason == NULL ? NULL : mem_copy_text(reason, strlen(reason))});
  *(reason == NULL ? &answer->strangers : &answer->misfits) += 1;
}

/* What was done before what it waits for. */
struct early {
  uint32_t activity, round; /* from 0 */
  int64_t by;               /* ns */
};

/* Whether there is such a thing; what is in no step may take any time. */
static bool find_early(struct early *early, const struct drafted *drafted,
                       const struct shape_times *times) {
  const struct request_flow *flow = drafted->shape.flow;
  for (uint32_t a = 0; a < flow->activities.count; a++)
    for (size_t i = times->from.data[a]; i < times->from.data[a + 1]; i++)
      if (times->rounds.data[i] < 0 &&
          drafted->plan.calls.data[flow->activities.data[a].position].place != DRAFT_APART) {
        *early = (struct early){a, (uint32_t)(i - times->from.data[a]), -times->rounds.data[i]};
        return true;
      }
  return false;
}

static void say_early(struct text *reason, const struct drafted *drafted,
                      const struct shape_times *times, const struct early *early) {
  const struct request_flow *flow = drafted->shape.flow;
  const struct activity *of = &flow->activities.data[early->activity];
  const struct span_names *names = drafted->plan.names;
  const struct shape_loop *loop = shape_loop_of(&drafted->shape, of->position);
  uint32_t latest = flow->waits.data[of->wait_first];
  for (size_t i = 0; i < of->wait_count; i++)
    if (times->done.data[flow->waits.data[of->wait_first + i]] > times->done.data[latest])
      latest = flow->waits.data[of->wait_first + i];
  flow_call_name(reason, flow, of->position, names);
  if (loop != NULL)
    text_format(reason, " of round %" PRIu32, early->round + 1);
  text_append(reason, of->is_lead ? " begins " : " ends ");
  duration_print_nearest(reason, early->by);
  if (loop != NULL && of->is_lead && of->position == loop->call && early->round > 0) {
    text_append(reason, " before the round before has ended, which it waits for");
    return;
  }
  text_append(reason, " before ");
  flow_call_name(reason, flow, flow->activities.data[latest].position, names);
  text_append(reason, flow->activities.data[latest].is_lead ? " begins" : " has ended");
  text_append(reason, ", which it waits for");
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
                       const struct shape_fit *fit) {
  const struct request_flow *own = fit->flow;
  size_t count = own->activities.count;
  int64_t *finish = mem_alloc(count, sizeof *finish);
  struct shape_times times = {0};
  event_vector events = {0};
  struct early early;
  struct text reason;
  text_init(&reason);
  for (size_t i = 0; i < own->requests.count; i++) {
    uint32_t request = own->requests.data[i];
    reason.length = 0;
    events.count = 0;
    flow_finish(finish, own, own->durations.data + i * count);
    shape_times_make(&times, &drafted->shape, fit, finish);
    if (find_early(&early, drafted, &times)) {
      say_early(&reason, drafted, &times, &early);
      add_other(answer, request, text_get(&reason));
    } else {
      enact(&events, &drafted->enactment, &times, drafted->most.data, request + 1);
      judge_events(answer, &events, request);
    }
  }
  vector_clear(&events);
  shape_times_clear(&times);
  text_clear(&reason);
  mem_free(finish);
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
  request_graph_make(
      &graph, &answer->store,
      &(struct graph_options){.undecided = UNDECIDED_WAITS, .level = 0.05, .plain = true});
  for (size_t f = 0; f < graph.flows.count; f++) {
    const struct request_flow *own = graph.flows.data[f];
    struct shape_fit fit;
    if (shape_fit_make(&fit, &drafted->shape, own))
      judge_flow(answer, drafted, &fit);
    else
      for (size_t i = 0; i < own->requests.count; i++)
        add_other(answer, own->requests.data[i], NULL);
    shape_fit_clear(&fit);
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
  struct trace_reading reading = {
      .columns = request->columns, .follow = request->follow != NULL, .keep = true};
  enum status status = prepare(answer, request);
  if (status == STATUS_OK)
    status = recall(&drafted, answer, request);
  if (status == STATUS_OK)
    status = trace_open_recorded(&answer->store, request->stores, request->store_count, &reading,
                                 &answer->ledger, request->asker);
  if (status == STATUS_OK && request->fold_names)
    ledger_note(&answer->ledger, LEDGER_DATA,
                "%" PRIu64 " names of calls are those of the protocol but for numbers and ids "
                "(--fold-names)",
                span_fold_names(&answer->store, FOLD_NAMES_KNOWN).names);
  if (status == STATUS_OK)
    status = judge(answer, &drafted);
  enactment_clear(&drafted.enactment);
  draft_plan_clear(&drafted.plan);
  flow_shape_clear(&drafted.shape);
  vector_clear(&drafted.most);
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
