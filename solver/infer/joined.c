/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/joined.h"

/* --- sets that are joined -------------------------------------------------------------------- */

/* The state of a single node that the variable ranges over, or NULL. */
static const struct term *joined_set(const struct variable *v) {
  bool in_state =
      v->domain == DOMAIN_SET && v->set->kind == TERM_STATE && v->set->state->role->count == NULL;
  return in_state ? v->set : NULL;
}

struct looking {
  conditions *list; /* NULL: none wanted */
  struct term_maker *m;
  const struct message *message; /* NULL: any */
  const struct term *const *args;
  bool found;
};

static void add_condition(struct looking *l, const struct term *set, const struct term *member) {
  const struct term *node = maker_role_node(l->m, set->state->role, NULL);
  struct term *at = arena_copy(l->m->arena, set, 1, sizeof *at);
  at->args = arena_copy(l->m->arena, &node, 1, sizeof(struct term *));
  const struct term *in[] = {member, at};
  const struct term *condition = maker_term(l->m, TERM_IN, TYPE_BOOL, in, 2);
  for (size_t i = 0; i < l->list->count; i++)
    if (term_equal(l->list->data[i], condition))
      return;
  vector_push(l->list, condition);
}

static void look_at_variable(struct looking *l, const struct statement *send,
                             const struct variable *v) {
  const struct term *set = joined_set(v);
  for (size_t i = 0; i < send->arg_count && set != NULL; i++)
    if (send->args[i]->kind == TERM_VARIABLE && send->args[i]->variable == v) {
      l->found = true;
      if (l->list != NULL)
        add_condition(l, set, l->args[i]);
    }
}

static void look_at_block(struct looking *l, const struct action *action,
                          const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_IF) {
      look_at_block(l, action, &s->then_block);
      look_at_block(l, action, &s->else_block);
    }
    if (s->kind != STATEMENT_SEND || (l->message != NULL && s->message != l->message))
      continue;
    for (size_t k = 0; k < s->variable_count; k++)
      look_at_variable(l, s, s->variables[k]);
    for (size_t k = 0; k < action->choice_count; k++)
      look_at_variable(l, s, action->choices[k]);
  }
}

static void look(struct looking *l, const struct model *model) {
  for (size_t i = 0; i < model->actions.count; i++)
    look_at_block(l, model->actions.items[i], &model->actions.items[i]->body);
}

void joined_conditions(conditions *list, struct term_maker *m, const struct model *model,
                       const struct message *message, const struct term *const *args) {
  struct looking l = {.list = list, .m = m, .message = message, .args = args};
  look(&l, model);
}

/* --- who is idle when ------------------------------------------------------------------------ */

struct joining {
  relations *list;
  struct term_maker *m;
  const struct model *model;
};

static void add(struct joining *j, const struct term *given, const struct term *clock,
                const struct term *most) {
  relation_add(j->list, j->m, j->model,
               maker_implies(j->m, given, maker_at_most(j->m, clock, most)), (struct relation){0});
}

static const struct term *single(struct joining *j, const struct role *role) {
  return maker_role_node(j->m, role, NULL);
}

static bool is_single(const struct role *role) {
  return role->count == NULL && !role->external;
}

/* Neither end of a message on its way is past it. */
static void about_message(struct joining *j, const struct message *message) {
  struct term_maker *m = j->m;
  if (message->receiver->external)
    return;
  const struct role *ends[] = {message->sender, message->receiver};
  const struct term **args = arena_alloc(m->arena, message->field_count, sizeof *args);
  for (size_t i = 0; i < message->field_count; i++)
    args[i] = maker_mention(m, maker_variable(m, message->fields[i].name, message->fields[i].type));
  for (size_t i = 0; i < 2; i++)
    if (is_single(ends[i]))
      add(j, maker_message(m, TERM_PENDING, message, NULL, args),
          maker_clock(m, single(j, ends[i])),
          maker_message(m, TERM_TIME_MESSAGE, message, NULL, args));
}

/* While the state is as it was at first, the other node has done nothing that its own has not seen. */
static void about_state(struct joining *j, const struct state *state) {
  struct term_maker *m = j->m;
  if (state->type.kind != TYPE_BOOL || state->initial->kind != TERM_BOOL || state->hidden ||
      !is_single(state->role))
    return;
  const struct term *node = single(j, state->role);
  struct term *holds = maker_term(m, TERM_STATE, TYPE_BOOL, &node, 1);
  holds->state = state;
  const struct term *first = state->initial->integer != 0 ? holds : maker_not(m, holds);
  for (size_t i = 0; i < j->model->roles.count; i++) {
    const struct role *other = j->model->roles.items[i];
    if (other != state->role && is_single(other))
      add(j, first, maker_clock(m, single(j, other)), maker_clock(m, node));
  }
}

void joined_relations(relations *list, struct term_maker *m, const struct model *model) {
  struct joining j = {list, m, model};
  struct looking l = {.m = m};
  look(&l, model);
  for (size_t i = 0; i < model->messages.count && l.found; i++)
    about_message(&j, model->messages.items[i]);
  for (size_t i = 0; i < model->states.count && l.found; i++)
    about_state(&j, model->states.items[i]);
}
