/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/audit.h"

#include "lang/source.h"

static const struct object_key audit_keys[] = {
    KEY("file", TEXT, .marks = MARK_NAMES),
    KEY("status", TEXT, .words = "stated|model|measured|invented"),
    KEY("source", TEXT, .words = "model|solver|dist|data"),
    KEY("text", TEXT),
    KEY("discharge", TEXT, .note = "what would make sure of it"),
    {0}};
static const struct object_kind audit_kind = {"audit", NULL, audit_keys};

static const struct object_key summary_keys[] = {KEY("file", TEXT, .marks = MARK_NAMES),
                                                 KEY("stated", COUNT),
                                                 KEY("model", COUNT),
                                                 KEY("measured", COUNT),
                                                 KEY("invented", COUNT),
                                                 {0}};
static const struct object_kind summary_kind = {"audit_summary", NULL, summary_keys};

const struct object_kind *const audit_kinds[] = {&audit_kind, &summary_kind, NULL};

void audit_document_init(struct document *document) {
  document_init(document, "audit", audit_kinds);
  document_title(document, "What protocols assume");
}

/* People read the remedy below the assumption. */
static void show_lines(struct document *document, const struct audit_answer *answer) {
  static const struct object_column columns[] = {
      {.title = "", .key = "status"},
      {.title = "of", .key = "source"},
      {.title = "assumption, and what would discharge it", .key = "text"},
  };
  struct objects *lines = document_objects(document, &audit_kind);
  for (size_t i = 0; i < answer->lines.count; i++) {
    const struct audit_line *line = &answer->lines.data[i];
    objects_add(lines);
    object_text(lines, "file", answer->protocol.source->name);
    object_text(lines, "status", audit_kind_name(line->kind));
    object_text(lines, "source", ledger_source_name(line->source));
    object_text(lines, "text", line->text);
    object_words(lines, "text", "%s\n-> %s", line->text, line->discharge);
    object_text(lines, "discharge", line->discharge);
  }
  document_table(document, LINES_APART, 2, lines, columns, sizeof columns / sizeof *columns);
}

void audit_show(struct document *document, const struct audit_answer *answer) {
  const size_t *counts = answer->counts;
  const char *file = answer->protocol.source->name;
  struct text text;
  text_init(&text);
  text_format(&text, "%s: protocol %s: %zu stated, %zu of the model, %zu measured, %zu invented",
              file, answer->protocol.model->name, counts[AUDIT_STATED], counts[AUDIT_MODEL],
              counts[AUDIT_MEASURED], counts[AUDIT_INVENTED]);
  document_take(document, LINES_APART, 0, &text);
  document_hang(document, 4);
  show_lines(document, answer);
  struct objects *summary = document_objects(document, &summary_kind);
  objects_add(summary);
  object_text(summary, "file", file);
  for (int i = 0; i < AUDIT_KIND_COUNT; i++)
    object_count(summary, audit_kind_name((enum audit_kind)i), counts[i]);
  if (answer->free_order)
    document_say(document, LINES_APART,
                 "Not assumed: that a message arrives at all, or, where it is not declared fifo, "
                 "in the order of sending.");
}
