/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/relation.h"

#include <stdio.h>
#include <string.h>

#include "lang/owner.h"
#include "lang/term_time.h"
#include "solver/encode/encode.h"
#include "solver/infer/ahead.h"
#include "solver/infer/name.h"
#include "solver/infer/pace.h"
#include "solver/infer/stage.h"
#include "solver/infer/tick.h"

struct context {
  relations *list;
  struct term_maker *m;
  const struct model *model;
};

const struct invariant *invariant_make(struct term_maker *m, const char *name,
                                       const struct term *formula) {
  struct invariant *made = arena_alloc(m->arena, 1, sizeof *made);
  made->name = arena_text(m->arena, name, strlen(name));
  made->formula = maker_close(m, formula);
  made->timing = true;
  return made;
}

static bool is_taken(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->invariants.count; i++)
    if (strcmp(model->invariants.items[i]->name, name) == 0)
      return true;
  for (size_t i = 0; i < model->bounds.count; i++)
    if (strcmp(model->bounds.items[i]->name, name) == 0)
      return true;
  return false;
}

void relation_add(relations *list, struct term_maker *m, const struct model *model,
                  const struct term *formula, struct relation says) {
  char name[64];
  int length = snprintf(name, sizeof name, "order_%zu", list->count + 1);
  for (unsigned number = 2; is_taken(model, name); number++)
    snprintf(name + length, sizeof name - (size_t)length, "_%u", number);
  formula = infer_name(m, model, maker_close(m, formula));
  says.invariant = invariant_make(m, name, formula);
  vector_push(list, says);
}

static bool is_there(const relations *list, const struct term *formula) {
  for (size_t i = 0; i < list->count; i++)
    if (term_equal(list->data[i].invariant->formula, formula))
      return true;
  return false;
}

static void add(struct context *c, const struct term *formula, const struct action *fresh,
                const struct message *idle) {
  relation_add(c->list, c->m, c->model, formula, (struct relation){.fresh = fresh, .idle = idle});
}

static bool reads_slot(const struct action *action, const struct term *guard) {
  return action->schedule != NULL && guard->kind == TERM_EQ && guard->args[0]->kind == TERM_STATE &&
         guard->args[0]->state == action->schedule->state;
}

const struct term *action_guard(struct term_maker *m, const struct action *action,
                                const struct term *node) {
  const struct term *all = NULL;
  struct replacement with = {maker_mention(m, action->node), node};
  for (size_t i = 0; i < action->guard_count; i++)
    if (!reads_slot(action, action->guards[i]))
      all = maker_and(m, all, term_replace(m, action->guards[i], &with, 1));
  return all;
}

static const struct term *without_times(struct term_maker *m, const struct term *guard) {
  if (guard->kind == TERM_AND)
    return maker_and(m, without_times(m, guard->args[0]), without_times(m, guard->args[1]));
  return term_mentions_time(guard) ? NULL : guard;
}

const struct term *action_untimed_guard(struct term_maker *m, const struct action *action,
                                        const struct term *node) {
  const struct term *guard = action_guard(m, action, node);
  return guard == NULL ? NULL : without_times(m, guard);
}

static const struct term *a_node(struct context *c, const struct role *role, const char *name) {
  struct type type = {.kind = TYPE_NODE, .role = role};
  return maker_role_node(c->m, role, role->count == NULL ? NULL : maker_variable(c->m, name, type));
}

/* The message with a variable for each field. */
static const struct term **identity(struct context *c, const struct message *message) {
  const struct term **args = arena_alloc(c->m->arena, message->field_count, sizeof(struct term *));
  for (size_t i = 0; i < message->field_count; i++)
    args[i] =
        maker_mention(c->m, maker_variable(c->m, message->fields[i].name, message->fields[i].type));
  return args;
}

static const struct term *fact(struct context *c, enum term_kind kind,
                               const struct message *message, const struct term *const *args) {
  return maker_message(c->m, kind, message, NULL, args);
}

