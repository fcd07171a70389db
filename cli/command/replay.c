/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof replay`: its options, and whether recorded requests are executions of the protocol.
 */
#include "base/duration.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/replay.h"
#include "cli/present/replay_traces.h"
#include "cli/question/replay/traces.h"

struct arguments {
  struct command_line line;
  struct replay_request request;
  const char *slack;
  texts out;
  bool traces, full;
  struct output_options output;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_FULL(FIELD(full)),
    ROWS_ANY_OUTPUT(output),
    ROWS_BOUND(request),
    OPTION("out", 0, "FILE",
           "write what each occurrence took in each request, a row each: .csv or .csv.gz",
           option_paths, FIELD(out)),
    OPTION_OLD("joint", 0, "FILE", "out", option_paths, FIELD(out)),
    OPTION("slack", 0, "TIME",
           "how far a step may start or end from where the protocol has it (default: resolution "
           "and cost "
           "of the clocks)",
           option_text, FIELD(slack)),
    OPTION("traces", 0, NULL,
           "what is named behind FILE are traces of requests, and FILE was drafted from such",
           option_flag, FIELD(traces)),
    ROW_COLUMNS(FIELD(request.columns)),
    ROW_FOLLOW(FIELD(request.follow)),
    ROW_FOLD_NAMES(FIELD(request.fold_names)),
    OPTION("request", 0, "NAME", "only records of this request end an instance (default: all)",
           option_text, FIELD(request.ends)),
    {0},
};

static enum status refuse_of_traces(const struct arguments *arguments) {
  const char *columns = arguments->request.columns, *follow = arguments->request.follow;
  bool fold = arguments->request.fold_names;
  if (arguments->traces || (columns == NULL && follow == NULL && !fold))
    return STATUS_OK;
  fprintf(stderr, "tailproof replay: %s is for --traces; leave it out\n",
          columns != NULL  ? "--columns"
          : follow != NULL ? "--follow"
                           : "--fold-names");
  return STATUS_USAGE;
}

static enum status read_slack(int64_t *slack, const char *text) {
  struct rational value;
  rational_init(&value);
  enum status status = STATUS_OK;
  if (text != NULL && (!duration_parse(&value, text) || !rational_ceil(slack, &value) ||
                       *slack < 0 || *slack > INT32_MAX)) {
    fprintf(stderr, "tailproof replay: --slack %s: give a time with its unit (100ns), below 2 s\n",
            text);
    status = STATUS_USAGE;
  }
  rational_clear(&value);
  return status;
}

static enum status complete(struct replay_request *request, const struct arguments *arguments) {
  const struct command_line *line = &arguments->line;
  *request = arguments->request;
  if (line->file_count < 2) {
    fprintf(stderr, "tailproof replay: name a protocol file and the folder with the stores of one "
                    "run; see tailproof replay --help\n");
    return STATUS_USAGE;
  }
  if (arguments->out.count > 1) {
    fprintf(stderr, "tailproof replay: --out is given twice; name one file to write\n");
    return STATUS_USAGE;
  }
  request->path = line->files[0];
  request->stores = line->files + 1;
  request->store_count = line->file_count - 1;
  request->joint = arguments->out.count == 0 ? NULL : arguments->out.data[0];
  request->has_slack = arguments->slack != NULL;
  return read_slack(&request->slack_ns, arguments->slack);
}

static void present(struct output *output, const struct replay_answer *answer, bool full) {
  if (output_has_findings(output))
    findings_add_replay(&output->findings, answer);
  struct document document;
  replay_document(&document, answer);
  output_answer(output, &document, full);
}

/* What makes no sense of traces. */
static enum status refuse_with_traces(const struct arguments *arguments) {
  const char *name = arguments->out.count > 0                   ? "--out"
                     : arguments->request.ends != NULL          ? "--request"
                     : arguments->output.format == OUTPUT_SARIF ? "--format sarif"
                     : arguments->output.format == OUTPUT_JUNIT ? "--format junit"
                     : arguments->output.reports.count > 0      ? "--report"
                                                                : NULL;
  if (name == NULL)
    return STATUS_OK;
  fprintf(stderr, "tailproof replay: %s is for stores, not for --traces; leave it out\n", name);
  return STATUS_USAGE;
}

static enum status run_traces(const struct arguments *arguments, struct replay_request *request) {
  enum status status = refuse_with_traces(arguments);
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  request->asker = &voice.asker;
  struct traces_answer answer;
  status = traces_ask(&answer, request);
  if (answer.conform != NULL) {
    struct document document;
    followed_document(&document, &answer);
    output_answer(&output, &document, arguments->full);
  }
  traces_answer_clear(&answer);
  request->asker = NULL; /* it ends with this function */
  return status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  struct replay_request request;
  enum status status = complete(&request, arguments);
  if (status == STATUS_OK)
    status = refuse_of_traces(arguments);
  if (status == STATUS_OK)
    status = command_check_output(&arguments->line, &arguments->output);
  if (status != STATUS_OK)
    return status;
  if (arguments->traces)
    return run_traces(arguments, &request);
  struct output output;
  struct voice voice;
  output_init(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  request.asker = &voice.asker;
  struct replay_answer answer;
  status = replay_ask(&answer, &request);
  if (answer.conform != NULL && status != STATUS_INTERRUPTED)
    present(&output, &answer, arguments->full);
  status = output_end(&output, status);
  replay_answer_clear(&answer);
  output_clear(&output);
  return status;
}

const struct command replay_command = {
    "replay",
    "FILE STORE...",
    "check that a recorded run of a system follows the protocol, and that each bound held",
    rows,
    sizeof(struct arguments),
    NULL,
    run,
    NULL};
