/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/certify/recheck.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/process.h"
#include "base/digest.h"
#include "lang/source.h"
#include "version.h"
#include "base/memory.h"
#include "cli/question/certify/manifest.h"
#include "solver/smt/script.h"
#include "solver/smt/smt.h"

enum { QUERY_LIMIT = 1 << 28 /* bytes */, ARGUMENT_COUNT = 6, VERSION_LIMIT_MS = 10000 };

/* A solver that reads SMT-LIB 2 from its standard input; named like its Debian package. The script
 * is read before (solver/smt/script.h); that cvc4 can be kept from files as well, and the folder it
 * runs in, are a second lock. */
struct solver {
  const char *name;
  const char *arguments[ARGUMENT_COUNT];
  const char *harder[ARGUMENT_COUNT]; /* tried when the first answer is "unknown" */
};

static const struct solver solvers[] = {
    {"cvc5", {"cvc5", "--lang=smt2", "-"}, {"cvc5", "--lang=smt2", "--full-saturate-quant", "-"}},
    {"cvc4",
     {"cvc4", "--lang=smt2", "--no-filesystem-access", "-"},
     {"cvc4", "--lang=smt2", "--no-filesystem-access", "--full-saturate-quant", "-"}},
    {"z3", {"z3", "-in", "-smt2"}, {"z3", "-in", "-smt2", "auto_config=false"}},
};

const char *recheck_outcome_name(enum recheck_outcome outcome) {
  static const char *const names[RECHECK_COUNT] = {
      "agree",   "disagree", "time-out",           "no answer",      "changed",
      "missing", "surplus",  "not the protocol's", "made by others", "left out",
  };
  return names[outcome];
}

struct check {
  const struct recheck_request *request;
  struct recheck_answer *answer;
  const struct solver *solver;
  struct manifest manifest;
  enum recheck_outcome *outcomes; /* by query */
  char **notes;                   /* by query: what the solver said, or NULL */
  char **refused;                 /* by query: why no solver may be asked, or NULL */
  const char *place;              /* an empty folder, in which solvers run */
  const volatile int *stop;
};

static void report_problem(struct check *check, enum recheck_outcome outcome, const char *file,
                           const char *text) {
  check->answer->counts[outcome]++;
  vector_push(&check->answer->problems,
              (struct recheck_problem){outcome, mem_copy_text(file, strlen(file)),
                                       mem_copy_text(text, strlen(text))});
}

/* The one line that is an answer; anything that looks like an error is none. */
static enum recheck_outcome read_answer(const char *output, struct text *note) {
  enum recheck_outcome answer = RECHECK_UNKNOWN;
  size_t answers = 0;
  bool error = false;
  for (const char *at = output; *at != '\0';) {
    size_t length = strcspn(at, "\r\n");
    if (length == 5 && strncmp(at, "unsat", 5) == 0)
      answer = RECHECK_AGREES, answers++;
    else if (length == 3 && strncmp(at, "sat", 3) == 0)
      answer = RECHECK_DISAGREES, answers++;
    else if (length == 7 && strncmp(at, "unknown", 7) == 0)
      answer = RECHECK_UNKNOWN, answers++;
    else if (strstr(at, "rror") != NULL && strstr(at, "rror") < at + length)
      error = true;
    if (note->length == 0)
      text_append_bytes(note, at, length < 200 ? length : 200);
    at += length;
    at += strspn(at, "\r\n");
  }
  return error || answers != 1 ? RECHECK_UNKNOWN : answer;
}

static enum recheck_outcome ask(const struct check *check, const char *const *arguments,
                                const char *query, size_t length, struct text *note) {
  struct text output;
  text_init(&output);
  enum process_end end = process_run_apart(check->place, arguments, query, length,
                                           check->request->timeout_ms, check->stop, &output);
  enum recheck_outcome answer = end == PROCESS_TIMED_OUT ? RECHECK_TIMED_OUT : RECHECK_UNKNOWN;
  if (end == PROCESS_ENDED)
    answer = read_answer(text_get(&output), note);
  text_clear(&output);
  return answer;
}