/* The node of the role that the node tells; NULL: none. */
static const struct term *of_role(struct context *c, const struct term *node,
                                  const struct role *role) {
  const struct role *from = node->type.role;
  if (from == role || !role_tells(from, role))
    return from == role ? node : NULL;
  struct term *made = maker_term(c->m, role_conversion(from, role), TYPE_NODE, &node, 1);
  made->type.role = role;
  return made;
}

/* Who receives it, also before it was sent; NULL when only the send says. */
static const struct term *known_receiver(struct context *c, const struct message *message,
                                         const struct term *const *args) {
  if (message->receiver_field >= 0)
    return of_role(c, args[message->receiver_field], message->receiver);
  return message->receiver->count == NULL ? a_node(c, message->receiver, "") : NULL;
}

static void since_sent(struct context *c, const struct message *message,
                       const struct message *before) {
  if (before->sender != message->receiver || before == message ||
      (before->sender->count != NULL && before->sender_field < 0))
    return;
  const struct term **args = identity(c, message), **sent = identity(c, before);
  const struct term *node = known_receiver(c, message, args);
  if (node == NULL)
    return;
  if (before->sender_field >= 0) {
    const struct role *named = before->fields[before->sender_field].type.role;
    const struct term *name = of_role(c, node, named);
    if (name == NULL)
      return;
    sent[before->sender_field] = name;
  }
  const struct term *open = maker_and(c->m, fact(c, TERM_SENT, before, sent),
                                      maker_not(c->m, fact(c, TERM_RECEIVED, message, args)));
  add(c,
      maker_implies(
          c->m, open,
          maker_at_most(c->m, maker_clock(c->m, node), fact(c, TERM_TIME_MESSAGE, before, sent))),
      NULL, NULL);
}

/* A node that goes round its slots is never idle. */
static bool is_scheduled(const struct model *model, const struct role *role) {
  for (size_t i = 0; i < model->schedules.count; i++)
    if (model->schedules.items[i]->role == role)
      return true;
  return false;
}

static void about_message(struct context *c, const struct message *message) {
  if (message->receiver->external || is_scheduled(c->model, message->receiver))
    return;
  struct term_maker *m = c->m;
  const struct term **args = identity(c, message);
  const struct term *node = known_receiver(c, message, args);
  const struct term *to = node == NULL ? fact(c, TERM_RECEIVER, message, args) : node;
  const struct term *time = fact(c, TERM_TIME_MESSAGE, message, args);
  const struct term *pending = fact(c, TERM_PENDING, message, args);
  const struct term *received = fact(c, TERM_RECEIVED, message, args);
  add(c, maker_implies(m, pending, maker_at_most(m, maker_clock(m, to), time)), NULL, message);
  add(c, maker_implies(m, received, maker_at_most(m, time, maker_clock(m, to))), NULL, NULL);
  if (message->receiver->count != NULL) {
    const struct term *any = a_node(c, message->receiver, "i");
    add(c, maker_implies(m, pending, maker_at_most(m, maker_clock(m, any), time)), NULL, message);
  }
  if (node != NULL)
    add(c,
        maker_implies(m, maker_not(m, received),
                      maker_at_most(m, maker_clock(m, node), maker_zero(m))),
        NULL, NULL);
  for (size_t i = 0; i < c->model->messages.count; i++)
    since_sent(c, message, c->model->messages.items[i]);
}

/* Of what a clock read says no invariant can speak. */
static const struct term *stated_guard(struct context *c, const struct action *action,
                                       const struct term *node) {
  return action->read == NULL ? action_guard(c->m, action, node)
                              : action_untimed_guard(c->m, action, node);
}

/* Which of an action's alternative costs never comes, and which always does. */
static void about_costs(struct context *c, const struct action *action) {
  if (action->choice_count != 0) /* of whose state a choice is made, no invariant could say */
    return;
  const struct term *node = a_node(c, action->role, "i");
  const struct term *guard = stated_guard(c, action, node);
  struct replacement with = {maker_mention(c->m, action->node), node};
  for (size_t i = 0; i < action->cost_count; i++) {
    if (action->conditions == NULL || action->conditions[i] == NULL || action->message != NULL ||
        action->batches != NULL)
      continue;
    const struct term *condition = term_replace(c->m, action->conditions[i], &with, 1);
    relation_add(c->list, c->m, c->model, maker_implies(c->m, guard, condition),
                 (struct relation){.cost = action->costs[i], .charged = true});
    relation_add(c->list, c->m, c->model, maker_implies(c->m, guard, maker_not(c->m, condition)),
                 (struct relation){.cost = action->costs[i]});
  }
}

