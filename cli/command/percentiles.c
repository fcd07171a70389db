/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof percentiles`: its options, the verdict of the bound first, then text, JSON, plot and
 * law.
 */
#include <time.h>

#include "base/file.h"
#include "cli/command/percentiles_measured.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/figure/percentiles.h"
#include "show/ledger.h"
#include "cli/present/percentiles.h"
#include "cli/present/percentiles_metrics.h"
#include "cli/present/verify.h"
#include "cli/question/law/span_table.h"
#include "cli/question/percentiles/percentiles.h"

struct arguments {
  struct command_line line;
  struct percentiles_request request;
  struct output_options output;
  const char *assume, *save, *plot, *metrics;
  struct server_request server;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_EFFORT(request.of.effort),
    ROW_FULL_PROOF(FIELD(full)),
    ROWS_ANY_OUTPUT(output),
    ROWS_BOUND(request.of),
    OPTION("data", 'd', "PATH",
           "folder with one file of measurements per component; without a protocol the file that "
           "is asked about",
           option_path, FIELD(request.of.data)),
    OPTION("run", 0, "PATH",
           "a further run of what --data or --joint names, another folder, file or stores: limits "
           "then regard how runs differ; repeatable",
           option_texts, FIELD(request.of.runs)),
    ROW_JOINT(FIELD(request.of.joint)),
    ROW_SPANS(FIELD(request.of.spans)),
    OPTION("stream", 0, "FILE",
           "a table of one stream of requests, row k what request k took: the bound is evaluated "
           "for each, with those before it; instead of --data and --joint",
           option_path, FIELD(request.of.stream)),
    OPTION_WORDS(
        "assume", 0, "WHAT",
        "independent: take it for granted that what was measured apart is independent, so that an "
        "objective can be met on it",
        option_word, FIELD(assume), "independent"),
    ROW_EXCHANGEABLE(FIELD(request.of.exchangeable)),
    ROW_PERCENTILES(FIELD(request.percentiles)),
    ROW_CONFIDENCE(FIELD(request.of.confidence)),
    OPTION(
        "observed", 'o', "FILE",
        "end-to-end measurements to hold against the bound: exit 1 where they are not dominated, 2 "
        "when that cannot be told",
        option_path, FIELD(request.of.observed)),
    ROW_FRESH(FIELD(request.of.fresh)),
    OPTION_WORDS(
        "dependence", 0, "WHICH",
        "of occurrences: independent (default), unknown (any joint law) or both side by side",
        option_choice, FIELD(request.dependence), "independent unknown both"),
    ROWS_TOGETHER(request.of),
    OPTION("slo", 0, "SLO",
           "p99.9<50ms: exit 0 when met, 1 when broken, 2 when the samples cannot tell, 3 when it "
           "holds "
           "on independence only; repeatable",
           option_texts, FIELD(request.slo)),
    OPTION("slo-file", 0, "FILE",
           "objectives of latency in a file of Sloth, Pyrra or OpenSLO, as --slo; repeatable",
           option_texts, FIELD(request.slo_files)),
    OPTION("above", 0, "TIME", "how likely the bound's value exceeds this time; repeatable",
           option_texts, FIELD(request.above)),
    OPTION("contributions", 0, "P",
           "by how much this percentile would drop if a component took no time", option_text,
           FIELD(request.contributions)),
    ROWS_LAW(request.of),
    OPTION_WORDS("tail", 0, "MODEL",
                 "beyond the largest sample: infinite (default) or gpd, a fitted tail (not proved)",
                 option_choice, FIELD(request.of.tail), "infinite gpd"),
    ROW_LAW(FIELD(request.of.laws)),
    OPTION("save", 0, "FILE", "write the law of the bound, both sides, for `compare`", option_path,
           FIELD(save)),
    OPTION("metrics", 0, "FILE",
           "write the percentiles of bound and observation as Prometheus collects them",
           option_path, FIELD(metrics)),
    OPTION("plot", 0, "FILE", "draw distribution and tail: .svg, .png or .html", option_text,
           FIELD(plot)),
    OPTION("prometheus", 0, "URL",
           "without a protocol: ask a Prometheus server, http://HOST:9090, instead of a file",
           option_path, FIELD(server.address)),
    OPTION("query", 0, "NAME=EXPR",
           "the counters that it is asked for: 'NAME=rpc_seconds_bucket{job=\"rpc\"}'",
           option_settings, FIELD(server.queries)),
    OPTION("from", 0, "TIME",
           "what was counted since then: 2026-01-31T12:00:00Z, seconds since 1970, or -15m "
           "(default: since the programs started, in no order)",
           option_path, FIELD(server.from)),
    OPTION("to", 0, "TIME", "and until then (default: now)", option_path, FIELD(server.to)),
    OPTION(
        "step", 0, "SPAN",
        "the windows whose differences say what the counts are worth: 15s (default: a hundredth)",
        option_path, FIELD(server.step)),
    ROW_CA(FIELD(server.trust.ca)),
    ROW_INSECURE(FIELD(server.trust.insecure)),
    ROW_UNIT(FIELD(request.of.units)),
    ROW_SELECT(FIELD(request.of.selects)),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  command_calculation(&arguments->request.of);
  arguments->request.percentiles = "50,90,99,99.9";
}

static enum status write_metrics(const char *path, const struct percentiles *run,
                                 struct text *message) {
  struct text text;
  text_init(&text);
  percentiles_print_metrics(&text, run, time(NULL));
  enum status status = file_write(path, text.data, text.length, message);
  text_clear(&text);
  return status;
}

static enum status write_files(const struct arguments *arguments, const struct percentiles *run,
                               const struct picture *picture) {
  struct text message;
  text_init(&message);
  enum status status = STATUS_OK;
  if (arguments->save != NULL)
    status = percentiles_save(run, arguments->save, &message);
  if (status == STATUS_OK && arguments->metrics != NULL)
    status = write_metrics(arguments->metrics, run, &message);
  if (status == STATUS_OK && arguments->plot != NULL)
    status = picture_write(picture, arguments->plot, &message);
  if (message.length != 0)
    fprintf(stderr, "tailproof percentiles: %s\n", message.data);
  text_clear(&message);
  return status;
}

static void print(struct output *output, const struct percentiles *run, bool full,
                  const struct picture *picture) {
  if (output_has_findings(output))
    findings_add_percentiles(&output->findings, run);
  if (output->format == OUTPUT_TEXT)
    putchar('\n');
  output_picture(output, picture, full);
}

/* The verdict first: of a bound that is not proved there are no percentiles. */
static enum status present(const struct arguments *arguments, struct output *output,
                           const struct percentiles *run) {
  const struct picture picture = percentiles_picture(run, arguments->line.typed);
  struct report_style style = {.full = arguments->full};
  if (run->has_calculation)
    report_calculation(output, &run->calculation, &style);
  enum status status = run->found ? write_files(arguments, run, &picture) : run->status;
  bool shown = run->found && status == STATUS_OK;
  if (run->has_calculation && (!shown || output->format > OUTPUT_PROMETHEUS))
    ledger_print_warnings(&run->calculation.ledger);
  if (!shown)
    return status;
  print(output, run, arguments->full, &picture);
  return run->status;
}

/* What the command line alone says wrong. */
static enum status check_use(const struct arguments *arguments) {
  const struct calculation_request *of = &arguments->request.of;
  enum status status = need_files(&arguments->line, 1, 1, "a protocol file");
  if (status == STATUS_OK)
    status = option_refuse_unused(&arguments->line, "what a protocol is asked with (import first)",
                                  "prometheus query from to step ca insecure");
  bool apart = of->data != NULL || of->joint.count != 0 || of->laws.count != 0;
  if (status == STATUS_OK && of->data == NULL && of->joint.count == 0 && of->stream == NULL) {
    fprintf(stderr, "tailproof percentiles: name the folder of measurements with --data DIR, or a "
                    "table of them with --joint FILE\n");
    status = STATUS_USAGE;
  }
  bool traces = of->joint.count != 0 || (of->observed != NULL && span_table_is_of(of->observed));
  if (status == STATUS_OK && of->spans != NULL && !traces) {
    fprintf(stderr, "tailproof percentiles: --spans says which spans of traces are which "
                    "occurrences: name the traces with --joint, or with --observed\n");
    status = STATUS_USAGE;
  }
  bool further =
      of->data != NULL ? of->joint.count == 0 : of->joint.count == 1 && of->spans == NULL;
  if (status == STATUS_OK && of->runs.count != 0 && !further) {
    fprintf(stderr,
            "tailproof percentiles: --run is a further run of the folder of --data, or of the "
            "one table (or folder of stores) of --joint: name one of them\n");
    status = STATUS_USAGE;
  }
  if (status == STATUS_OK && of->stream != NULL && apart) {
    fprintf(stderr, "tailproof percentiles: --stream is a table of everything that the bound "
                    "mentions: leave out --data, --joint and --law\n");
    status = STATUS_USAGE;
  }
  if (status == STATUS_OK)
    status = command_check_output(&arguments->line, &arguments->output);
  return status == STATUS_OK ? command_check_plot(&arguments->line, arguments->plot) : status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  const struct server_request *server = &arguments->server;
  if (arguments->line.file_count == 0 &&
      (arguments->request.of.data != NULL || server->address != NULL))
    return percentiles_measured(&arguments->line, &arguments->request, server, &arguments->output,
                                arguments->full);
  enum status status = check_use(arguments);
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct percentiles_request request = arguments->request;
  request.of.asker = &voice.asker;
  request.of.path = arguments->line.files[0];
  request.of.assume_independent = arguments->assume != NULL;
  request.of.two_judges =
      request.of.observed != NULL && (request.slo.count != 0 || request.slo_files.count != 0);
  request.chain = arguments->plot != NULL || output.format == OUTPUT_HTML;
  struct percentiles answer;
  percentiles_ask(&answer, &request);
  status = output_end(&output, present(arguments, &output, &answer));
  percentiles_clear(&answer);
  output_clear(&output);
  return status;
}

const struct command percentiles_command = {
    "percentiles",
    "FILE",
    "say what p99 a proved bound gives with measured parts, and whether an SLO is met",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
