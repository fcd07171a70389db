/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/check.h"

#include "lang/model.h"
#include "lang/source.h"

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
