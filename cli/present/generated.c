/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/generated.h"

#include <string.h>

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
