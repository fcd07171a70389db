/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "cli/question/verify/reuse.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "cli/question/verify/proof_cache.h"
#include "lang/source.h"
#include "solver/smt/smt.h"
#include "solver/verify_kept.h"
#include "version.h"

/* --- who is asked -------------------------------------------------------------------------------
 */

/* The build ids of the program and its libraries, which linkers make of all that is linked. */
struct build {
  struct text ids;
  bool known; /* each has one */
};

static size_t padded(size_t size) {
  return (size + 3) & ~(size_t)3;
}

static bool append_id(struct text *ids, const char *notes, size_t size) {
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    memcpy(&note, notes + at, sizeof note);
    size_t name = at + sizeof note, content = name + padded(note.n_namesz);
    at = content + padded(note.n_descsz);
    if (at > size || note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" ||
        memcmp(notes + name, "GNU", sizeof "GNU") != 0)
      continue;
    for (size_t i = 0; i < note.n_descsz; i++)
      text_format(ids, "%02x", (unsigned char)notes[content + i]);
    text_append(ids, " ");
    return true;
  }
  return false;
}

/* What the kernel maps into every process computes no verdict. */
static bool is_of_kernel(const char *name) {
  return strstr(name, "linux-vdso") != NULL || strstr(name, "linux-gate") != NULL;
}

static int add_object(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  struct build *build = context;
  bool found = is_of_kernel(object->dlpi_name);
  for (size_t i = 0; i < object->dlpi_phnum && !found; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type == PT_NOTE)
      found =
          append_id(&build->ids, (const char *)(object->dlpi_addr + part->p_vaddr), part->p_memsz);
  }
  build->known = build->known && found;
  return 0;
}

/* "tailproof VERSION build DIGEST, Z3 4.8.12.0" */
static bool append_judge(struct text *text) {
  const char *solver =
      smt_name(); /* first: the solver's library is loaded by it, and is one of those */
  struct build build = {.known = true};
  char digest[DIGEST_LENGTH + 1];
  text_init(&build.ids);
  dl_iterate_phdr(add_object, &build);
  digest_bytes(digest, text_get(&build.ids), build.ids.length);
  text_format(text, "tailproof " TAILPROOF_VERSION " build %s, %s", digest, solver);
  text_clear(&build.ids);
  return build.known;
}

/* --- what is asked ------------------------------------------------------------------------------
 */

struct text reuse_question(const struct source *source, const struct bound *only,
                           const struct verify_options *how) {
  struct text text;
  char digest[DIGEST_LENGTH + 1];
  text_init(&text);
  digest_bytes(digest, source->bytes, source->length);
  if (!append_judge(&text))
    text_clear(&text);
  else
    text_format(&text, ", %s%s of %zu bytes %s, limit %u ms, seed %u, search %.17g s%s",
                only == NULL ? "all bounds" : "bound ", only == NULL ? "" : only->name,
                source->length, digest, how->limit_ms, how->seed, how->search_seconds,
                how->fail_fast ? ", verdicts only" : "");
  return text;
}

/* A file's only bound is all of them. */
static const struct bound *asked_for(const struct model *model, const struct verify_options *how) {
  return model->bounds.count == 1 ? NULL : how->only;
}

static void remark_reused(struct verification *v, time_t asked) {
  struct text text;
  struct tm moment;
  char when[64] = "some time ago";
  text_init(&text);
  if (gmtime_r(&asked, &moment) != NULL)
    strftime(when, sizeof when, "on %Y-%m-%d %H:%M UTC", &moment);
  text_format(&text, " (asked %s of the same file in the same way; --no-cache asks again)", when);
  v->remark = text_take(&text);
}

static bool find(struct verification *v, const struct model *model, const struct bound *only,
                 const struct text *question) {
  struct text answer;
  time_t asked;
  text_init(&answer);
  bool found = question->length != 0 && proof_cache_find(&answer, &asked, question->data) &&
               verification_recall(v, model, only, answer.data, answer.length);
  if (found)
    remark_reused(v, asked);
  text_clear(&answer);
  return found;
}

/* Of one bound, verdicts on all bounds of the file tell as well: no proof uses another bound. */
static bool find_among_all(struct verification *v, const struct model *model,
                           const struct source *source, const struct verify_options *how) {
  struct text question = reuse_question(source, NULL, how);
  bool found = find(v, model, how->only, &question);
  text_clear(&question);
  return found;
}

