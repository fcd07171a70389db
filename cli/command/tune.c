/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof tune gc`: its options, and which settings of V8's heap make a percentile smallest.
 */
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/tune.h"

struct arguments {
  struct command_line line;
  struct heap_tuning_request request;
  unsigned pairs;
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    OPTION("metric", 0, "pN", "the percentile that is to be small: p99.9", option_text,
           FIELD(request.metric)),
    OPTION("load", 0, "COMMAND",
           "what asks the server while it is measured, for the shell; it writes latencies to the "
           "file $LATENCIES, or to its standard output",
           option_text, FIELD(request.load)),
    OPTION("sizes", 0, "LIST",
           "semi-spaces of the young generation to try, in MB (default 1,4,8,32,64,128)",
           option_text, FIELD(request.sizes)),
    OPTION("pairs", 0, "N", "pairs of runs to compare the best one in, at most (default 24)",
           option_count, FIELD(pairs)),
    OPTION_WORDS("unit", 'u', "UNIT", "of latencies in a format that states none", option_word,
                 FIELD(request.unit), "ns us ms s"),
    OPTION("confidence", 0, "LEVEL", "confidence of the gain's interval (default 0.95)",
           option_confidence, FIELD(request.confidence)),
    OPTION("seed", 0, "N", "seed of the random order of the runs (default 0)", option_seed,
           FIELD(request.seed)),
    OPTION("full", 0, NULL, "also say what else was tried, and all that the result rests on",
           option_flag, FIELD(full)),
    ROWS_DOCUMENT(output),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  rational_set_fraction(&arguments->request.confidence, 19, 20);
}

static void present(const struct heap_tuning *tuning, const struct arguments *arguments) {
  struct output output;
  struct document document;
  output_init_document(&output, &arguments->output);
  tuning_document(&document, tuning);
  output_answer(&output, &document, arguments->full);
}

static enum status tune_gc(const void *options) {
  const struct arguments *arguments = options;
  struct voice voice;
  struct tuning_progress progress;
  struct heap_tuning tuning;
  voice_init(&voice, &arguments->line, NULL);
  tuning_progress_init(&progress);
  struct heap_tuning_request request = arguments->request;
  request.asker = &voice.asker;
  request.words = arguments->line.files;
  request.word_count = arguments->line.file_count;
  request.pairs = arguments->pairs;
  request.progress = tuning_progress_tell;
  request.progress_context = &progress;
  enum status status = heap_tuning_ask(&tuning, &request);
  if (tuning.asked) {
    tuning_progress_clear(&progress);
    present(&tuning, arguments);
  }
  heap_tuning_clear(&tuning);
  return status;
}

static const struct command gc_question = {
    "gc",
    "-- node APP ARGS...",
    "find the settings of V8's heap with which a percentile is smallest under a load",
    rows,
    sizeof(struct arguments),
    prepare,
    tune_gc,
    NULL};

static const struct command *const questions[] = {&gc_question, NULL};

static const struct option_row none[] = {{0}};

const struct command tune_command = {
    "tune",
    "gc -- node APP ARGS...",
    "find the settings with which a server's percentile is smallest, by trying them",
    none,
    sizeof(struct command_line),
    NULL,
    NULL,
    questions};
