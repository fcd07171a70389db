/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "cli/command/command.h"
#include "base/duration.h"
#include "cli/question/replay/joint.h"
#include "cli/question/replay/judge.h"
#include "cli/question/replay/needed.h"
#include "cli/question/replay/recording.h"
#include "cli/present/replay.h"

static enum status read_slack(int64_t *slack, const struct options *options) {
  struct rational value;
  rational_init(&value);
  enum status status = STATUS_OK;
  if (options->slack != NULL &&
      (!duration_parse(&value, options->slack) || !rational_ceil(slack, &value) || *slack < 0 ||
       *slack > INT32_MAX)) {
    fprintf(stderr, "tailproof replay: --slack %s: give a time with its unit (100ns), below 2 s\n",
            options->slack);
    status = STATUS_USAGE;
  }
  rational_clear(&value);
  return status;
}

/* The table, of a run that fits. */
static enum status write_joint(const struct replay_run *run, struct replay_joint *joint,
                               enum status status) {
  if (run->options->joint.count == 0 || status == STATUS_INTERRUPTED)
    return status;
  const char *path = run->options->joint.data[0];
  struct text message;
  text_init(&message);
  if (status == STATUS_REFUTED)
    text_format(&message, "%s: is not written, since the run does not fit", path);
  else
    status = status_worst(status, replay_joint_write(joint, path, &message));
  if (message.length != 0)
    fprintf(stderr, "tailproof replay: %s\n", message.data);
  text_clear(&message);
  return status;
}

static enum status run_checks(struct replay_run *run, struct interpreter *interpreter,
                              const struct parameters *parameters) {
  struct conform *conform = judge_new(run, interpreter, parameters);
  struct replay_joint joint = {.recording = &run->recording};
  enum status status =
      judge_all(run, conform, run->options->joint.count != 0 ? &joint : NULL, command_interrupted);
  if (status != STATUS_INTERRUPTED)
    (run->options->json ? replay_tell_json : replay_tell_text)(run, conform,
                                                               status == STATUS_REFUTED);
  status = write_joint(run, &joint, status);
  replay_joint_clear(&joint);
  conform_free(conform);
  return status;
}

static enum status read_and_run(struct replay_run *run, const struct model *model,
                                struct parameters *parameters, const struct bound *only) {
  enum status status;
  struct text message;
  text_init(&message);
  struct interpreter *interpreter = needed_interpreter(&status, model, parameters, &message);
  if (interpreter == NULL) {
    fprintf(stderr, "tailproof replay: %s\n", text_get(&message));
    text_clear(&message);
    return status;
  }
  needed_bounds(&run->bounds, model, only, parameters, &run->missing);
  if (only != NULL && run->bounds.count == 0) {
    fprintf(stderr, "tailproof replay: %s", text_get(&run->missing));
    status = STATUS_USAGE;
  }
  if (status == STATUS_OK && run->options->joint.count > 1) {
    fprintf(stderr, "tailproof replay: --joint is given twice; name one file to write\n");
    status = STATUS_USAGE;
  }
  if (status == STATUS_OK)
    status = recording_read(&run->recording, interpreter, run->options->files + 1,
                            run->options->file_count - 1, run->options->request, &message);
  if (message.length != 0)
    fprintf(stderr, "tailproof: %s\n", message.data);
  text_clear(&message);
  if (status == STATUS_OK && run->options->joint.count != 0 && !run->recording.one_clock) {
    fprintf(stderr,
            "tailproof replay: --joint: the stores have several clocks, so that delays are not "
            "known; use the table of tailproof import\n");
    status = STATUS_DATA;
  }
  if (status == STATUS_OK)
    status = run_checks(run, interpreter, parameters);
  interpreter_free(interpreter);
  return status;
}

enum status command_replay(const struct options *options) {
  struct replay_run run = {.options = options};
  if (options->file_count < 2) {
    fprintf(stderr, "tailproof replay: name a protocol file and the folder with the stores of one "
                    "run; see tailproof replay --help\n");
    return STATUS_USAGE;
  }
  enum status status = read_slack(&run.slack_ns, options);
  if (status != STATUS_OK)
    return status;
  verify_options(options); /* Ctrl-C */
  struct protocol protocol;
  status = protocol_load(&protocol, options->files[0], options);
  const struct bound *only = NULL;
  if (status == STATUS_OK && options->bound != NULL) {
    only = protocol_bound(&protocol, options->bound);
    status = only == NULL ? STATUS_USAGE : STATUS_OK;
  }
  if (status == STATUS_OK) {
    struct parameters parameters;
    recording_init(&run.recording);
    status = parameters_read(&parameters, protocol.model, options);
    if (status == STATUS_OK)
      status = read_and_run(&run, protocol.model, &parameters, only);
    parameters_clear(&parameters);
    recording_clear(&run.recording);
  }
  vector_clear(&run.bounds);
  text_clear(&run.missing);
  protocol_clear(&protocol);
  return status;
}
