/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof simulate`: its options, and what machines that run the protocol would show.
 */
#include <string.h>

#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/machines.h"
#include "cli/question/machines/machines.h"

struct arguments {
  struct command_line line;
  struct machines_question request;
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_EFFORT(request.of.effort),
    ROW_FULL_PROOF(FIELD(full)),
    ROWS_DOCUMENT(output),
    ROWS_BOUND(request.of),
    ROW_DATA(FIELD(request.of.data)),
    OPTION("always", 0, "NAME=TIME", "a component that always takes TIME; repeatable",
           option_settings, FIELD(request.always)),
    OPTION("arrivals", 0, "PROCESS",
           "when requests come: constant:RATE, poisson:RATE (200/s) or a table of times (.csv)",
           option_path, FIELD(request.arrivals)),
    OPTION("column", 0, "NAME", "of a table: the column with the times, which names its unit",
           option_text, FIELD(request.column)),
    OPTION("lose", 0, "MESSAGE=SHARE",
           "of the messages that the protocol lets be lost this share is (0.01); repeatable",
           option_settings, FIELD(request.lose)),
    OPTION("requests", 0, "N", "how many requests are simulated (default 1000)", option_count,
           FIELD(request.requests)),
    OPTION("seed", 0, "N", "seed of the random draws (default 0)", option_seed,
           FIELD(request.seed)),
    ROW_PERCENTILES(FIELD(request.percentiles)),
    ROW_CONFIDENCE(FIELD(request.of.confidence)),
    OPTION("observed", 'o', "FILE", "end-to-end measurements, to be shown beside", option_path,
           FIELD(request.of.observed)),
    ROW_UNIT(FIELD(request.of.units)),
    ROW_SELECT(FIELD(request.of.selects)),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  command_calculation(&arguments->request.of);
  arguments->request.percentiles = "50,90,99";
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  enum status status = need_files(&arguments->line, 1, 1, "a protocol file");
  const char *arrivals = arguments->request.arrivals;
  if (status == STATUS_OK && (arrivals == NULL || strncmp(arrivals, "constant:", 9) == 0 ||
                              strncmp(arrivals, "poisson:", 8) == 0))
    status =
        option_refuse_unused(&arguments->line, "requests whose times are in no table", "column");
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct machines_question question = arguments->request;
  question.of.asker = &voice.asker;
  question.of.path = arguments->line.files[0];
  struct machines_answer answer;
  status = machines_ask(&answer, &question);
  if (answer.found) {
    struct document document;
    machines_document(&document, &answer);
    output_answer(&output, &document, arguments->full);
  }
  machines_answer_clear(&answer);
  return status;
}

const struct command simulate_command = {"simulate",
                                         "FILE",
                                         "run the protocol on simulated machines, beside its bound",
                                         rows,
                                         sizeof(struct arguments),
                                         prepare,
                                         run,
                                         NULL};
