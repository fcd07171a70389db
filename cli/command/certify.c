/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof certify`: writes certificates, or holds them against another solver with --check.
 */
#include <stdio.h>

#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/protocols.h"

struct arguments {
  struct command_line line;
  struct effort effort;
  const char *out, *check, *with, *theory;
  unsigned every;
  struct output_options output;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_JOBS(FIELD(effort.jobs)),
    OPTION("timeout", 't', "S",
           "with --check: seconds of processor time for each obligation (default 10)",
           option_seconds, FIELD(effort.timeout_ms)),
    ROWS_DOCUMENT(output),
    OPTION("out", 0, "DIR",
           "folder for the certificate, new or empty; an older certificate there is replaced",
           option_path, FIELD(out)),
    OPTION("theory", 0, "FILE.v",
           "write one protocol as a term in Coq, and its bounds as theorems that rest on its "
           "obligations",
           option_path, FIELD(theory)),
    OPTION("check", 0, "DIR",
           "check a certificate; with FILE... also that it lists their obligations", option_path,
           FIELD(check)),
    OPTION_WORDS("with", 0, "SOLVER", "solver that checks: cvc5 (default), cvc4 or z3", option_word,
                 FIELD(with), "cvc5 cvc4 z3"),
    OPTION("every", 0, "N",
           "with --check: have only every N-th obligation answered (default 1: all); digests are "
           "compared of all",
           option_count, FIELD(every)),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  arguments->effort = command_effort();
}

static enum status check(const struct arguments *arguments, struct output *output,
                         const struct asker *asker) {
  struct recheck_request request = {
      .asker = asker,
      .folder = arguments->check,
      .files = arguments->line.files,
      .file_count = arguments->line.file_count,
      .solver = arguments->with != NULL ? arguments->with : "cvc5",
      .every = arguments->every != 0 ? arguments->every : 1,
      .jobs = arguments->effort.jobs,
      .timeout_ms = arguments->effort.timeout_ms,
  };
  struct recheck_answer answer;
  enum status status = recheck_ask(&answer, &request);
  struct document document;
  recheck_document(&document, &answer);
  if (answer.checked || answer.problems.count != 0)
    output_answer(output, &document, false);
  document_clear(&document);
  recheck_answer_clear(&answer);
  return status;
}

static enum status certify(const struct arguments *arguments, struct output *output,
                           const struct asker *asker) {
  struct certify_request request = {
      .asker = asker,
      .files = arguments->line.files,
      .file_count = arguments->line.file_count,
      .effort = arguments->effort,
      .out = arguments->out,
  };
  struct certify_answer answer;
  enum status status = certify_ask(&answer, &request);
  if (status == STATUS_OK) {
    struct document document;
    certified_document(&document, &answer, request.file_count);
    output_answer(output, &document, false);
  }
  certify_answer_clear(&answer);
  return status;
}

static enum status theory(const struct arguments *arguments, struct output *output,
                          const struct asker *asker) {
  struct theory_request request = {
      .asker = asker,
      .file = arguments->line.files[0],
      .effort = arguments->effort,
      .out = arguments->theory,
  };
  struct theory_answer answer;
  enum status status = theory_ask(&answer, &request);
  if (status == STATUS_OK) {
    struct document document;
    theory_document(&document, &answer);
    output_answer(output, &document, false);
    document_clear(&document);
  }
  theory_answer_clear(&answer);
  return status;
}

/* Options that would be ignored are refused. */
static enum status check_use(const struct arguments *arguments) {
  const char *command = arguments->line.command;
  if (arguments->check != NULL && arguments->out != NULL)
    return option_complain(command, "--out and --check together", NULL, "give one of them");
  if (arguments->theory != NULL && (arguments->check != NULL || arguments->out != NULL))
    return option_complain(command, "--theory with --out or --check", NULL, "give one of them");
  if (arguments->check != NULL)
    return STATUS_OK;
  if (arguments->with != NULL)
    return option_complain(command, "--with is about --check", NULL, "give both");
  if (arguments->every != 0)
    return option_complain(command, "--every is about --check", NULL, "give both");
  if (arguments->theory != NULL)
    return need_files(&arguments->line, 1, 1, "a protocol file");
  enum status status = need_files(&arguments->line, 1, SIZE_MAX, "protocol files");
  if (status == STATUS_OK && arguments->out == NULL) {
    fprintf(
        stderr,
        "tailproof certify: say where to with --out DIR or --theory FILE.v, or check a certificate "
        "with --check DIR\n");
    status = STATUS_USAGE;
  }
  return status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  enum status status = check_use(arguments);
  if (status != STATUS_OK)
    return status;
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  return (arguments->check != NULL    ? check
          : arguments->theory != NULL ? theory
                                      : certify)(arguments, &output, &voice.asker);
}

const struct command certify_command = {
    "certify",
    "FILE... --out DIR",
    "write every obligation for other solvers to check; --check DIR checks them",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    NULL};