/* The file of a query. RECHECK_LEFT_OUT: it is there, and the manifest's digest is its own. */
static enum recheck_outcome read_query(const struct check *check,
                                       const struct manifest_query *query, char **bytes,
                                       size_t *length) {
  struct text path, note;
  text_init(&path);
  text_init(&note);
  text_format(&path, "%s/%s", check->request->folder, query->file);
  enum recheck_outcome outcome = RECHECK_MISSING;
  if (file_read(path.data, QUERY_LIMIT, bytes, length, &note) == STATUS_OK) {
    char digest[DIGEST_LENGTH + 1];
    digest_bytes(digest, *bytes, *length);
    outcome = strcmp(digest, query->digest) == 0 ? RECHECK_LEFT_OUT : RECHECK_CHANGED;
  }
  text_clear(&note);
  text_clear(&path);
  return outcome;
}

/* Whether a solver may read it; else why not is kept. */
static void admit_query(size_t index, void *context) {
  struct check *check = context;
  if (*check->stop != 0)
    return;
  char *bytes;
  size_t length;
  struct text why;
  text_init(&why);
  if (read_query(check, &check->manifest.queries.data[index], &bytes, &length) ==
          RECHECK_LEFT_OUT &&
      !script_is_plain(bytes, length, &why))
    check->refused[index] = text_take(&why);
  mem_free(bytes);
  text_clear(&why);
}

/* Before any solver is asked: whoever wrote one script that obeys another purpose may have written
 * all. */
static enum status admit(struct check *check) {
  size_t count = check->manifest.queries.count;
  check->refused = mem_alloc(count, sizeof *check->refused);
  parallel_run(check->request->jobs, count, admit_query, check);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < count; i++) {
    if (check->refused[i] != NULL && status == STATUS_OK)
      status = asker_fail(check->request->asker, STATUS_DATA,
                          "%s/%s:%s; no solver was given anything of this certificate: have it "
                          "made anew (tailproof certify)",
                          check->request->folder, check->manifest.queries.data[i].file,
                          check->refused[i]);
    mem_free(check->refused[i]);
  }
  mem_free(check->refused);
  return status;
}

/* Reads, compares and asks with the very bytes that were compared. */
static void check_query(size_t index, void *context) {
  struct check *check = context;
  if (*check->stop != 0)
    return;
  char *bytes;
  size_t length;
  struct text note;
  text_init(&note);
  enum recheck_outcome answer =
      read_query(check, &check->manifest.queries.data[index], &bytes, &length);
  if (answer == RECHECK_LEFT_OUT && index % check->request->every == 0) {
    answer = RECHECK_CHANGED; /* since it was admitted */
    if (script_is_plain(bytes, length, &note))
      answer = ask(check, check->solver->arguments, bytes, length, &note);
    if (answer == RECHECK_UNKNOWN && *check->stop == 0) {
      text_clear(&note);
      answer = ask(check, check->solver->harder, bytes, length, &note);
    }
  }
  mem_free(bytes);
  check->outcomes[index] = answer;
  if (answer == RECHECK_UNKNOWN && note.length != 0)
    check->notes[index] = text_take(&note);
  text_clear(&note);
}

static void check_queries(struct check *check) {
  size_t count = check->manifest.queries.count;
  check->outcomes = mem_alloc(count, sizeof *check->outcomes);
  check->notes = mem_alloc(count, sizeof *check->notes);
  parallel_run(check->request->jobs, count, check_query, check);
  for (size_t i = 0; i < count && *check->stop == 0; i++) {
    const struct manifest_query *query = &check->manifest.queries.data[i];
    struct text text;
    text_init(&text);
    text_append(&text, query->text);
    if (check->notes[i] != NULL)
      text_format(&text, " (%s says \"%s\")", check->solver->name, check->notes[i]);
    if (check->outcomes[i] == RECHECK_AGREES || check->outcomes[i] == RECHECK_LEFT_OUT)
      check->answer->counts[check->outcomes[i]]++;
    else
      report_problem(check, check->outcomes[i], query->file, text.data);
    text_clear(&text);
    mem_free(check->notes[i]);
  }
  mem_free(check->outcomes);
  mem_free(check->notes);
}

static void note_extra(const char *path, void *context) {
  report_problem(context, RECHECK_SURPLUS, path, "the manifest does not name it");
}

/* One obligation as the manifest describes it. */
struct pair {
  const char *text, *digest, *kind, *concern, *subject;
};

