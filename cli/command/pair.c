/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof record pair`: its options, and stores of events that were recorded from outside.
 */
#include <stdio.h>

#include "cli/command/pair.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/pair.h"

struct arguments {
  struct command_line line;
  struct pair_question question;
  struct output_options output;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_DOCUMENT(output),
    OPTION("out", 0, "DIR", "folder for the stores, a new one (default tailproof-store)",
           option_path, FIELD(question.out)),
    OPTION("processes", 0, "FILE",
           "the command line of each process, PID and COMMAND LINE in a line, where the events do "
           "not say it",
           option_path, FIELD(question.processes)),
    {0},
};

static void present(struct output *output, const struct pair_answer *answer) {
  struct document document;
  pair_document(&document, answer);
  output_answer(output, &document, false);
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  struct pair_question question = arguments->question;
  if (arguments->line.file_count < 2) {
    fprintf(stderr,
            "tailproof %s: name a probe file, and the files of events of one recording; see "
            "tailproof %s --help\n",
            arguments->line.command, arguments->line.command);
    return STATUS_USAGE;
  }
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  question.asker = &voice.asker;
  question.probes = arguments->line.files[0];
  question.events = &arguments->line.files[1];
  if (question.out == NULL)
    question.out = "tailproof-store";
  struct pair_answer answer;
  enum status status = pair_ask(&answer, &question);
  if (status == STATUS_OK || status == STATUS_UNKNOWN)
    present(&output, &answer);
  pair_answer_clear(&answer);
  return status;
}

const struct command record_pair = {
    "pair",
    "PROBES.yaml EVENTS...",
    "make stores of requests of events that were recorded from outside",
    rows,
    sizeof(struct arguments),
    NULL,
    run,
    NULL};
