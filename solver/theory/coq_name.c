/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names in Coq: one for each number, no two alike. */
#include <string.h>

#include "solver/theory/coq.h"

void coq_append_name(struct text *out, const char *name) {
  for (const char *c = name; *c != '\0'; c++) {
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    text_append_bytes(out, plain ? c : "_", 1);
  }
}

static size_t count_of(const struct model *m, enum coq_kind kind) {
  switch (kind) {
  case COQ_PARAM:
    return m->params.count;
  case COQ_ROLE:
    return m->roles.count;
  case COQ_COMPONENT:
    return m->components.count;
  case COQ_MESSAGE:
    return m->messages.count;
  case COQ_STATE:
    return m->states.count;
  default:
    return m->actions.count;
  }
}

static const char *name_of(const struct model *m, enum coq_kind kind, size_t id) {
  switch (kind) {
  case COQ_PARAM:
    return m->params.items[id]->name;
  case COQ_ROLE:
    return m->roles.items[id]->name;
  case COQ_COMPONENT:
    return m->components.items[id]->name;
  case COQ_MESSAGE:
    return m->messages.items[id]->name;
  case COQ_STATE:
    return m->states.items[id]->name;
  default:
    return m->actions.items[id]->name;
  }
}

/* Two states of different roles may have one name, and so may two that differ in a parenthesis. */
static const char *make_name(struct coq *coq, enum coq_kind kind, size_t id) {
  static const char letters[] = "prcmsa";
  struct text text;
  text_init(&text);
  text_format(&text, "%c_", letters[kind]);
  if (kind == COQ_STATE) {
    coq_append_name(&text, coq->model->states.items[id]->role->name);
    text_append(&text, "_");
  }
  coq_append_name(&text, name_of(coq->model, kind, id));
  for (size_t i = 0; i < id; i++)
    if (strcmp(coq->names[kind][i], text.data) == 0) {
      text_format(&text, "_%zu", id);
      i = (size_t)-1;
    }
  const char *name = arena_copy(&coq->arena, text.data, text.length + 1, 1);
  text_clear(&text);
  return name;
}

void coq_init(struct coq *coq, struct text *out, const struct model *model) {
  *coq = (struct coq){.out = out, .model = model};
  arena_init(&coq->arena);
  for (enum coq_kind kind = 0; kind < COQ_KINDS; kind++) {
    size_t count = count_of(model, kind);
    coq->names[kind] = arena_alloc(&coq->arena, count, sizeof(char *));
    for (size_t i = 0; i < count; i++)
      coq->names[kind][i] = make_name(coq, kind, i);
  }
}

void coq_clear(struct coq *coq) {
  arena_clear(&coq->arena);
}
