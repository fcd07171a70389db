/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof load`: an open loop of requests to a server, or of runs of a command.
 */
#include <stdio.h>

#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/load.h"
#include "cli/question/load/load.h"

struct arguments {
  struct command_line line;
  struct load_request request;
  struct output_options output;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_DOCUMENT(output),
    OPTION("rate", 'r', "N", "requests a second (default 100)", option_text, FIELD(request.rate)),
    OPTION("seconds", 0, "S", "how long they come (default 10)", option_seconds,
           FIELD(request.length_ms)),
    OPTION("requests", 'n', "N", "send at most N requests", option_count, FIELD(request.requests)),
    OPTION("warmup", 0, "S", "how much of that time is warm-up, whose requests do not count",
           option_seconds, FIELD(request.warmup_ms)),
    OPTION("constant", 0, NULL, "equal gaps between requests (default: random, a Poisson process)",
           option_flag, FIELD(request.constant)),
    OPTION(
        "times", 0, "FILE",
        "when requests come: a time in seconds at the start of each line, such as in a file that "
        "this command wrote",
        option_path, FIELD(request.times)),
    OPTION("connections", 'c', "N",
           "connections, processes or commands to Redis, at most at a time (default 100)",
           option_count, FIELD(request.connections)),
    OPTION("timeout", 0, "S", "a request not answered so long after it was due failed (default 10)",
           option_seconds, FIELD(request.timeout_ms)),
    OPTION("routes", 0, "LIST",
           "paths with weights: /page*9,/report; '#' in one is the request's number", option_text,
           FIELD(request.routes)),
    OPTION("method", 0, "NAME", "the method of the requests (default GET)", option_path,
           FIELD(request.method)),
    OPTION("header", 0, "LINE", "a header of the requests, \"Name: value\"; repeatable",
           option_texts, FIELD(request.headers)),
    OPTION("body", 0, "FILE", "a file with the body of the requests", option_path,
           FIELD(request.body)),
    ROW_CA(FIELD(request.ca)),
    ROW_INSECURE(FIELD(request.insecure)),
    OPTION("send", 0, "COMMAND",
           "of redis://: what is sent, \"SET key:# x\"; '#' is the request's number", option_text,
           FIELD(request.send)),
    OPTION("exclude-failed", 0, NULL,
           "leave out requests that failed (default: they count as infinite)", option_flag,
           FIELD(request.without_failed)),
    OPTION("seed", 0, "N", "seed of the random gaps and routes (default 1)", option_seed,
           FIELD(request.seed)),
    OPTION("out", 0, "FILE", "a CSV file with a row for each request; its name is the series'",
           option_path, FIELD(request.out)),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  arguments->request.seed = 1;
}

static void present(struct output *output, const struct load_answer *answer, const char *path) {
  struct document document;
  struct ledger ledger;
  ledger_init(&ledger);
  load_document(&document, answer, path, &ledger);
  output_answer(output, &document, true);
  ledger_clear(&ledger);
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  struct load_request request = arguments->request;
  if (arguments->line.file_count == 0) {
    fprintf(stderr,
            "tailproof load: name an address, http[s]://HOST:PORT/PATH or redis://HOST:PORT/, "
            "or behind \"--\" a "
            "command; see tailproof load --help\n");
    return STATUS_USAGE;
  }
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  voice_watch_ends();
  request.asker = &voice.asker;
  request.target = arguments->line.files;
  request.target_count = arguments->line.file_count;
  struct load_answer answer;
  enum status status = load_ask(&answer, &request);
  if (status == STATUS_OK || status == STATUS_UNKNOWN)
    present(&output, &answer, request.out);
  load_answer_clear(&answer);
  return status;
}

const struct command load_command = {
    "load",
    "http[s]://HOST:PORT/PATH --out FILE.csv | redis://HOST:PORT/ --send COMMAND --out FILE.csv | "
    "--out FILE.csv -- COMMAND [ARGUMENT]...",
    "send requests when they are due, and measure how long each takes under load",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
