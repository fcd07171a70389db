/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof arrivals`: its options, and the token buckets that recorded arrivals keep to.
 */
#include <stdio.h>

#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/arrivals.h"

struct arguments {
  struct command_line line;
  struct arrivals_request request;
  settings units;
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_FULL(FIELD(full)),
    ROWS_DOCUMENT(output),
    OPTION("message", 'm', "NAME", "of stores: the message whose times are meant", option_text,
           FIELD(request.wanted.message)),
    OPTION_WORDS("at", 0, "PLACE", "when it was sent (default) or delivered", option_choice,
                 FIELD(request.wanted.place), "sent delivered"),
    OPTION("by-node", 0, NULL,
           "each node by itself: that sends the message, or to which it is delivered", option_flag,
           FIELD(request.wanted.by_node)),
    OPTION("every", 0, "TIME", "the least burst for a token every TIME; repeatable", option_texts,
           FIELD(request.every)),
    OPTION("burst", 0, "B", "the largest time for a burst of B; repeatable", option_texts,
           FIELD(request.burst)),
    OPTION("column", 0, "NAME", "of a table: the column with the times, which names its unit",
           option_text, FIELD(request.wanted.column)),
    ROW_UNIT(FIELD(units)),
    {0},
};

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  if (arguments->line.file_count == 0) {
    fprintf(stderr,
            "tailproof arrivals: name a table of times (.csv), or the stores of a run or their "
            "folder; see tailproof arrivals --help\n");
    return STATUS_USAGE;
  }
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct arrivals_request request = arguments->request;
  request.asker = &voice.asker;
  request.paths = arguments->line.files;
  request.count = arguments->line.file_count;
  request.wanted.units = &arguments->units;
  struct arrivals_answer answer;
  enum status status = arrivals_ask(&answer, &request);
  if (answer.found) {
    struct document document;
    arrivals_document(&document, &answer);
    output_answer(&output, &document, arguments->full);
  }
  arrivals_answer_clear(&answer);
  return status;
}

const struct command arrivals_command = {
    "arrivals",
    "STORE...",
    "say how bursty recorded arrivals are: which token buckets they keep to",
    rows,
    sizeof(struct arguments),
    NULL,
    run,
    NULL};
