/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes of a checked model in place: a new component, Extra, that no formula mentions.
 */
#ifndef TESTS_PROPERTY_MUTATE_MODEL_H
#define TESTS_PROPERTY_MUTATE_MODEL_H

#include <string.h>

#include "lang/model.h"

/* An unbounded time: nothing is assumed of its bare name. */
static const struct component *add_extra(struct model *model, enum component_kind kind) {
  struct component *extra = arena_alloc(&model->arena, 1, sizeof *extra);
  *extra = (struct component){.name = "Extra",
                              .id = model->components.count,
                              .kind = kind,
                              .repeated = kind == COMPONENT_STEP};
  size_t count = model->components.count;
  const struct component **items = arena_alloc(&model->arena, count + 1, sizeof *items);
  memcpy(items, model->components.items, count * sizeof *items);
  items[count] = extra;
  model->components.items = items;
  model->components.count = count + 1;
  return extra;
}

/* One more cost, charged always. */
static void make_dearer(struct model *model, size_t id) {
  struct action *action = (struct action *)model->actions.items[id];
  size_t count = action->cost_count;
  struct term *cost = arena_alloc(&model->arena, 1, sizeof *cost);
  *cost = (struct term){.kind = TERM_OCCURRENCE,
                        .type = {.kind = TYPE_TIME},
                        .component = add_extra(model, COMPONENT_STEP)};
  const struct term **costs = arena_alloc(&model->arena, count + 1, sizeof *costs);
  if (count != 0)
    memcpy(costs, action->costs, count * sizeof *costs);
  costs[count] = cost;
  action->costs = costs;
  action->cost_count = count + 1;
  if (action->conditions == NULL)
    return;
  const struct term **conditions = arena_alloc(&model->arena, count + 1, sizeof *conditions);
  memcpy(conditions, action->conditions, count * sizeof *conditions);
  action->conditions = conditions;
}

/* d(M) becomes d. */
static void forget_delay(const struct term *term, const struct message *message) {
  if (term == NULL)
    return;
  for (size_t i = 0; i < term->count; i++)
    forget_delay(term->args[i], message);
  if (term->kind != TERM_DELAY || term->message != message || term->component != message->delay)
    return;
  struct term *changed = (struct term *)term;
  changed->kind = TERM_BARE;
  changed->count = 0;
  changed->message = NULL;
}

/* The message takes Extra(M) instead of d(M). Formulas that spoke of d(M) now say d, which says no
 * less about the time of the event, and nothing about Extra. */
static void make_slower(struct model *model, size_t id) {
  struct message *message = (struct message *)model->messages.items[id];
  for (size_t i = 0; i < model->invariants.count; i++)
    forget_delay(model->invariants.items[i]->formula, message);
  for (size_t i = 0; i < model->bounds.count; i++)
    forget_delay(model->bounds.items[i]->expression, message);
  for (size_t i = 0; i < model->phases.count; i++) {
    forget_delay(model->phases.items[i]->start, message);
    forget_delay(model->phases.items[i]->end.expression, message);
  }
  message->delay = add_extra(model, COMPONENT_DELAY);
}

#endif
