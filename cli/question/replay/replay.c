/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/replay/replay.h"

#include <inttypes.h>

#include "base/duration.h"
#include "cli/question/replay/joint.h"
#include "cli/question/replay/judge.h"

static const char *node_name(const struct recorded_store *store) {
  return store->node[0] == '\0' ? "(no node)" : store->node;
}

/* "backup[1]: Handle on Request(1)" is what conform_print_event says of steps; of all else the node
 * stands before. */
static void append_event(struct text *text, const struct replay_run *run,
                         const struct conform_event *event) {
  if (event->kind != CONFORM_STEP || event->role != event->what.action->role)
    text_format(text, "%s: ", node_name(recording_store(&run->recording, event)));
  conform_print_event(text, event);
}

static void append_place(struct text *text, const struct replay_run *run,
                         const struct conform_event *event) {
  text_format(text, "%s: writer %" PRIu32 ", record %" PRIu64,
              recording_store(&run->recording, event)->path, event->source & 0xffff,
              event->position);
}

void replay_append_place(struct text *text, const struct replay_run *run,
                         const struct conform *conform) {
  const struct conform_event *event = conform_culprit(conform);
  append_place(text, run, event);
  text_format(text, ": instance %" PRIu32, event->instance);
  if (!run->recording.one_clock)
    return;
  text_append(text, ", ");
  duration_print_nearest(text, event->start - conform_origin(conform));
  text_append(text, " after its start");
}

void replay_append_fault(struct text *text, const struct replay_run *run,
                         const struct conform *conform) {
  append_event(text, run, conform_culprit(conform));
  text_format(text, " %s", conform_reason(conform));
}

void replay_append_misfit(struct text *text, const struct replay_run *run,
                          const struct conform *conform) {
  replay_append_place(text, run, conform);
  text_append(text, ": ");
  replay_append_fault(text, run, conform);
}

/* The table, of a run that fits. */
static enum status write_joint(const struct replay_request *request, struct replay_joint *joint,
                               enum status status) {
  if (request->joint == NULL || status == STATUS_INTERRUPTED)
    return status;
  struct text message;
  text_init(&message);
  if (status == STATUS_REFUTED)
    text_format(&message, "%s: is not written, since the run does not fit", request->joint);
  else
    status = status_worst(status, replay_joint_write(joint, request->joint, &message));
  if (message.length != 0)
    asker_say(request->asker, SAYING_MISTAKE, "%s", message.data);
  text_clear(&message);
  return status;
}

static enum status judge(struct replay_answer *answer, const struct replay_request *request) {
  struct replay_run *run = &answer->run;
  struct replay_joint joint = {.recording = &run->recording};
  answer->conform = judge_new(run, answer->interpreter, &answer->parameters);
  enum status status = judge_all(run, answer->conform, request->joint != NULL ? &joint : NULL);
  answer->misfit = status == STATUS_REFUTED;
  if (answer->misfit && run->recording.one_clock)
    replay_gaps_find(&run->gaps, run, answer->interpreter, &answer->parameters);
  status = write_joint(request, &joint, status);
  replay_joint_clear(&joint);
  return status;
}

static enum status read_stores(struct replay_answer *answer, const struct replay_request *request) {
  struct recording *recording = &answer->run.recording;
  struct text message;
  text_init(&message);
  enum status status = recording_read(recording, answer->interpreter, request->stores,
                                      request->store_count, request->ends, &message);
  if (message.length != 0)
    asker_say(request->asker, SAYING_FAILURE, "%s", message.data);
  text_clear(&message);
  if (status == STATUS_OK && request->joint != NULL && !recording->one_clock) {
    asker_say(request->asker, SAYING_MISTAKE,
              "--out: the stores have several clocks, so that delays are not known; use the "
              "table of tailproof import");
    status = STATUS_DATA;
  }
  return status;
}

/* What the parameters allow to judge. */
static enum status prepare(struct replay_answer *answer, const struct replay_request *request,
                           const struct bound *only) {
  const struct model *model = answer->protocol.model;
  struct replay_run *run = &answer->run;
  enum status status = parameters_read(&answer->parameters, model, &request->set, request->asker);
  if (status != STATUS_OK)
    return status;
  struct text message;
  text_init(&message);
  answer->interpreter = needed_interpreter(&status, model, &answer->parameters, &message);
  if (answer->interpreter == NULL)
    asker_say(request->asker, SAYING_MISTAKE, "%s", text_get(&message));
  text_clear(&message);
  if (answer->interpreter == NULL)
    return status;
  needed_bounds(&run->bounds, model, only, &answer->parameters, &run->missing);
  if (only != NULL && run->bounds.count == 0)
    return asker_fail(request->asker, STATUS_USAGE, "%.*s", (int)(run->missing.length - 1),
                      text_get(&run->missing));
  return STATUS_OK;
}

enum status replay_ask(struct replay_answer *answer, const struct replay_request *request) {
  *answer = (struct replay_answer){.run = {.request = request, .slack_ns = request->slack_ns}};
  recording_init(&answer->run.recording);
  const struct bound *only = NULL;
  enum status status = protocol_load(&answer->protocol, request->path, request->asker);
  if (status == STATUS_OK && request->bound != NULL) {
    only = protocol_bound(&answer->protocol, request->bound, request->asker);
    status = only == NULL ? STATUS_USAGE : STATUS_OK;
  }
  if (status == STATUS_OK)
    status = prepare(answer, request, only);
  if (status == STATUS_OK)
    status = read_stores(answer, request);
  if (status == STATUS_OK)
    status = judge(answer, request);
  return answer->status = status;
}

void replay_answer_clear(struct replay_answer *answer) {
  judge_clear(&answer->run, answer->conform, answer->interpreter, &answer->parameters);
  protocol_clear(&answer->protocol);
}
