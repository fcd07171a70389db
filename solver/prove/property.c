/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/property.h"

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

static const struct term *event_of(struct arena *arena, const struct bound *bound) {
  if (bound->target == TARGET_WHEN)
    return bound->formula;
  return about_message(arena, bound, TERM_SENT, TYPE_BOOL, NULL);
}

static const struct term *time_of(struct arena *arena, const struct bound *bound) {
  if (bound->target == TARGET_WHEN)
    return make(arena, TERM_TIME_NODE, TYPE_TIME, &bound->node, 1);
  const struct term *delivery = about_message(arena, bound, TERM_TIME_MESSAGE, TYPE_TIME, NULL);
  if (bound->target == TARGET_DELIVERED)
    return delivery;
  const struct term *delay =
      about_message(arena, bound, TERM_DELAY, TYPE_TIME, bound->message->delay);
  return make(arena, TERM_SUB, TYPE_TIME, (const struct term *[]){delivery, delay}, 2);
}

static const struct term *at_most(struct arena *arena, const struct term *time,
                                  const struct term *limit) {
  return make(arena, TERM_LE, TYPE_BOOL, (const struct term *[]){time, limit}, 2);
}

static const struct term *bound_formula(struct arena *arena, const struct bound *bound,
                                        const struct term *event, const struct term *time) {
  if (bound->expression == NULL)
    return NULL;
  const struct term *args[] = {event, at_most(arena, time, bound->expression)};
  const struct term *formula = make(arena, TERM_IMPLIES, TYPE_BOOL, args, 2);
  if (bound->variable_count == 0)
    return formula;
  struct term *all = make(arena, TERM_FORALL, TYPE_BOOL, &formula, 1);
  all->variable_count = bound->variable_count;
  all->variables = bound->variables;
  return all;
}

static void add_bound(struct properties *p, const struct bound *bound) {
  const struct term *event = event_of(&p->arena, bound), *time = time_of(&p->arena, bound);
  vector_push(&p->items, (struct property){.kind = PROPERTY_BOUND,
                                           .name = bound->name,
                                           .span = bound->span,
                                           .formula = bound_formula(&p->arena, bound, event, time),
                                           .bound = bound,
                                           .event = event,
                                           .time = time,
                                           .alive = true});
  if (bound->by_phases)
    p->phase_count = p->model->phases.count;
}

static void add_phases(struct properties *p) {
  struct arena *arena = &p->arena;
  p->phases = arena_alloc(arena, p->phase_count, sizeof *p->phases);
  for (size_t i = 0; i < p->phase_count; i++) {
    const struct bound *end = &p->model->phases.items[i]->end;
    const struct term *began = make(arena, TERM_BEGAN, TYPE_TIME, NULL, 0);
    const struct term *parts[] = {began, end->expression};
    struct phase_end *made = &p->phases[i];
    made->event = event_of(arena, end);
    made->time = time_of(arena, end);
    made->latest = make(arena, TERM_ADD, TYPE_TIME, parts, 2);
    made->in_time = at_most(arena, made->time, made->latest);
  }
}

void properties_init(struct properties *p, const struct model *model, const struct bound *only) {
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
                                             .phase = invariant->phase,
                                             .alive = true});
  }
  for (size_t i = 0; i < p->candidates.items.count; i++) {
    const struct invariant *invariant = p->candidates.items.data[i];
    vector_push(&p->items, (struct property){.kind = PROPERTY_GENERATED,
                                             .name = invariant->name,
                                             .formula = invariant->formula,
                                             .alive = true});
  }
  for (size_t i = 0; i < model->bounds.count; i++)
    if (only == NULL || model->bounds.items[i] == only)
      add_bound(p, model->bounds.items[i]);
  add_phases(p);
}

void properties_clear(struct properties *p) {
  vector_clear(&p->items);
  candidates_clear(&p->candidates);
  arena_clear(&p->arena);
}
