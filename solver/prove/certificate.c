/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/certificate.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collector {
  struct certificate *certificate;
  const char *folder;
  pthread_mutex_t mutex;
  size_t written;
  int error; /* errno of the first write that failed, or 0 */
};

static const char *const kind_names[] = {
    [OBLIGATION_INITIAL] = "initial",   [OBLIGATION_STEP] = "step",
    [OBLIGATION_ONCE] = "once",         [OBLIGATION_FAMILY] = "family",
    [OBLIGATION_LEMMA] = "lemma",       [OBLIGATION_QUORUM] = "quorum",
    [OBLIGATION_RANK] = "rank",         [OBLIGATION_START] = "start",
    [OBLIGATION_ENTER] = "enter",       [OBLIGATION_END] = "end",
    [OBLIGATION_HANDOVER] = "handover", [OBLIGATION_EARLY] = "early",
    [OBLIGATION_TARGET] = "target",     [OBLIGATION_TOTAL] = "total",
    [OBLIGATION_DEFERRAL] = "deferral", [OBLIGATION_PROGRESS] = "progress",
    [OBLIGATION_PACE] = "pace",
};

bool certificate_is_kind(const char *text) {
  for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++)
    if (kind_names[i] != NULL && strcmp(kind_names[i], text) == 0)
      return true;
  return false;
}

static const char *concern_name(enum property_kind kind) {
  return kind == PROPERTY_BOUND ? "bound" : kind == PROPERTY_GENERATED ? "generated" : "invariant";
}

static char *path_in(const char *folder, const char *file) {
  struct text path;
  text_init(&path);
  text_format(&path, "%s/%s", folder, file);
  return text_take(&path);
}

static int write_query(const char *folder, const char *file, const char *query) {
  char *path = path_in(folder, file);
  FILE *out = fopen(path, "wb");
  mem_free(path);
  if (out == NULL)
    return errno;
  bool good = fputs(query, out) >= 0 && fflush(out) == 0;
  int error = good ? 0 : errno;
  if (fclose(out) != 0 && error == 0)
    error = errno;
  return error;
}

static void on_query(void *context, const struct obligation *obligation, const char *smtlib) {
  struct collector *c = context;
  struct certificate_entry entry = {.kind = kind_names[obligation->kind],
                                    .facts = obligation->facts};
  struct text text;
  text_init(&text);
  obligation_print(&text, obligation);
  entry.text = text_take(&text);
  if (obligation->property != NULL) {
    const char *name = obligation->property->name;
    entry.subject = mem_copy_text(name, strlen(name));
    entry.concern = concern_name(obligation->property->kind);
  }
  digest_bytes(entry.digest, smtlib, strlen(smtlib));
  pthread_mutex_lock(&c->mutex);
  snprintf(entry.file, sizeof entry.file, "new-%zu", c->written++);
  bool writing = c->folder != NULL && c->error == 0;
  vector_push(&c->certificate->entries, entry);
  pthread_mutex_unlock(&c->mutex);
  int error = writing ? write_query(c->folder, entry.file, smtlib) : 0;
  if (error == 0)
    return;
  pthread_mutex_lock(&c->mutex);
  c->error = error;
  pthread_mutex_unlock(&c->mutex);
}

static int by_text(const void *a, const void *b) {
  const struct certificate_entry *x = a, *y = b;
  int order = strcmp(x->text, y->text);
  return order != 0 ? order : strcmp(x->digest, y->digest);
}

/* The threads end in any order; the files are numbered by what they say. */
static void number(struct collector *c) {
  struct certificate *certificate = c->certificate;
  if (certificate->entries.count != 0)
    qsort(certificate->entries.data, certificate->entries.count, sizeof *certificate->entries.data,
          by_text);
  for (size_t i = 0; i < certificate->entries.count; i++) {
    struct certificate_entry *entry = &certificate->entries.data[i];
    char name[sizeof entry->file];
    snprintf(name, sizeof name, "%05zu.smt2", i + 1);
    if (c->folder != NULL && c->error == 0) {
      char *from = path_in(c->folder, entry->file), *to = path_in(c->folder, name);
      if (rename(from, to) != 0)
        c->error = errno;
      mem_free(from);
      mem_free(to);
    }
    memcpy(entry->file, name, sizeof name);
  }
}

static void note_open(struct certificate *certificate, const struct proof *proof) {
  certificate->interrupted = proof->interrupted;
  for (size_t i = 0; i < proof->obligations.count; i++) {
    const struct obligation *o = &proof->obligations.data[i];
    if (o->proved || certificate->open++ != 0)
      continue;
    struct text text;
    text_init(&text);
    obligation_print(&text, o);
    certificate->first_open = text_take(&text);
  }
}

/* What makes a list of proved obligations no proof of the bounds. */
static void note_refusal(struct certificate *certificate, const struct model *model,
                         const struct proof *proof) {
  struct text why;
  text_init(&why);
  if (proof->contradiction != NULL)
    text_format(&why, "the assumptions contradict each other: %s", proof->contradiction);
  else if (model->bounds.count == 0)
    text_append(&why, "there is no bound");
  for (size_t i = 0; i < model->bounds.count && why.length == 0; i++)
    if (model->bounds.items[i]->expression == NULL)
      text_format(&why, "bound %s has no expression; paste the one that verify --infer prints",
                  model->bounds.items[i]->name);
  if (why.length != 0)
    certificate->refused = text_take(&why);
}

enum status certificate_init(struct certificate *certificate, const struct model *model,
                             const struct proof_options *options, const char *folder,
                             struct text *message) {
  return certificate_init_and(certificate, model, options, folder, message, NULL, NULL);
}

enum status certificate_init_and(struct certificate *certificate, const struct model *model,
                                 const struct proof_options *options, const char *folder,
                                 struct text *message, certificate_reader proved, void *context) {
  memset(certificate, 0, sizeof *certificate);
  struct collector collector = {.certificate = certificate, .folder = folder};
  pthread_mutex_init(&collector.mutex, NULL);
  struct proof_options how = *options;
  how.on_query = on_query;
  how.query_context = &collector;
  struct proof proof;
  proof_init(&proof, model, &how);
  note_open(certificate, &proof);
  note_refusal(certificate, model, &proof);
  number(&collector);
  if (proved != NULL)
    proved(context, certificate, &proof);
  proof_clear(&proof);
  pthread_mutex_destroy(&collector.mutex);
  if (collector.error == 0)
    return STATUS_OK;
  text_format(message, "%s: cannot write a query: %s", folder, strerror(collector.error));
  return STATUS_INTERNAL;
}

void certificate_clear(struct certificate *certificate) {
  for (size_t i = 0; i < certificate->entries.count; i++) {
    mem_free(certificate->entries.data[i].text);
    mem_free(certificate->entries.data[i].subject);
  }
  vector_clear(&certificate->entries);
  mem_free(certificate->refused);
  mem_free(certificate->first_open);
  certificate->refused = NULL;
  certificate->first_open = NULL;
}