static int by_text(const char *a, const char *b) {
  return strcmp(a == NULL ? "" : a, b == NULL ? "" : b);
}

static int by_pair(const void *a, const void *b) {
  const struct pair *x = a, *y = b;
  const char *const left[] = {x->text, x->digest, x->kind, x->concern, x->subject};
  const char *const right[] = {y->text, y->digest, y->kind, y->concern, y->subject};
  int order = 0;
  for (size_t i = 0; i < sizeof left / sizeof *left && order == 0; i++)
    order = by_text(left[i], right[i]);
  return order;
}

/* Both lists sorted: what only one of them has. */
static void compare_lists(struct check *check, const char *file, const struct pair *own,
                          size_t own_count, const struct pair *given, size_t given_count) {
  struct text text;
  text_init(&text);
  for (size_t i = 0, k = 0; i < own_count || k < given_count;) {
    int order = i == own_count ? 1 : k == given_count ? -1 : by_pair(&own[i], &given[k]);
    if (order != 0) {
      text_format(&text, "%s: %s",
                  order < 0 ? "the certificate lacks it, or has another query or description for it"
                            : "the protocol has no such obligation, or another query or "
                              "description for it",
                  order < 0 ? own[i].text : given[k].text);
      report_problem(check, RECHECK_OTHER_LIST, file, text.data);
      text_clear(&text);
    }
    i += order <= 0;
    k += order >= 0;
  }
}

static void compare_with(struct check *check, const struct manifest_protocol *entry,
                         const char *file, const struct certificate *certificate) {
  struct pair *own = mem_alloc(certificate->entries.count, sizeof *own);
  struct pair *given = mem_alloc(entry->count, sizeof *given);
  for (size_t i = 0; i < certificate->entries.count; i++) {
    const struct certificate_entry *e = &certificate->entries.data[i];
    own[i] = (struct pair){e->text, e->digest, e->kind, e->subject == NULL ? NULL : e->concern,
                           e->subject};
  }
  for (size_t i = 0; i < entry->count; i++) {
    const struct manifest_query *query = &check->manifest.queries.data[entry->first + i];
    given[i] =
        (struct pair){query->text, query->digest, query->kind, query->concern, query->subject};
  }
  qsort(own, certificate->entries.count, sizeof *own, by_pair);
  qsort(given, entry->count, sizeof *given, by_pair);
  compare_lists(check, file, own, certificate->entries.count, given, entry->count);
  mem_free(own);
  mem_free(given);
}

static const struct manifest_protocol *find_protocol(const struct check *check,
                                                     const struct protocol *protocol) {
  char digest[DIGEST_LENGTH + 1];
  digest_bytes(digest, protocol->source->bytes, protocol->source->length);
  for (size_t i = 0; i < check->manifest.protocols.count; i++) {
    const struct manifest_protocol *entry = &check->manifest.protocols.data[i];
    if (strcmp(entry->digest, digest) == 0 && strcmp(entry->name, protocol->model->name) == 0)
      return entry;
  }
  return NULL;
}

/* Who made it cannot be told from the queries, unless it was this very program. */
static void check_maker(struct check *check) {
  const struct manifest *m = &check->manifest;
  if (strcmp(m->version, TAILPROOF_VERSION) == 0 && strcmp(m->solver, smt_name()) == 0)
    return;
  struct text text;
  text_init(&text);
  text_format(&text,
              "it says that tailproof %s with %s made it; this is tailproof %s with %s, which "
              "cannot confirm that",
              m->version, m->solver, TAILPROOF_VERSION, smt_name());
  report_problem(check, RECHECK_MAKER, MANIFEST_FILE, text.data);
  text_clear(&text);
}

/* The obligations made anew from the protocol file, against the list of the manifest. */
static enum status check_list(struct check *check, const char *file) {
  struct protocol protocol;
  enum status status = protocol_load(&protocol, file, check->request->asker);
  if (status == STATUS_OK) {
    const struct manifest_protocol *entry = find_protocol(check, &protocol);
    if (entry == NULL) {
      report_problem(check, RECHECK_OTHER_LIST, file,
                     "the certificate is not about this file, or about an earlier version of it");
    } else {
      struct proof_options how = {.jobs = check->request->jobs,
                                  .limit_ms = check->request->timeout_ms,
                                  .stop = check->stop};
      struct certificate certificate;
      struct text message;
      text_init(&message);
      status = certificate_init(&certificate, protocol.model, &how, NULL, &message);
      if (certificate.refused != NULL)
        report_problem(check, RECHECK_OTHER_LIST, file, certificate.refused);
      if (*check->stop == 0)
        compare_with(check, entry, file, &certificate);
      certificate_clear(&certificate);
      text_clear(&message);
    }
  }
  protocol_clear(&protocol);
  return status;
}