static void never_sent(struct context *c, const struct message *message) {
  const struct term *sent = fact(c, TERM_SENT, message, identity(c, message));
  relation_add(c->list, c->m, c->model, maker_not(c->m, sent), (struct relation){.never = message});
}

static void about_action(struct context *c, const struct action *action) {
  if (action->message != NULL || action->schedule != NULL || action->choice_count != 0)
    return;
  const struct term *node = a_node(c, action->role, "i");
  const struct term *guard = stated_guard(c, action, node);
  if (guard == NULL)
    return;
  add(c, maker_implies(c->m, guard, maker_at_most(c->m, maker_clock(c->m, node), maker_zero(c->m))),
      action, NULL);
}

/* Where a step waits for its timer, its node is not past it. */
static void about_timer(struct context *c, const struct action *action) {
  if (action->timer == NULL || action->schedule != NULL || action->choice_count != 0 ||
      (action->read != NULL && term_mentions(action->timer, action->read)))
    return;
  const struct term *node = a_node(c, action->role, "i");
  struct replacement with = {maker_mention(c->m, action->node), node};
  const struct term *due = term_replace(c->m, action->timer, &with, 1);
  relation_add(c->list, c->m, c->model,
               maker_implies(c->m, stated_guard(c, action, node),
                             maker_at_most(c->m, maker_clock(c->m, node), due)),
               (struct relation){.prompt = action});
}

/* A node in its first state has done nothing yet. */
static void still_first(struct context *c, const struct state *state) {
  if (state->type.kind != TYPE_BOOL || state->initial->kind != TERM_BOOL || state->hidden ||
      is_scheduled(c->model, state->role))
    return;
  const struct term *node = a_node(c, state->role, "i");
  struct term *holds = maker_term(c->m, TERM_STATE, TYPE_BOOL, &node, 1);
  holds->state = state;
  const struct term *first = state->initial->integer != 0 ? holds : maker_not(c->m, holds);
  const struct term *idle =
      maker_implies(c->m, first, maker_at_most(c->m, maker_clock(c->m, node), maker_zero(c->m)));
  if (!is_there(c->list, maker_close(c->m, idle)))
    add(c, idle, NULL, NULL);
}

static void about_state(struct context *c, const struct state *state) {
  if (state->type.kind != TYPE_BOOL || state->role->count == NULL ||
      is_scheduled(c->model, state->role))
    return;
  const struct term *node = a_node(c, state->role, "i"), *other = a_node(c, state->role, "j");
  struct term *holds = maker_term(c->m, TERM_STATE, TYPE_BOOL, &node, 1);
  holds->state = state;
  add(c,
      maker_implies(c->m, holds,
                    maker_at_most(c->m, maker_clock(c->m, other), maker_clock(c->m, node))),
      NULL, NULL);
}

void relations_make(relations *list, struct term_maker *m, const struct model *model) {
  struct context c = {list, m, model};
  for (size_t i = 0; i < model->actions.count; i++) {
    about_action(&c, model->actions.items[i]);
    about_timer(&c, model->actions.items[i]);
  }
  bool busy = stage_relations(list, m, model); /* then who is idle does not matter */
  for (size_t i = 0; i < model->messages.count && !busy; i++)
    about_message(&c, model->messages.items[i]);
  for (size_t i = 0; i < model->states.count && !busy; i++)
    about_state(&c, model->states.items[i]);
  for (size_t i = 0; i < model->states.count && !busy; i++)
    still_first(&c, model->states.items[i]);
  pace_relations(list, m, model);
  tick_relations(list, m, model);
  ahead_relations(list, m, model);
  for (size_t i = 0; i < model->messages.count; i++)
    never_sent(&c, model->messages.items[i]);
  for (size_t i = 0; i < model->actions.count; i++)
    about_costs(&c, model->actions.items[i]);
}
