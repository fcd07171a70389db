/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof verify`: its options, made into the request of cli/question/verify/verify.h.
 */
#include <string.h>
#include <unistd.h>

#include "base/parallel.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/figure/executions.h"
#include "show/terminal.h"
#include "cli/present/verify.h"
#include "cli/question/verify/files.h"
#include "cli/question/verify/verify.h"

struct arguments {
  struct command_line line;
  struct verify_request request;
  struct output_options output;
  const char *plot;
  bool full, all_goals;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_EFFORT(request.effort),
    OPTION("explain", 0, NULL,
           "also say what each verdict comes from: invariants used, the chain of steps, the slack",
           option_flag, FIELD(request.explain)),
    OPTION("all-goals", 0, NULL,
           "of a bound that is unknown list every goal that is open, not the first alone",
           option_flag, FIELD(all_goals)),
    OPTION(
        "infer", 0, NULL,
        "find invariants that the file leaves out, and bounds `within ?`; prints them as lines to "
        "paste",
        option_flag, FIELD(request.infer)),
    OPTION("forget-timing", 0, NULL,
           "with --infer: leave out the file's own timing invariants first", option_flag,
           FIELD(request.forget_timing)),
    OPTION("forget-untimed", 0, NULL, "with --infer: leave out its invariants without times first",
           option_flag, FIELD(request.forget_untimed)),
    OPTION(
        "infer-limit", 0, "S",
        "with --infer: end the search after S seconds, and go on with what it has proved by then",
        option_seconds, FIELD(request.search_ms)),
    OPTION("write", 'w', NULL, "with --infer: put the lines that were found into the files",
           option_flag, FIELD(request.write)),
    OPTION("seed", 0, "N", "for benchmarking: seed of the solver's search (default 0)", option_seed,
           FIELD(request.effort.seed)),
    ROW_FULL_PROOF(FIELD(full)),
    OPTION("plot", 0, "FILE", "draw the executions that break bounds: .svg, .png or .html",
           option_text, FIELD(plot)),
    ROWS_ANY_OUTPUT(output),
    ROW_BOUND(FIELD(request.bound)),
    {0},
};

static void prepare(void *options) {
  struct arguments *typed = options;
  typed->request.effort = command_effort();
}

/* What --infer goes with. */
static enum status check_use(const struct arguments *typed) {
  const char *command = typed->line.command;
  const char *forget = typed->request.forget_timing    ? "--forget-timing"
                       : typed->request.forget_untimed ? "--forget-untimed"
                                                       : NULL;
  if (typed->request.search_ms != 0 && !typed->request.infer)
    return option_complain(command, "it is about --infer", "--infer-limit", "give both");
  if (forget != NULL && !typed->request.infer)
    return option_complain(command, "it is about --infer", forget, "give both");
  if (!typed->request.write)
    return STATUS_OK;
  if (forget != NULL)
    return option_complain(command, "--write adds to the file, the other leaves some of it out",
                           forget, "give one of them");
  if (!typed->request.infer)
    return option_complain(command, "--write is about --infer", NULL, "give both");
  for (size_t i = 0; i < typed->line.file_count; i++)
    if (strcmp(typed->line.files[i], "-") == 0)
      return option_complain(command, "standard input cannot be written to", NULL,
                             "leave out --write, or name a file");
  return STATUS_OK;
}

/* What --plot says is refused before anything is proved. */
static enum status check_plot(const struct arguments *typed) {
  enum status status = command_check_plot(&typed->line, typed->plot);
  if (status != STATUS_OK || typed->plot == NULL || typed->line.file_count <= 1)
    return status;
  fprintf(stderr, "tailproof verify: --plot draws executions of one protocol; name one file\n");
  return STATUS_USAGE;
}

static enum status draw(const struct arguments *typed, const struct verify_answer *answer) {
  enum status status = STATUS_OK;
  struct text message;
  text_init(&message);
  if (typed->plot != NULL && answer->verified)
    status = executions_draw(&answer->reports, typed->plot, typed->line.typed, &message);
  command_tell(&typed->line, &message);
  return status;
}

/* On a terminal, one line that changes, and is gone before anything is told. */
static void show_search(void *context, const char *path, const char *what, size_t count) {
  (void)context;
  if (count == 0)
    fprintf(stderr, "\r\033[K%s: searching: %s", path, what);
  else
    fprintf(stderr, "\r\033[K%s: searching: %s: %zu candidates", path, what, count);
}

/* What is told of one file after the other. */
struct telling {
  const struct arguments *typed;
  struct output *output;
  const struct report_style *style;
  bool searched;            /* show_search was called */
  struct document document; /* of all files; empty where each has its own */
  struct verify_summary summary;
  enum status status;
};

/* Text and JSON are printed file by file; other formats hold all files in one document. */
static void flush(struct telling *telling) {
  if (output_is_document(telling->output))
    return;
  output_answer(telling->output, &telling->document, telling->typed->full);
  fflush(stdout);
  verify_document_init(&telling->document);
}

static void tell(size_t index, const struct verify_answer *answer, void *context) {
  (void)index;
  struct telling *telling = context;
  if (telling->searched)
    fprintf(stderr, "\r\033[K");
  telling->status = status_worst(telling->status, answer->status);
  if (answer->verified) {
    verify_show(&telling->document, telling->output, answer, telling->style);
    flush(telling);
    verify_tell(telling->output, answer);
  }
  telling->status = status_worst(telling->status, draw(telling->typed, answer));
  verify_summary_add(&telling->summary, answer);
}

static enum status run(const void *options) {
  const struct arguments *typed = options;
  enum status status = need_files(&typed->line, 1, SIZE_MAX, "protocol files");
  if (status == STATUS_OK)
    status = check_use(typed);
  if (status == STATUS_OK)
    status = command_check_output(&typed->line, &typed->output);
  if (status == STATUS_OK)
    status = check_plot(typed);
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init(&output, &typed->output);
  voice_init(&voice, &typed->line, &output);
  struct report_style style = {
      .explain = typed->request.explain, .full = typed->full, .all_goals = typed->all_goals};
  struct telling telling = {.typed = typed, .output = &output, .style = &style};
  ledger_init(&telling.summary.ledger);
  verify_document_init(&telling.document);
  struct verify_request request = typed->request;
  request.asker = &voice.asker;
  telling.searched = request.infer && terminal_can_rewrite(STDERR_FILENO);
  if (telling.searched)
    request.searching = show_search;
  struct verify_files files = {.request = &request,
                               .paths = typed->line.files,
                               .count = typed->line.file_count,
                               .answered = tell,
                               .context = &telling};
  verify_files(&files);
  verify_show_summary(&telling.document, &telling.summary);
  const size_t *n = telling.summary.verdicts;
  if (output.format == OUTPUT_TEXT && telling.summary.ledger.count == 0 && n[0] + n[1] + n[2] != 0)
    putchar('\n'); /* apart from the bounds before; a ledger begins with an empty line */
  if (output.format != OUTPUT_MARKDOWN)
    output_answer(&output, &telling.document, typed->full);
  document_clear(&telling.document);
  status = output_end(&output, telling.status);
  ledger_clear(&telling.summary.ledger);
  output_clear(&output);
  return asker_stopped(&voice.asker) ? STATUS_INTERRUPTED : status;
}

const struct command verify_command = {
    "verify",
    "FILE...",
    "prove that the design meets every bound, or show an execution that breaks it",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
