/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof budget`: its options, and promises of parts that suffice for an objective.
 */
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/budget.h"
#include "cli/present/verify.h"
#include "cli/question/budget/budget.h"
#include "show/ledger.h"

struct arguments {
  struct command_line line;
  struct budget_request request;
  struct output_options output;
  enum dependence dependence;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_EFFORT(request.of.effort),
    ROW_FULL_PROOF(FIELD(full)),
    ROWS_DOCUMENT(output),
    ROWS_MEASURED(request.of),
    ROW_EXCHANGEABLE(FIELD(request.of.exchangeable)),
    OPTION("slo", 0, "SLO", "the objective of the whole, one: p99<50ms", option_texts,
           FIELD(request.slo)),
    OPTION("weight", 0, "PART=W",
           "how much of the room a part gets, where others get 1: 2 twice as much, 0 none; "
           "repeatable",
           option_settings, FIELD(request.weights)),
    OPTION("fix", 0, "PART=SLO",
           "a promise that is given: 'd.Ack=p99.9<5ms'; repeatable", option_settings,
           FIELD(request.fixed)),
    OPTION("group", 0, "NAME=PARTS",
           "parts that make one promise, as those of one service: pay=Charge,Refund; repeatable",
           option_settings, FIELD(request.groups)),
    OPTION("each", 0, NULL,
           "a promise for each series of measurements, as of each host, instead of each component",
           option_flag, FIELD(request.each)),
    OPTION("round", 0, NULL, "percentiles such as p99.9 and times of two digits", option_flag,
           FIELD(request.round)),
    OPTION_WORDS("dependence", 0, "WHICH",
                 "of occurrences: unknown (default, any joint law) or independent", option_choice,
                 FIELD(dependence), "independent unknown"),
    ROW_CONFIDENCE(FIELD(request.of.confidence)),
    ROWS_LAW(request.of),
    ROW_LAW(FIELD(request.of.laws)),
    ROW_UNIT(FIELD(request.of.units)),
    ROW_SELECT(FIELD(request.of.selects)),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  command_calculation(&arguments->request.of);
  arguments->dependence = DEPENDENCE_UNKNOWN;
}

static enum status check_use(const struct arguments *arguments) {
  const struct calculation_request *of = &arguments->request.of;
  enum status status = need_files(&arguments->line, 1, 1, "a protocol file");
  if (status == STATUS_OK && of->data == NULL && of->joint.count == 0) {
    fprintf(stderr, "tailproof budget: name the folder of measurements with --data DIR, or a table "
                    "of them with --joint FILE\n");
    status = STATUS_USAGE;
  }
  return status;
}

static void present(struct output *output, const struct budget *answer,
                    const struct arguments *arguments) {
  struct report_style style = {.full = arguments->full};
  if (answer->has_calculation)
    report_calculation(output, &answer->calculation, &style);
  bool answered = answer->found || answer->status == STATUS_REFUTED;
  if (!answered) {
    if (answer->has_calculation)
      ledger_print_warnings(&answer->calculation.ledger);
    return;
  }
  struct document document;
  budget_document(&document, answer);
  if (output->format == OUTPUT_TEXT)
    putchar('\n');
  output_answer(output, &document, arguments->full);
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  enum status status = check_use(arguments);
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct budget_request request = arguments->request;
  request.of.asker = &voice.asker;
  request.of.path = arguments->line.files[0];
  request.independent = arguments->dependence == DEPENDENCE_INDEPENDENT;
  struct budget answer;
  status = budget_ask(&answer, &request);
  present(&output, &answer, arguments);
  budget_clear(&answer);
  return status;
}

const struct command budget_command = {
    "budget",
    "FILE",
    "split an objective of the whole into promises of its parts that suffice",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