static enum status verdict(const struct check *check) {
  const size_t *n = check->answer->counts;
  if (asker_stopped(check->request->asker))
    return STATUS_INTERRUPTED;
  if (n[RECHECK_DISAGREES] + n[RECHECK_CHANGED] + n[RECHECK_MISSING] + n[RECHECK_SURPLUS] +
          n[RECHECK_OTHER_LIST] !=
      0)
    return STATUS_REFUTED;
  return n[RECHECK_TIMED_OUT] + n[RECHECK_UNKNOWN] + n[RECHECK_MAKER] != 0 ? STATUS_UNKNOWN
                                                                           : STATUS_OK;
}

static enum status find_solver(const struct solver **solver, const char *name,
                               const struct asker *asker) {
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    if (strcmp(solvers[i].name, name) != 0)
      continue;
    *solver = &solvers[i];
    struct text output;
    text_init(&output);
    enum process_end end = process_run((const char *[]){name, "--version", NULL}, "", 0,
                                       VERSION_LIMIT_MS, NULL, &output);
    text_clear(&output);
    if (end != PROCESS_MISSING)
      return STATUS_OK;
    asker_say(asker, SAYING_MISTAKE, "%s is missing; install it (Debian: apt-get install %s)", name,
              name);
    return STATUS_UNAVAILABLE;
  }
  return asker_fail(asker, STATUS_USAGE, "unknown solver \"%s\"; give cvc5, cvc4 or z3", name);
}

/* Runs the solver in a new, empty folder, which is removed again if it stayed so. */
static enum status check_queries_apart(struct check *check) {
  const char *folder = getenv("TMPDIR");
  struct text place;
  text_init(&place);
  text_format(&place, "%s/tailproof-XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
  enum status status = STATUS_OK;
  if (mkdtemp(place.data) == NULL) {
    status = asker_fail(check->request->asker, STATUS_INTERNAL, "cannot make the folder %s: %s",
                        place.data, strerror(errno));
  } else {
    check->place = place.data;
    check_queries(check);
    rmdir(place.data);
  }
  text_clear(&place);
  return status;
}

/* The lists first: obligations that are not the protocol's need no solver. */
static enum status check_all(struct check *check) {
  const struct recheck_request *request = check->request;
  enum status status = admit(check);
  if (status != STATUS_OK)
    return status;
  manifest_extras(&check->manifest, request->folder, note_extra, check);
  if (request->file_count != 0)
    check_maker(check);
  for (size_t i = 0; i < request->file_count && status == STATUS_OK; i++)
    status = check_list(check, request->files[i]);
  if (status == STATUS_OK)
    status = check_queries_apart(check);
  if (status != STATUS_OK)
    return status;
  check->answer->checked = true;
  return verdict(check);
}

enum status recheck_ask(struct recheck_answer *answer, const struct recheck_request *request) {
  static const volatile int never;
  *answer =
      (struct recheck_answer){.solver = request->solver, .compared = request->file_count != 0};
  struct check check = {.request = request, .answer = answer};
  check.stop = request->asker->stop != NULL ? request->asker->stop : &never;
  enum status status = find_solver(&check.solver, request->solver, request->asker);
  if (status != STATUS_OK)
    return status;
  struct text message;
  text_init(&message);
  status = manifest_read(&check.manifest, request->folder, &message);
  answer->obligations = check.manifest.queries.count;
  if (status == STATUS_OK)
    status = check_all(&check);
  else
    asker_fail(request->asker, status, "%s", text_get(&message));
  manifest_clear(&check.manifest);
  text_clear(&message);
  return status;
}

void recheck_answer_clear(struct recheck_answer *answer) {
  for (size_t i = 0; i < answer->problems.count; i++) {
    mem_free(answer->problems.data[i].file);
    mem_free(answer->problems.data[i].text);
  }
  vector_clear(&answer->problems);
}
