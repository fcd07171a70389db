/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/rest.h"

#include "solver/encode/encode.h"
#include "solver/infer/edge.h"
#include "solver/infer/time.h"

struct rest {
  relations *list;
  struct term_maker *m;
  const struct model *model;
};

static void add(struct rest *c, const struct term *formula) {
  relation_add(c->list, c->m, c->model, formula, (struct relation){0});
}

static const struct term *a_node(struct rest *c, const struct role *role) {
  struct type type = {.kind = TYPE_NODE, .role = role};
  return maker_role_node(c->m, role, role->count == NULL ? NULL : maker_variable(c->m, "i", type));
}

/* Whether the field (-1: none) names the node of the role, which may also be single. */
static bool names(const struct message *message, int field, const struct role *role) {
  return field >= 0 ? message->fields[field].type.role == role : role->count == NULL;
}

/* The one message of this kind to (or from) the node; NULL: there may be several. */
static const struct term **only_one(struct rest *c, const struct message *message, int field,
                                    const struct term *node) {
  if (!names(message, field, node->type.role) || message->field_count != (size_t)(field >= 0))
    return NULL;
  return arena_copy(c->m->arena, &node, field >= 0, sizeof node);
}

static const struct term *fact(struct rest *c, enum term_kind kind, const struct message *message,
                               const struct term *const *args) {
  return maker_message(c->m, kind, message, NULL, args);
}

/* --- since it was sent, since it was received ------------------------------------------------- */

static const struct term *nothing_received(struct rest *c, const struct term *node) {
  const struct term *all = NULL;
  for (size_t i = 0; i < c->model->messages.count; i++) {
    const struct message *x = c->model->messages.items[i];
    const struct term **args =
        x->receiver == node->type.role ? only_one(c, x, x->receiver_field, node) : NULL;
    if (args != NULL)
      all = maker_and(c->m, all, maker_not(c->m, fact(c, TERM_RECEIVED, x, args)));
  }
  return all;
}

static void since_sent(struct rest *c, const struct message *message) {
  const struct term *node = a_node(c, message->sender);
  const struct term **args = only_one(c, message, message->sender_field, node);
  const struct term *nothing = args == NULL ? NULL : nothing_received(c, node);
  if (nothing == NULL || message->pacer != NULL)
    return;
  const struct term *left =
      maker_pair(c->m, TERM_SUB, TYPE_TIME, fact(c, TERM_TIME_MESSAGE, message, args),
                 maker_message(c->m, TERM_DELAY, message, message->delay, args));
  add(c, maker_implies(c->m, maker_and(c->m, fact(c, TERM_SENT, message, args), nothing),
                       maker_at_most(c->m, maker_clock(c->m, node), left)));
}

static void since_received(struct rest *c, const struct action *timed) {
  if (timed->timer == NULL || timed->schedule != NULL || timed->choice_count != 0)
    return;
  const struct term *node = a_node(c, timed->role);
  const struct term *guard = action_untimed_guard(c->m, timed, node);
  for (size_t i = 0; i < c->model->messages.count; i++) {
    const struct message *x = c->model->messages.items[i];
    const struct term **args =
        x->receiver == timed->role ? only_one(c, x, x->receiver_field, node) : NULL;
    if (args != NULL)
      add(c, maker_implies(c->m, maker_and(c->m, guard, fact(c, TERM_RECEIVED, x, args)),
                           maker_at_most(c->m, maker_clock(c->m, node),
                                         fact(c, TERM_TIME_MESSAGE, x, args))));
  }
}

/* --- what comes after what -------------------------------------------------------------------- */

/* With variables of any value for those of the action. */
static const struct term *anywhere(struct rest *c, const struct term *t) {
  struct variable_list free = term_free_variables(c->m->arena, t);
  replacements with = {0};
  for (size_t i = 0; i < free.count; i++) {
    const struct variable *v = free.items[i];
    vector_push(&with,
                (struct replacement){maker_mention(c->m, v),
                                     maker_mention(c->m, maker_variable(c->m, v->name, v->type))});
  }
  t = term_replace(c->m, t, with.data, with.count);
  vector_clear(&with);
  return t;
}

static bool is_plain(const struct term *const *args, size_t count) {
  bool plain = true;
  for (size_t i = 0; i < count; i++)
    plain = plain && (args[i]->kind == TERM_VARIABLE || args[i]->kind == TERM_BOOL ||
                      args[i]->kind == TERM_ENUM);
  return plain;
}

static void about_sends(struct rest *c, const struct action *action, const struct block *block) {
  struct term_maker *m = c->m;
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_IF) {
      about_sends(c, action, &s->then_block);
      about_sends(c, action, &s->else_block);
    }
    if (s->kind != STATEMENT_SEND || !is_plain(s->args, s->arg_count))
      continue;
    const struct term *sent = fact(c, TERM_SENT, s->message, s->args);
    const struct term **fields =
        arena_alloc(m->arena, action->message->field_count, sizeof *fields);
    bool known = true;
    for (size_t k = 0; k < action->message->field_count; k++) {
      known = known && term_mentions(sent, action->fields[k]);
      fields[k] = maker_mention(m, action->fields[k]);
    }
    const struct term *before = fact(c, TERM_TIME_MESSAGE, action->message, fields);
    const struct term *after = fact(c, TERM_TIME_MESSAGE, s->message, s->args);
    if (known)
      add(c, anywhere(c, maker_implies(m, sent, maker_at_most(m, before, after))));
  }
}

