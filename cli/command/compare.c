/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof compare A B`: its options, made into the request of cli/question/compare/compare.h.
 */
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/compare.h"
#include "cli/present/figure/comparison.h"
#include "show/page.h"
#include "show/ledger.h"
#include "cli/present/verify.h"

struct arguments {
  struct command_line line;
  struct compare_request request;
  struct output_options output;
  const char *plot;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_EFFORT(request.of.effort),
    ROW_FULL_PROOF(FIELD(full)),
    ROWS_ANY_OUTPUT(output),
    ROWS_BOUND(request.of),
    ROW_EXCHANGEABLE(FIELD(request.of.exchangeable)),
    ROW_PERCENTILES(FIELD(request.percentiles)),
    ROW_CONFIDENCE(FIELD(request.of.confidence)),
    ROW_FRESH(FIELD(request.of.fresh)),
    OPTION("unit", 'u', "NAME=UNIT",
           "unit of a file that states none, by name, a pair of files being A and B: A=us; may be "
           "repeated",
           option_settings, FIELD(request.of.units)),
    ROW_SELECT(FIELD(request.of.selects)),
    OPTION("protocol", 0, "FILE",
           "compare a bound of this protocol, evaluated with the measurements of each folder",
           option_path, FIELD(request.of.path)),
    OPTION(
        "run", 0, "A=PATH",
        "a further run of A, or of B (B=PATH), a file or a folder as that: limits then regard how "
        "runs differ; repeatable",
        option_settings, FIELD(request.runs)),
    OPTION("margin", 'm', "FACTOR",
           "ask for proof that B is at most FACTOR times A (1.05); without it: whether B is slower",
           option_text, FIELD(request.margin)),
    OPTION("plot", 0, "FILE", "draw both curves and where they differ: .svg, .png or .html",
           option_text, FIELD(plot)),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  command_calculation(&arguments->request.of);
  arguments->request.percentiles = "50,90,99,99.9";
}

static enum status check_plot(const char *path, struct text *message) {
  return path == NULL ? STATUS_OK : picture_check_name(path, message);
}

static void print(struct output *output, const struct compare *answer, bool full,
                  const struct picture *picture) {
  if (!answer->found || output->format > OUTPUT_PROMETHEUS)
    ledger_print_warnings(&answer->ledger);
  if (!answer->found)
    return;
  if (output_has_findings(output))
    findings_add_compare(&output->findings, answer);
  if (output->format == OUTPUT_TEXT)
    putchar('\n');
  output_picture(output, picture, full);
}

/* What there is, in the form that was asked for; then the picture. */
static enum status present(const struct arguments *arguments, struct output *output,
                           const struct compare *answer, struct text *message) {
  struct report_style style = {.full = arguments->full};
  if (answer->proof != NULL)
    report_calculation(output, &answer->proof->calculation, &style);
  const struct picture picture = comparison_picture(answer, arguments->line.typed);
  print(output, answer, arguments->full, &picture);
  if (!answer->found || arguments->plot == NULL)
    return answer->status;
  enum status status = picture_write(&picture, arguments->plot, message);
  return status == STATUS_OK ? answer->status : status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  struct text message;
  text_init(&message);
  enum status status =
      need_files(&arguments->line, 2, 2, "a pair to compare: two files, or two folders");
  if (status == STATUS_OK && arguments->request.of.path == NULL)
    status = option_refuse_unused(&arguments->line, "what is compared without --protocol",
                                  "jobs timeout no-cache bound set fresh");
  if (status == STATUS_OK)
    status = command_check_output(&arguments->line, &arguments->output);
  if (status == STATUS_OK)
    status = check_plot(arguments->plot, &message);
  if (status == STATUS_OK) {
    struct output output;
    struct voice voice;
    output_init(&output, &arguments->output);
    voice_init(&voice, &arguments->line, &output);
    struct compare_request request = arguments->request;
    request.of.asker = &voice.asker;
    request.paths[0] = arguments->line.files[0];
    request.paths[1] = arguments->line.files[1];
    request.keep = arguments->plot != NULL || output.format == OUTPUT_HTML;
    struct compare answer;
    compare_ask(&answer, &request);
    status = output_end(&output, present(arguments, &output, &answer, &message));
    compare_clear(&answer);
    output_clear(&output);
  }
  if (message.length != 0)
    fprintf(stderr, "tailproof compare: %s\n", message.data);
  text_clear(&message);
  return status;
}

const struct command compare_command = {
    "compare",
    "A B",
    "say whether B is slower than A: two measurements, folders of them, or saved laws",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
