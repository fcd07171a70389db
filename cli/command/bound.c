/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof bound`: its options, and a bound instantiated with parameters.
 */
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/verify.h"
#include "cli/question/verify/instance.h"

struct arguments {
  struct command_line line;
  struct instance_request request;
  struct output_options output;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_EFFORT(request.effort),
    ROWS_DOCUMENT(output),
    ROWS_BOUND(request),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  arguments->request.effort = command_effort();
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  enum status status = need_files(&arguments->line, 1, 1, "a protocol file");
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  struct instance_answer answer;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct instance_request request = arguments->request;
  request.asker = &voice.asker;
  request.path = arguments->line.files[0];
  status = instance_ask(&answer, &request);
  if (answer.verified) {
    struct document document;
    instance_document(&document, &answer);
    output_answer(&output, &document, false);
  }
  instance_answer_clear(&answer);
  return status;
}

const struct command bound_command = {"bound",
                                      "FILE",
                                      "prove bounds and print them for given parameters",
                                      rows,
                                      sizeof(struct arguments),
                                      prepare,
                                      run,
                                      NULL};
