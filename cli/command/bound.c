/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof bound`: its options, and a bound instantiated with parameters as text or JSON.
 */
#include <stdio.h>

#include "base/jsonl.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/verify.h"
#include "cli/question/verify/instance.h"

struct arguments {
  struct command_line line;
  struct instance_request request;
  bool json;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_EFFORT(request.effort),
    ROW_JSON(FIELD(json)),
    ROWS_BOUND(request),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  arguments->request.effort = command_effort();
}

static void present(const struct instance *instance, const struct bound *bound, bool json) {
  if (instance->expression == NULL)
    return;
  if (!json) {
    printf("    = %s\n", instance->expression);
    return;
  }
  struct jsonl *line = jsonl_new("instance");
  jsonl_text(line, "bound", bound->name);
  jsonl_integer(line, "occurrences", (int64_t)instance->occurrences);
  jsonl_text(line, "expression", instance->expression);
  jsonl_print(line);
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  enum status status = need_files(&arguments->line, 1, 1, "a protocol file");
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  struct instance_answer answer;
  output_init_plain(&output, arguments->json);
  voice_init(&voice, &arguments->line, &output);
  struct instance_request request = arguments->request;
  request.asker = &voice.asker;
  request.path = arguments->line.files[0];
  status = instance_ask(&answer, &request);
  struct report_style style = {.json = arguments->json};
  for (size_t i = 0; answer.verified && i < answer.reports.bounds.count; i++) {
    const struct bound_report *report = &answer.reports.bounds.data[i];
    report_bound(report, answer.protocol.model, answer.protocol.source, &style);
    present(&answer.instances.data[i], report->bound, arguments->json);
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
