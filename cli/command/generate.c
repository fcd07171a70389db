/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof generate`: its options, and C whose steps are those of a protocol.
 */
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/protocols.h"

struct arguments {
  struct command_line line;
  struct code_request request;
  struct output_options output;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    OPTION("out", 0, "DIR", "folder for the files; those of the same names are replaced",
           option_path, FIELD(request.out)),
    OPTION("role", 0, "NAME", "only this role (default: all that take steps)", option_text,
           FIELD(request.role)),
    OPTION("contracts-only", 0, NULL,
           "headers, and templates for bodies of your own, which are never replaced", option_flag,
           FIELD(request.contracts_only)),
    OPTION("own-state", 0, NULL,
           "the same, and each state has a part of your own, with an invariant to be proved",
           option_flag, FIELD(request.own_state)),
    OPTION("loop", 0, NULL, "also a program for each role, which runs and records a node",
           option_flag, FIELD(request.loop)),
    OPTION("check", 0, "DIR",
           "write nothing: say which contracts in DIR are not what FILE says now (exit code 1)",
           option_path, FIELD(request.check)),
    ROWS_DOCUMENT(output),
    {0},
};

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  enum status status = need_files(&arguments->line, 1, 1, "a protocol file");
  if (status != STATUS_OK)
    return status;
  if ((arguments->request.out == NULL) == (arguments->request.check == NULL))
    return option_complain(
        "generate", arguments->request.out == NULL ? "no folder to write" : "--out and --check",
        NULL,
        arguments->request.out == NULL ? "name one with --out DIR"
                                       : "write a folder, or check one");
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct code_request request = arguments->request;
  request.asker = &voice.asker;
  request.path = arguments->line.files[0];
  struct code_answer answer;
  status = code_ask(&answer, &request);
  if (status == STATUS_OK || status == STATUS_REFUTED) {
    struct document document;
    generated_document(&document, &answer, &request);
    output_answer(&output, &document, false);
  }
  code_answer_clear(&answer);
  return status;
}

const struct command generate_command = {
    "generate",
    "FILE --out DIR",
    "write C whose steps are those of the protocol, with contracts to prove it",
    rows,
    sizeof(struct arguments),
    NULL,
    run,
    NULL};
