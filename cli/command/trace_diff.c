/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof trace diff`: its options, and what changed from one recording to another.
 */
#include "cli/command/trace_diff.h"

#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/trace_diff.h"
#include "show/ledger.h"

struct arguments {
  struct command_line line;
  struct trace_diff_request request;
  texts before, after;
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    OPTION("before", 0, "TRACES", "files, folders or summaries of the first recording; repeatable",
           option_texts, FIELD(before)),
    OPTION("after", 0, "TRACES", "those of the second one; repeatable", option_texts, FIELD(after)),
    ROWS_SELECTION(request.selection),
    ROW_COLUMNS(FIELD(request.columns)),
    OPTION("percentiles", 'p', "LIST", "percentages, separated by commas (default 50,90,99)",
           option_text, FIELD(request.percentiles)),
    OPTION("confidence", 'c', "LEVEL",
           "confidence of each interval, and that nothing is named by chance (default 0.95)",
           option_confidence, FIELD(request.confidence)),
    ROW_FULL(FIELD(full)),
    ROWS_DOCUMENT(output),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  rational_set_fraction(&arguments->request.confidence, 95, 100);
  arguments->request.percentiles = "50,90,99";
}

/* Two recordings, by place or by name. */
static enum status find_paths(texts *paths, struct trace_diff_request *request,
                              const struct arguments *arguments) {
  const struct command_line *line = &arguments->line;
  bool named = arguments->before.count != 0 || arguments->after.count != 0;
  if (!named) {
    enum status status =
        need_files(line, 2, 2,
                   "two recordings: trace diff BEFORE AFTER; of several files each: "
                   "--before A --before B --after C");
    if (status != STATUS_OK)
      return status;
    for (size_t i = 0; i < 2; i++)
      vector_push(paths, line->files[i]);
    request->counts[DIFF_BEFORE] = request->counts[DIFF_AFTER] = 1;
    return STATUS_OK;
  }
  if (line->file_count != 0)
    return option_complain(line->command, line->files[0], NULL,
                           "with --before and --after all files are named by them");
  if (arguments->before.count == 0 || arguments->after.count == 0)
    return option_complain(line->command, arguments->before.count == 0 ? "--after" : "--before",
                           NULL, "give both recordings: --before A --after B");
  for (size_t i = 0; i < arguments->before.count; i++)
    vector_push(paths, arguments->before.data[i]);
  for (size_t i = 0; i < arguments->after.count; i++)
    vector_push(paths, arguments->after.data[i]);
  request->counts[DIFF_BEFORE] = arguments->before.count;
  request->counts[DIFF_AFTER] = arguments->after.count;
  return STATUS_OK;
}

static enum status ask(const struct arguments *arguments, const struct trace_diff_request *wanted) {
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct trace_diff_request request = *wanted;
  request.asker = &voice.asker;
  struct trace_diff diff;
  enum status status = trace_diff_ask(&diff, &request);
  if (diff.found) {
    const struct document_page page = {arguments->line.typed, NULL};
    struct document document;
    trace_diff_document(&document, &diff, output.format == OUTPUT_HTML ? &page : NULL);
    output_answer(&output, &document, arguments->full);
  } else {
    ledger_print_warnings(&diff.ledger);
  }
  trace_diff_clear(&diff);
  output_clear(&output);
  return status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  struct trace_diff_request request = arguments->request;
  texts paths = {0};
  enum status status = find_paths(&paths, &request, arguments);
  request.paths = paths.data;
  if (status == STATUS_OK)
    status = ask(arguments, &request);
  vector_clear(&paths);
  return status;
}

const struct command trace_diff_question = {"diff",
                                            "BEFORE AFTER",
                                            "say by how much latency changed between two "
                                            "recordings, and what accounts for it",
                                            rows,
                                            sizeof(struct arguments),
                                            prepare,
                                            run,
                                            NULL};
