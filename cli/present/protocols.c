/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/protocols.h"

#include <string.h>

#include "lang/model.h"
#include "lang/source.h"

/* --- check ------------------------------------------------------------------------------------ */

static const struct object_key protocol_keys[] = {KEY("file", TEXT, .marks = MARK_NAMES),
                                                  KEY("protocol", TEXT, .marks = MARK_NAMES),
                                                  KEY("actions", COUNT),
                                                  KEY("messages", COUNT),
                                                  KEY("invariants", COUNT),
                                                  KEY("bounds", COUNT, .note = "how many"),
                                                  {0}};
static const struct object_kind protocol_kind = {"protocol", "of `check`", protocol_keys};

const struct object_kind *const check_kinds[] = {&protocol_kind, NULL};

void check_document_init(struct document *document) {
  document_init(document, "check", check_kinds);
  document_title(document, "Protocols");
}

void check_show(struct document *document, const struct source *source, const struct model *model) {
  struct objects *protocols = document_objects(document, &protocol_kind);
  struct text protocol, counts;
  objects_add(protocols);
  object_text(protocols, "file", source->name);
  object_text(protocols, "protocol", model->name);
  object_count(protocols, "actions", model->actions.count);
  object_count(protocols, "messages", model->messages.count);
  object_count(protocols, "invariants", model->invariants.count);
  object_count(protocols, "bounds", model->bounds.count);
  text_init(&protocol);
  text_init(&counts);
  text_format(&protocol, "protocol %s", model->name);
  text_format(&counts, "%zu actions, %zu messages, %zu invariants, %zu bounds",
              model->actions.count, model->messages.count, model->invariants.count,
              model->bounds.count);
  document_head(document, LINES_CLOSE, STATUS_OK, source->name, text_get(&protocol),
                text_get(&counts));
  text_clear(&protocol);
  text_clear(&counts);
}

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

/* --- a theorem -------------------------------------------------------------------------------- */

static const struct object_key theory_keys[] = {
    KEY("file", TEXT, .marks = MARK_NAMES),
    KEY("theorems", COUNT, .note = "one for each bound"),
    KEY("obligations", COUNT),
    {0}};
static const struct object_kind theory_kind = {"theory", "of `certify --theory`", theory_keys};

const struct object_kind *const theory_kinds[] = {&theory_kind, NULL};

void theory_document(struct document *document, const struct theory_answer *answer) {
  struct text text;
  document_init(document, "certify", theory_kinds);
  document_title(document, "A theorem");
  text_init(&text);
  text_format(&text, "%s: %zu theorem%s from %zu obligations", answer->file, answer->theorems,
              answer->theorems == 1 ? "" : "s", answer->obligations);
  document_take(document, LINES_CLOSE, 0, &text);
  text_append(&text, "Coq checks it with the files of proofs/theory: coqc -Q FOLDER Theory FILE.v");
  document_take(document, LINES_CLOSE, 0, &text);
  struct objects *theory = document_objects(document, &theory_kind);
  objects_add(theory);
  object_text(theory, "file", answer->file);
  object_count(theory, "theorems", answer->theorems);
  object_count(theory, "obligations", answer->obligations);
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

/* --- generated code --------------------------------------------------------------------------- */

static const struct object_key file_keys[] = {
    KEY("file", TEXT, .marks = MARK_NAMES),
    KEY("template", FLAG, .note = "yours as soon as it is there: never replaced"),
    {0}};
static const struct object_kind file_kind = {"generated_file", "of `generate`", file_keys};

static const struct object_key contracts_keys[] = {
    KEY("folder", TEXT, .marks = MARK_NAMES),
    KEY("file", TEXT, .marks = MARK_NAMES, .note = "of the protocol"),
    KEY("follow", FLAG),
    KEY("stale", TEXTS, .note = "what does not, a line each"),
    {0}};
static const struct object_kind contracts_kind = {"contracts", "of `generate --check`",
                                                  contracts_keys};

const struct object_kind *const generated_kinds[] = {&file_kind, &contracts_kind, NULL};

static void show_files(struct document *document, const struct code_answer *answer,
                       const struct code_request *request) {
  struct objects *files = document_objects(document, &file_kind);
  struct text paths, path;
  text_init(&paths);
  text_init(&path);
  for (size_t i = 0; i < answer->generated.files.count; i++) {
    const struct generated_file *file = &answer->generated.files.data[i];
    text_format(&path, "%s/%s", request->out, file->name);
    text_format(&paths, "%s\n", text_get(&path));
    objects_add(files);
    object_text(files, "file", text_get(&path));
    object_flag(files, "template", file->own);
    text_clear(&path);
  }
  document_pre(document, LINES_CLOSE, &paths);
}

static void put_lines(struct objects *objects, const char *key, const char *lines) {
  object_texts(objects, key);
  for (size_t length; *lines != '\0'; lines += length + (lines[length] == '\n')) {
    length = strcspn(lines, "\n");
    char *line = mem_copy_text(lines, length);
    object_item(objects, key, line);
    mem_free(line);
  }
}

static void show_contracts(struct document *document, const struct code_answer *answer,
                           const struct code_request *request) {
  bool follow = answer->stale.length == 0;
  struct objects *contracts = document_objects(document, &contracts_kind);
  struct text text;
  objects_add(contracts);
  object_text(contracts, "folder", request->check);
  object_text(contracts, "file", request->path);
  object_flag(contracts, "follow", follow);
  put_lines(contracts, "stale", text_get(&answer->stale));
  text_init(&text);
  text_append(&text, text_get(&answer->stale));
  if (follow)
    text_format(&text, "%s: the contracts are those of %s\n", request->check, request->path);
  else
    text_format(&text,
                "To have the contracts follow the file again: tailproof generate %s --out %s\n",
                request->path, request->check);
  document_pre(document, LINES_CLOSE, &text);
}

void generated_document(struct document *document, const struct code_answer *answer,
                        const struct code_request *request) {
  document_init(document, "generate", generated_kinds);
  document_title(document, "The steps of %s as C", request->path);
  (request->check == NULL ? show_files : show_contracts)(document, answer, request);
}
