/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof profile simulate`: its options, and what cheaper sampling would have shown.
 */
#include "cli/command/profile_simulate.h"

#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "show/ledger.h"
#include "cli/present/simulate.h"

struct arguments {
  struct command_line line;
  struct simulate_request request;
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_FULL(FIELD(full)),
    ROWS_DOCUMENT(output),
    OPTION("window", 'w', "TIME", "how often to look whether functions changed (default 1s)",
           option_text, FIELD(request.window)),
    OPTION("floor", 0, "N", "never fewer samples a second, of processor time (default 20)",
           option_count, FIELD(request.floor)),
    OPTION("overhead", 0, "SHARE",
           "the most that sampling may cost, as a share of one processor (default 100%)",
           option_text, FIELD(request.overhead)),
    OPTION_OLD("budget", 0, "SHARE", "overhead", option_text, FIELD(request.overhead)),
    OPTION("cost", 0, "NS", "what a sample costs, in ns (default 30000)", option_count,
           FIELD(request.cost)),
    OPTION("error", 0, "SHARE",
           "the most that leaving out threads may change the shares of the top 50 functions "
           "(default 0.58%)",
           option_text, FIELD(request.error)),
    OPTION("rate", 'r', "N", "the rate of the recording, in samples a second (default: found out)",
           option_count, FIELD(request.rate)),
    OPTION("seed", 0, "N", "seed that picks the half of the samples kept as the truth (default 1)",
           option_seed, FIELD(request.seed)),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  arguments->request.seed = 1;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  enum status status =
      need_files(&arguments->line, 1, 1,
                 "a profile: samples of `tailproof profile --out` (.tpp), or of perf script");
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct simulate_request request = arguments->request;
  request.path = arguments->line.files[0];
  request.asker = &voice.asker;
  struct simulate_answer answer;
  status = simulate_ask(&answer, &request);
  if (answer.found) {
    struct document document;
    simulate_document(&document, &answer);
    output_answer(&output, &document, arguments->full);
  } else {
    ledger_print_warnings(&answer.ledger);
  }
  simulate_clear_answer(&answer);
  return status;
}

const struct command profile_simulate = {
    "simulate",
    "FILE",
    "say what adaptive, slower or partial sampling would have shown of a profile",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
