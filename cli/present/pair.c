/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/pair.h"

static const struct object_key pair_keys[] = {
    KEY("requests", COUNT),
    KEY("paired", COUNT),
    KEY("told", TEXT, .marks = MARK_LINES, .note = "what was paired and what was not"),
    {0}};
const struct object_kind pair_kind = {"pair", "of `record pair` and `record --probes`", pair_keys};

const struct object_kind *const pair_kinds[] = {&pair_kind, NULL};

void pair_show(struct document *document, const struct pair_answer *answer) {
  struct objects *pairs = document_objects(document, &pair_kind);
  struct text text;
  objects_add(pairs);
  object_count(pairs, "requests", answer->requests);
  object_count(pairs, "paired", answer->paired);
  object_text(pairs, "told", text_get(&answer->told));
  text_init(&text);
  text_append(&text, text_get(&answer->told));
  document_pre(document, LINES_CLOSE, &text);
}

void pair_document(struct document *document, const struct pair_answer *answer) {
  document_init(document, "record pair", pair_kinds);
  document_title(document, "Requests made of events");
  pair_show(document, answer);
}
