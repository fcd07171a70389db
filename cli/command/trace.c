/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof trace path`: its options, and what recorded requests waited for.
 */
#include "cli/command/rows.h"
#include "cli/command/trace_diff.h"
#include "cli/command/trace_fold.h"
#include "cli/command/voice.h"
#include "cli/command/whatif_latency.h"
#include "cli/present/figure/trace_page.h"
#include "show/ledger.h"
#include "cli/present/path.h"

struct path_arguments {
  struct command_line line;
  struct request_selection selection;
  const char *columns;
  const char *id, *plot, *annotate;
  unsigned top;
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct path_arguments, name)

static const struct option_row path_rows[] = {
    OPTION("request", 0, "ID", "the request to follow, by its trace id (default: the slowest)",
           option_text, FIELD(id)),
    ROWS_SELECTION(selection),
    ROW_FOLLOW(FIELD(selection.follow)),
    ROW_FOLD_NAMES(FIELD(selection.fold_names)),
    ROW_COLUMNS(FIELD(columns)),
    OPTION("top", 0, "N", "list the N longest steps and parts (default 10)", option_count,
           FIELD(top)),
    ROW_FULL(FIELD(full)),
    ROWS_DOCUMENT(output),
    OPTION("plot", 0, "FILE", "draw the request and what waits for what: .svg, .png or .html",
           option_text, FIELD(plot)),
    OPTION("annotate", 0, "OUT",
           "write the traces to OUT, with what each span has of its request's critical path: a "
           "file, or for several files a new folder",
           option_text, FIELD(annotate)),
    {0},
};

static void prepare_path(void *options) {
  ((struct path_arguments *)options)->top = 10;
}

static enum status present_path(struct output *output, const struct trace_path *answer,
                                const struct path_arguments *arguments) {
  const struct document_page page = {arguments->line.typed, trace_path_figures};
  bool is_page = output->format == OUTPUT_HTML;
  struct document document;
  path_document(&document, answer, is_page ? PATH_PAGE_ROWS : arguments->top,
                is_page ? &page : NULL);
  output_answer(output, &document, arguments->full);
  if (arguments->plot == NULL)
    return answer->status;
  struct text message;
  text_init(&message);
  enum status status = trace_path_draw(answer, arguments->plot, arguments->line.typed, &message);
  command_tell(&arguments->line, &message);
  return status == STATUS_OK ? answer->status : status;
}

/* What must be right before anything is read. */
static enum status check_path(const struct path_arguments *arguments) {
  enum status status =
      need_files(&arguments->line, 1, SIZE_MAX, "traces or an event log: files or folders");
  if (status == STATUS_OK && arguments->annotate != NULL && arguments->selection.follow != NULL) {
    fprintf(stderr, "tailproof trace path: --annotate writes each trace as it was recorded, and "
                    "--follow joins several: leave out one of them\n");
    status = STATUS_USAGE;
  }
  return status == STATUS_OK ? command_check_plot(&arguments->line, arguments->plot) : status;
}

static enum status run_path(const void *options) {
  const struct path_arguments *arguments = options;
  enum status status = check_path(arguments);
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  const struct trace_path_request request = {.paths = arguments->line.files,
                                             .path_count = arguments->line.file_count,
                                             .id = arguments->id,
                                             .annotate = arguments->annotate,
                                             .tags = output.format == OUTPUT_HTML ||
                                                     arguments->plot != NULL,
                                             .selection = arguments->selection,
                                             .columns = arguments->columns,
                                             .asker = &voice.asker};
  struct trace_path answer;
  status = trace_path_ask(&answer, &request);
  if (status == STATUS_OK)
    status = present_path(&output, &answer, arguments);
  else
    ledger_print_warnings(&answer.ledger);
  trace_path_clear(&answer);
  output_clear(&output);
  return status;
}

static const struct command path_question = {"path",
                                             "TRACES...",
                                             "say what recorded requests waited for",
                                             path_rows,
                                             sizeof(struct path_arguments),
                                             prepare_path,
                                             run_path,
                                             NULL};

static const struct command *const questions[] = {
    &path_question,        &trace_diff_question,    &trace_whatif, &trace_fold_question,
    &trace_merge_question, &trace_summary_question, NULL};

static const struct option_row none[] = {{0}};

const struct command trace_command = {
    "trace",
    "path TRACES... | diff BEFORE AFTER | whatif TRACES... | fold SHARD... | merge SUMMARY... | "
    "summary SUMMARY...",
    "say what recorded requests waited for, what changed, and what if something were different",
    none,
    sizeof(struct command_line),
    NULL,
    NULL,
    questions};
