/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof draft`: its options, and protocols drafted from recorded requests.
 */
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/draft.h"
#include "cli/present/draft_sockets.h"
#include "cli/question/draft/sockets.h"

struct arguments {
  struct command_line line;
  struct draft_request request;
  unsigned undecided, seconds;
  bool probes;
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_FULL(FIELD(full)),
    ROWS_DOCUMENT(output),
    OPTION("out", 0, "DIR", "folder for the protocols and their tables, new or empty", option_path,
           FIELD(request.out)),
    ROWS_SELECTION(request.selection),
    ROW_FOLLOW(FIELD(request.selection.follow)),
    ROW_FOLD_NAMES(FIELD(request.selection.fold_names)),
    ROW_COLUMNS(FIELD(request.columns)),
    OPTION("probes", 0, NULL,
           "write a probe file and a protocol of running processes, by who talks to whom over TCP: "
           "PID..., or the folder of an earlier draft",
           option_flag, FIELD(probes)),
    OPTION("seconds", 0, "N", "with --probes: record for so long (default 5)", option_count,
           FIELD(seconds)),
    OPTION("share", 0, "SHARE",
           "share of the requests that a flow has at least to be drafted (default 5%)",
           option_share, FIELD(request.share)),
    OPTION_WORDS("undecided", 0, "HOW",
                 "what orders are taken for that the requests leave open: waits (default), or free",
                 option_choice, FIELD(undecided), "waits free"),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  arguments->request.share = 0.05;
}

static enum status complain(const char *what) {
  fprintf(stderr, "tailproof draft: %s\n", what);
  return STATUS_USAGE;
}

static void present(struct output *output, const struct draft_answer *answer,
                    const struct draft_request *request, bool full) {
  struct document document;
  draft_document(&document, answer, request);
  output_answer(output, &document, full);
}

static enum status run_sockets(const struct arguments *arguments) {
  enum { USUAL_SECONDS = 5 };
  if (arguments->line.file_count == 0)
    return complain("name processes: draft --probes PID... --out DIR");
  if (arguments->request.out == NULL)
    return complain("name the folder to write with --out DIR");
  enum status used = option_refuse_others(&arguments->line, "running processes (--probes)",
                                          "probes seconds out full json format");
  if (used != STATUS_OK)
    return used;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  voice_watch_ends();
  const struct sockets_request request = {.asker = &voice.asker,
                                          .operands = arguments->line.files,
                                          .operand_count = arguments->line.file_count,
                                          .out = arguments->request.out,
                                          .seconds = arguments->seconds == 0 ? USUAL_SECONDS
                                                                             : arguments->seconds};
  struct sockets_answer answer;
  enum status status = sockets_ask(&answer, &request);
  if (answer.sockets_told != NULL) {
    struct document document;
    draft_sockets_document(&document, &answer, &request);
    output_answer(&output, &document, arguments->full);
  }
  sockets_answer_clear(&answer);
  output_clear(&output);
  return status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  if (arguments->probes)
    return run_sockets(arguments);
  if (option_refuse_unused(&arguments->line, "traces", "seconds") != STATUS_OK)
    return STATUS_USAGE;
  if (arguments->line.file_count == 0)
    return complain("name a file of traces, or a folder of them");
  if (arguments->request.out == NULL)
    return complain("name the folder to write with --out DIR");
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct draft_request request = arguments->request;
  request.asker = &voice.asker;
  request.traces = arguments->line.files;
  request.trace_count = arguments->line.file_count;
  request.undecided_wait = arguments->undecided == 0;
  struct draft_answer answer;
  enum status status = draft_ask(&answer, &request);
  if (status == STATUS_OK || status == STATUS_UNKNOWN)
    present(&output, &answer, &request, arguments->full);
  draft_answer_clear(&answer);
  return status;
}

const struct command draft_command = {"draft",
                                      "TRACES... --out DIR | --probes PID... --out DIR",
                                      "write the protocol that recorded requests follow, and what "
                                      "its parts took; or how to probe processes",
                                      rows,
                                      sizeof(struct arguments),
                                      prepare,
                                      run,
                                      NULL};
