/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/certify.h"

/* --- a certificate ---------------------------------------------------------------------------- */

static const struct object_key certified_keys[] = {KEY("folder", TEXT, .marks = MARK_NAMES),
                                                   KEY("obligations", COUNT),
                                                   KEY("protocols", COUNT, .note = "how many"),
                                                   {0}};
static const struct object_kind certified_kind = {"certified", "of `certify`", certified_keys};

const struct object_kind *const certified_kinds[] = {&certified_kind, NULL};

void certified_document(struct document *document, const struct certify_answer *answer,
                        size_t protocols) {
  struct text text;
  document_init(document, "certify", certified_kinds);
  document_title(document, "A certificate");
  text_init(&text);
  text_format(&text, "%s: %zu obligations of %zu protocol%s", answer->folder, answer->obligations,
              protocols, protocols == 1 ? "" : "s");
  document_take(document, LINES_CLOSE, 0, &text);
  text_append(&text, "It shows that no event comes later than its bound; that one comes at all, "
                     "tailproof verify says.");
  document_take(document, LINES_CLOSE, 0, &text);
  struct objects *certified = document_objects(document, &certified_kind);
  objects_add(certified);
  object_text(certified, "folder", answer->folder);
  object_count(certified, "obligations", answer->obligations);
  object_count(certified, "protocols", protocols);
}

/* --- one that was checked --------------------------------------------------------------------- */

static const struct object_key problem_keys[] = {
    KEY("problem", TEXT, .marks = MARK_NAMES,
        .words = "disagree|time-out|no answer|changed|missing|surplus|not the protocol's|"
                 "made by others"),
    KEY("file", TEXT, .marks = MARK_NAMES),
    KEY("text", TEXT, .marks = MARK_LINES),
    {0}};
static const struct object_kind problem_kind = {"recheck_problem", "of `certify --check`",
                                                problem_keys};

static const struct object_key recheck_keys[] = {
    KEY("solver", TEXT, .marks = MARK_NAMES),
    KEY("obligations", COUNT),
    KEY("agree", COUNT),
    KEY("left_out", COUNT, .note = "by `--every`"),
    KEY("disagree", COUNT),
    KEY("timeouts", COUNT),
    KEY("unknown", COUNT),
    KEY("changed", COUNT),
    KEY("missing", COUNT),
    KEY("surplus", COUNT),
    KEY("differences", COUNT, .note = "from the protocols' obligations"),
    KEY("compared", FLAG, .note = "with the protocols"),
    {0}};
static const struct object_kind recheck_kind = {"recheck", "of `certify --check`", recheck_keys};

const struct object_kind *const recheck_kinds[] = {&problem_kind, &recheck_kind, NULL};

static void show_problems(struct document *document, const struct recheck_answer *answer) {
  struct objects *problems = document_objects(document, &problem_kind);
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < answer->problems.count; i++) {
    const struct recheck_problem *problem = &answer->problems.data[i];
    const char *outcome = recheck_outcome_name(problem->outcome);
    objects_add(problems);
    object_text(problems, "problem", outcome);
    object_text(problems, "file", problem->file);
    object_text(problems, "text", problem->text);
    text_format(&text, "%s: %s: %s\n", outcome, problem->file, problem->text);
  }
  document_pre(document, LINES_CLOSE, &text);
}

static void put_counts(struct document *document, const struct recheck_answer *answer) {
  static const struct {
    const char *key;
    enum recheck_outcome outcome;
  } keys[] = {{"agree", RECHECK_AGREES},          {"left_out", RECHECK_LEFT_OUT},
              {"disagree", RECHECK_DISAGREES},    {"timeouts", RECHECK_TIMED_OUT},
              {"unknown", RECHECK_UNKNOWN},       {"changed", RECHECK_CHANGED},
              {"missing", RECHECK_MISSING},       {"surplus", RECHECK_SURPLUS},
              {"differences", RECHECK_OTHER_LIST}};
  struct objects *recheck = document_objects(document, &recheck_kind);
  objects_add(recheck);
  object_text(recheck, "solver", answer->solver);
  object_count(recheck, "obligations", answer->obligations);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    object_count(recheck, keys[i].key, answer->counts[keys[i].outcome]);
  object_flag(recheck, "compared", answer->compared);
}

static void say_counts(struct document *document, const struct recheck_answer *answer) {
  const size_t *n = answer->counts;
  struct text text;
  text_init(&text);
  text_format(&text,
              "%s: %zu of %zu obligations agree, %zu disagree, %zu time-outs, %zu without an "
              "answer, %zu changed, %zu missing, %zu surplus files",
              answer->solver, n[RECHECK_AGREES], answer->obligations, n[RECHECK_DISAGREES],
              n[RECHECK_TIMED_OUT], n[RECHECK_UNKNOWN], n[RECHECK_CHANGED], n[RECHECK_MISSING],
              n[RECHECK_SURPLUS]);
  document_take(document, LINES_CLOSE, 0, &text);
  if (n[RECHECK_LEFT_OUT] != 0)
    text_format(&text,
                "%zu obligations were left out (--every): their files are unchanged, nobody was "
                "asked",
                n[RECHECK_LEFT_OUT]);
  document_take(document, LINES_CLOSE, 0, &text);
  if (answer->compared)
    text_format(&text, "%zu differences from the obligations of the protocol files named",
                n[RECHECK_OTHER_LIST]);
  else
    text_append(&text, "The list of obligations was not compared with a protocol; name the file "
                       "to do so.");
  document_take(document, LINES_CLOSE, 0, &text);
}

void recheck_document(struct document *document, const struct recheck_answer *answer) {
  document_init(document, "certify --check", recheck_kinds);
  document_title(document, "A certificate, checked again");
  show_problems(document, answer);
  if (!answer->checked)
    return;
  say_counts(document, answer);
  put_counts(document, answer);
}
