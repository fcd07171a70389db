/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof budget`: its options, and promises of parts that suffice for an objective.
 */
#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/budget.h"
#include "cli/present/budget_check.h"
#include "cli/present/budget_files.h"
#include "cli/present/figure/budget.h"
#include "cli/present/measured.h"
#include "cli/present/verify.h"
#include "cli/question/budget/budget_check.h"
#include "cli/question/budget/parts.h"
#include "cli/question/measured/measured.h"
#include "show/ledger.h"

struct arguments {
  struct command_line line;
  struct budget_request request;
  struct output_options output;
  enum dependence dependence;
  const char *out, *plot, *rules, *openslo, *check, *component;
  settings metrics;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_EFFORT(request.of.effort),
    ROW_FULL_PROOF(FIELD(full)),
    ROWS_DOCUMENT(output),
    ROWS_MEASURED(request.of),
    OPTION("run", 0, "PATH",
           "a further run of what --data names, another folder or file; repeatable", option_texts,
           FIELD(request.of.runs)),
    ROW_EXCHANGEABLE(FIELD(request.of.exchangeable)),
    OPTION("slo", 0, "SLO", "the objective of the whole, one: p99<50ms", option_texts,
           FIELD(request.slo)),
    OPTION("weight", 0, "PART=W",
           "how much of the room a part gets, where others get 1: 2 twice as much, 0 none; "
           "repeatable",
           option_settings, FIELD(request.weights)),
    OPTION("fix", 0, "PART=SLO", "a promise that is given: 'd.Ack=p99.9<5ms'; repeatable",
           option_settings, FIELD(request.fixed)),
    OPTION("cost", 0, "TABLE",
           "what promises cost, lines PART,PERCENTILE,LIMIT,COST: the cheapest that suffice are "
           "chosen",
           option_path, FIELD(request.costs)),
    OPTION("group", 0, "NAME=PARTS",
           "parts that make one promise, as those of one service: pay=Charge,Refund; repeatable",
           option_settings, FIELD(request.groups)),
    OPTION("each", 0, NULL,
           "a promise for each series of measurements, as of each host, instead of each component",
           option_flag, FIELD(request.each)),
    OPTION("also", 0, "LIST", "percentiles that each part promises besides, 50,90, for more room",
           option_text, FIELD(request.also)),
    OPTION("round", 0, NULL, "percentiles such as p99.9 and times of two digits", option_flag,
           FIELD(request.round)),
    OPTION_WORDS("dependence", 0, "WHICH",
                 "of occurrences: unknown (default, any joint law) or independent", option_choice,
                 FIELD(dependence), "independent unknown"),
    OPTION("out", 0, "FILE", "write the promises as a file that --check reads", option_path,
           FIELD(out)),
    OPTION("plot", 0, "FILE", "draw the promises along the bound: .svg, .png or .html", option_text,
           FIELD(plot)),
    OPTION("rules", 0, "FILE",
           "write recording and alerting rules of Prometheus, which alert when a part breaks its "
           "promise",
           option_path, FIELD(rules)),
    OPTION("openslo", 0, "FILE", "write an objective of OpenSLO for each part", option_path,
           FIELD(openslo)),
    OPTION("metric", 0, "PART=NAME",
           "the histogram that Prometheus has of a part (default: the part's name in lower case, "
           "_seconds behind it); repeatable",
           option_settings, FIELD(metrics)),
    OPTION("check", 0, "FILE",
           "a file of promises: do they still suffice for the protocol? With --component: does "
           "this part keep its own?",
           option_path, FIELD(check)),
    OPTION("component", 0, "PART",
           "with --check: the part whose measurements --data names, without a protocol",
           option_text, FIELD(component)),
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
  const struct picture picture = budget_picture(answer, arguments->line.typed);
  if (output->format == OUTPUT_TEXT)
    putchar('\n');
  output_picture(output, &picture, arguments->full);
}

static enum status write_text(const char *path, struct text *text, struct text *message) {
  enum status status = file_write(path, text->data, text->length, message);
  text_clear(text);
  text_init(text);
  return status;
}

static enum status write_files(const struct arguments *arguments, const struct budget *answer) {
  struct text text, message;
  text_init(&text);
  text_init(&message);
  enum status status = STATUS_OK;
  if (arguments->out != NULL)
    status = budget_file_write(arguments->out, answer, &message);
  if (status == STATUS_OK && arguments->rules != NULL) {
    budget_rules_print(&text, answer, &arguments->metrics);
    status = write_text(arguments->rules, &text, &message);
  }
  if (status == STATUS_OK && arguments->openslo != NULL) {
    budget_openslo_print(&text, answer, &arguments->metrics);
    status = write_text(arguments->openslo, &text, &message);
  }
  if (status == STATUS_OK && arguments->plot != NULL) {
    const struct picture picture = budget_picture(answer, arguments->line.typed);
    status = picture_write(&picture, arguments->plot, &message);
  }
  text_clear(&text);
  command_tell(&arguments->line, &message);
  return status;
}

/* As Prometheus has names of metrics. */
static bool is_metric(const char *name) {
  return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:") ==
             strlen(name) &&
         !isdigit((unsigned char)name[0]);
}

static enum status check_metrics(const struct arguments *arguments) {
  for (size_t i = 0; i < arguments->metrics.count; i++)
    if (!is_metric(arguments->metrics.data[i].value))
      return option_complain(
          arguments->line.command,
          "a metric's name has letters, digits, _ and :", arguments->metrics.data[i].value,
          "give one, --metric Pay=pay_seconds");
  return STATUS_OK;
}

/* Each names a part. */
static enum status check_metric_parts(const struct arguments *arguments,
                                      const struct budget *answer) {
  for (size_t i = 0; i < arguments->metrics.count; i++) {
    bool found = false;
    for (size_t g = 0; g < answer->parts.count; g++)
      found |= strcmp(answer->parts.data[g].name, arguments->metrics.data[i].name) == 0;
    if (!found)
      return option_complain(arguments->line.command, "--metric names no part of the bound",
                             arguments->metrics.data[i].name, "give a part of the table");
  }
  return STATUS_OK;
}

static enum status split(const struct arguments *arguments) {
  enum status status = check_use(arguments);
  if (status == STATUS_OK)
    status = check_metrics(arguments);
  if (status == STATUS_OK)
    status = command_check_plot(&arguments->line, arguments->plot);
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
  enum status named = answer.found ? check_metric_parts(arguments, &answer) : STATUS_OK;
  if (answer.found && named == STATUS_OK) {
    enum status written = write_files(arguments, &answer);
    status = written == STATUS_OK ? status : written;
  }
  if (named == STATUS_OK)
    present(&output, &answer, arguments);
  else
    status = named;
  budget_clear(&answer);
  return status;
}

/* --- promises that were made ------------------------------------------------------------------ */

static enum status check_whole(const struct arguments *arguments) {
  enum status status = need_files(&arguments->line, 1, 1, "a protocol file, or --component PART");
  if (status == STATUS_OK)
    status = option_refuse_others(&arguments->line, "promises held against a protocol",
                                  "check set jobs timeout no-cache json format full");
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  const struct budget_check_request request = {.asker = &voice.asker,
                                               .path = arguments->check,
                                               .protocol = arguments->line.files[0],
                                               .set = arguments->request.of.set,
                                               .effort = arguments->request.of.effort};
  struct budget_check answer;
  status = budget_check_ask(&answer, &request);
  if (answer.found) {
    struct document document;
    budget_check_document(&document, &answer);
    output_answer(&output, &document, arguments->full);
  }
  budget_check_clear(&answer);
  return status;
}

/* "p99.5<=28ms, p90<=15ms" as objectives, and the percentiles that these are of. */
static void add_promises(texts *slo, struct text *percentiles, const char *promises) {
  for (const char *at = promises; *at != '\0'; at += strspn(at, ", ")) {
    size_t length = strcspn(at, ",");
    vector_push(slo, mem_copy_text(at, length));
    text_format(percentiles, "%s%.*s", percentiles->length == 0 ? "" : ",",
                (int)(strcspn(at, "< ") - 1), at + 1);
    at += length;
  }
}

static enum status ask_component(const struct arguments *arguments, const struct asker *asker,
                                 struct output *output, const char *promises) {
  const struct calculation_request *of = &arguments->request.of;
  struct text percentiles;
  text_init(&percentiles);
  struct measured_request request = {.asker = asker,
                                     .path = of->data,
                                     .runs = of->runs,
                                     .units = of->units,
                                     .selects = of->selects,
                                     .exchangeable = of->exchangeable,
                                     .confidence = of->confidence};
  add_promises(&request.slo, &percentiles, promises);
  request.percentiles = text_get(&percentiles);
  struct measured answer;
  enum status status = measured_ask(&answer, &request);
  if (!answer.found || output->format != OUTPUT_TEXT)
    ledger_print_warnings(&answer.ledger);
  if (answer.found) {
    struct document document;
    measured_document(&document, &answer, NULL);
    output_answer(output, &document, arguments->full);
  }
  measured_clear(&answer);
  for (size_t i = 0; i < request.slo.count; i++)
    mem_free((void *)request.slo.data[i]);
  vector_clear(&request.slo);
  text_clear(&percentiles);
  return status;
}

static bool promises_are(const char *text) {
  const struct asker nobody = {0};
  promise_list list = {0};
  bool good = promises_read(&list, text, &nobody) == STATUS_OK;
  vector_clear(&list);
  return good;
}

static enum status check_component(const struct arguments *arguments) {
  const char *name = arguments->component;
  enum status status = option_refuse_others(
      &arguments->line, "one part's promise",
      "check component data run unit select confidence exchangeable json format "
      "full");
  if (status == STATUS_OK &&
      (arguments->line.file_count != 0 || arguments->request.of.data == NULL))
    status = option_complain(arguments->line.command, "--component needs no protocol", NULL,
                             "name the part's measurements, --data FILE");
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  struct budget_file file;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  status = budget_file_read(&file, arguments->check, &voice.asker);
  const char *promise = status == STATUS_OK ? settings_find(&file.promises, name) : NULL;
  if (status == STATUS_OK && promise == NULL)
    status =
        asker_fail(&voice.asker, STATUS_USAGE, "%s has no promise of %s", arguments->check, name);
  else if (status == STATUS_OK && !promises_are(promise))
    status = asker_fail(&voice.asker, STATUS_DATA,
                        "%s: the promise of %s is none: \"%s\"; give p99.9<=5ms, and others behind "
                        "commas",
                        arguments->check, name, promise);
  if (status == STATUS_OK)
    status = ask_component(arguments, &voice.asker, &output, promise);
  budget_file_clear(&file);
  return status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  if (arguments->check != NULL)
    return arguments->component != NULL ? check_component(arguments) : check_whole(arguments);
  if (arguments->component != NULL)
    return option_complain(arguments->line.command, "--component says whose promise", NULL,
                           "name the file of promises, --check FILE");
  return split(arguments);
}

const struct command budget_command = {
    "budget",
    "FILE | --check BUDGET",
    "say what each team must promise so that an SLO of the whole is met",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
