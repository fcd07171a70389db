/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/property.h"

#include <string.h>

static struct term *make(struct arena *arena, enum term_kind kind, enum type_kind type,
                         const struct term *const *args, size_t count) {
  struct term *t = arena_alloc(arena, 1, sizeof *t);
  t->kind = kind;
  t->type.kind = type;
  t->count = count;
  t->args = arena_copy(arena, args, count, sizeof *args);
  return t;
}

static const struct term *about_message(struct arena *arena, const struct bound *bound,
                                        enum term_kind kind, enum type_kind type,
                                        const struct component *component) {
  struct term *t = make(arena, kind, type, bound->args, bound->arg_count);
  t->message = bound->message;
  t->component = component;
  return t;
}

static const struct term *bound_formula(struct arena *arena, const struct bound *bound) {
  const struct term *event = bound->formula, *time;
  if (bound->target == TARGET_WHEN) {
    time = make(arena, TERM_TIME_NODE, TYPE_TIME, &bound->node, 1);
  } else {
    event = about_message(arena, bound, TERM_SENT, TYPE_BOOL, NULL);
    time = about_message(arena, bound, TERM_TIME_MESSAGE, TYPE_TIME, NULL);
    const struct term *delay =
        about_message(arena, bound, TERM_DELAY, TYPE_TIME, bound->message->delay);
    if (bound->target == TARGET_SENT)
      time = make(arena, TERM_SUB, TYPE_TIME, (const struct term *[]){time, delay}, 2);
  }
  const struct term *in_time =
      make(arena, TERM_LE, TYPE_BOOL, (const struct term *[]){time, bound->expression}, 2);
  const struct term *formula =
      make(arena, TERM_IMPLIES, TYPE_BOOL, (const struct term *[]){event, in_time}, 2);
  if (bound->variable_count == 0)
    return formula;
  struct term *all = make(arena, TERM_FORALL, TYPE_BOOL, &formula, 1);
  all->variable_count = bound->variable_count;
  all->variables = bound->variables;
  return all;
}

void properties_init(struct properties *p, const struct model *model) {
  memset(p, 0, sizeof *p);
  p->model = model;
  arena_init(&p->arena);
  candidates_init(&p->candidates, model);
  p->variable_count = p->candidates.variable_count;
  for (size_t i = 0; i < model->invariants.count; i++) {
    const struct invariant *invariant = model->invariants.items[i];
    vector_push(&p->items, (struct property){.kind = PROPERTY_INVARIANT,
                                             .name = invariant->name,
                                             .span = invariant->span,
                                             .formula = invariant->formula,
                                             .alive = true});
  }
  for (size_t i = 0; i < p->candidates.items.count; i++) {
    const struct invariant *invariant = p->candidates.items.data[i];
    vector_push(&p->items, (struct property){.kind = PROPERTY_GENERATED,
                                             .name = invariant->name,
                                             .formula = invariant->formula,
                                             .alive = true});
  }
  for (size_t i = 0; i < model->bounds.count; i++) {
    const struct bound *bound = model->bounds.items[i];
    vector_push(&p->items, (struct property){.kind = PROPERTY_BOUND,
                                             .name = bound->name,
                                             .span = bound->span,
                                             .formula = bound_formula(&p->arena, bound),
                                             .bound = bound,
                                             .alive = true});
  }
}

void properties_clear(struct properties *p) {
  vector_clear(&p->items);
  candidates_clear(&p->candidates);
  arena_clear(&p->arena);
}
