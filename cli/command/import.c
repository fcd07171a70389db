/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof import` and `tailproof merge`: recordings or imported folders added up into one
 * folder.
 */
#include <string.h>

#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/stores.h"
#include "cli/question/store/fetch.h"
#include "cli/question/store/import.h"

struct arguments {
  struct command_line line;
  struct import_request request;
  struct output_options output;
  const char *by;
  settings rates, machines; /* of profiles */
  struct stack_weight weight;
};

#define FIELD(name) offsetof(struct arguments, name)

#define ROWS                                                                                       \
  ROWS_DOCUMENT(output), ROW_UNIT(FIELD(request.units)),                                           \
      OPTION_WORDS(                                                                                \
          "by", 0, "BY",                                                                           \
          "also keep series by node, by host, or by the indices that were recorded (index)",       \
          option_word, FIELD(by), "node host index")

static const struct option_row rows[] = {
    ROWS,
    OPTION("select", 0, "NAME=METRIC{L=\"V\"}",
           "of a page of metrics, which histogram and label sets are the series NAME; those that "
           "match are added up; of a file with several kinds of requests, which (NAME=READ, "
           "'NAME={method=\"GET\"}'); repeatable",
           option_settings, FIELD(request.selects)),
    OPTION("since", 0, "FILE",
           "an earlier page of metrics (a file or an address): what it counts is subtracted",
           option_path, FIELD(request.since)),
    OPTION("prometheus", 0, "URL", "ask a Prometheus server: http://HOST:9090", option_path,
           FIELD(request.server.address)),
    OPTION("query", 0, "NAME=EXPR",
           "the counters that the server is asked for: 'NAME=rpc_seconds_bucket{job=\"rpc\"}'; "
           "repeatable",
           option_settings, FIELD(request.server.queries)),
    OPTION("from", 0, "TIME",
           "what was counted since then: 2026-01-31T12:00:00Z, seconds since 1970, or -15m "
           "(default: since the programs started)",
           option_path, FIELD(request.server.from)),
    OPTION("to", 0, "TIME", "and until then (default: now)", option_path, FIELD(request.server.to)),
    OPTION("step", 0, "SPAN",
           "how often restarts of programs are looked for in between: 15s (default: a hundredth)",
           option_path, FIELD(request.server.step)),
    OPTION("timeout", 0, "S", "how long to wait for one answer, in seconds (default 30)",
           option_seconds, FIELD(request.timeout_ms)),
    ROW_CA(FIELD(request.server.trust.ca)),
    ROW_INSECURE(FIELD(request.server.trust.insecure)),
    OPTION("out", 0, "DIR",
           "folder for the series, new or empty; an older import there is replaced", option_path,
           FIELD(request.out)),
    {0},
};

static const struct option_row merge_rows[] = {
    ROWS,
    OPTION("out", 0, "FILE",
           "folder for the series, new or empty; of profiles a file: .pb.gz is pprof, others are "
           "folded stacks",
           option_path, FIELD(request.out)),
    OPTION("rate", 0, "FILE=N",
           "a profile's samples were taken so often a second of processor time: they count as "
           "time; repeatable",
           option_settings, FIELD(rates)),
    ROW_WEIGHT(FIELD(weight)),
    OPTION("machines", 0, "FILE=N", "a profile stands for so many machines; repeatable",
           option_settings, FIELD(machines)),
    {0},
};

static void present(struct output *output, const struct gather *gather, const char *folder) {
  struct document document;
  struct ledger ledger;
  ledger_init(&ledger);
  imported_document(&document, gather, folder, &ledger);
  output_answer(output, &document, true);
  ledger_clear(&ledger);
}

static enum gather_by kind_of(const char *by) {
  return by == NULL                ? BY_NOTHING
         : strcmp(by, "node") == 0 ? BY_NODE
         : strcmp(by, "host") == 0 ? BY_HOST
                                   : BY_INDEX;
}

static enum status complain(const struct command_line *line, const char *what) {
  fprintf(stderr, "tailproof %s: %s\n", line->command, what);
  return STATUS_USAGE;
}

/* Whether anything is read from an address of this kind. */
static bool asks(const struct arguments *arguments, bool is_it(const char *text)) {
  const struct import_request *request = &arguments->request;
  bool any = (request->server.address != NULL && is_it(request->server.address)) ||
             (request->since != NULL && is_it(request->since));
  for (size_t i = 0; i < arguments->line.file_count; i++)
    any = any || is_it(arguments->line.files[i]);
  return any;
}

static enum status refuse_unused(const struct arguments *arguments) {
  enum status status = STATUS_OK;
  if (!asks(arguments, fetch_is_address))
    status = option_refuse_unused(&arguments->line, "files", "timeout");
  if (status == STATUS_OK && !asks(arguments, fetch_is_secure))
    status = option_refuse_unused(&arguments->line, "what is not https://", "ca insecure");
  return status;
}

/* What import and merge do; they differ in the folders they take. */
static enum status gather_and_write(const struct arguments *arguments, bool imported) {
  const struct command_line *line = &arguments->line;
  if (line->file_count == 0 && arguments->request.server.address == NULL)
    return complain(line, "name a store, a folder of stores, or a file of measurements");
  if (arguments->request.out == NULL)
    return complain(line, "name the folder to write with --out DIR");
  enum status unused = refuse_unused(arguments);
  if (unused != STATUS_OK)
    return unused;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, line, &output);
  struct import_request request = arguments->request;
  request.asker = &voice.asker;
  request.sources = line->files;
  request.source_count = line->file_count;
  request.imported = imported;
  request.by = kind_of(arguments->by);
  struct gather gather;
  enum status status = import_ask(&gather, &request);
  if (status == STATUS_OK)
    present(&output, &gather, request.out);
  gather_clear(&gather);
  return status;
}

static enum status import(const void *options) {
  return gather_and_write(options, false);
}

static void present_profiles(struct output *output, const struct fleet_answer *answer,
                             const char *file) {
  struct document document;
  merged_document(&document, answer, file);
  output_answer(output, &document, false);
}

static enum status merge_profiles(const struct arguments *arguments) {
  const struct command_line *line = &arguments->line;
  if (arguments->request.out == NULL)
    return complain(line, "name the file to write with --out FILE");
  if (arguments->by != NULL || arguments->request.units.count != 0)
    return complain(line, "profiles have no --by and no --unit; leave them out");
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, line, &output);
  struct fleet_request request = {.paths = line->files,
                                  .path_count = line->file_count,
                                  .rates = arguments->rates,
                                  .machines = arguments->machines,
                                  .weight = arguments->weight,
                                  .out = arguments->request.out,
                                  .asker = &voice.asker};
  struct fleet_answer answer;
  enum status status = fleet_ask(&answer, &request);
  if (status == STATUS_OK || status == STATUS_CONDITIONAL)
    present_profiles(&output, &answer, request.out);
  fleet_clear_answer(&answer);
  return status;
}

static enum status merge(const void *options) {
  const struct arguments *arguments = options;
  if (arguments->line.file_count != 0 && fleet_is_profile(arguments->line.files[0]))
    return merge_profiles(arguments);
  if (arguments->rates.count != 0 || arguments->machines.count != 0 || arguments->weight.said)
    return complain(&arguments->line,
                    "--rate, --machines and --weight are of profiles; leave them out");
  return gather_and_write(options, true);
}

const struct command import_command = {
    "import",
    "SOURCE... --out DIR",
    "make measured series of recorded stores, metrics, or files of load tools",
    rows,
    sizeof(struct arguments),
    NULL,
    import,
    NULL};

const struct command merge_command = {"merge",
                                      "DIR... --out DIR | PROFILE... --out FILE",
                                      "add up the stores, imported series or profiles of several "
                                      "hosts",
                                      merge_rows,
                                      sizeof(struct arguments),
                                      NULL,
                                      merge,
                                      NULL};
