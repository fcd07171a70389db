/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof whatif latency`: its options.
 */
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/command/whatif_latency.h"
#include "cli/present/figure/trace_whatif.h"
#include "cli/present/latency.h"
#include "show/ledger.h"
#include "cli/present/loops_whatif.h"
#include "cli/present/whatif_progress.h"
#include "cli/question/latency/latency.h"
#include "cli/question/loops/whatif.h"
#include "measure/throughput/experiment/experiment.h"
#include "trace/event/read.h"

struct arguments {
  struct command_line line;
  struct latency_request request;
  const char *plot, *skip;
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_FULL(FIELD(full)),
    ROWS_DOCUMENT(output),
    OPTION("change", 0, "CHANGE",
           "what is different: 'cart/get: *0.5', 'cart: + 3 ms', 'cart = FILE', 'limit sql=30', "
           "load=60; of event logs 'gc: *0.65', 'app.js:12: offload' (the manual lists all); "
           "repeatable",
           option_texts, FIELD(request.changes)),
    OPTION("confirm", 0, "PLAN",
           "measure it too, where the change is 'SERVICE: *FACTOR' below 1: on the services of a "
           "plan of whatif throughput, none of which is made faster",
           option_path, FIELD(request.confirm)),
    ROWS_SELECTION(request.selection),
    ROW_FOLLOW(FIELD(request.selection.follow)),
    ROW_FOLD_NAMES(FIELD(request.selection.fold_names)),
    ROW_COLUMNS(FIELD(request.columns)),
    OPTION("skip", 0, "TIME",
           "of event logs: leave out requests that arrive in the first TIME of a recording (2s), "
           "also of those observed",
           option_text, FIELD(skip)),
    OPTION("observed", 0, "FILE",
           "traces of the same after it was really changed, to hold the prediction against; "
           "repeatable",
           option_paths, FIELD(request.observed)),
    ROW_PERCENTILES(FIELD(request.percentiles)),
    ROW_CONFIDENCE(FIELD(request.confidence)),
    OPTION_WORDS("dependence", 0, "WHICH",
                 "of activities in the law: independent, unknown (of any kind) or both (default)",
                 option_choice, FIELD(request.dependence), "independent unknown both"),
    OPTION("data", 'd', "DIR", "folder of the files that laws name (default: the current one)",
           option_path, FIELD(request.folder)),
    ROW_UNIT(FIELD(request.units)),
    OPTION("plot", 0, "FILE", "draw the latencies before and after: .svg, .png or .html",
           option_text, FIELD(plot)),
    OPTION("seed", 0, "N", "seed of the random draws (default 0)", option_seed,
           FIELD(request.seed)),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  arguments->request.percentiles = "50,90,99,99.9";
  arguments->request.dependence = WISH_BOTH;
  rational_set_fraction(&arguments->request.confidence, 99, 100);
}

/* The answer, and the picture where one is wanted. */
static enum status present(const struct picture *picture, const struct arguments *arguments) {
  struct output output;
  struct text message;
  output_init_document(&output, &arguments->output);
  output_picture(&output, picture, arguments->full);
  if (arguments->plot == NULL)
    return STATUS_OK;
  text_init(&message);
  enum status status = picture_write(picture, arguments->plot, &message);
  command_tell(&arguments->line, &message);
  return status;
}

static void show_progress(void *context, const char *what, size_t done, size_t of,
                          uint64_t left_ns) {
  progress_tell(context, what, done, of, left_ns);
}

static void end_progress(void *context) {
  progress_clear(context);
}

static enum status ask(const struct arguments *arguments) {
  const struct command_line *line = &arguments->line;
  struct voice voice;
  voice_init(&voice, line, NULL);
  struct latency_request request = arguments->request;
  request.asker = &voice.asker;
  request.paths = line->files;
  request.path_count = line->file_count;
  struct experiment_progress progress;
  progress_init(&progress);
  struct experiment_listener listener = {&progress, show_progress, end_progress};
  request.listener = &listener;
  if (request.confirm != NULL)
    voice_watch_ends();
  struct latency_answer answer;
  enum status status = latency_ask(&answer, &request), drawn = STATUS_OK;
  if (answer.found) {
    const struct picture picture = latency_picture(&answer, line->typed);
    drawn = present(&picture, arguments);
  } else {
    ledger_print_warnings(&answer.ledger);
  }
  latency_clear(&answer);
  return drawn == STATUS_OK ? status : drawn;
}

/* --- event logs ------------------------------------------------------------------------------- */

static enum status ask_loops(const struct arguments *arguments) {
  const struct command_line *line = &arguments->line;
  const struct latency_request *given = &arguments->request;
  if (given->confirm != NULL)
    return option_complain(
        line->command, "--confirm is of traces, not of event logs", line->files[0],
        "make the change, record again, and name that recording with --observed");
  struct voice voice;
  voice_init(&voice, line, NULL);
  struct loops_whatif_request request = {.asker = &voice.asker,
                                         .paths = line->files,
                                         .path_count = line->file_count,
                                         .changes = given->changes.data,
                                         .change_count = given->changes.count,
                                         .observed = given->observed.data,
                                         .observed_count = given->observed.count,
                                         .route = given->selection.root,
                                         .skip = arguments->skip,
                                         .percentiles = given->percentiles,
                                         .confidence = given->confidence};
  struct loops_whatif answer;
  enum status status = loops_whatif_ask(&answer, &request), drawn = STATUS_OK;
  if (answer.found) {
    const struct picture picture = loops_whatif_picture(&answer, line->typed);
    drawn = present(&picture, arguments);
  } else {
    ledger_print_warnings(&answer.ledger);
  }
  loops_whatif_clear(&answer);
  return drawn == STATUS_OK ? status : drawn;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  if (arguments->line.file_count == 0)
    return option_complain(arguments->line.command, "name files or folders of traces", NULL,
                           "such as traces.json");
  enum status status = command_check_plot(&arguments->line, arguments->plot);
  if (status != STATUS_OK)
    return status;
  if (event_is_log(arguments->line.files[0])) {
    status = option_refuse_unused(
        &arguments->line, "event logs",
        "dependence data unit seed where from to status columns follow fold-names");
    return status == STATUS_OK ? ask_loops(arguments) : status;
  }
  if (arguments->skip != NULL)
    return option_complain(arguments->line.command, "--skip is of event logs, not of traces",
                           arguments->line.files[0], "leave it out");
  return ask(arguments);
}

const struct command whatif_latency = {
    "latency",
    "TRACES...",
    "say what percentiles recorded requests would have if something were different",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};

const struct command trace_whatif = {
    "whatif",
    "TRACES...",
    "say what percentiles recorded requests would have if something were different",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
