/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof plan`: its options, and which component to measure more of.
 */
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "show/ledger.h"
#include "cli/present/more_runs.h"
#include "cli/present/plan.h"
#include "cli/present/runs.h"
#include "cli/present/verify.h"
#include "cli/question/plan/more_runs.h"
#include "cli/question/runs/runs.h"

struct arguments {
  struct command_line line;
  struct plan_request request;
  texts traces, slo;
  const char *columns;
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_EFFORT(request.of.effort),
    ROW_FULL_PROOF(FIELD(full)),
    ROWS_DOCUMENT(output),
    ROWS_MEASURED(request.of),
    ROW_EXCHANGEABLE(FIELD(request.of.exchangeable)),
    OPTION("percentiles", 'p', "LIST", "the percentage that is to be decided, one: 99.9",
           option_text, FIELD(request.percentile)),
    ROW_CONFIDENCE(FIELD(request.of.confidence)),
    ROW_FRESH(FIELD(request.of.fresh)),
    ROWS_TOGETHER(request.of),
    ROWS_LAW(request.of),
    ROW_LAW(FIELD(request.of.laws)),
    OPTION(
        "run", 0, "PATH",
        "a further run of what --data names, another folder or file; without a protocol: how many "
        "such runs it takes; repeatable",
        option_texts, FIELD(request.of.runs)),
    OPTION("slo", 0, "SLO", "of runs: what they are to decide, one: p99<5ms", option_texts,
           FIELD(slo)),
    OPTION("budget", 0, "TIME", "time to spend on further measurements (600s)", option_text,
           FIELD(request.budget)),
    OPTION("rate", 0, "NAME=N/s", "observations of a component a second (default 1/s); repeatable",
           option_settings, FIELD(request.rates)),
    OPTION("minimum", 0, "N", "samples every component is to have at least", option_text,
           FIELD(request.minimum)),
    OPTION("factor", 0, "F", "stop when the percentile is F times smaller", option_text,
           FIELD(request.factor)),
    ROW_UNIT(FIELD(request.of.units)),
    ROW_SELECT(FIELD(request.of.selects)),
    OPTION(
        "traces", 0, "FILE",
        "instead of a protocol: which kind of recorded request to run how many times more, for the "
        "mean or one percentile; repeatable",
        option_paths, FIELD(traces)),
    ROW_COLUMNS(FIELD(columns)),
    {0},
};

static const char every_percentile[] = "50,90,99,99.9"; /* so that one must be named */

static void prepare(void *options) {
  struct arguments *arguments = options;
  command_calculation(&arguments->request.of);
  arguments->request.percentile = every_percentile;
}

static void present(struct output *output, const struct planning *answer,
                    const struct arguments *arguments) {
  const struct ledger *ledger = &answer->calculation.ledger;
  struct report_style style = {.full = arguments->full};
  if (answer->has_calculation)
    report_calculation(output, &answer->calculation, &style);
  if (answer->has_calculation && !answer->found)
    ledger_print_warnings(ledger);
  if (!answer->found)
    return;
  struct document document;
  plan_document(&document, answer);
  if (output->format == OUTPUT_TEXT)
    putchar('\n');
  output_answer(output, &document, arguments->full);
}

static enum status run_traces(const struct arguments *arguments) {
  const struct plan_request *of = &arguments->request;
  if (arguments->line.file_count != 0)
    return option_complain(arguments->line.command,
                           "--traces plans for recorded requests, without a protocol", NULL,
                           "leave out FILE");
  enum status only =
      option_refuse_others(&arguments->line, "recorded requests (--traces)",
                           "traces columns percentiles budget minimum json format full");
  if (only != STATUS_OK)
    return only;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  const struct runs_request request = {
      .asker = &voice.asker,
      .paths = arguments->traces.data,
      .path_count = arguments->traces.count,
      .columns = arguments->columns,
      .percentile = of->percentile == every_percentile ? NULL : of->percentile,
      .budget = of->budget,
      .minimum = of->minimum};
  struct runs_answer answer;
  enum status status = runs_ask(&answer, &request);
  if (answer.found) {
    struct document document;
    runs_document(&document, &answer);
    output_answer(&output, &document, arguments->full);
  }
  runs_clear(&answer);
  return status;
}

/* How many runs: of files, without a protocol. */
static enum status run_more(const struct arguments *arguments) {
  const struct plan_request *of = &arguments->request;
  enum status only = option_refuse_others(&arguments->line, "runs of one file (--data FILE)",
                                          "data run unit select percentiles slo factor confidence "
                                          "json format full");
  if (only != STATUS_OK)
    return only;
  if (arguments->slo.count > 1)
    return option_complain(arguments->line.command, "--slo: one objective is planned for", NULL,
                           "leave out the others");
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  const struct more_runs_request request = {
      .asker = &voice.asker,
      .path = of->of.data,
      .runs = of->of.runs,
      .units = of->of.units,
      .selects = of->of.selects,
      .percentile = of->percentile,
      .slo = arguments->slo.count == 0 ? NULL : arguments->slo.data[0],
      .factor = of->factor,
      .confidence = of->of.confidence};
  struct more_runs answer;
  enum status status = more_runs_ask(&answer, &request);
  if (answer.found) {
    struct document document;
    more_runs_document(&document, &answer);
    output_answer(&output, &document, arguments->full);
  }
  more_runs_clear(&answer);
  return status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  if (arguments->traces.count != 0)
    return run_traces(arguments);
  if (arguments->columns != NULL)
    return option_complain(arguments->line.command, "--columns says how --traces are written", NULL,
                           "name them: --traces FILE");
  if (arguments->line.file_count == 0 && arguments->request.of.data != NULL)
    return run_more(arguments);
  enum status unused =
      option_refuse_unused(&arguments->line, "a plan for a protocol (its bound decides)", "slo");
  if (unused != STATUS_OK)
    return unused;
  const struct calculation_request *of = &arguments->request.of;
  enum status status = need_files(&arguments->line, 1, 1,
                                  "a protocol file, or recorded requests with --traces TRACES");
  if (status == STATUS_OK && of->data == NULL && of->joint.count == 0) {
    fprintf(stderr, "tailproof plan: name the folder of measurements with --data DIR, or a table "
                    "of them with --joint FILE\n");
    status = STATUS_USAGE;
  }
  if (status == STATUS_OK && of->spans != NULL && of->joint.count == 0) {
    fprintf(stderr, "tailproof plan: --spans says which spans of traces are which occurrences: "
                    "name the traces with --joint\n");
    status = STATUS_USAGE;
  }
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct plan_request request = arguments->request;
  request.of.asker = &voice.asker;
  request.of.path = arguments->line.files[0];
  struct planning answer;
  status = plan_ask(&answer, &request);
  present(&output, &answer, arguments);
  plan_clear_answer(&answer);
  return status;
}

const struct command plan_command = {
    "plan",
    "FILE | --traces TRACES",
    "say what to measure next: which component, how many times more",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
