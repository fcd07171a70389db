/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/percentiles_measured.h"

#include <stdio.h>
#include <sys/stat.h>

#include "cli/command/voice.h"
#include "cli/present/measured.h"
#include "cli/question/measured/measured.h"
#include "show/ledger.h"

static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static enum status check_use(const struct command_line *line, const struct percentiles_request *of,
                             const struct server_request *server,
                             const struct output_options *options) {
  if (server->address != NULL && (of->of.data != NULL || of->of.runs.count != 0)) {
    fprintf(stderr,
            "tailproof percentiles: --prometheus asks a server instead of a file: leave out "
            "--data and --run\n");
    return STATUS_USAGE;
  }
  if (server->address != NULL && server->queries.count > 1) {
    fprintf(stderr, "tailproof percentiles: give one --query; each is a question of its own\n");
    return STATUS_USAGE;
  }
  if (of->of.data != NULL && is_folder(of->of.data)) {
    fprintf(stderr,
            "tailproof percentiles: %s is a folder: name one file of measurements (--data "
            "FILE), or the protocol whose components are measured there\n",
            of->of.data);
    return STATUS_USAGE;
  }
  enum status status = option_refuse_others(line, "what was measured alone",
                                            "data run unit select percentiles confidence slo "
                                            "slo-file above exchangeable full json format "
                                            "prometheus query from to step ca insecure");
  if (status == STATUS_OK && (server->address == NULL || !fetch_is_secure(server->address)))
    status = option_refuse_unused(line, "what is not https://", "ca insecure");
  return status == STATUS_OK ? command_check_output(line, options) : status;
}

static enum status present(struct output *output, const struct measured *answer, bool full,
                           const char *typed) {
  if (!answer->found || output->format != OUTPUT_TEXT)
    ledger_print_warnings(&answer->ledger);
  if (!answer->found)
    return answer->status;
  const struct document_page page = {typed, NULL};
  struct document document;
  measured_document(&document, answer, output->format == OUTPUT_HTML ? &page : NULL);
  output_answer(output, &document, full);
  document_clear(&document);
  return answer->status;
}

enum status percentiles_measured(const struct command_line *line,
                                 const struct percentiles_request *of,
                                 const struct server_request *server,
                                 const struct output_options *options, bool full) {
  enum status status = check_use(line, of, server, options);
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init(&output, options);
  voice_init(&voice, line, &output);
  if (output.format == OUTPUT_SARIF || output.format == OUTPUT_JUNIT) {
    fprintf(stderr, "tailproof percentiles: findings of code (sarif, junit) need a protocol\n");
    status = STATUS_USAGE;
  } else {
    const struct measured_request request = {.asker = &voice.asker,
                                             .path = server->address == NULL ? of->of.data
                                                     : server->queries.count == 0
                                                         ? "data"
                                                         : server->queries.data[0].name,
                                             .server = *server,
                                             .runs = of->of.runs,
                                             .units = of->of.units,
                                             .selects = of->of.selects,
                                             .percentiles = of->percentiles,
                                             .slo = of->slo,
                                             .slo_files = of->slo_files,
                                             .above = of->above,
                                             .exchangeable = of->of.exchangeable,
                                             .confidence = of->of.confidence};
    struct measured answer;
    measured_ask(&answer, &request);
    status = output_end(&output, present(&output, &answer, full, line->typed));
    measured_clear(&answer);
  }
  output_clear(&output);
  return status;
}