/* --- obligations --------------------------------------------------------------------------------
 *
 * Kept of all files with one protocol's name together: those of the last verification first, then
 * those of earlier ones, as many as an answer may hold.
 */

static struct text obligation_question(const struct model *model,
                                       const struct verify_options *how) {
  struct text text;
  text_init(&text);
  if (!append_judge(&text))
    text_clear(&text);
  else
    text_format(&text, ", obligations of protocol %s, seed %u", model->name, how->seed);
  return text;
}

static void recall_obligations(struct known_queries *known, const struct text *question) {
  struct text answer;
  time_t asked;
  text_init(&answer);
  if (question->length != 0)
    (void)proof_cache_find(&answer, &asked, question->data);
  known_init(known, text_get(&answer), answer.length);
  text_clear(&answer);
}

static bool append_record(struct text *answer, const char *record) {
  if (answer->length + strlen(record) + 1 > PROOF_CACHE_BYTES)
    return false;
  text_format(answer, "%s\n", record);
  return true;
}

static int by_record(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Another process may have kept some since they were read: then those are lost, and proved again.
 */
static void keep_obligations(struct verification *v, const struct known_queries *known,
                             const struct text *question) {
  size_t count = v->proof.records.count;
  const char **records = v->proof.records.data;
  struct text answer, message;
  text_init(&answer), text_init(&message);
  if (count != 0)
    qsort(records, count, sizeof *records, by_record);
  bool room = true;
  for (size_t i = 0; i < count && room; i++)
    if (i == 0 || strcmp(records[i - 1], records[i]) != 0)
      room = append_record(&answer, records[i]);
  for (size_t i = 0; i < known->records.count && room; i++) {
    const char *old = known->records.data[i];
    if (count == 0 || bsearch(&old, records, count, sizeof *records, by_record) == NULL)
      room = append_record(&answer, old);
  }
  if (count != 0 && question->length != 0)
    (void)proof_cache_keep(question->data, &answer, &message);
  text_clear(&answer), text_clear(&message);
}

static void remark_obligations(struct verification *v) {
  size_t reused = 0, count = v->proof.obligations.count;
  for (size_t i = 0; i < count; i++)
    reused += v->proof.obligations.data[i].reused;
  if (reused == 0)
    return;
  struct text text;
  text_init(&text);
  text_format(
      &text, " (%zu of %zu obligations reused: the solver was asked before; --no-cache asks again)",
      reused, count);
  v->remark = text_take(&text);
}

/* Proves what no earlier verification has proved. */
static void verify_rest(struct verification *v, const struct model *model,
                        const struct verify_options *how) {
  struct text question = obligation_question(model, how);
  struct known_queries known;
  recall_obligations(&known, &question);
  struct verify_options rest = *how;
  rest.known = &known;
  verification_init(v, model, &rest);
  remark_obligations(v);
  keep_obligations(v, &known, &question);
  known_clear(&known);
  text_clear(&question);
}

static void keep(struct verification *v, const struct text *question) {
  if (!verification_is_final(v))
    return;
  struct text message, remark;
  text_init(&message);
  text_init(&remark);
  char *kept = verification_keep(v);
  struct text answer = {kept, strlen(kept), 0};
  if (question->length == 0)
    text_append(&message, "a library without a build id");
  else
    proof_cache_keep(question->data, &answer, &message);
  if (message.length != 0) {
    text_format(&remark, "%s (the answer could not be kept for next time: %s)",
                v->remark == NULL ? "" : v->remark, message.data);
    mem_free(v->remark);
    v->remark = text_take(&remark);
  }
  mem_free(kept);
  text_clear(&message);
}

void reuse_or_verify(struct verification *v, const struct model *model, const struct source *source,
                     const struct verify_options *how, bool reuse) {
  if (!reuse) {
    verification_init(v, model, how);
    return;
  }
  const struct bound *only = asked_for(model, how);
  struct text question = reuse_question(source, only, how);
  if (!find(v, model, how->only, &question) &&
      (only == NULL || !find_among_all(v, model, source, how))) {
    verify_rest(v, model, how);
    keep(v, &question);
  }
  text_clear(&question);
}
