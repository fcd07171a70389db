/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof tail`: its options, and why the slow requests are slow.
 */
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/figure/loops.h"
#include "show/page.h"
#include "cli/present/figure/trace_tail.h"
#include "show/ledger.h"
#include "cli/present/loops.h"
#include "cli/present/tail.h"
#include "cli/question/loops/loops.h"
#include "cli/question/loops/profile.h"
#include "cli/question/tail/hot.h"
#include "trace/event/read.h"

struct arguments {
  struct command_line line;
  struct tail_request request;
  const char *plot, *route, *percentiles, *skip; /* the last three of event logs */
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_FULL(FIELD(full)),
    ROWS_DOCUMENT(output),
    OPTION("above", 'a', "WHAT",
           "slow is what takes longer than a percentile of all, or a time: p99.9, 250ms (default "
           "p99; of "
           "traces with several roots that of each)",
           option_text, FIELD(request.above)),
    OPTION("slow", 0, "NAME=VALUE", "slow is what has this label instead; repeatable",
           option_settings, FIELD(request.slow)),
    OPTION("against", 0, "NAME=VALUE",
           "hold them against those with this label, not against all others; repeatable",
           option_settings, FIELD(request.against)),
    OPTION("request", 'r', "ID",
           "hold the trace with this id against all others, and judge nothing; of event logs: draw "
           "the so-many-th slowest",
           option_text, FIELD(request.request)),
    ROWS_SELECTION(request.selection),
    ROW_FOLLOW(FIELD(request.selection.follow)),
    ROW_FOLD_NAMES(FIELD(request.selection.fold_names)),
    ROW_COLUMNS(FIELD(request.columns)),
    OPTION("route", 0, "NAME",
           "of event logs: only requests of this route, \"GET /users/:id\"; * stands for anything",
           option_text, FIELD(route)),
    OPTION("skip", 0, "TIME",
           "of event logs: leave out requests that arrive in the first TIME of a recording (2s)",
           option_text, FIELD(skip)),
    ROW_PERCENTILES(FIELD(percentiles)),
    OPTION("unit", 'u', "UNIT", "unit of a table's columns that state none: ns, us, ms or s",
           option_text, FIELD(request.unit)),
    OPTION("latency", 0, "NAME", "the column of latencies, unless it is called Latency",
           option_text, FIELD(request.latency)),
    OPTION("call-graph", 0, "FILE", "who calls whom in a table, a line each: caller;callee",
           option_path, FIELD(request.calls)),
    OPTION_OLD("calls", 0, "FILE", "call-graph", option_path, FIELD(request.calls)),
    OPTION("tag", 0, "NAME", "a column of numbers that is a label and no time; repeatable",
           option_texts, FIELD(request.tags)),
    OPTION("profile", 0, "FILE",
           "say which functions slow requests run more of: samples taken at the same time",
           option_path, FIELD(request.profile)),
    OPTION("profile-offset", 0, "TIME",
           "what the profile's clock is to be put forward by, if neither file says it", option_text,
           FIELD(request.profile_offset)),
    OPTION("confidence", 'c', "LEVEL",
           "confidence of each interval, and that no cause is named by chance (default 0.95)",
           option_confidence, FIELD(request.confidence)),
    OPTION("plot", 0, "FILE", "draw what slow requests have more of: .svg, .png or .html",
           option_text, FIELD(plot)),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  rational_set_fraction(&arguments->request.confidence, 95, 100);
  arguments->percentiles = "50,90,99,99.9";
}

/* --- event logs ------------------------------------------------------------------------------- */

/* Event logs are traces too: with the options of traces each chain of callbacks is one. */
static bool asks_loops(const struct arguments *arguments) {
  const struct tail_request *r = &arguments->request;
  return r->slow.count == 0 && r->against.count == 0 && r->unit == NULL && r->latency == NULL &&
         r->calls == NULL && r->tags.count == 0 && event_is_log(arguments->line.files[0]);
}

static enum status ask_loops(const struct arguments *arguments) {
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct loops_request request = {.asker = &voice.asker,
                                  .paths = arguments->line.files,
                                  .path_count = arguments->line.file_count,
                                  .above = arguments->request.above,
                                  .route = arguments->route,
                                  .skip = arguments->skip,
                                  .slowest = arguments->request.request,
                                  .percentiles = arguments->percentiles,
                                  .confidence = arguments->request.confidence};
  struct loops_answer answer;
  const struct hot_request sampled = {arguments->request.profile,
                                      arguments->request.profile_offset};
  struct hot_answer hot;
  enum status status = loops_ask(&answer, &request), drawn = STATUS_OK;
  enum status joined = STATUS_OK;
  bool sampling = answer.found && sampled.path != NULL;
  if (sampling)
    joined = loops_profile(&hot, &answer, &sampled);
  if (joined == STATUS_OK && !answer.found)
    ledger_print_warnings(&answer.ledger);
  if (joined == STATUS_OK && answer.found) {
    const struct document_page page = {arguments->line.typed, loops_figures};
    struct document document;
    loops_document(&document, &answer, sampling ? &hot : NULL,
                   output.format == OUTPUT_HTML ? &page : NULL);
    output_answer(&output, &document, arguments->full);
  }
  if (joined == STATUS_OK && sampling && hot.refused)
    joined = STATUS_UNKNOWN;
  struct text message;
  text_init(&message);
  if (answer.found && arguments->plot != NULL)
    drawn = loops_draw(&answer, sampling && joined == STATUS_OK ? &hot : NULL, arguments->plot,
                       arguments->line.typed, &message);
  if (sampling)
    hot_answer_clear(&hot);
  command_tell(&arguments->line, &message);
  loops_clear(&answer);
  status = joined == STATUS_OK ? status : joined;
  return drawn == STATUS_OK ? status : drawn;
}

/* --- traces and tables ------------------------------------------------------------------------ */

static enum status ask(const struct arguments *arguments) {
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct tail_request request = arguments->request;
  request.asker = &voice.asker;
  request.paths = arguments->line.files;
  request.path_count = arguments->line.file_count;
  struct tail_answer answer;
  enum status status = tail_ask(&answer, &request), drawn = STATUS_OK;
  const struct picture picture = tail_picture(&answer, arguments->line.typed);
  struct text message;
  text_init(&message);
  if (answer.found)
    output_picture(&output, &picture, arguments->full);
  else
    ledger_print_warnings(&answer.ledger);
  if (answer.found && arguments->plot != NULL)
    drawn = picture_write(&picture, arguments->plot, &message);
  tail_clear_answer(&answer);
  command_tell(&arguments->line, &message);
  return drawn == STATUS_OK ? status : drawn;
}

/* One table of options serves three kinds of input. */
static enum status check_options(const struct arguments *arguments, bool loops) {
  const struct command_line *line = &arguments->line;
  if (loops && arguments->request.profile == NULL && arguments->request.profile_offset != NULL)
    return option_complain(line->command, "--profile-offset is of a profile", NULL,
                           "give --profile FILE, too");
  if (loops && arguments->plot == NULL)
    return option_refuse_unused(line, "event logs without --plot",
                                "request root where from to status columns follow fold-names");
  if (loops)
    return option_refuse_unused(line, "event logs",
                                "root where from to status columns follow fold-names");
  return option_refuse_unused(line,
                              event_is_log(line->files[0])
                                  ? "event logs that are taken as traces (--slow, --against)"
                                  : "traces and tables",
                              "route skip percentiles");
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  enum status status =
      need_files(&arguments->line, 1, SIZE_MAX, "traces, an event log, or a table (.csv)");
  if (status == STATUS_OK)
    status = command_check_plot(&arguments->line, arguments->plot);
  if (status != STATUS_OK)
    return status;
  bool loops = asks_loops(arguments);
  status = check_options(arguments, loops);
  if (status != STATUS_OK)
    return status;
  return loops ? ask_loops(arguments) : ask(arguments);
}

const struct command tail_command = {
    "tail",
    "TRACES...",
    "say why slow requests are slow: of traces, event logs or a table of calls",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
