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

/* A message of the bound: its target, or what it counts from. */
struct mentioned {
  const struct message *message;
  const struct term **args;
};

static const struct term *about(struct arena *arena, struct mentioned m, enum term_kind kind,
                                enum type_kind type) {
  struct term *t = make(arena, kind, type, m.args, m.message->field_count);
  t->message = m.message;
  t->component = kind == TERM_DELAY ? m.message->delay : NULL;
  return t;
}

static const struct term *pair(struct arena *arena, enum term_kind kind, enum type_kind type,
                               const struct term *left, const struct term *right) {
  return make(arena, kind, type, (const struct term *[]){left, right}, 2);
}

/* The end of the step that sends it: its delivery less its delay, unless a pacer may hold it. */
static const struct term *sending(struct arena *arena, struct mentioned m) {
  if (m.message->pacer != NULL && m.message->pacer->holds)
    return about(arena, m, TERM_HANDED, TYPE_TIME);
  return pair(arena, TERM_SUB, TYPE_TIME, about(arena, m, TERM_TIME_MESSAGE, TYPE_TIME),
              about(arena, m, TERM_DELAY, TYPE_TIME));
}

static const struct term *event_of(struct arena *arena, const struct bound *bound) {
  const struct term *event =
      bound->target == TARGET_WHEN
          ? bound->formula
          : about(arena, (struct mentioned){bound->message, bound->args}, TERM_SENT, TYPE_BOOL);
  if (bound->from == NULL)
    return event;
  struct mentioned from = {bound->from, bound->from_args};
  return pair(arena, TERM_AND, TYPE_BOOL, event, about(arena, from, TERM_SENT, TYPE_BOOL));
}

/* What the event's time is counted as: from time 0, or from a sending. */
static const struct term *time_of(struct arena *arena, const struct bound *bound) {
  struct mentioned target = {bound->message, bound->args}, from = {bound->from, bound->from_args};
  const struct term *time =
      bound->target == TARGET_WHEN        ? make(arena, TERM_TIME_NODE, TYPE_TIME, &bound->node, 1)
      : bound->target == TARGET_DELIVERED ? about(arena, target, TERM_TIME_MESSAGE, TYPE_TIME)
                                          : sending(arena, target);
  return bound->from == NULL ? time : pair(arena, TERM_SUB, TYPE_TIME, time, sending(arena, from));
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
  long_times_init(&p->long_times);
  for (size_t i = 0; i < p->items.count; i++)
    if (p->items.data[i].formula != NULL)
      long_times_add(&p->long_times, p->items.data[i].formula);
  long_times_finish(&p->long_times);
}

void properties_clear(struct properties *p) {
  long_times_clear(&p->long_times);
  vector_clear(&p->items);
  candidates_clear(&p->candidates);
  arena_clear(&p->arena);
}
