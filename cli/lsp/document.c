/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lsp/document.h"

#include <string.h>

#include "lang/check.h"
#include "lang/name_index.h"
#include "lang/parse.h"
#include "lang/source.h"

void verdicts_init(struct verdicts *verdicts) {
  *verdicts = (struct verdicts){0};
  diagnostics_init(&verdicts->warnings);
}

void verdicts_clear(struct verdicts *verdicts) {
  for (size_t i = 0; i < verdicts->notes.count; i++) {
    mem_free(verdicts->notes.data[i].headline);
    mem_free(verdicts->notes.data[i].detail);
  }
  vector_clear(&verdicts->notes);
  diagnostics_clear(&verdicts->warnings);
}

static void forget_text(struct open_document *document) {
  verdicts_clear(&document->verdicts);
  name_index_free(document->names);
  model_free(document->model);
  ast_free(document->ast);
  diagnostics_clear(&document->diagnostics);
  text_lines_clear(&document->lines);
  source_free(document->source);
}

static void read_text(struct open_document *document, const char *text, size_t length) {
  document->source = source_from_text(document->uri, text, length);
  text_lines_init(&document->lines, document->source->bytes, document->source->length);
  diagnostics_init(&document->diagnostics);
  document->ast = parse(document->source, &document->diagnostics);
  bool readable = error_count(&document->diagnostics) == 0;
  document->names = readable ? name_index_new(document->ast) : NULL;
  document->model = check(document->ast, document->source, &document->diagnostics);
}

static void document_free(struct open_document *document) {
  forget_text(document);
  mem_free(document->uri);
  mem_free(document);
}

struct open_document *documents_find(const struct documents *documents, const char *uri) {
  for (size_t i = 0; uri != NULL && i < documents->items.count; i++)
    if (strcmp(documents->items.data[i]->uri, uri) == 0)
      return documents->items.data[i];
  return NULL;
}

struct open_document *documents_set(struct documents *documents, const char *uri,
                                    json_int_t version, const char *text, size_t length) {
  struct open_document *document = documents_find(documents, uri);
  if (document == NULL) {
    document = mem_alloc(1, sizeof *document);
    document->uri = mem_copy_text(uri, strlen(uri));
    verdicts_init(&document->verdicts);
    vector_push(&documents->items, document);
  } else {
    forget_text(document);
  }
  document->version = version;
  document->revision = ++documents->revisions;
  read_text(document, text, length);
  return document;
}

bool documents_close(struct documents *documents, const char *uri) {
  for (size_t i = 0; i < documents->items.count; i++) {
    struct open_document *document = documents->items.data[i];
    if (strcmp(document->uri, uri) != 0)
      continue;
    documents->items.data[i] = documents->items.data[--documents->items.count];
    document_free(document);
    return true;
  }
  return false;
}

void documents_clear(struct documents *documents) {
  for (size_t i = 0; i < documents->items.count; i++)
    document_free(documents->items.data[i]);
  vector_clear(&documents->items);
}
