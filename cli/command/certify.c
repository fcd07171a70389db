/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof certify`: writes certificates, or holds them against another solver with --check.
 */
#include <stdio.h>

#include "base/jsonl.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/question/certify/certify.h"
#include "cli/question/certify/recheck.h"

struct arguments {
  struct command_line line;
  struct effort effort;
  const char *out, *check, *with;
  unsigned every;
  bool json;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_JOBS(FIELD(effort.jobs)),
    OPTION("timeout", 't', "S",
           "with --check: seconds of processor time for each obligation (default 10)",
           option_seconds, FIELD(effort.timeout_ms)),
    ROW_JSON(FIELD(json)),
    OPTION("out", 0, "DIR",
           "folder for the certificate, new or empty; an older certificate there is replaced",
           option_path, FIELD(out)),
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

static void present_check_json(const struct recheck_answer *answer) {
  for (size_t i = 0; i < answer->problems.count; i++) {
    const struct recheck_problem *problem = &answer->problems.data[i];
    struct jsonl *line = jsonl_new("recheck_problem");
    jsonl_text(line, "problem", recheck_outcome_name(problem->outcome));
    jsonl_text(line, "file", problem->file);
    jsonl_text(line, "text", problem->text);
    jsonl_print(line);
  }
  if (!answer->checked)
    return;
  static const struct {
    const char *key;
    enum recheck_outcome outcome;
  } keys[] = {{"agree", RECHECK_AGREES},          {"left_out", RECHECK_LEFT_OUT},
              {"disagree", RECHECK_DISAGREES},    {"timeouts", RECHECK_TIMED_OUT},
              {"unknown", RECHECK_UNKNOWN},       {"changed", RECHECK_CHANGED},
              {"missing", RECHECK_MISSING},       {"surplus", RECHECK_SURPLUS},
              {"differences", RECHECK_OTHER_LIST}};
  struct jsonl *line = jsonl_new("recheck");
  jsonl_text(line, "solver", answer->solver);
  jsonl_integer(line, "obligations", (int64_t)answer->obligations);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    jsonl_integer(line, keys[i].key, (int64_t)answer->counts[keys[i].outcome]);
  jsonl_flag(line, "compared", answer->compared);
  jsonl_print(line);
}

static void present_check_text(const struct recheck_answer *answer) {
  for (size_t i = 0; i < answer->problems.count; i++) {
    const struct recheck_problem *problem = &answer->problems.data[i];
    printf("%s: %s: %s\n", recheck_outcome_name(problem->outcome), problem->file, problem->text);
  }
  if (!answer->checked)
    return;
  const size_t *n = answer->counts;
  printf("%s: %zu of %zu obligations agree, %zu disagree, %zu time-outs, %zu without an answer, "
         "%zu changed, %zu missing, %zu surplus files\n",
         answer->solver, n[RECHECK_AGREES], answer->obligations, n[RECHECK_DISAGREES],
         n[RECHECK_TIMED_OUT], n[RECHECK_UNKNOWN], n[RECHECK_CHANGED], n[RECHECK_MISSING],
         n[RECHECK_SURPLUS]);
  if (n[RECHECK_LEFT_OUT] != 0)
    printf("%zu obligations were left out (--every): their files are unchanged, nobody was asked\n",
           n[RECHECK_LEFT_OUT]);
  if (answer->compared)
    printf("%zu differences from the obligations of the protocol files named\n",
           n[RECHECK_OTHER_LIST]);
  else
    printf("The list of obligations was not compared with a protocol; name the file to do so.\n");
}

static enum status check(const struct arguments *arguments, const struct asker *asker) {
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
  (arguments->json ? present_check_json : present_check_text)(&answer);
  recheck_answer_clear(&answer);
  return status;
}

static void present(const struct certify_answer *answer, size_t protocols, bool json) {
  if (!json) {
    printf("%s: %zu obligations of %zu protocol%s\n", answer->folder, answer->obligations,
           protocols, protocols == 1 ? "" : "s");
    printf("It shows that no event comes later than its bound; that one comes at all, tailproof "
           "verify says.\n");
    return;
  }
  struct jsonl *line = jsonl_new("certified");
  jsonl_text(line, "folder", answer->folder);
  jsonl_integer(line, "obligations", (int64_t)answer->obligations);
  jsonl_integer(line, "protocols", (int64_t)protocols);
  jsonl_print(line);
}

static enum status certify(const struct arguments *arguments, const struct asker *asker) {
  struct certify_request request = {
      .asker = asker,
      .files = arguments->line.files,
      .file_count = arguments->line.file_count,
      .effort = arguments->effort,
      .out = arguments->out,
  };
  struct certify_answer answer;
  enum status status = certify_ask(&answer, &request);
  if (status == STATUS_OK)
    present(&answer, request.file_count, arguments->json);
  certify_answer_clear(&answer);
  return status;
}

/* Options that would be ignored are refused. */
static enum status check_use(const struct arguments *arguments) {
  const char *command = arguments->line.command;
  if (arguments->check != NULL && arguments->out != NULL)
    return option_complain(command, "--out and --check together", NULL, "give one of them");
  if (arguments->check != NULL)
    return STATUS_OK;
  if (arguments->with != NULL)
    return option_complain(command, "--with is about --check", NULL, "give both");
  if (arguments->every != 0)
    return option_complain(command, "--every is about --check", NULL, "give both");
  enum status status = need_files(&arguments->line, 1, SIZE_MAX, "protocol files");
  if (status == STATUS_OK && arguments->out == NULL) {
    fprintf(stderr, "tailproof certify: say where to with --out DIR, or check a certificate with "
                    "--check DIR\n");
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
  output_init_plain(&output, arguments->json);
  voice_init(&voice, &arguments->line, &output);
  return (arguments->check != NULL ? check : certify)(arguments, &voice.asker);
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
