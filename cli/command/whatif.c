/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof whatif throughput` and `whatif predict`: their options, progress and results.
 */
#include <signal.h>
#include <string.h>

#include "base/jsonl.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/command/whatif_latency.h"
#include "cli/present/prediction.h"
#include "cli/present/throughput.h"
#include "cli/present/whatif_progress.h"
#include "measure/throughput/experiment/estimate.h"
#include "measure/throughput/experiment/journal.h"

/* --- throughput ---------------------------------------------------------------------------------
 */

struct arguments {
  struct command_line line;
  unsigned seed;
  texts together, scale_out, workers;
  const char *budget, *plot, *journal, *resume;
  struct output_options output;
  bool uncoordinated;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    OPTION("seed", 0, "N", "seed of the random order in which windows are measured (default 0)",
           option_seed, FIELD(seed)),
    ROWS_DOCUMENT(output),
    OPTION("together", 0, "A,B", "services that all become faster, web=40%,cart=20%; repeatable",
           option_texts, FIELD(together)),
    OPTION("budget", 0, "TIME", "time to spend on the experiment (600s)", option_text,
           FIELD(budget)),
    OPTION("scale-out", 0, "SERVICE=N",
           "instead of the plan's targets: N replicas of the service; repeatable", option_texts,
           FIELD(scale_out)),
    OPTION("workers", 0, "SERVICE=N",
           "instead of the plan's targets: N workers in the service; repeatable", option_texts,
           FIELD(workers)),
    OPTION("plot", 0, "FILE",
           "draw predicted throughput against the time saved: .svg, .png or .html", option_path,
           FIELD(plot)),
    OPTION_OLD("svg", 0, "FILE", "plot", option_path, FIELD(plot)),
    OPTION("journal", 0, "FILE", "write each window as it is measured, as lines of JSON",
           option_path, FIELD(journal)),
    OPTION("resume", 0, "FILE", "go on with the experiment of this journal, and add to it",
           option_path, FIELD(resume)),
    OPTION("uncoordinated", 0, NULL,
           "for comparison: every service pauses by itself, as if there were no rounds",
           option_flag, FIELD(uncoordinated)),
    {0},
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
}

/* The services are to be left running as they were, whatever ends the experiment. */
static void watch_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = on_interrupt};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction(numbers[i], &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

static void show_progress(void *context, const char *what, size_t done, size_t of,
                          uint64_t left_ns) {
  progress_tell(context, what, done, of, left_ns);
}

static void end_progress(void *context) {
  progress_clear(context);
}

static void print_window(const struct experiment *experiment, const struct cell *cell,
                         const struct window *window) {
  jsonl_print(journal_window_json(experiment, cell, window));
}

static enum status draw(const struct experiment *experiment, const struct arguments *arguments) {
  struct text message;
  text_init(&message);
  enum status status =
      throughput_draw(experiment, arguments->plot, arguments->line.typed, &message);
  command_tell(&arguments->line, &message);
  return status;
}

/* Also what was measured before an interrupt or a failure. */
static enum status present(struct output *output, const struct experiment *experiment,
                           const struct arguments *arguments, enum status status) {
  if ((status != STATUS_OK && experiment_measured(experiment) == 0) || !experiment->profiled)
    return status;
  const struct document_page page = {arguments->line.typed, throughput_figures};
  struct document document;
  throughput_document(&document, experiment, output->format == OUTPUT_HTML ? &page : NULL);
  output_answer(output, &document, false);
  enum status drawn = arguments->plot != NULL ? draw(experiment, arguments) : STATUS_OK;
  return status == STATUS_OK ? drawn : status;
}

static enum status throughput(const void *options) {
  const struct arguments *arguments = options;
  const struct command_line *line = &arguments->line;
  if (line->file_count != 1)
    return option_complain(line->command, "name a plan, and only one", NULL,
                           "such as examples/shop/plan.yaml");
  enum status status = command_check_plot(line, arguments->plot);
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  struct experiment_progress progress;
  struct experiment experiment;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, line, &output);
  watch_signals();
  progress_init(&progress);
  struct experiment_request request = {
      .asker = &voice.asker,
      .path = line->files[0],
      .seed = arguments->seed,
      .scale_out = arguments->scale_out.data,
      .scale_out_count = arguments->scale_out.count,
      .workers = arguments->workers.data,
      .workers_count = arguments->workers.count,
      .together = arguments->together.data,
      .together_count = arguments->together.count,
      .budget = arguments->budget,
      .journal = arguments->journal,
      .resume = arguments->resume,
      .uncoordinated = arguments->uncoordinated,
      .listener = {&progress, show_progress, end_progress},
      .measured = output.format == OUTPUT_JSON ? print_window : NULL,
      .interrupted = &interrupted,
  };
  status = experiment_ask(&experiment, &request);
  if (experiment.plan != NULL)
    status = present(&output, &experiment, arguments, status);
  if (status == STATUS_OK && estimate_says_nothing(&experiment))
    status = STATUS_UNKNOWN;
  experiment_clear(&experiment);
  return status;
}

static const struct command throughput_question = {
    "throughput",
    "PLAN.yaml",
    "measure what throughput there would be if a service were faster",
    rows,
    sizeof(struct arguments),
    NULL,
    throughput,
    NULL};

/* --- predict ------------------------------------------------------------------------------------
 */

struct predict_arguments {
  struct command_line line;
  struct prediction_request request;
  texts workers;
  const char *points;
  struct output_options output;
};

#define PREDICT_FIELD(name) offsetof(struct predict_arguments, name)

static const struct option_row predict_rows[] = {
    ROW_JSON(PREDICT_FIELD(output.json)),
    ROW_DOCUMENT_FORMAT(PREDICT_FIELD(output.format)),
    OPTION("workers", 0, "N", "the workers that there are (default 1)", option_texts,
           PREDICT_FIELD(workers)),
    OPTION("throughput", 0, "N", "requests/s that were measured while the others paused",
           option_text, PREDICT_FIELD(request.throughput)),
    OPTION("saved", 0, "TIME", "the time by which each call became shorter (225.8us)", option_text,
           PREDICT_FIELD(request.saved)),
    OPTION("calls", 0, "C", "calls for each user request (default 1)", option_text,
           PREDICT_FIELD(request.calls)),
    OPTION("noise", 0, "P", "how uncertain the throughput is (1.5%)", option_text,
           PREDICT_FIELD(request.noise)),
    OPTION("points", 0, "FILE", "a row each for many predictions, .csv or .csv.gz", option_path,
           PREDICT_FIELD(points)),
    {0},
};

static void print(const struct predict_arguments *arguments, struct document *document) {
  struct output output;
  output_init_document(&output, &arguments->output);
  output_answer(&output, document, false);
}

static enum status predict_points(const struct predict_arguments *arguments,
                                  const struct asker *asker) {
  const struct prediction_request *request = &arguments->request;
  if (request->throughput != NULL || request->saved != NULL || request->calls != NULL ||
      request->noise != NULL || arguments->workers.count != 0)
    return option_complain(arguments->line.command, "--points FILE has all numbers in its rows",
                           NULL, "leave out the other options");
  struct points points;
  enum status status = points_ask(&points, arguments->points, asker);
  bool complete = status < STATUS_USAGE;
  if (complete || points.rows.count != 0) {
    struct document document;
    points_document(&document, &points, complete);
    print(arguments, &document);
  }
  points_clear(&points);
  return status;
}

static enum status predict(const void *options) {
  const struct predict_arguments *arguments = options;
  const struct command_line *line = &arguments->line;
  struct voice voice;
  voice_init(&voice, line, NULL);
  if (line->file_count != 0)
    return option_complain(line->command, "it takes no file", line->files[0],
                           "a table is named with --points FILE");
  if (arguments->points != NULL)
    return predict_points(arguments, &voice.asker);
  if (arguments->workers.count > 1)
    return option_complain(line->command, "unusable number of workers", arguments->workers.data[1],
                           "give a number above 0, once");
  struct prediction_request request = arguments->request;
  struct prediction prediction;
  request.asker = &voice.asker;
  request.workers = arguments->workers.count == 0 ? NULL : arguments->workers.data[0];
  enum status status = prediction_ask(&prediction, &request);
  bool text = !arguments->output.json && arguments->output.format == OUTPUT_TEXT;
  if (prediction.given || (prediction.asked && !text)) {
    struct document document;
    prediction_document(&document, &prediction);
    print(arguments, &document);
  }
  return status;
}

static const struct command predict_question = {
    "predict",
    "",
    "calculate the throughput from one measurement, or from a table of them",
    predict_rows,
    sizeof(struct predict_arguments),
    NULL,
    predict,
    NULL};

static const struct command *const questions[] = {&throughput_question, &predict_question,
                                                  &whatif_latency, NULL};

static const struct option_row none[] = {{0}};

const struct command whatif_command = {
    "whatif",
    "throughput PLAN.yaml | predict | latency TRACES...",
    "say what throughput or latency there would be if a service were faster",
    none,
    sizeof(struct command_line),
    NULL,
    NULL,
    questions};
