/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof trace fold`, `trace merge` and `trace summary`: their options.
 */
#include "cli/command/trace_fold.h"

#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/fold.h"
#include "show/ledger.h"

struct fold_arguments {
  struct command_line line;
  struct request_selection selection;
  const char *columns;
  const char *out;
  texts expected;
  unsigned keep;
  struct output_options output;
  bool skip_known, full;
};

#define FIELD(name) offsetof(struct fold_arguments, name)

#define ROW_OUT                                                                                    \
  OPTION("out", 0, "SUMMARY", "the file to write; an older one is replaced when all went well",    \
         option_path, FIELD(out))
#define ROW_SKIP_KNOWN                                                                             \
  OPTION("skip-known", 0, NULL, "pass over shards that are counted already", option_flag,          \
         FIELD(skip_known))

static const struct option_row fold_rows[] = {
    ROW_OUT,
    OPTION("keep", 0, "N", "whole requests to keep of each flow (default 2048)", option_count,
           FIELD(keep)),
    ROW_SKIP_KNOWN,
    ROWS_SELECTION(selection),
    ROW_COLUMNS(FIELD(columns)),
    ROWS_DOCUMENT(output),
    ROW_FULL(FIELD(full)),
    {0},
};

static const struct option_row merge_rows[] = {
    ROW_OUT,
    OPTION("expect", 0, "TRACES",
           "file or folder of shards, each of which must be counted as it is now; repeatable",
           option_paths, FIELD(expected)),
    ROW_SKIP_KNOWN,
    ROWS_DOCUMENT(output),
    ROW_FULL(FIELD(full)),
    {0},
};

static const struct option_row summary_rows[] = {
    ROW_SKIP_KNOWN,
    ROWS_DOCUMENT(output),
    ROW_FULL(FIELD(full)),
    {0},
};

typedef enum status fold_asking(struct fold_answer *answer, const struct fold_wish *wish);

static struct fold_wish wish_of(const struct fold_arguments *arguments, const struct asker *asker) {
  return (struct fold_wish){.asker = asker,
                            .paths = arguments->line.files,
                            .path_count = arguments->line.file_count,
                            .out = arguments->out,
                            .keep = arguments->keep,
                            .selection = arguments->selection,
                            .columns = arguments->columns,
                            .expected = arguments->expected,
                            .skip_known = arguments->skip_known};
}

/* Without an answer the warnings are told; else in the formats that have no place for them. */
static void present(struct document *document, const struct fold_arguments *arguments) {
  struct output output;
  output_init_document(&output, &arguments->output);
  output_answer(&output, document, arguments->full);
}

static enum status write_with(const struct fold_arguments *arguments, fold_asking *ask,
                              const char *wanted) {
  const struct command_line *line = &arguments->line;
  enum status status = need_files(line, 1, SIZE_MAX, wanted);
  if (status != STATUS_OK)
    return status;
  if (arguments->out == NULL)
    return option_complain(line->command, "name the file to write with --out SUMMARY", NULL,
                           "such as --out monday.fold");
  if (arguments->keep > FOLD_KEEP_MAX)
    return option_complain(line->command, "too many requests to keep of each flow", NULL,
                           "keep at most 1000000");
  struct voice voice;
  voice_init(&voice, line, NULL);
  struct fold_wish wish = wish_of(arguments, &voice.asker);
  struct fold_answer answer;
  status = ask(&answer, &wish);
  struct document document;
  if (status == STATUS_OK) {
    folded_document(&document, &answer);
    present(&document, arguments);
  } else {
    ledger_print_warnings(&answer.ledger);
  }
  fold_answer_clear(&answer);
  return status;
}

static enum status run_fold(const void *options) {
  return write_with(options, fold_ask, "traces: the files of a shard, or their folder");
}

static enum status run_merge(const void *options) {
  return write_with(options, fold_merge_ask, "summaries of traces");
}

static enum status run_summary(const void *options) {
  const struct fold_arguments *arguments = options;
  enum status status = need_files(&arguments->line, 1, SIZE_MAX, "summaries of traces");
  if (status != STATUS_OK)
    return status;
  struct voice voice;
  voice_init(&voice, &arguments->line, NULL);
  struct fold_wish wish = wish_of(arguments, &voice.asker);
  struct fold_answer answer;
  status = fold_merge_ask(&answer, &wish);
  if (status == STATUS_OK && fold_requests(&answer.fold) == 0)
    answer.status = status =
        asker_fail(&voice.asker, STATUS_DATA, "%s: counts no request", arguments->line.files[0]);
  if (status == STATUS_OK) {
    struct fold_report report;
    fold_report_make(&report, &answer);
    struct document document;
    summary_document(&document, &report, &answer.ledger);
    present(&document, arguments);
    fold_report_clear(&report);
  } else {
    ledger_print_warnings(&answer.ledger);
  }
  fold_answer_clear(&answer);
  return status;
}

const struct command trace_fold_question = {
    "fold",
    "SHARD... --out SUMMARY",
    "reduce traces to a small summary that adds up with those of other shards",
    fold_rows,
    sizeof(struct fold_arguments),
    NULL,
    run_fold,
    NULL};

const struct command trace_merge_question = {"merge",
                                             "SUMMARY... --out SUMMARY",
                                             "add up summaries of shards, in any order",
                                             merge_rows,
                                             sizeof(struct fold_arguments),
                                             NULL,
                                             run_merge,
                                             NULL};

const struct command trace_summary_question = {
    "summary",
    "SUMMARY...",
    "say what summaries of traces say: percentiles, flows, critical paths, orders",
    summary_rows,
    sizeof(struct fold_arguments),
    NULL,
    run_summary,
    NULL};