/* --- without a queueing term ------------------------------------------------------------------ */

static void on_its_way(struct rest *c, const struct message *message) {
  struct term_maker *m = c->m;
  const struct term **args = arena_alloc(m->arena, message->field_count, sizeof *args);
  for (size_t i = 0; i < message->field_count; i++)
    args[i] = maker_mention(m, maker_variable(m, message->fields[i].name, message->fields[i].type));
  const struct role *roles[] = {message->sender, message->receiver};
  int fields[] = {message->sender_field, message->receiver_field};
  for (size_t i = 0; i < 2; i++) {
    if (roles[i]->external || !names(message, fields[i], roles[i]))
      continue;
    const struct term *node = fields[i] >= 0 ? args[fields[i]] : a_node(c, roles[i]);
    add(c, maker_implies(
               m, fact(c, TERM_PENDING, message, args),
               maker_at_most(m, maker_clock(m, node), fact(c, TERM_TIME_MESSAGE, message, args))));
  }
}

/* Where the first step can be taken no node has done anything. */
static void before_all(struct rest *c, const struct action *action) {
  struct term_maker *m = c->m;
  if (action->message != NULL || action->schedule != NULL || action->choice_count != 0 ||
      action->timeout != NULL || action->timer != NULL)
    return;
  const struct term *guard = action_untimed_guard(m, action, a_node(c, action->role));
  for (size_t i = 0; i < c->model->roles.count && guard != NULL; i++) {
    const struct role *role = c->model->roles.items[i];
    if (!role->external && role != action->role)
      add(c, maker_implies(m, guard,
                           maker_at_most(m, maker_clock(m, a_node(c, role)), maker_zero(m))));
  }
}

/* --- priorities ------------------------------------------------------------------------------- */

/* The longest step of the role for a message that has to wait for this one; NULL: none. */
static const struct term *longest_step(struct rest *c, const struct message *first) {
  struct flow flow = {.m = c->m, .model = c->model};
  VECTOR(const struct term *) steps = {0};
  for (size_t i = 0; i < c->model->actions.count; i++) {
    const struct action *a = c->model->actions.items[i];
    const struct term *step = NULL;
    bool waits = a->role == first->receiver && !a->loses &&
                 (a->message == NULL || a->message->priority < first->priority);
    for (size_t k = 0; k < a->cost_count && waits; k++)
      step = time_plus(c->m, step, flow_bare(&flow, a->costs[k]->component));
    if (step != NULL)
      vector_push(&steps, step);
  }
  const struct term *longest = steps.count == 0   ? NULL
                               : steps.count == 1 ? steps.data[0]
                                                  : time_max(c->m, steps.data, steps.count);
  vector_clear(&steps);
  return longest;
}

static void about_priority(struct rest *c, const struct message *message) {
  struct term_maker *m = c->m;
  const struct term *step = message->priority > 0 ? longest_step(c, message) : NULL;
  if (step == NULL || !names(message, message->receiver_field, message->receiver))
    return;
  const struct term **args = arena_alloc(m->arena, message->field_count, sizeof *args);
  for (size_t i = 0; i < message->field_count; i++)
    args[i] = maker_mention(m, maker_variable(m, message->fields[i].name, message->fields[i].type));
  const struct term *node =
      message->receiver_field >= 0 ? args[message->receiver_field] : a_node(c, message->receiver);
  const struct term *now = maker_term(m, TERM_NOW, TYPE_TIME, NULL, 0);
  const struct term *when = fact(c, TERM_TIME_MESSAGE, message, args);
  add(c, maker_at_most(m, maker_clock(m, node), maker_pair(m, TERM_ADD, TYPE_TIME, now, step)));
  add(c, maker_implies(m, fact(c, TERM_PENDING, message, args),
                       maker_at_most(m, maker_clock(m, node),
                                     maker_pair(m, TERM_ADD, TYPE_TIME, when, step))));
}

void rest_relations(relations *list, struct term_maker *m, const struct model *model) {
  struct rest c = {list, m, model};
  for (size_t i = 0; i < model->messages.count; i++) {
    const struct message *message = model->messages.items[i];
    since_sent(&c, message);
    if (model->queueing == NULL)
      on_its_way(&c, message);
    if (model->timing == TIMING_EAGER)
      about_priority(&c, message);
  }
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    since_received(&c, action);
    if (model->queueing == NULL)
      before_all(&c, action);
    if (action->message != NULL && !action->loses)
      about_sends(&c, action, &action->body);
  }
}
