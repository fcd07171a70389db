/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/replay/judge.h"

struct conform *judge_new(struct replay_run *run, struct interpreter *interpreter,
                          const struct parameters *parameters) {
  const struct recording *recording = &run->recording;
  if (!run->request->has_slack)
    run->slack_ns = recording->reading_ns;
  struct conform_settings how = {
      .times = parameters->times,
      .bounds = run->bounds.data,
      .bound_count = run->bounds.count,
      .timed = recording->one_clock,
      .slack_ns = run->slack_ns,
      .rounding_ns = recording->rounding_ns,
      .rate_ppb = recording->rate_ppb,
      .must_complete = recording->has_requests,
  };
  return conform_new(interpreter, &how);
}

static enum status judge_instance(struct replay_run *run, struct conform *conform,
                                  struct replay_joint *joint, const struct conform_event *events,
                                  size_t count) {
  if (recording_lacks_beginning(&run->recording, events, count)) {
    run->overwritten++;
    return STATUS_OK;
  }
  enum conform_verdict verdict = conform_instance(conform, events, count);
  if (verdict == CONFORM_LACKS && recording_may_lack_end(&run->recording, events->instance))
    run->cut_off++;
  else if (verdict == CONFORM_LACKS || verdict == CONFORM_MISFIT)
    return STATUS_REFUTED;
  if (joint != NULL)
    replay_joint_add(joint, conform, events, count, verdict == CONFORM_FITS);
  return STATUS_OK;
}

enum status judge_all(struct replay_run *run, struct conform *conform, struct replay_joint *joint) {
  const struct recording *recording = &run->recording;
  size_t misfit = 0, misfit_events = 0; /* the first instance that does not fit */
  for (size_t at = 0, next; at < recording->events.count; at = next) {
    const struct conform_event *first = &recording->events.data[at];
    next = at + 1;
    while (next < recording->events.count &&
           recording->events.data[next].instance == first->instance)
      next++;
    if (asker_stopped(run->request->asker))
      return STATUS_INTERRUPTED;
    enum status status = judge_instance(run, conform, joint, first, next - at);
    if (status != STATUS_REFUTED)
      continue;
    if (run->misfits++ == 0) {
      misfit = at;
      misfit_events = next - at;
    }
  }
  if (run->misfits != 0) { /* once more, so that the judge tells of it */
    conform_instance(conform, &recording->events.data[misfit], misfit_events);
    return STATUS_REFUTED;
  }
  /* A run of which nothing could be judged is not one that follows the protocol. */
  bool judged =
      recording->one_clock && conform_counts(conform)->complete != 0 && run->bounds.count != 0;
  return judged ? STATUS_OK : STATUS_UNKNOWN;
}

void judge_clear(struct replay_run *run, struct conform *conform, struct interpreter *interpreter,
                 struct parameters *parameters) {
  if (conform != NULL)
    conform_free(conform);
  if (interpreter != NULL)
    interpreter_free(interpreter);
  parameters_clear(parameters);
  recording_clear(&run->recording);
  replay_gaps_clear(&run->gaps);
  vector_clear(&run->bounds);
  text_clear(&run->missing);
}
