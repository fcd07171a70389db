/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/pace.h"

struct numbered {
  relations *list;
  struct term_maker *m;
  const struct model *model;
  const struct message *message;
  size_t number; /* which field of it is the only INT */
};

static bool find_number(struct numbered *n) {
  size_t count = 0;
  for (size_t i = 0; i < n->message->field_count; i++)
    if (n->message->fields[i].type.kind == TYPE_INT) {
      n->number = i;
      count++;
    }
  return count == 1;
}

static const struct term *bare(struct term_maker *m, const struct component *component) {
  struct term *t = maker_term(m, TERM_BARE, TYPE_TIME, NULL, 0);
  t->component = component;
  if (component->kind == COMPONENT_STEP && component->index_count == 0 && !component->repeated)
    t->kind = TERM_OCCURRENCE;
  return t;
}

static const struct term *about(const struct numbered *n, enum term_kind kind,
                                const struct term *const *fields) {
  return maker_message(n->m, kind, n->message, NULL, fields);
}

static const struct term *fresh(const struct numbered *n, size_t field) {
  return maker_mention(
      n->m, maker_variable(n->m, n->message->fields[field].name, n->message->fields[field].type));
}

static void add(const struct numbered *n, const struct term *formula, struct relation says) {
  relation_add(n->list, n->m, n->model, formula, says);
}

/* Two messages of one sender; what else they say may differ. */
static void in_turn(const struct numbered *n) {
  size_t count = n->message->field_count;
  const struct term **first = arena_alloc(n->m->arena, count, sizeof *first);
  const struct term **second = arena_alloc(n->m->arena, count, sizeof *second);
  for (size_t i = 0; i < count; i++) {
    first[i] = fresh(n, i);
    second[i] = (int)i == n->message->sender_field ? first[i] : fresh(n, i);
  }
  const struct term *less =
      maker_pair(n->m, TERM_LT, TYPE_BOOL, first[n->number], second[n->number]);
  const struct term *given = maker_and(
      n->m, maker_and(n->m, about(n, TERM_SENT, first), about(n, TERM_SENT, second)), less);
  const struct term *next =
      maker_pair(n->m, TERM_ADD, TYPE_TIME, about(n, TERM_PACED, first), n->message->pacer->every);
  add(n, maker_implies(n->m, given, maker_at_most(n->m, next, about(n, TERM_PACED, second))),
      (struct relation){0});
}

/* The INT state that the action leaves as the number of what it takes, or NULL. */
static const struct state *kept_by(const struct numbered *n, const struct action *action) {
  for (size_t i = 0; i < action->body.count; i++) {
    const struct statement *s = action->body.statements[i];
    if (s->kind == STATEMENT_ASSIGN && s->key == NULL && s->value->kind == TERM_VARIABLE &&
        s->value->variable == action->fields[n->number])
      return s->state;
  }
  return NULL;
}

/* The fields of the latest message that the node took; NULL when they say more than its number and
 * the node. */
static const struct term **latest(const struct numbered *n, const struct term *node,
                                  const struct term *number) {
  const struct term **fields = arena_alloc(n->m->arena, n->message->field_count, sizeof *fields);
  for (size_t i = 0; i < n->message->field_count; i++) {
    if (i == n->number)
      fields[i] = number;
    else if ((int)i == n->message->receiver_field &&
             n->message->fields[i].type.role == n->message->receiver)
      fields[i] = node;
    else
      return NULL;
  }
  return fields;
}

/* What the work takes: the bare names of all its costs. */
static const struct term *longest(const struct numbered *n, const struct action *action,
                                  const struct term *time) {
  for (size_t i = 0; i < action->cost_count; i++)
    time = maker_pair(n->m, TERM_ADD, TYPE_TIME, time, bare(n->m, action->costs[i]->component));
  return time;
}

static void keeps_up(const struct numbered *n, const struct action *action,
                     const struct state *state) {
  struct term_maker *m = n->m;
  struct type type = {.kind = TYPE_NODE, .role = action->role};
  const struct term *node = maker_role_node(
      m, action->role, action->role->count == NULL ? NULL : maker_variable(m, "i", type));
  struct term *number = maker_term(m, TERM_STATE, TYPE_INT, &node, 1);
  number->state = state;
  const struct term **fields = latest(n, node, number);
  if (fields == NULL)
    return;
  struct replacement self = {maker_mention(m, state->self), node};
  const struct term *first = term_replace(m, state->initial, &self, 1);
  const struct term *none = maker_pair(m, TERM_LE, TYPE_BOOL, number, first);
  const struct term *some = maker_pair(m, TERM_GT, TYPE_BOOL, number, first);
  const struct term *there =
      maker_pair(m, TERM_ADD, TYPE_TIME, about(n, TERM_PACED, fields), bare(m, n->message->delay));
  const struct term *done = maker_at_most(m, maker_clock(m, node), longest(n, action, there));
  add(n, maker_implies(m, none, maker_at_most(m, maker_clock(m, node), maker_zero(m))),
      (struct relation){0});
  add(n, maker_implies(m, some, maker_and(m, about(n, TERM_SENT, fields), done)),
      (struct relation){.paced = n->message});
}

void pace_relations(relations *list, struct term_maker *m, const struct model *model) {
  for (size_t i = 0; i < model->messages.count; i++) {
    struct numbered n = {list, m, model, model->messages.items[i], 0};
    if (n.message->pacer == NULL || !find_number(&n))
      continue;
    in_turn(&n);
    for (size_t k = 0; k < model->actions.count; k++) {
      const struct action *action = model->actions.items[k];
      const struct state *state =
          action->message == n.message && !action->loses && action->batches == NULL
              ? kept_by(&n, action)
              : NULL;
      if (state != NULL)
        keeps_up(&n, action, state);
    }
  }
}
