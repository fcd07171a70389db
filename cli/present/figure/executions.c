/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/executions.h"

#include <stdio.h>

#include "show/page.h"
#include "cli/present/figure/spacetime.h"
#include "solver/search/scope.h"
#include "solver/tell/timeline.h"

/* What a picture is made of; owns its texts. */
struct album {
  VECTOR(struct spacetime) list;
  VECTOR(char *) texts;
};

static const char *keep(struct album *album, struct text *text) {
  char *kept = text_take(text);
  vector_push(&album->texts, kept);
  return kept;
}

static void add(struct album *album, const struct bound_report *r, const struct model *model,
                const char *made) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s is %s", r->bound->name, verdict_name(r->verdict));
  if (r->verdict == VERDICT_REFUTED) {
    text_format(&text, ": %s ns, the bound being %s ns", r->time, r->limit);
  }
  if (parameters_exist(model, &r->execution->constants)) {
    text_append(&text, ", with ");
    parameters_print(&text, model, r->counter_scope, &r->execution->constants);
  }
  struct spacetime spacetime = {.execution = r->execution, .title = keep(album, &text)};
  text_format(&text, "%s within %s", r->bound->target_text,
              r->bound->expression_text == NULL ? "?" : r->bound->expression_text);
  spacetime.claim = keep(album, &text);
  spacetime.reason = r->reason;
  spacetime.made = made;
  if (r->verdict == VERDICT_REFUTED && r->execution->timed) {
    spacetime.limit = r->limit;
    spacetime.time = r->time;
  }
  vector_push(&album->list, spacetime);
}

static void draw_sheet(struct drawing *drawing, const struct document *document,
                       const void *subject) {
  const struct album *album = subject;
  (void)document;
  spacetime_sheet(drawing, &album->list.data[0]);
}

static void make_document(struct document *document, const void *subject,
                          const struct document_page *page) {
  const struct album *album = subject;
  spacetime_document(document, album->list.data, album->list.count);
  document_made(document, page);
}

enum status executions_draw(const struct verification *v, const char *path, const char *command,
                            struct text *message) {
  struct album album = {0};
  struct text text;
  text_init(&text);
  picture_made(&text, command);
  const char *made = keep(&album, &text);
  for (size_t i = 0; i < v->bounds.count; i++) {
    const struct timeline *execution = v->bounds.data[i].execution;
    if (execution != NULL && execution->rows.count != 0)
      add(&album, &v->bounds.data[i], v->model, made);
  }
  enum status status = STATUS_OK;
  if (album.list.count == 0)
    fprintf(stderr, "tailproof verify: %s is not written: no execution breaks a bound\n", path);
  else
    status = picture_write(&(struct picture){.document = make_document,
                                             .answer = &album,
                                             .page = {.command = command},
                                             .sheet = draw_sheet},
                           path, message);
  for (size_t i = 0; i < album.texts.count; i++)
    mem_free(album.texts.data[i]);
  vector_clear(&album.texts);
  vector_clear(&album.list);
  return status;
}
